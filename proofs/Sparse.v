(** Tight k-sparse parallel composition for delta > 0, without first-pair consistency, where
    every f' is symmetric (Theorem S, not in CM): n mechanisms, each (E, delta)-DP, of which
    k get a pair with two sides, cost what k responses RR_{E,0} and n responses RR_{1,delta}
    cost.  The slots are as in Slots.v; a created mechanism outside J holds a slot of the
    second kind, and takes one of the first kind when its first pair with two sides comes. *)
From Coq Require Import QArith List Bool Arith Lia Lqa Qfield Permutation.
From Antiphon Require Import Distributions Statements Histories Lyu Potential Components Shares Slots Symmetric.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Section Sparse.
  Context {Msg Ans Pair : Type} (side : bool -> Pair -> Msg) (same : Pair -> bool) (swap : Pair -> Pair).
  Variable aeq : forall a a' : Ans, {a = a'} + {a <> a'}.
  Hypothesis same_ok : forall p, same p = true -> side false p = side true p.
  Hypothesis swap_side : forall b p, side b (swap p) = side (negb b) p.
  Hypothesis swap_twice : forall p, swap (swap p) = p.
  Hypothesis swap_same : forall p, same p = true -> swap p = p.
  Notation Cl := (@Claim Msg Ans Pair side).
  Notation H := (list (Pair * Ans)).  Notation Part := (Cl * H)%type.
  Notation law1 := (@Components.law1 Msg Ans Pair side aeq).
  Notation law := (@Components.law Msg Ans Pair side aeq).
  Variables (n k : nat) (E0 d0 E d : Q).
  Hypotheses (HE0 : 1 <= E0) (Hd0 : 0 <= d0 <= 1) (HE : 0 <= E).
  Definition slots_S : list (Q * Q) := repeat (E0, 0) k ++ repeat (1, d0) n.
  Hypothesis HRR : CompRR_DP slots_S E d.

  Definition jn (x : Part) : bool := differs same (map fst (snd x)).
  Definition okS (c : Cl) (l : list Pair) : Prop :=
    cE c == E0 /\ cd c == d0 /\ (forall l, cf c (map swap l) = cf c l) /\
    (differs same l = true -> valid (cf c) l = true).
  Definition V (l : list (Cl * list Pair)) : Prop :=
    Forall (fun x => okS (fst x) (snd x)) l /\ (length l <= n)%nat /\
    (length (filter (fun cl => differs same (snd cl)) l) <= k)%nat.

  Section Fixed.
  Variables (b : bool) (qs0 : list Pair) (T : nat).
  Definition qs := qs0 ++ map swap qs0.
  Lemma qs_closed : forall q, In q qs -> In (swap q) qs.
  Proof.
    intros q Hq. unfold qs in *. apply in_app_or in Hq. apply in_or_app. destruct Hq as [Hq|Hq].
    - right. apply in_map. exact Hq.
    - left. apply in_map_iff in Hq. destruct Hq as [q' [<- Hq]]. rewrite swap_twice. exact Hq.
  Qed.
  Lemma asked_qs : forall h : H, asked qs0 h -> asked qs h.
  Proof. intros h Ha. eapply Forall_impl; [|exact Ha]. intros x Hx. unfold qs. apply in_or_app. left; exact Hx. Qed.
  Notation pure c h := (pure_share aeq qs T c h).

  (* the mirror image of a transcript under the other bit *)
  Lemma valid_swap : forall (c : Cl) l hist, (forall l, cf c (map swap l) = cf c l) ->
    valid_from (cf c) (map swap hist) (map swap l) = valid_from (cf c) hist l.
  Proof.
    induction l as [|p l IH]; intros hist Hs; simpl; [reflexivity|].
    replace (map swap hist ++ [swap p]) with (map swap (hist ++ [p])) by (rewrite map_app; reflexivity).
    rewrite Hs, IH by exact Hs. reflexivity.
  Qed.
  Lemma strip_swap : forall (c : Cl) (h : list (Pair * option Ans)) hist, (forall l, cf c (map swap l) = cf c l) ->
    strip (cf c) (map swap hist) (swap_h swap h)
    = option_map (fun l => map (fun pa => (swap (fst pa), snd pa)) l) (strip (cf c) hist h).
  Proof.
    intros c h hist Hs. revert hist. induction h as [|[p oa] h IH]; intros hist; [reflexivity|]. simpl.
    replace (map swap hist ++ [swap p]) with (map swap (hist ++ [p])) by (rewrite map_app; reflexivity).
    rewrite Hs, IH. destruct (cf c (hist ++ [p])).
    - destruct oa; [|reflexivity]. destruct (strip (cf c) (hist ++ [p]) h); reflexivity.
    - assert (X : allNone (swap_h swap h) = allNone h).
      { clear. induction h as [|[q [x|]] h IHh]; simpl; auto. }
      destruct oa; [reflexivity|]. fold (swap_h swap h). rewrite X. destruct (allNone h); reflexivity.
  Qed.
  Lemma world_mirror : forall (c : Cl), (forall l, cf c (map swap l) = cf c l) -> forall b' h,
    mu (oeq aeq) (world c) b' (swap_h swap h) == mu (oeq aeq) (world c) (negb b') h.
  Proof.
    intros c Hs b' h. unfold mu, world. simpl init. rewrite !prob_strip.
    change (@nil Pair) with (map swap []) at 1. rewrite (strip_swap c h [] Hs).
    destruct (strip (cf c) [] h) as [l|]; [|reflexivity]. simpl.
    assert (X : sideh side b' (map (fun pa : Pair * Ans => (swap (fst pa), snd pa)) l) = sideh side (negb b') l).
    { unfold sideh. rewrite map_map. apply map_ext. intros [p a]. simpl. rewrite swap_side. reflexivity. }
    rewrite X. reflexivity.
  Qed.
  Lemma pure_mirror : forall (c : Cl) h, (forall l, cf c (map swap l) = cf c l) -> (length h <= T)%nat ->
    differs same (map fst h) = false -> pure c h b == pure c h (negb b).
  Proof.
    intros c h Hs Hl Hd.
    assert (X : pure c h true == pure c h false).
    { unfold pure_share. apply (@nu_mirror _ _ _ (oeq aeq) (world c) (cE c) (cd c) qs swap (cE1 c) qs_closed swap_twice (world_mirror c Hs)).
      - unfold some_h. rewrite map_length. exact Hl.
      - unfold some_h. rewrite Forall_map. apply Forall_forall. intros [p a] Hin. simpl. apply swap_same.
        destruct (same p) eqn:Hp; [reflexivity|]. exfalso.
        assert (Y : differs same (map fst h) = true).
        { apply existsb_exists. exists p. split; [apply (in_map fst _ _ Hin)|rewrite Hp; reflexivity]. }
        rewrite Y in Hd. discriminate. }
    destruct b; simpl; [exact X|symmetry; exact X].
  Qed.

  (* the slot of a created mechanism outside J; nothing hangs on it once its f' has refused *)
  Definition idle (x : Part) : Slot :=
    let u := if valid (cf (fst x)) (map fst (snd x)) then pure (fst x) (snd x) b else law1 b x in
    {| sE := 1; s0 := law1 b x - u; s1 := law1 b x - u; sp := u / 2; sq := u / 2 |}.
  Definition slot (x : Part) : Slot := if jn x then slot_of aeq b qs T x else idle x.
  Definition left1 (l : list Part) : list Slot := repeat (root (E0, 0)) (k - length (filter jn l)).
  Definition left2 (l : list Part) : list Slot := repeat (root (1, d0)) (n - length l).
  Definition G (l : list Part) : Q := Phi (map slot l ++ left1 l ++ left2 l) 1 E.

  Lemma V_parts : forall l, V (pairs_only l) -> Forall (fun x : Part => okS (fst x) (map fst (snd x))) l /\
    (length l <= n)%nat /\ (length (filter jn l) <= k)%nat.
  Proof.
    intros l [F [L K]]. unfold pairs_only in *. rewrite map_length in L. rewrite Forall_map in F. repeat split; auto.
    clear - K. revert K. generalize k. induction l as [|[c h] l IH]; simpl; intros k' K; [lia|]. unfold jn at 1. simpl.
    destruct (differs same (map fst h)); simpl in *; [|apply IH; exact K]. destruct k'; [lia|]. apply le_n_S. apply IH. lia.
  Qed.
  Lemma okS_valid : forall c l, okS c l -> valid (cf c) l = true -> okp same true c l.
  Proof. intros c l _ Hv _. split; [exact Hv|left; reflexivity]. Qed.
  Lemma slot_good : forall c h, okS c (map fst h) -> asked qs h -> (length h <= T)%nat ->
    slot_ok (slot (c, h)) /\ sx (slot (c, h)) == law1 b (c, h) /\ sy (slot (c, h)) == law1 (negb b) (c, h).
  Proof.
    intros c h Hok Ha Hl. pose proof Hok as [O1 [O2 [O3 O4]]]. unfold slot, jn. simpl.
    destruct (differs same (map fst h)) eqn:J.
    - apply (@slot_facts _ _ _ side same aeq true b qs T c h); auto. apply okS_valid; auto.
    - pose proof (@law1_same _ _ _ side same aeq same_ok b c h J) as LS. rewrite <- LS.
      pose proof (@law1_nonneg _ _ _ side aeq b (c, h)) as LN. unfold idle, slot_ok, sx, sy. simpl.
      destruct (valid (cf c) (map fst h)) eqn:Hv.
      + destruct (@pure_cone _ _ _ side aeq qs T c h b Ha Hl Hv) as [P1 [P2 _]].
        set (u := pure c h b) in *. assert (U : u / 2 == (1 # 2) * u) by field. rewrite U. repeat split; lra.
      + set (u := law1 b (c, h)) in *. assert (U : u / 2 == (1 # 2) * u) by field. rewrite U. repeat split; lra.
  Qed.
  Lemma all_good : forall l, Forall (fun x : Part => okS (fst x) (map fst (snd x))) l -> bounded qs0 T l ->
    Forall slot_ok (map slot l) /\ prodx (map slot l) == law b l /\ prody (map slot l) == law (negb b) l.
  Proof.
    induction l as [|[c h] l IH]; intros Hok Hb; [simpl; split; [constructor|split; reflexivity]|].
    inversion Hok as [|? ? O1 O2]; subst. inversion Hb as [|? ? [B1 B2] B3]; subst. simpl in O1, B1, B2.
    destruct (IH O2 B3) as [I1 [I2 I3]]. destruct (slot_good O1 (asked_qs B1) B2) as [S1 [S2 S3]].
    simpl. rewrite I2, I3, S2, S3. split; [constructor; assumption|split; reflexivity].
  Qed.
  Lemma roots_good : forall r q, 1 <= fst q -> 0 <= snd q <= 1 ->
    Forall slot_ok (repeat (root q) r) /\ prodx (repeat (root q) r) == 1 /\ prody (repeat (root q) r) == 1.
  Proof.
    intros r q H1 H2. destruct (root_one q H1) as [R1 R2].
    induction r as [|r [I1 [I2 I3]]]; simpl; [split; [constructor|split; reflexivity]|].
    split; [constructor; [apply root_ok; assumption|exact I1]|]. rewrite I2, I3, R1, R2. split; reflexivity.
  Qed.
  Lemma left_good : forall l, Forall slot_ok (left1 l ++ left2 l) /\
    prodx (left1 l ++ left2 l) == 1 /\ prody (left1 l ++ left2 l) == 1.
  Proof.
    intros l. unfold left1, left2.
    destruct (@roots_good (k - length (filter jn l)) (E0, 0)) as [A1 [A2 A3]]; [exact HE0|simpl; lra|].
    destruct (@roots_good (n - length l) (1, d0)) as [B1 [B2 B3]]; [simpl; lra|exact Hd0|].
    split; [apply Forall_app; split; assumption|].
    rewrite (@prodx_app), (@prody_app), A2, A3, B2, B3. split; reflexivity.
  Qed.

  Lemma G_leaf : forall l, V (pairs_only l) -> bounded qs0 T l -> 0 <= G l /\ law b l - E * law (negb b) l <= G l.
  Proof.
    intros l HV Hb. destruct (V_parts _ HV) as [Hok _]. destruct (all_good Hok Hb) as [S1 [S2 S3]].
    destruct (left_good l) as [R1 [R2 R3]].
    assert (K : Forall slot_ok (map slot l ++ left1 l ++ left2 l)) by (apply Forall_app; split; assumption).
    pose proof (Phi_nonneg 1 E K) as P. pose proof (prod_leaf 1 E K) as L.
    rewrite prodx_app, prody_app, R2, R3, S2, S3 in L. unfold G. split; [exact P|lra].
  Qed.

  Lemma G_create : forall l c, V (pairs_only l) -> V (pairs_only (l ++ [(c, [])])) -> bounded qs0 T l ->
    G (l ++ [(c, [])]) <= G l.
  Proof.
    intros l c HV HV' Hb. destruct (V_parts _ HV') as [Hok [HL _]]. rewrite app_length in HL. simpl in HL.
    rewrite Forall_app in Hok. destruct Hok as [_ Hok]. inversion Hok as [|? ? [_ [Hd _]] _]; subst. simpl in Hd.
    apply Qle_lteq. right. unfold G.
    assert (X : left1 (l ++ [(c, [])]) = left1 l).
    { unfold left1. rewrite filter_app. simpl. rewrite app_nil_r. reflexivity. }
    assert (Y : left2 l = root (1, d0) :: left2 (l ++ [(c, [])])).
    { unfold left2. rewrite app_length. simpl length. replace (n - length l)%nat with (S (n - (length l + 1)))%nat by lia. reflexivity. }
    rewrite X, Y, map_app. simpl map.
    rewrite (Phi_perm (l := (map slot l ++ [slot (c, [])]) ++ left1 l ++ left2 (l ++ [(c, [])]))
                      (l' := slot (c, []) :: map slot l ++ left1 l ++ left2 (l ++ [(c, [])]))).
    2: { rewrite <- app_assoc. simpl. symmetry. apply Permutation_middle. }
    rewrite (Phi_perm (l := map slot l ++ left1 l ++ root (1, d0) :: left2 (l ++ [(c, [])]))
                      (l' := root (1, d0) :: map slot l ++ left1 l ++ left2 (l ++ [(c, [])]))).
    2: { rewrite !app_assoc. symmetry. apply Permutation_middle. }
    rewrite (@Phi_scaled (slot (c, [])) (root (1, d0)) 1); [ring| | | | |];
      unfold slot, jn, idle, root; simpl; rewrite ?pure_root, ?Qred_correct, ?Hd;
      unfold Components.law1; simpl; try reflexivity; try ring; try field.
  Qed.

  (* taking a slot of the first kind *)
  Lemma joining : forall c h, okS c (map fst h) -> asked qs h -> (length h <= T)%nat ->
    differs same (map fst h) = false -> valid (cf c) (map fst h) = true ->
    forall L a e, 0 <= a -> 0 <= e ->
    Phi (slot_of aeq b qs T (c, h) :: L) a e == Phi (idle (c, h) :: root (E0, 0) :: L) a e.
  Proof.
    intros c h [O1 [O2 [O3 O4]]] Ha Hl Hd Hv L a e H1 H2.
    pose proof (@law1_same _ _ _ side same aeq same_ok b c h Hd) as LS.
    pose proof (pure_mirror c h O3 Hl Hd) as PM. pose proof (cE1 c) as E1.
    unfold slot_of, idle. simpl. rewrite Hv, !Qred_correct, <- LS, <- PM.
    set (u := pure c h b) in *. set (w := law1 b (c, h)) in *.
    assert (Al : alpha c * u + beta c * u == (1 / (1 + E0)) * u).
    { unfold alpha, beta. destruct (Qeq_bool (cE c) 1) eqn:Q1.
      - apply Qeq_bool_iff in Q1. rewrite <- O1, Q1. field.
      - assert (HN : ~ cE c == 1) by (intro K; apply Qeq_bool_iff in K; congruence).
        assert (1 < cE c) by (apply Qle_lteq in E1; destruct E1 as [E1|E1]; [exact E1|exfalso; apply HN; symmetry; exact E1]).
        assert (0 < cE c * cE c - 1) by nra. rewrite <- O1. field. split; lra. }
    rewrite Al.
    rewrite (Phi_eq L (a := a * cE c) (a' := a * E0) (c := e) (c' := e)) by (rewrite ?O1; reflexivity).
    rewrite (Phi_eq L (a := a) (a' := a) (c := e * cE c) (c' := e * E0)) by (rewrite ?O1; reflexivity).
    rewrite (Phi_eq L (a := a * 1 * E0) (a' := a * E0) (c := e) (c' := e)) by (ring || reflexivity).
    rewrite (Phi_eq L (a := a) (a' := a) (c := e * 1 * E0) (c' := e * E0)) by (ring || reflexivity).
    rewrite (Phi_eq L (a := a * 1) (a' := a) (c := e * E0) (c' := e * E0)) by (ring || reflexivity).
    rewrite (Phi_eq L (a := a * E0) (a' := a * E0) (c := e * 1) (c' := e)) by (ring || reflexivity).
    rewrite (Phi_eq L (a := a * E0) (a' := E0 * a) (c := 0) (c' := E0 * 0)) by (ring || reflexivity).
    rewrite (Phi_eq L (a := a) (a' := a) (c := 0 * E0) (c' := 0)) by (ring || reflexivity).
    rewrite (Phi_eq L (a := 0) (a' := E0 * 0) (c := e * E0) (c' := E0 * e)) by (ring || reflexivity).
    rewrite (Phi_eq L (a := 0 * E0) (a' := 0) (c := e) (c' := e)) by (ring || reflexivity).
    assert (HE0' : 0 <= E0) by lra. rewrite !(Phi_scale L) by exact HE0'.
    field. lra.
  Qed.

  Lemma perm_slot : forall l1 x l2 (r : list Slot),
    Permutation (map slot (l1 ++ x :: l2) ++ r) (slot x :: map slot l1 ++ map slot l2 ++ r).
  Proof.
    intros. rewrite map_app. simpl. rewrite <- app_assoc. simpl. symmetry. apply Permutation_middle.
  Qed.
  Lemma perm_two : forall (u v : list Slot) x r, Permutation (u ++ v ++ x :: r) (x :: u ++ v ++ r).
  Proof. intros. rewrite !app_assoc. symmetry. apply Permutation_middle. Qed.
  Lemma G_query : forall l1 c h l2 p l, V (pairs_only (l1 ++ (c, h) :: l2)) ->
    V (pairs_only l1 ++ (c, map fst h ++ [p]) :: pairs_only l2) -> bounded qs0 T (l1 ++ (c, h) :: l2) ->
    In p qs0 -> (length h < T)%nat -> NoDup l ->
    Sum l (fun a => G (l1 ++ (c, h ++ [(p, a)]) :: l2)) <= G (l1 ++ (c, h) :: l2).
  Proof.
    intros l1 c h l2 p l HV HV' Hb Hp Hl Hn.
    assert (PS : forall a, pairs_only (l1 ++ (c, h ++ [(p, a)]) :: l2) = pairs_only l1 ++ (c, map fst h ++ [p]) :: pairs_only l2).
    { intros a. unfold pairs_only. rewrite map_app. simpl. rewrite map_app. reflexivity. }
    destruct (G_leaf HV Hb) as [Here _]. destruct (V_parts _ HV) as [Hok0 [HL0 HK0]].
    destruct l as [|a0 l0]; [exact Here|]. remember (a0 :: l0) as l eqn:El.
    assert (HVa := HV'). rewrite <- (PS a0) in HVa. destruct (V_parts _ HVa) as [Hok1 [_ HK1]].
    assert (Hqs : In p qs) by (unfold qs; apply in_or_app; left; exact Hp).
    assert (OO : okS c (map fst h) /\ okS c (map fst h ++ [p]) /\ asked qs0 h).
    { unfold bounded in Hb. rewrite Forall_app in Hb. destruct Hb as [_ Hb]. inversion Hb as [|? ? [X _] _]; subst.
      rewrite Forall_app in Hok0, Hok1. destruct Hok0 as [_ K0], Hok1 as [_ K1]. inversion K0; subst. inversion K1; subst.
      simpl in *. rewrite map_app in *. auto. }
    destruct OO as [Ok0 [Ok1 Ha0]]. pose proof (asked_qs Ha0) as Ha.
    set (y := (c, h ++ [(p, a0)]) : Part).
    set (L := map slot l1 ++ map slot l2 ++ left1 (l1 ++ y :: l2) ++ left2 (l1 ++ y :: l2)).
    assert (Jn : forall a, jn (c, h ++ [(p, a)]) = differs same (map fst h ++ [p])).
    { intros a. unfold jn. simpl. rewrite map_app. reflexivity. }
    assert (Jn0 : jn (c, h) = differs same (map fst h)) by reflexivity.
    assert (LO : Forall slot_ok L).
    { rewrite Forall_app in Hok0. destruct Hok0 as [O1 O2]. inversion O2 as [|? ? _ O3]; subst.
      unfold bounded in Hb. rewrite Forall_app in Hb. destruct Hb as [B1 B2]. inversion B2 as [|? ? _ B3]; subst.
      destruct (all_good O1 B1) as [K1 _]. destruct (all_good O3 B3) as [K2 _]. destruct (left_good (l1 ++ y :: l2)) as [K3 _].
      apply Forall_app; split; [exact K1|]. apply Forall_app; split; [exact K2|exact K3]. }
    assert (Same : forall a, left1 (l1 ++ (c, h ++ [(p, a)]) :: l2) ++ left2 (l1 ++ (c, h ++ [(p, a)]) :: l2)
                            = left1 (l1 ++ y :: l2) ++ left2 (l1 ++ y :: l2)).
    { intros a. unfold left1, left2, y. rewrite !filter_app, !app_length. simpl. rewrite !Jn.
      destruct (differs same (map fst h ++ [p])); reflexivity. }
    assert (Z1 : forall a, G (l1 ++ (c, h ++ [(p, a)]) :: l2) == Phi (slot (c, h ++ [(p, a)]) :: L) 1 E).
    { intros a. unfold G. rewrite Same. apply Phi_perm. unfold L. apply perm_slot. }
    rewrite (Sum_ext _ _ _ Z1).
    assert (Good : forall a, slot_ok (slot (c, h ++ [(p, a)]))).
    { intros a. refine (proj1 (@slot_good c (h ++ [(p, a)]) _ _ _)).
      - rewrite map_app. exact Ok1.
      - apply Forall_app; split; [exact Ha|constructor; [exact Hqs|constructor]].
      - rewrite app_length. simpl. lia. }
    assert (Left : differs same (map fst h) = differs same (map fst h ++ [p]) ->
                   Phi (slot (c, h) :: L) 1 E == G (l1 ++ (c, h) :: l2)).
    { intros Eq. unfold G. symmetry.
      replace (left1 (l1 ++ (c, h) :: l2) ++ left2 (l1 ++ (c, h) :: l2)) with (left1 (l1 ++ y :: l2) ++ left2 (l1 ++ y :: l2)).
      - apply Phi_perm. unfold L. apply perm_slot.
      - unfold left1, left2, y. rewrite !filter_app, !app_length. simpl. rewrite Jn, Jn0, Eq.
        destruct (differs same (map fst h ++ [p])); reflexivity. }
    assert (Comb : valid (cf c) (map fst h ++ [p]) = true -> forall (z : H -> Q) x0 x1 y0 y1,
        (forall h', z h' == x0 * law1 true (c, h') + x1 * law1 false (c, h') + y0 * pure c h' true + y1 * pure c h' false) ->
        (forall a, 0 <= z (h ++ [(p, a)])) -> Sum l (fun a => z (h ++ [(p, a)])) <= z h).
    { intros Hv z x0 x1 y0 y1 Hz Hpos. apply (@combination_le _ _ _ side aeq qs T c h p l x0 x1 y0 y1 z); auto. }
    destruct (differs same (map fst h ++ [p])) eqn:J'.
    - (* in J afterwards *)
      assert (Hv : valid (cf c) (map fst h ++ [p]) = true) by (apply Ok1; exact J').
      assert (Sl : forall a, slot (c, h ++ [(p, a)]) = slot_of aeq b qs T (c, h ++ [(p, a)])).
      { intros a. unfold slot. rewrite Jn. reflexivity. }
      assert (Good' : forall a, slot_ok (slot_of aeq b qs T (c, h ++ [(p, a)]))) by (intros a; rewrite <- Sl; apply Good).
      apply Qle_trans with (Phi (slot_of aeq b qs T (c, h) :: L) 1 E).
      + rewrite (Sum_ext _ _ (fun a => Phi (slot_of aeq b qs T (c, h ++ [(p, a)]) :: L) 1 E)) by (intros a; rewrite Sl; reflexivity).
        apply Phi_sum; [exact LO|reflexivity| | | |].
        * apply (Comb Hv (fun h' => s0 (slot_of aeq b qs T (c, h'))) (if b then 1 else 0) (if b then 0 else 1) (if b then -(1) else 0) (if b then 0 else -(1)));
            [intros h'; simpl; destruct b; ring|intros a; apply Good'].
        * apply (Comb Hv (fun h' => s1 (slot_of aeq b qs T (c, h'))) (if b then 0 else 1) (if b then 1 else 0) (if b then 0 else -(1)) (if b then -(1) else 0));
            [intros h'; simpl; destruct b; simpl; ring|intros a; apply Good'].
        * apply (Comb Hv (fun h' => sp (slot_of aeq b qs T (c, h'))) 0 0 (if b then alpha c else beta c) (if b then beta c else alpha c));
            [intros h'; simpl; destruct b; simpl; ring|intros a; apply Good'].
        * apply (Comb Hv (fun h' => sq (slot_of aeq b qs T (c, h'))) 0 0 (if b then beta c else alpha c) (if b then alpha c else beta c));
            [intros h'; simpl; destruct b; simpl; ring|intros a; apply Good'].
      + apply Qle_lteq. right. destruct (differs same (map fst h)) eqn:J.
        * rewrite <- (Left eq_refl). unfold slot, jn. simpl. rewrite J. reflexivity.
        * destruct (valid_snoc _ _ _ Hv) as [Hv0 _].
          rewrite (joining Ok0 Ha (Nat.lt_le_incl _ _ Hl) J Hv0 L) by lra.
          unfold G. symmetry.
          assert (X : left1 (l1 ++ (c, h) :: l2) ++ left2 (l1 ++ (c, h) :: l2)
                      = root (E0, 0) :: left1 (l1 ++ y :: l2) ++ left2 (l1 ++ y :: l2)).
          { unfold left1, left2, y. rewrite !filter_app, !app_length. simpl. rewrite Jn, Jn0. try rewrite J.
            rewrite filter_app, app_length in HK1. simpl in HK1. rewrite Jn in HK1. simpl in HK1. simpl.
            set (q1 := length (filter jn l1)) in *. set (q2 := length (filter jn l2)) in *.
            replace (k - (q1 + q2))%nat with (S (k - (q1 + S q2)))%nat by lia. reflexivity. }
          assert (Sl0 : slot (c, h) = idle (c, h)) by (unfold slot; rewrite Jn0; try rewrite J; reflexivity).
          rewrite X. apply Phi_perm. rewrite perm_slot, Sl0. constructor.
          first [apply perm_two|symmetry; apply perm_two].
    - (* identical pairs only *)
      assert (J : differs same (map fst h) = false).
      { rewrite differs_snoc in J'. apply orb_false_iff in J'. tauto. }
      rewrite <- (Left J).
      assert (Sl : forall a, slot (c, h ++ [(p, a)]) = idle (c, h ++ [(p, a)])).
      { intros a. unfold slot. rewrite Jn. reflexivity. }
      assert (Sl0 : slot (c, h) = idle (c, h)) by (unfold slot; rewrite Jn0; try rewrite J; reflexivity).
      assert (Good' : forall a, slot_ok (idle (c, h ++ [(p, a)]))) by (intros a; rewrite <- Sl; apply Good).
      rewrite (Sum_ext _ _ (fun a => Phi (idle (c, h ++ [(p, a)]) :: L) 1 E)) by (intros a; rewrite Sl; reflexivity).
      rewrite Sl0.
      destruct (valid (cf c) (map fst h ++ [p])) eqn:Hv.
      + destruct (valid_snoc _ _ _ Hv) as [Hv0 _].
        assert (Id : forall a, idle (c, h ++ [(p, a)]) = {| sE := 1; s0 := law1 b (c, h ++ [(p, a)]) - pure c (h ++ [(p, a)]) b;
          s1 := law1 b (c, h ++ [(p, a)]) - pure c (h ++ [(p, a)]) b; sp := pure c (h ++ [(p, a)]) b / 2; sq := pure c (h ++ [(p, a)]) b / 2 |}).
        { intros a. unfold idle. simpl. rewrite map_app. simpl. rewrite Hv. reflexivity. }
        rewrite (Sum_ext _ _ (fun a => Phi ({| sE := 1; s0 := law1 b (c, h ++ [(p, a)]) - pure c (h ++ [(p, a)]) b;
          s1 := law1 b (c, h ++ [(p, a)]) - pure c (h ++ [(p, a)]) b; sp := pure c (h ++ [(p, a)]) b / 2; sq := pure c (h ++ [(p, a)]) b / 2 |} :: L) 1 E))
          by (intros a; rewrite Id; reflexivity).
        assert (S0 : Sum l (fun a => law1 b (c, h ++ [(p, a)]) - pure c (h ++ [(p, a)]) b) <= law1 b (c, h) - pure c h b).
        { apply (Comb eq_refl (fun h' => law1 b (c, h') - pure c h' b) (if b then 1 else 0) (if b then 0 else 1) (if b then -(1) else 0) (if b then 0 else -(1)));
            [intros h'; destruct b; ring|]. intros a. pose proof (Good' a) as [_ [K _]]. rewrite Id in K. exact K. }
        assert (S1 : Sum l (fun a => pure c (h ++ [(p, a)]) b / 2) <= pure c h b / 2).
        { apply (Comb eq_refl (fun h' => pure c h' b / 2) 0 0 (if b then 1 # 2 else 0) (if b then 0 else 1 # 2));
            [intros h'; destruct b; field|]. intros a. pose proof (Good' a) as [_ [_ [_ [K _]]]]. rewrite Id in K. exact K. }
        unfold idle. simpl fst. simpl snd. rewrite Hv0. apply Phi_sum; auto.
      + assert (Id : forall a, idle (c, h ++ [(p, a)]) = {| sE := 1; s0 := law1 b (c, h ++ [(p, a)]) - law1 b (c, h ++ [(p, a)]);
          s1 := law1 b (c, h ++ [(p, a)]) - law1 b (c, h ++ [(p, a)]); sp := law1 b (c, h ++ [(p, a)]) / 2; sq := law1 b (c, h ++ [(p, a)]) / 2 |}).
        { intros a. unfold idle. simpl. rewrite map_app. simpl. rewrite Hv. reflexivity. }
        set (w := law1 b (c, h)).
        set (pe := Phi L 1 E).
        assert (V1 : forall a, Phi (idle (c, h ++ [(p, a)]) :: L) 1 E == pe * law1 b (c, h ++ [(p, a)])).
        { intros a. rewrite Id. simpl. rewrite (Phi_eq L (a := 1 * 1) (a' := 1) (c := E) (c' := E)) by (ring || reflexivity).
          rewrite (Phi_eq L (a := 1) (a' := 1) (c := E * 1) (c' := E)) by (ring || reflexivity). fold pe. field. }
        rewrite (Sum_ext _ _ _ V1), Sum_scal.
        assert (P1 : 0 <= pe) by (apply Phi_nonneg; exact LO).
        pose proof (@law1_children _ _ _ side aeq b c h p l Hn) as LC. fold w in LC.
        assert (P2 : pe <= Phi L 1 0) by (apply Phi_mono; assumption).
        assert (P3 : 0 <= Phi L 0 E) by (apply Phi_nonneg; exact LO).
        apply Qle_trans with (w * pe).
        { rewrite (Qmult_comm pe). apply Qmult_le_compat_r; assumption. }
        unfold idle. simpl fst. simpl snd. fold w.
        assert (W : 0 <= w) by apply law1_nonneg.
        simpl. rewrite (Phi_eq L (a := 1 * 1) (a' := 1) (c := E) (c' := E)) by (ring || reflexivity).
        rewrite (Phi_eq L (a := 1) (a' := 1) (c := E * 1) (c' := E)) by (ring || reflexivity). fold pe.
        set (u := if valid (cf c) (map fst h) then pure c h b else w).
        assert (U : 0 <= w - u /\ u / 2 == (1 # 2) * u).
        { split; [|field]. destruct (slot_good Ok0 Ha (Nat.lt_le_incl _ _ Hl)) as [[_ [K _]] _]. rewrite Sl0 in K.
          unfold idle in K. simpl in K. exact K. }
        destruct U as [U1 U2]. rewrite U2. clear - U1 P1 P2 P3.
        assert ((w - u) * pe <= (w - u) * Phi L 1 0) by nra. assert (0 <= (w - u) * Phi L 0 E) by nra. lra.
  Qed.

  Lemma G_potential : parts_potential aeq V E d b qs0 T G.
  Proof.
    split.
    - unfold G, left1, left2. simpl. rewrite !Nat.sub_0_r.
      assert (F : Forall (fun q : Q * Q => 1 <= fst q) slots_S).
      { unfold slots_S. apply Forall_app. split; apply Forall_forall; intros q Hq; apply repeat_spec in Hq; subst; simpl; lra. }
      pose proof (Phi_root_le F HRR) as K. unfold slots_S in K. rewrite map_app in K.
      assert (R : forall q r, map root (repeat q r) = repeat (root q) r).
      { intros q r. induction r; simpl; [reflexivity|]. rewrite IHr. reflexivity. }
      rewrite !R in K. exact K.
    - split; [exact G_leaf|]. split; [exact G_create|exact G_query].
  Qed.
  End Fixed.

  Theorem symmetric_sparse_parallel : forall f,
    (forall ps, f ps = true -> suitable 0 ps = true /\ V (instances ps)) ->
    DP (@eside Msg Ans Pair side) f (ExtConComp side) E d.
  Proof.
    intros f Hf. apply (@DP_of_components _ _ _ side aeq f V); [exact HE| |exact Hf|].
    - split; [constructor|split; simpl; lia].
    - intros b qs T. exists (G b qs T). apply G_potential.
  Qed.
End Sparse.
