(** Composition with fixed parameters, for (epsilon, delta) (Theorems 4.10, 4.12, 5.2, 5.5).
    Each fixed parameter is a slot.  Its content is a law over the four outcomes of one
    randomised response; a free slot holds RR's own law, and the slot of a created
    mechanism holds what Lyu's decomposition leaves of it after its transcript so far.
    The potential is the tight delta of the product of all slots.  It is linear in each
    slot, so no question raises it, and it begins as the tight delta of Comp[RR, .., RR]. *)
From Coq Require Import QArith List Bool Arith Lia Lqa Qfield Permutation.
From Antiphon Require Import Distributions Statements Histories Lyu Potential Components Shares.
From Antiphon Require Export Figure.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Section Slots.
  Context {Msg Ans Pair : Type} (side : bool -> Pair -> Msg) (same : Pair -> bool).
  Variable aeq : forall a a' : Ans, {a = a'} + {a <> a'}.
  Hypothesis same_ok : forall p, same p = true -> side false p = side true p.
  Notation Cl := (@Claim Msg Ans Pair side).
  Notation H := (list (Pair * Ans)).  Notation Part := (Cl * H)%type.
  Notation law1 := (@Components.law1 Msg Ans Pair side aeq).
  Notation law := (@Components.law Msg Ans Pair side aeq).
  Variables (all : bool) (params : list (Q * Q)) (E d : Q).
  Hypotheses (Hparams : proper_params params) (HE : 0 <= E) (HRR : CompRR_DP params E d).

  (* which components have a slot: all created ones, or those in J *)
  Definition chg (l : list Pair) : bool := all || differs same l.
  Definition pchg (x : Part) : bool := chg (map fst (snd x)).
  Definition okp (c : Cl) (l : list Pair) : Prop := chg l = true ->
    valid (cf c) l = true /\ (all = true \/ cd c == 0 \/ first_pair_consistent same (cf c)).
  Definition V (l : list (Cl * list Pair)) : Prop :=
    Forall (fun x => okp (fst x) (snd x)) l /\
    submultiset (params_of (filter (fun cl => chg (snd cl)) l)) params = true.

  Section Fixed.
  Variables (b : bool) (qs : list Pair) (T : nat).
  Notation pure c h := (pure_share aeq qs T c h).
  Definition alpha (c : Cl) : Q := if Qeq_bool (cE c) 1 then 1 # 2 else cE c / (cE c * cE c - 1).
  Definition beta (c : Cl) : Q := if Qeq_bool (cE c) 1 then 0 else - (1) / (cE c * cE c - 1).
  Definition slot_of (x : Part) : Slot :=
    let c := fst x in let h := snd x in let u := pure c h b in let v := pure c h (negb b) in
    {| sE := cE c; s0 := law1 b x - u; s1 := law1 (negb b) x - v;
       sp := alpha c * u + beta c * v; sq := alpha c * v + beta c * u |}.
  Definition slots (l : list Part) : list Slot := map slot_of (filter pchg l).
  Fixpoint free (l : list Part) : Q :=
    match l with [] => 1 | x :: l' => (if pchg x then 1 else law1 b x) * free l' end.
  Definition par (x : Part) : Q * Q := (cE (fst x), cd (fst x)).
  Definition rest (l : list Part) : list Slot := map root (leftover (map par (filter pchg l)) params).
  Definition G (l : list Part) : Q := free l * Phi (slots l ++ rest l) 1 E.

  Lemma params_parts : forall l, params_of (filter (fun cl : Cl * list Pair => chg (snd cl)) (pairs_only l))
    = map par (filter pchg l).
  Proof.
    induction l as [|[c h] l IH]; [reflexivity|]. simpl. unfold pchg at 1. simpl.
    destruct (chg (map fst h)); simpl; rewrite IH; reflexivity.
  Qed.
  Lemma V_parts : forall l, V (pairs_only l) ->
    Forall (fun x : Part => okp (fst x) (map fst (snd x))) l /\ submultiset (map par (filter pchg l)) params = true.
  Proof.
    intros l [F S]. rewrite params_parts in S. split; [|exact S]. unfold pairs_only in F. rewrite Forall_map in F. exact F.
  Qed.

  Lemma slot_facts : forall c h, okp c (map fst h) -> pchg (c, h) = true -> asked qs h -> (length h <= T)%nat ->
    slot_ok (slot_of (c, h)) /\ sx (slot_of (c, h)) == law1 b (c, h) /\ sy (slot_of (c, h)) == law1 (negb b) (c, h).
  Proof.
    intros c h Hok C Ha Hl. destruct (Hok C) as [Hv _].
    destruct (@pure_cone _ _ _ side aeq qs T c h b Ha Hl Hv) as [P1 [P2 P3]].
    destruct (@pure_cone _ _ _ side aeq qs T c h (negb b) Ha Hl Hv) as [P4 [P5 P6]]. rewrite negb_involutive in P6.
    pose proof (cE1 c) as E1. unfold slot_ok, sx, sy, slot_of, alpha, beta. simpl.
    set (u := pure c h b) in *. set (v := pure c h (negb b)) in *.
    destruct (Qeq_bool (cE c) 1) eqn:Q1.
    - apply Qeq_bool_iff in Q1. rewrite Q1 in *. repeat split; lra.
    - assert (HN : ~ cE c == 1) by (intro K; apply Qeq_bool_iff in K; congruence).
      assert (1 < cE c) by (apply Qle_lteq in E1; destruct E1 as [E1|E1]; [exact E1|exfalso; apply HN; symmetry; exact E1]).
      assert (0 < cE c * cE c - 1) by nra.
      assert (A1 : forall s t, t <= cE c * s -> 0 <= cE c / (cE c * cE c - 1) * s + - (1) / (cE c * cE c - 1) * t).
      { intros s t Hst. setoid_replace (cE c / (cE c * cE c - 1) * s + - (1) / (cE c * cE c - 1) * t)
          with ((cE c * s - t) * / (cE c * cE c - 1)) by (field; lra).
        apply Qmult_le_0_compat; [lra|apply Qinv_le_0_compat; lra]. }
      repeat split; try lra; try (apply A1; lra); field; lra.
  Qed.
  (* what a free slot becomes when it is taken *)
  Lemma slot_joining : forall c h k, pure c h b == (1 - cd c) * k -> pure c h (negb b) == (1 - cd c) * k ->
    law1 b (c, h) == k -> law1 (negb b) (c, h) == k ->
    forall L a e, Phi (slot_of (c, h) :: L) a e == k * Phi (root (cE c, cd c) :: L) a e.
  Proof.
    intros c h k H1 H2 H3 H4 L a e. pose proof (cE1 c) as E1. apply Phi_scaled; unfold slot_of, root, alpha, beta; simpl;
      rewrite ?Qred_correct, ?H1, ?H2, ?H3, ?H4; try ring; try reflexivity.
    all: destruct (Qeq_bool (cE c) 1) eqn:Q1; [apply Qeq_bool_iff in Q1; rewrite Q1; field|].
    all: assert (HN : ~ cE c == 1) by (intro K; apply Qeq_bool_iff in K; congruence).
    all: assert (1 < cE c) by (apply Qle_lteq in E1; destruct E1 as [E1|E1]; [exact E1|exfalso; apply HN; symmetry; exact E1]).
    all: assert (0 < cE c * cE c - 1) by nra.
    all: field; split; lra.
  Qed.

  Lemma free_nonneg : forall l, 0 <= free l.
  Proof.
    induction l as [|x l IH]; simpl; [lra|]. apply Qmult_le_0_compat; [|exact IH].
    destruct (pchg x); [lra|apply law1_nonneg].
  Qed.
  Lemma slots_ok : forall l, Forall (fun x : Part => okp (fst x) (map fst (snd x))) l -> bounded qs T l ->
    Forall slot_ok (slots l) /\ law b l == free l * prodx (slots l) /\ law (negb b) l == free l * prody (slots l).
  Proof.
    induction l as [|[c h] l IH]; intros Hok Hb; [simpl; split; [constructor|split; ring]|].
    inversion Hok as [|? ? O1 O2]; subst. inversion Hb as [|? ? [B1 B2] B3]; subst. simpl in O1, B1, B2.
    destruct (IH O2 B3) as [I1 [I2 I3]]. unfold slots in *. simpl.
    destruct (pchg (c, h)) eqn:C; simpl.
    - destruct (slot_facts O1 C B1 B2) as [F1 [F2 F3]].
      split; [constructor; assumption|]. rewrite I2, I3, F2, F3. split; ring.
    - split; [exact I1|]. rewrite I2, I3. unfold pchg, chg in C. simpl in C. apply orb_false_iff in C. destruct C as [_ C].
      rewrite <- (@law1_same _ _ _ side same aeq same_ok b c h C). split; ring.
  Qed.
  Lemma rest_ok : forall l, Forall slot_ok (rest l) /\ prodx (rest l) == 1 /\ prody (rest l) == 1.
  Proof.
    intros l. unfold rest. pose proof (leftover_proper (map par (filter pchg l)) Hparams) as F.
    induction F as [|q r [Q1 Q2] F [I1 [I2 I3]]]; simpl; [split; [constructor|split; reflexivity]|].
    destruct (root_one q Q1) as [R1 R2]. split; [constructor; [apply root_ok; assumption|assumption]|].
    rewrite I2, I3, R1, R2. split; reflexivity.
  Qed.
  Lemma prodx_app : forall l l', prodx (l ++ l') == prodx l * prodx l'.
  Proof. induction l; simpl; intros; [ring|rewrite IHl; ring]. Qed.
  Lemma prody_app : forall l l', prody (l ++ l') == prody l * prody l'.
  Proof. induction l; simpl; intros; [ring|rewrite IHl; ring]. Qed.

  Lemma G_leaf : forall l, V (pairs_only l) -> bounded qs T l -> 0 <= G l /\ law b l - E * law (negb b) l <= G l.
  Proof.
    intros l HV Hb. destruct (V_parts _ HV) as [Hok _]. destruct (slots_ok Hok Hb) as [S1 [S2 S3]].
    destruct (rest_ok l) as [R1 [R2 R3]]. pose proof (free_nonneg l) as F.
    assert (K : Forall slot_ok (slots l ++ rest l)) by (apply Forall_app; split; assumption).
    pose proof (Phi_nonneg 1 E K) as P. pose proof (prod_leaf 1 E K) as L.
    rewrite prodx_app, prody_app, R2, R3 in L. unfold G. split; [apply Qmult_le_0_compat; assumption|].
    rewrite S2, S3. nra.
  Qed.

  Lemma free_app : forall l l', free (l ++ l') == free l * free l'.
  Proof. induction l; simpl; intros; [ring|rewrite IHl; ring]. Qed.
  Lemma slots_app : forall l l', slots (l ++ l') = slots l ++ slots l'.
  Proof. intros. unfold slots. rewrite filter_app, map_app. reflexivity. Qed.

  (* a component takes a slot: one free slot less *)
  Lemma rest_joining : forall l1 l2 (x y : Part), pchg x = false -> pchg y = true ->
    submultiset (map par (filter pchg (l1 ++ x :: l2))) params = true ->
    submultiset (map par (filter pchg (l1 ++ y :: l2))) params = true ->
    Permutation (rest (l1 ++ x :: l2)) (root (par y) :: rest (l1 ++ y :: l2)).
  Proof.
    intros l1 l2 x y Hx Hy S1 S2. apply leftover_roots in S1. apply leftover_roots in S2.
    unfold rest. rewrite !filter_app in *. simpl in *. rewrite Hx, Hy in *. simpl in *.
    set (r1 := map root (leftover _ _)) in *. set (r2 := map root (leftover (map par (filter pchg l1 ++ y :: _)) _)) in *.
    rewrite S1 in S2. rewrite !map_app in S2. simpl in S2. rewrite <- !app_assoc in S2. apply Permutation_app_inv_l in S2.
    apply (Permutation_app_inv_l (map root (map par (filter pchg l2)))).
    rewrite S2. simpl. apply Permutation_middle.
  Qed.

  Lemma G_query : forall l1 c h l2 p l, V (pairs_only (l1 ++ (c, h) :: l2)) ->
    V (pairs_only l1 ++ (c, map fst h ++ [p]) :: pairs_only l2) -> bounded qs T (l1 ++ (c, h) :: l2) ->
    In p qs -> (length h < T)%nat -> NoDup l ->
    Sum l (fun a => G (l1 ++ (c, h ++ [(p, a)]) :: l2)) <= G (l1 ++ (c, h) :: l2).
  Proof.
    intros l1 c h l2 p l HV HV' Hb Hp Hl Hn.
    assert (PS : forall a, pairs_only (l1 ++ (c, h ++ [(p, a)]) :: l2) = pairs_only l1 ++ (c, map fst h ++ [p]) :: pairs_only l2).
    { intros a. unfold pairs_only. rewrite map_app. simpl. rewrite map_app. reflexivity. }
    destruct (G_leaf HV Hb) as [Here _]. destruct (V_parts _ HV) as [Hok0 Sub0].
    destruct l as [|a0 l0]; [exact Here|]. remember (a0 :: l0) as l eqn:El.
    assert (HVa := HV'). rewrite <- (PS a0) in HVa. destruct (V_parts _ HVa) as [_ Sub1].
    assert (Ha : asked qs h /\ okp c (map fst h ++ [p])).
    { unfold bounded in Hb. rewrite Forall_app in Hb. destruct Hb as [_ Hb]. inversion Hb as [|? ? [X _] _]; subst.
      destruct HV' as [F _]. rewrite Forall_app in F. destruct F as [_ F]. inversion F; subst. auto. }
    destruct Ha as [Ha Hok].
    assert (Sn : forall a, pchg (c, h ++ [(p, a)]) = chg (map fst h ++ [p])).
    { intros a. unfold pchg. simpl. rewrite map_app. reflexivity. }
    assert (Snoc : forall a, asked qs (h ++ [(p, a)]) /\ (length (h ++ [(p, a)]) <= T)%nat).
    { intros a. split; [apply Forall_app; split; [exact Ha|constructor; [exact Hp|constructor]]|rewrite app_length; simpl; lia]. }
    destruct (chg (map fst h ++ [p])) eqn:C.
    - (* it has a slot afterwards *)
      destruct (Hok C) as [Hv Hc].
      set (W := free l1 * free l2).
      set (L := slots l1 ++ slots l2 ++ rest (l1 ++ (c, h ++ [(p, a0)]) :: l2)).
      assert (W0 : 0 <= W) by (apply Qmult_le_0_compat; apply free_nonneg).
      assert (LO : Forall slot_ok L).
      { unfold L. destruct (rest_ok (l1 ++ (c, h ++ [(p, a0)]) :: l2)) as [RO _].
        rewrite Forall_app in Hok0. destruct Hok0 as [O1 O2]. inversion O2 as [|? ? _ O3]; subst.
        unfold bounded in Hb. rewrite Forall_app in Hb. destruct Hb as [B1 B2]. inversion B2 as [|? ? _ B3]; subst.
        destruct (slots_ok O1 B1) as [K1 _]. destruct (slots_ok O3 B3) as [K2 _].
        apply Forall_app; split; [exact K1|]. apply Forall_app; split; [exact K2|exact RO]. }
      assert (Same : forall a, rest (l1 ++ (c, h ++ [(p, a)]) :: l2) = rest (l1 ++ (c, h ++ [(p, a0)]) :: l2)).
      { intros a. unfold rest. rewrite !filter_app. simpl. rewrite !Sn, !map_app. reflexivity. }
      assert (Z1 : forall a, G (l1 ++ (c, h ++ [(p, a)]) :: l2) == W * Phi (slot_of (c, h ++ [(p, a)]) :: L) 1 E).
      { intros a. unfold G. rewrite free_app, slots_app. simpl free. unfold slots at 2. simpl filter. rewrite Sn. simpl map.
        fold (slots l2). rewrite Same. unfold W.
        rewrite (Phi_perm (l := (slots l1 ++ slot_of (c, h ++ [(p, a)]) :: slots l2) ++ _)
                          (l' := slot_of (c, h ++ [(p, a)]) :: L)); [ring|].
        unfold L. rewrite <- app_assoc. simpl. symmetry. apply Permutation_middle. }
      assert (Z0 : W * Phi (slot_of (c, h) :: L) 1 E == G (l1 ++ (c, h) :: l2)).
      { destruct (pchg (c, h)) eqn:C0.
        - assert (Same0 : rest (l1 ++ (c, h) :: l2) = rest (l1 ++ (c, h ++ [(p, a0)]) :: l2)).
          { unfold rest. rewrite !filter_app. simpl. rewrite Sn, C0, !map_app. reflexivity. }
          unfold G. rewrite free_app, slots_app. simpl free. unfold slots at 2. simpl filter. rewrite C0. simpl map.
          fold (slots l2). rewrite Same0. unfold W.
          rewrite (Phi_perm (l := (slots l1 ++ slot_of (c, h) :: slots l2) ++ _) (l' := slot_of (c, h) :: L)); [ring|].
          unfold L. rewrite <- app_assoc. simpl. symmetry. apply Permutation_middle.
        - assert (C1 : all = false /\ differs same (map fst h) = false /\ differs same (map fst h ++ [p]) = true).
          { unfold pchg, chg in C0, C. simpl in C0. apply orb_false_iff in C0. destruct C0 as [C0 C1]. rewrite C0 in C. auto. }
          destruct C1 as [A0 [C1 C2]].
          assert (Hc' : cd c == 0 \/ first_pair_consistent same (cf c)) by (destruct Hc as [Hc|Hc]; [congruence|exact Hc]).
          pose proof (@law1_same _ _ _ side same aeq same_ok b c h C1) as LS.
          rewrite (@slot_joining c h (law1 b (c, h))).
          + unfold G. rewrite free_app, slots_app. simpl free. unfold slots at 2. simpl filter. rewrite C0. fold (slots l2).
            assert (C0' : pchg (c, h ++ [(p, a0)]) = true) by (rewrite Sn; reflexivity).
            pose proof (rest_joining l1 l2 (c, h) (c, h ++ [(p, a0)]) C0 C0' Sub0 Sub1) as RJ.
            rewrite (Phi_perm (l := (slots l1 ++ slots l2) ++ rest (l1 ++ (c, h) :: l2)) (l' := root (cE c, cd c) :: L)).
            * unfold W. ring.
            * rewrite RJ. unfold L. rewrite app_assoc. symmetry. apply Permutation_middle.
          + apply (@pure_joining _ _ _ side same aeq qs T c h p b Ha (Nat.lt_le_incl _ _ Hl) Hv C1 C2 Hc').
          + rewrite (@pure_joining _ _ _ side same aeq qs T c h p (negb b) Ha (Nat.lt_le_incl _ _ Hl) Hv C1 C2 Hc'), <- LS.
            reflexivity.
          + reflexivity.
          + rewrite <- LS. reflexivity. }
      rewrite (Sum_ext _ _ _ Z1), <- Z0, Sum_scal. rewrite !(Qmult_comm W). apply Qmult_le_compat_r; [|exact W0].
      simpl Phi. rewrite !Sum_add.
      set (p0 := Phi L 1 0). set (p1 := Phi L 0 E). set (pp := Phi L (1 * cE c) E). set (pq := Phi L 1 (E * cE c)).
      assert (N0 : 0 <= p0 /\ 0 <= p1 /\ 0 <= pp /\ 0 <= pq) by (split; [|split; [|split]]; apply Phi_nonneg; exact LO).
      destruct N0 as [N0 [N1 [N2 N3]]].
      assert (Cone : forall a, slot_ok (slot_of (c, h ++ [(p, a)]))).
      { intros a. destruct (Snoc a) as [A1 A2]. refine (proj1 (@slot_facts c (h ++ [(p, a)]) _ _ A1 A2)); [rewrite map_app; exact Hok|rewrite Sn; reflexivity]. }
      assert (Comb : forall (z : H -> Q) x0 x1 y0 y1,
        (forall h', z h' == x0 * law1 true (c, h') + x1 * law1 false (c, h') + y0 * pure c h' true + y1 * pure c h' false) ->
        (forall a, 0 <= z (h ++ [(p, a)])) -> forall k, 0 <= k ->
        Sum l (fun a => z (h ++ [(p, a)]) * k) <= z h * k).
      { intros z x0 x1 y0 y1 Hz Hpos k Hk. rewrite (Sum_ext l _ (fun a => k * z (h ++ [(p, a)]))) by (intros; ring).
        rewrite Sum_scal, (Qmult_comm (z h)). rewrite !(Qmult_comm k). apply Qmult_le_compat_r; [|exact Hk].
        apply (@combination_le _ _ _ side aeq qs T c h p l x0 x1 y0 y1 z); auto. }
      assert (J0 : Sum l (fun a => s0 (slot_of (c, h ++ [(p, a)])) * p0) <= s0 (slot_of (c, h)) * p0).
      { apply (Comb (fun h' => s0 (slot_of (c, h'))) (if b then 1 else 0) (if b then 0 else 1) (if b then -(1) else 0) (if b then 0 else -(1)));
          [intros h'; simpl; destruct b; ring|intros a; apply Cone|exact N0]. }
      assert (J1 : Sum l (fun a => s1 (slot_of (c, h ++ [(p, a)])) * p1) <= s1 (slot_of (c, h)) * p1).
      { apply (Comb (fun h' => s1 (slot_of (c, h'))) (if b then 0 else 1) (if b then 1 else 0) (if b then 0 else -(1)) (if b then -(1) else 0));
          [intros h'; simpl; destruct b; simpl; ring|intros a; apply Cone|exact N1]. }
      assert (J2 : Sum l (fun a => sp (slot_of (c, h ++ [(p, a)])) * pp) <= sp (slot_of (c, h)) * pp).
      { apply (Comb (fun h' => sp (slot_of (c, h'))) 0 0 (if b then alpha c else beta c) (if b then beta c else alpha c));
          [intros h'; simpl; destruct b; simpl; ring|intros a; apply Cone|exact N2]. }
      assert (J3 : Sum l (fun a => sq (slot_of (c, h ++ [(p, a)])) * pq) <= sq (slot_of (c, h)) * pq).
      { apply (Comb (fun h' => sq (slot_of (c, h'))) 0 0 (if b then beta c else alpha c) (if b then alpha c else beta c));
          [intros h'; simpl; destruct b; simpl; ring|intros a; apply Cone|exact N3]. }
      simpl in J0, J1, J2, J3 |- *. lra.
    - (* it still got identical pairs only *)
      assert (C0 : pchg (c, h) = false).
      { unfold pchg, chg in *. simpl. apply orb_false_iff in C. destruct C as [-> C]. rewrite differs_snoc in C.
        apply orb_false_iff in C. destruct C as [-> _]. reflexivity. }
      set (K := free l1 * free l2 * Phi (slots (l1 ++ (c, h) :: l2) ++ rest (l1 ++ (c, h) :: l2)) 1 E).
      assert (K0 : 0 <= K).
      { apply Qmult_le_0_compat; [apply Qmult_le_0_compat; apply free_nonneg|]. apply Phi_nonneg.
        destruct (rest_ok (l1 ++ (c, h) :: l2)) as [RO _]. destruct (slots_ok Hok0 Hb) as [SO _].
        apply Forall_app; split; assumption. }
      assert (Z1 : forall a, G (l1 ++ (c, h ++ [(p, a)]) :: l2) == K * law1 b (c, h ++ [(p, a)])).
      { intros a. assert (X : slots (l1 ++ (c, h ++ [(p, a)]) :: l2) ++ rest (l1 ++ (c, h ++ [(p, a)]) :: l2)
          = slots (l1 ++ (c, h) :: l2) ++ rest (l1 ++ (c, h) :: l2)).
        { unfold slots, rest. rewrite !filter_app. simpl. rewrite Sn, C0. reflexivity. }
        unfold G. rewrite X, free_app. simpl free. rewrite Sn. unfold K. ring. }
      assert (Z0 : G (l1 ++ (c, h) :: l2) == K * law1 b (c, h)).
      { unfold G. rewrite free_app. simpl free. rewrite C0. unfold K. ring. }
      rewrite (Sum_ext _ _ _ Z1), Z0, Sum_scal. rewrite !(Qmult_comm K). apply Qmult_le_compat_r; [|exact K0].
      apply law1_children. exact Hn.
  Qed.

  Lemma G_create : forall l c, V (pairs_only l) -> V (pairs_only (l ++ [(c, [])])) -> bounded qs T l ->
    G (l ++ [(c, [])]) <= G l.
  Proof.
    intros l c HV HV' Hb. destruct (V_parts _ HV) as [_ S0]. destruct (V_parts _ HV') as [_ S1].
    apply Qle_lteq. right. unfold G. rewrite free_app, slots_app. unfold slots at 2. simpl.
    destruct (pchg (c, [])) eqn:C; simpl.
    - rewrite (Phi_perm (l := (slots l ++ [slot_of (c, [])]) ++ _) (l' := slot_of (c, []) :: slots l ++ rest (l ++ [(c, [])]))).
      2: { rewrite <- app_assoc. simpl. symmetry. apply Permutation_middle. }
      rewrite (@slot_joining c [] 1); try (rewrite pure_root; ring); try (unfold Components.law1; simpl; reflexivity).
      rewrite (Phi_perm (l := slots l ++ rest l) (l' := root (cE c, cd c) :: slots l ++ rest (l ++ [(c, [])]))); [ring|].
      apply leftover_roots in S0. apply leftover_roots in S1. unfold rest.
      rewrite filter_app in *. simpl in *. rewrite C in *. rewrite !map_app in *. simpl in *.
      set (r1 := map root (leftover (map par (filter pchg l)) params)) in *.
      set (r2 := map root (leftover _ params)) in *.
      rewrite S0 in S1. rewrite <- app_assoc in S1. apply Permutation_app_inv_l in S1. rewrite S1. simpl.
      symmetry. apply Permutation_middle.
    - assert (X : rest (l ++ [(c, [])]) = rest l).
      { unfold rest. rewrite filter_app. simpl. rewrite C. rewrite app_nil_r. reflexivity. }
      rewrite X, app_nil_r. unfold Components.law1. simpl. ring.
  Qed.

  Lemma G_potential : parts_potential aeq V E d b qs T G.
  Proof.
    split.
    - unfold G, slots, rest. simpl.
      assert (F : Forall (fun q : Q * Q => 1 <= fst q) params) by (eapply Forall_impl; [|exact Hparams]; intros q [X _]; exact X).
      pose proof (Phi_root_le F HRR). lra.
    - split; [exact G_leaf|]. split; [exact G_create|exact G_query].
  Qed.
  End Fixed.

  Theorem slots_composition : forall f,
    (forall ps, f ps = true -> suitable 0 ps = true /\ V (instances ps)) ->
    DP (@eside Msg Ans Pair side) f (@ExtConComp Msg Ans Pair side) E d.
  Proof.
    intros f Hf. apply (@DP_of_components _ _ _ side aeq f V); [exact HE| |exact Hf|].
    - split; [constructor|reflexivity].
    - intros b qs T. exists (G b qs T). apply G_potential.
  Qed.
End Slots.
