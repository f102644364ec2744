(** The filter of basic composition, concurrent, with adaptively chosen parameters
    (epsilon, delta): products of E's and of (1 - delta)'s.  The potential is the law of
    the transcript minus the part of it that stays purely private.                      *)
From Coq Require Import QArith List Bool Arith Lia Lqa Qfield.
From Antiphon Require Import Distributions Statements Histories Lyu Potential Components Shares.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Lemma mult_le : forall a b c d, 0 <= a -> a <= b -> 0 <= c -> c <= d -> a * c <= b * d.
Proof. intros. nra. Qed.

Section Filter.
  Context {Msg Ans Pair : Type} (side : bool -> Pair -> Msg) (same : Pair -> bool).
  Variable aeq : forall a a' : Ans, {a = a'} + {a <> a'}.
  Hypothesis same_ok : forall p, same p = true -> side false p = side true p.
  Notation Cl := (@Claim Msg Ans Pair side).
  Notation H := (list (Pair * Ans)).  Notation Part := (Cl * H)%type.
  Notation law1 := (@Components.law1 Msg Ans Pair side aeq).
  Notation law := (@Components.law Msg Ans Pair side aeq).
  Variables (all : bool) (B D : Q).
  Hypotheses (HB : 1 <= B) (HD : 0 <= D <= 1).

  Definition chg (l : list Pair) : bool := all || differs same l.
  Definition pchg (x : Part) : bool := chg (map fst (snd x)).
  Definition consistent (c : Cl) : Prop := cd c == 0 \/ first_pair_consistent same (cf c).
  Definition okp (c : Cl) (l : list Pair) : Prop := chg l = true ->
    valid (cf c) l = true /\ cd c < 1 /\ (all = true \/ consistent c).
  Definition V (l : list (Cl * list Pair)) : Prop :=
    Forall (fun x => okp (fst x) (snd x)) l /\
    let ch := filter (fun cl => chg (snd cl)) l in
    prodE (params_of ch) <= B /\ 1 - D <= prodD (params_of ch).

  Section Fixed.
  Variables (b : bool) (qs : list Pair) (T : nat).
  Definition share (x : Part) : Q :=
    if pchg x then pure_share aeq qs T (fst x) (snd x) b / (1 - cd (fst x)) else law1 b x.
  Fixpoint shares (l : list Part) : Q := match l with [] => 1 | x :: l' => share x * shares l' end.
  Definition G (l : list Part) : Q := law b l - (1 - D) * shares l.

  Lemma shares_app : forall l l', shares (l ++ l') == shares l * shares l'.
  Proof. induction l; simpl; intros; [ring|rewrite IHl; ring]. Qed.

  Lemma share_bounds : forall c h, okp c (map fst h) -> asked qs h -> (length h <= T)%nat ->
    let e := if pchg (c, h) then cE c else 1 in let dd := if pchg (c, h) then 1 - cd c else 1 in
    0 <= share (c, h) /\ dd * share (c, h) <= law1 b (c, h) /\ dd * share (c, h) <= e * law1 (negb b) (c, h) /\
    0 < dd /\ 1 <= e.
  Proof.
    intros c h Hok Ha Hl. unfold share. destruct (pchg (c, h)) eqn:C; simpl.
    - destruct (Hok C) as [Hv [Hd _]]. destruct (@pure_cone _ _ _ side aeq qs T c h b Ha Hl Hv) as [P1 [P2 P3]].
      destruct (@pure_cone _ _ _ side aeq qs T c h (negb b) Ha Hl Hv) as [_ [P4 _]].
      pose proof (cE1 c) as E1.
      assert (X : (1 - cd c) * (pure_share aeq qs T c h b / (1 - cd c)) == pure_share aeq qs T c h b) by (field; lra).
      rewrite X. repeat split; try lra.
      + unfold Qdiv. apply Qmult_le_0_compat; [exact P1|]. apply Qinv_le_0_compat. lra.
      + nra.
    - unfold pchg, chg in C. simpl in C. apply orb_false_iff in C. destruct C as [_ C].
      pose proof (@law1_nonneg _ _ _ side aeq b (c, h)).
      rewrite <- (@law1_same _ _ _ side same aeq same_ok b c h C). repeat split; lra.
  Qed.

  Lemma products : forall l, Forall (fun x => okp (fst x) (map fst (snd x))) l -> bounded qs T l ->
    let ch := filter (fun cl : Cl * list Pair => chg (snd cl)) (pairs_only l) in
    0 <= shares l /\ prodD (params_of ch) * shares l <= law b l /\
    prodD (params_of ch) * shares l <= prodE (params_of ch) * law (negb b) l /\
    0 < prodD (params_of ch) /\ 1 <= prodE (params_of ch).
  Proof.
    induction l as [|[c h] l IH]; intros Hok Hb; [simpl; repeat split; lra|].
    inversion Hok as [|? ? O1 O2]; subst. inversion Hb as [|? ? [B1 B2] B3]; subst. simpl in O1, B1, B2.
    destruct (IH O2 B3) as [I1 [I2 [I3 [I4 I5]]]].
    destruct (@share_bounds c h O1 B1 B2) as [S1 [S2 [S3 [S4 S5]]]].
    simpl. unfold pchg in *. simpl in *.
    set (ch := filter (fun cl : Cl * list Pair => chg (snd cl)) (pairs_only l)) in *.
    pose proof (@law1_nonneg _ _ _ side aeq b (c, h)). pose proof (@law1_nonneg _ _ _ side aeq (negb b) (c, h)).
    pose proof (law_nonneg aeq b l). pose proof (law_nonneg aeq (negb b) l).
    destruct (chg (map fst h)); simpl.
    - set (s := share (c, h)) in *. set (ss := shares l) in *. set (pd := prodD (params_of ch)) in *.
      set (pe := prodE (params_of ch)) in *.
      assert (M1 : ((1 - cd c) * s) * (pd * ss) <= law1 b (c, h) * law b l) by (apply mult_le; nra).
      assert (M2 : ((1 - cd c) * s) * (pd * ss) <= (cE c * law1 (negb b) (c, h)) * (pe * law (negb b) l)) by (apply mult_le; nra).
      repeat split; try nra.
    - set (s := share (c, h)) in *. set (ss := shares l) in *. set (pd := prodD (params_of ch)) in *.
      set (pe := prodE (params_of ch)) in *.
      assert (M1 : (1 * s) * (pd * ss) <= law1 b (c, h) * law b l) by (apply mult_le; nra).
      assert (M2 : (1 * s) * (pd * ss) <= (1 * law1 (negb b) (c, h)) * (pe * law (negb b) l)) by (apply mult_le; nra).
      repeat split; try nra.
  Qed.

  Lemma V_parts : forall l, V (pairs_only l) -> Forall (fun x : Part => okp (fst x) (map fst (snd x))) l.
  Proof. intros l [F _]. unfold pairs_only in F. rewrite Forall_map in F. exact F. Qed.

  Lemma G_leaf : forall l, V (pairs_only l) -> bounded qs T l -> 0 <= G l /\ law b l - B * law (negb b) l <= G l.
  Proof.
    intros l HV Hb. destruct (products (V_parts l HV) Hb) as [P1 [P2 [P3 [P4 P5]]]]. destruct HV as [_ [V1 V2]].
    unfold G. set (ch := filter (fun cl : Cl * list Pair => chg (snd cl)) (pairs_only l)) in *.
    pose proof (law_nonneg aeq (negb b) l).
    assert (K : (1 - D) * shares l <= prodD (params_of ch) * shares l) by (apply Qmult_le_compat_r; assumption).
    assert (K2 : prodE (params_of ch) * law (negb b) l <= B * law (negb b) l) by (apply Qmult_le_compat_r; assumption).
    split; lra.
  Qed.

  Lemma pairs_only_snoc : forall (l1 : list Part) c h p (a : Ans) l2,
    pairs_only (l1 ++ (c, h ++ [(p, a)]) :: l2) = pairs_only l1 ++ (c, map fst h ++ [p]) :: pairs_only l2.
  Proof. intros. unfold pairs_only. rewrite map_app. simpl. rewrite map_app. reflexivity. Qed.
  Lemma bounded_snoc : forall (l1 : list Part) c h p (a : Ans) l2, bounded qs T (l1 ++ (c, h) :: l2) -> In p qs ->
    (length h < T)%nat -> bounded qs T (l1 ++ (c, h ++ [(p, a)]) :: l2).
  Proof.
    intros l1 c h p a l2 Hb Hp Hl. unfold bounded in *. rewrite Forall_app in *. destruct Hb as [H1 H2].
    split; [exact H1|]. inversion H2 as [|? ? [A1 A2] A3]; subst. constructor; [|exact A3]. simpl in *. split.
    - apply Forall_app. split; [exact A1|constructor; [exact Hp|constructor]].
    - rewrite app_length. simpl. lia.
  Qed.

  Lemma G_query : forall l1 c h l2 p l, V (pairs_only (l1 ++ (c, h) :: l2)) ->
    V (pairs_only l1 ++ (c, map fst h ++ [p]) :: pairs_only l2) -> bounded qs T (l1 ++ (c, h) :: l2) ->
    In p qs -> (length h < T)%nat -> NoDup l ->
    Sum l (fun a => G (l1 ++ (c, h ++ [(p, a)]) :: l2)) <= G (l1 ++ (c, h) :: l2).
  Proof.
    intros l1 c h l2 p l HV HV' Hb Hp Hl Hn.
    set (R := law b l1 * law b l2). set (K := (1 - D) * (shares l1 * shares l2)).
    assert (Form : forall h', G (l1 ++ (c, h') :: l2) == R * law1 b (c, h') - K * share (c, h')).
    { intros h'. unfold G, R, K. rewrite law_app, shares_app. simpl. ring. }
    assert (Child : forall a, 0 <= G (l1 ++ (c, h ++ [(p, a)]) :: l2)).
    { intros a. apply G_leaf; [rewrite pairs_only_snoc; exact HV'|apply bounded_snoc; assumption]. }
    destruct (G_leaf HV Hb) as [Here _].
    assert (Ha : asked qs h /\ okp c (map fst h ++ [p])).
    { unfold bounded in Hb. rewrite Forall_app in Hb. destruct Hb as [_ Hb]. inversion Hb as [|? ? [X _] _]; subst.
      destruct HV' as [F _]. rewrite Forall_app in F. destruct F as [_ F]. inversion F; subst. auto. }
    destruct Ha as [Ha Hok].
    assert (Sn : forall a, pchg (c, h ++ [(p, a)]) = chg (map fst h ++ [p])).
    { intros a. unfold pchg. simpl. rewrite map_app. reflexivity. }
    destruct (chg (map fst h ++ [p])) eqn:C.
    - destruct (Hok C) as [Hv [Hd Hc]].
      set (z := fun h' => R * law1 b (c, h') - K / (1 - cd c) * pure_share aeq qs T c h' b).
      assert (Z1 : forall a, G (l1 ++ (c, h ++ [(p, a)]) :: l2) == z (h ++ [(p, a)])).
      { intros a. rewrite Form. unfold share, z. rewrite Sn. simpl. field. lra. }
      assert (Z0 : z h == G (l1 ++ (c, h) :: l2)).
      { rewrite Form. unfold share, z. destruct (pchg (c, h)) eqn:C0; [simpl; field; lra|].
        unfold pchg, chg in C0, C. simpl in C0. apply orb_false_iff in C0. destruct C0 as [C0 C1].
        rewrite C0 in C. simpl in C. destruct Hc as [Hc|Hc]; [congruence|].
        rewrite (@pure_joining _ _ _ side same aeq qs T c h p b Ha (Nat.lt_le_incl _ _ Hl) Hv C1 C Hc).
        field. lra. }
      rewrite (Sum_ext _ _ _ Z1), <- Z0.
      apply (@combination_le _ _ _ side aeq qs T c h p l (if b then R else 0) (if b then 0 else R)
               (if b then - (K / (1 - cd c)) else 0) (if b then 0 else - (K / (1 - cd c))) z); auto.
      + intros h'. unfold z. destruct b; ring.
      + intros a. rewrite <- Z1. apply Child.
    - assert (C0 : pchg (c, h) = false).
      { unfold pchg, chg in *. simpl. apply orb_false_iff in C. destruct C as [-> C]. rewrite differs_snoc in C.
        apply orb_false_iff in C. destruct C as [-> _]. reflexivity. }
      assert (Z1 : forall a, G (l1 ++ (c, h ++ [(p, a)]) :: l2) == (R - K) * law1 b (c, h ++ [(p, a)])).
      { intros a. rewrite Form. unfold share. rewrite Sn. ring. }
      assert (Z0 : G (l1 ++ (c, h) :: l2) == (R - K) * law1 b (c, h)).
      { rewrite Form. unfold share. rewrite C0. ring. }
      rewrite (Sum_ext _ _ _ Z1), Sum_scal.
      pose proof (@law1_children _ _ _ side aeq b c h p l Hn) as L.
      assert (P : 0 <= Sum l (fun a => law1 b (c, h ++ [(p, a)]))) by (apply Sum_nonneg; intros; apply law1_nonneg).
      destruct (Qlt_le_dec (R - K) 0); [|rewrite Z0]; nra.
  Qed.

  Lemma G_potential : parts_potential aeq V B D b qs T G.
  Proof.
    split; [unfold G; simpl; lra|]. split; [exact G_leaf|]. split; [|exact G_query].
    intros l c HV HV' Hb. unfold G. rewrite law_app, shares_app.
    assert (X : share (c, []) == 1).
    { unfold share. destruct (pchg (c, [])) eqn:C; [|unfold Components.law1; simpl; reflexivity].
      simpl. rewrite pure_root. destruct HV' as [F _]. unfold pairs_only in F. rewrite map_app in F.
      rewrite Forall_app in F. destruct F as [_ F]. inversion F as [|? ? O _]; subst. destruct (O C) as [_ [O2 _]]. simpl in O2.
      field. lra. }
    simpl. rewrite X. unfold Components.law1 at 1. simpl. lra.
  Qed.
  End Fixed.

  Theorem basic_filter : forall f, accepts_within same all B D f ->
    DP (@eside Msg Ans Pair side) f (@ExtConComp Msg Ans Pair side) B D.
  Proof.
    intros f Hf. apply (@DP_of_components _ _ _ side aeq f V); [lra| | |].
    - split; [constructor|]. simpl. lra.
    - intros ps Hps. destruct (Hf ps Hps) as [H1 [H2 [H3 [H4 [H5 H6]]]]]. split; [exact H1|].
      split; [|split; assumption]. unfold charged in *. fold chg in *. clear - H2 H3 H6.
      change (fun cl : Cl * list Pair => all || differs same (snd cl)) with (fun cl : Cl * list Pair => chg (snd cl)) in *.
      induction (instances ps) as [|[c l] is_ IH]; constructor; simpl in *.
      + intros C. rewrite C in *. simpl in *. apply andb_true_iff in H2. inversion H3; subst. simpl in *.
        repeat split; [tauto|assumption|]. destruct H6 as [H6|H6]; [left; exact H6|right]. inversion H6; subst. assumption.
      + destruct (chg l); [|auto]. simpl in *. apply andb_true_iff in H2. inversion H3; subst. apply IH; try tauto.
        destruct H6 as [H6|H6]; [left; exact H6|right]. inversion H6; subst; assumption.
    - intros b qs T. exists (G b qs T). apply G_potential.
  Qed.
End Filter.
