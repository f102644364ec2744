(** The tight delta of a product of laws with four outcomes each, as a sum of positive parts;
    for the laws of randomised responses it is the tight delta of Comp[RR, .., RR].      *)
From Coq Require Import QArith List Bool Arith Lia Lqa Qfield Permutation.
From Antiphon Require Import Distributions Statements Lyu.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

(* weights of the outcomes whose probabilities under the two bits are as
   (1, 0), (0, 1), (E, 1) and (1, E)                                                   *)
Record Slot := mkSlot { sE : Q; s0 : Q; s1 : Q; sp : Q; sq : Q }.
Definition slot_ok (z : Slot) : Prop := 1 <= sE z /\ 0 <= s0 z /\ 0 <= s1 z /\ 0 <= sp z /\ 0 <= sq z.
(* the total under either bit *)
Definition sx (z : Slot) : Q := s0 z + sE z * sp z + sq z.
Definition sy (z : Slot) : Q := s1 z + sp z + sE z * sq z.
Fixpoint prodx (l : list Slot) : Q := match l with [] => 1 | z :: l' => sx z * prodx l' end.
Fixpoint prody (l : list Slot) : Q := match l with [] => 1 | z :: l' => sy z * prody l' end.

(* the sum over all outcomes of max(0, a P - c P') *)
Fixpoint Phi (l : list Slot) (a c : Q) : Q :=
  match l with
  | [] => mx 0 (a - c)
  | z :: l' => s0 z * Phi l' a 0 + s1 z * Phi l' 0 c
             + sp z * Phi l' (a * sE z) c + sq z * Phi l' a (c * sE z)
  end.

Lemma mx0_eq : forall x y, x == y -> mx 0 x == mx 0 y.
Proof.
  intros x y H. destruct (mx_spec 0 x) as [A1 [A2 [A3|A3]]], (mx_spec 0 y) as [B1 [B2 [B3|B3]]];
    rewrite A3, B3 in *; lra.
Qed.
Lemma Phi_eq : forall l a a' c c', a == a' -> c == c' -> Phi l a c == Phi l a' c'.
Proof.
  induction l as [|z l IH]; simpl; intros a a' c c' Ha Hc; [apply mx0_eq; lra|].
  rewrite (IH a a' 0 0), (IH 0 0 c c'), (IH (a * sE z) (a' * sE z) c c'), (IH a a' (c * sE z) (c' * sE z));
    try assumption; try reflexivity; rewrite ?Ha, ?Hc; reflexivity.
Qed.
Add Parametric Morphism l : (Phi l) with signature Qeq ==> Qeq ==> Qeq as Phi_mor.
Proof. intros; apply Phi_eq; assumption. Qed.

Lemma Phi_nonneg : forall l a c, Forall slot_ok l -> 0 <= Phi l a c.
Proof.
  induction l as [|z l IH]; simpl; intros a c F; [apply mx_spec|]. inversion F as [|? ? [Z0 [Z1 [Z2 [Z3 Z4]]]] F']; subst.
  pose proof (IH a 0 F'). pose proof (IH 0 c F'). pose proof (IH (a * sE z) c F'). pose proof (IH a (c * sE z) F'). nra.
Qed.
Lemma Phi_perm : forall l l', Permutation l l' -> forall a c, Phi l a c == Phi l' a c.
Proof.
  induction 1 as [|z l l' H IH|z z' l|l l' l'' H1 IH1 H2 IH2]; intros a c.
  - reflexivity.
  - simpl. rewrite !IH. reflexivity.
  - simpl.
    rewrite (Phi_eq l (a := 0 * sE z) (a' := 0) (c := c) (c' := c)) by (ring || reflexivity).
    rewrite (Phi_eq l (a := 0 * sE z') (a' := 0) (c := c) (c' := c)) by (ring || reflexivity).
    rewrite (Phi_eq l (a := a) (a' := a) (c := 0 * sE z) (c' := 0)) by (ring || reflexivity).
    rewrite (Phi_eq l (a := a) (a' := a) (c := 0 * sE z') (c' := 0)) by (ring || reflexivity).
    rewrite (Phi_eq l (a := a * sE z' * sE z) (a' := a * sE z * sE z') (c := c) (c' := c)) by (ring || reflexivity).
    rewrite (Phi_eq l (a := a) (a' := a) (c := c * sE z' * sE z) (c' := c * sE z * sE z')) by (ring || reflexivity).
    ring.
  - rewrite IH1. apply IH2.
Qed.
Lemma prod_leaf : forall l a c, Forall slot_ok l -> a * prodx l - c * prody l <= Phi l a c.
Proof.
  induction l as [|z l IH]; simpl; intros a c F.
  - destruct (mx_spec 0 (a - c)) as [_ [H _]]. lra.
  - inversion F as [|? ? [Z0 [Z1 [Z2 [Z3 Z4]]]] F']; subst.
    pose proof (IH a 0 F') as I1. pose proof (IH 0 c F') as I2.
    pose proof (IH (a * sE z) c F') as I3. pose proof (IH a (c * sE z) F') as I4.
    unfold sx, sy. set (X := prodx l) in *. set (Y := prody l) in *.
    assert (J : forall k u v, 0 <= k -> u <= v -> k * u <= k * v) by (intros; nra).
    pose proof (J _ _ _ Z1 I1). pose proof (J _ _ _ Z2 I2). pose proof (J _ _ _ Z3 I3). pose proof (J _ _ _ Z4 I4). lra.
Qed.
(* a slot that is k times another one *)
Lemma Phi_scaled : forall z z' k l a c, sE z == sE z' -> s0 z == k * s0 z' -> s1 z == k * s1 z' ->
  sp z == k * sp z' -> sq z == k * sq z' -> Phi (z :: l) a c == k * Phi (z' :: l) a c.
Proof.
  intros z z' k l a c HE H0 H1 Hp Hq. simpl. rewrite H0, H1, Hp, Hq, HE. ring.
Qed.

(* ------------------------------------------------------------------- free slots --- *)
Definition root (q : Q * Q) : Slot :=
  let E := Qred (fst q) in let d := Qred (snd q) in
  {| sE := E; s0 := d; s1 := d; sp := (1 - d) * (1 / (1 + E)); sq := (1 - d) * (1 / (1 + E)) |}.
Lemma root_ok : forall q, 1 <= fst q -> 0 <= snd q <= 1 -> slot_ok (root q).
Proof.
  intros [E d] H1 H2. unfold slot_ok, root. simpl in *. rewrite !Qred_correct.
  assert (0 <= 1 / (1 + E)) by (unfold Qdiv; rewrite Qmult_1_l; apply Qinv_le_0_compat; lra).
  repeat split; try lra; apply Qmult_le_0_compat; lra.
Qed.
Lemma root_one : forall q, 1 <= fst q -> sx (root q) == 1 /\ sy (root q) == 1.
Proof. intros [E d] H. unfold sx, sy, root. simpl in *. rewrite !Qred_correct. split; field; lra. Qed.

(* the sum of positive parts is reached by an event, so Comp[RR..] bounds it *)
Lemma Ex_Comp : forall E d params b g, Ex (Comp ((E, d) :: params) b) g ==
  d * Ex (Comp params b) (fun o => g (Sure b :: o))
  + (1 - d) * (E / (1 + E)) * Ex (Comp params b) (fun o => g (Noisy b :: o))
  + (1 - d) * (1 / (1 + E)) * Ex (Comp params b) (fun o => g (Noisy (negb b) :: o)).
Proof.
  intros. change (Comp ((E, d) :: params) b) with (bind (RR E d b) (fun r => dmap (cons r) (Comp params b))).
  rewrite Ex_bind. unfold RR. cbn [Ex fst snd]. rewrite !Ex_dmap. ring.
Qed.
Lemma best_event : forall params b a c, Forall (fun q => 1 <= fst q) params ->
  exists Ev, Phi (map root params) a c
    == a * Ex (Comp params b) (fun r => ind (Ev r)) - c * Ex (Comp params (negb b)) (fun r => ind (Ev r)).
Proof.
  induction params as [|[E d] params IH]; intros b a c F.
  - exists (fun _ => Qle_bool 0 (a - c)). simpl. unfold mx. destruct (Qle_bool 0 (a - c)); simpl; ring.
  - inversion F as [|? ? F1 F2]; subst. simpl in F1.
    destruct (IH b a 0 F2) as [Ev1 H1]. destruct (IH b 0 c F2) as [Ev2 H2].
    destruct (IH b (a * E) c F2) as [Ev3 H3]. destruct (IH b a (c * E) F2) as [Ev4 H4].
    exists (fun r => match r with
      | Sure b' :: o => if eqb b' b then Ev1 o else Ev2 o
      | Noisy b' :: o => if eqb b' b then Ev3 o else Ev4 o
      | [] => false end).
    simpl map. simpl Phi. rewrite (Phi_eq (map root params) (a := a * Qred E) (a' := a * E) (c := c) (c' := c))
      by (rewrite ?Qred_correct; reflexivity).
    rewrite (Phi_eq (map root params) (a := a) (a' := a) (c := c * Qred E) (c' := c * E))
      by (rewrite ?Qred_correct; reflexivity).
    rewrite H1, H2, H3, H4, !Ex_Comp. cbn [root s0 s1 sp sq sE fst snd]. rewrite !Qred_correct.
    destruct b; simpl; field; lra.
Qed.
Lemma Phi_root_le : forall params E d, Forall (fun q => 1 <= fst q) params -> CompRR_DP params E d ->
  Phi (map root params) 1 E <= d.
Proof.
  intros params E d F H. destruct (best_event true 1 E F) as [Ev He]. rewrite He. specialize (H true Ev). simpl in *. lra.
Qed.

(* and no event exceeds it, so it is the tight delta of Comp[RR..] at E *)
Lemma every_event : forall params b a c Ev, proper_params params ->
  a * Ex (Comp params b) (fun r => ind (Ev r)) - c * Ex (Comp params (negb b)) (fun r => ind (Ev r))
  <= Phi (map root params) a c.
Proof.
  induction params as [|[E d] params IH]; intros b a c Ev F.
  - destruct (mx_spec 0 (a - c)) as [A1 [A2 _]]. unfold Comp, ret. cbn [Ex fst snd map Phi].
    destruct (Ev []); cbn [ind]; lra.
  - inversion F as [|? ? [F1 F3] F2]; subst. simpl in F1, F3. rewrite !Ex_Comp, negb_involutive.
    simpl map. simpl Phi. rewrite (Phi_eq (map root params) (a := a * Qred E) (a' := a * E) (c := c) (c' := c))
      by (rewrite ?Qred_correct; reflexivity).
    rewrite (Phi_eq (map root params) (a := a) (a' := a) (c := c * Qred E) (c' := c * E))
      by (rewrite ?Qred_correct; reflexivity).
    pose proof (IH b a 0 (fun o => Ev (Sure b :: o)) F2) as I1.
    pose proof (IH b 0 c (fun o => Ev (Sure (negb b) :: o)) F2) as I2.
    pose proof (IH b (a * E) c (fun o => Ev (Noisy b :: o)) F2) as I3.
    pose proof (IH b a (c * E) (fun o => Ev (Noisy (negb b) :: o)) F2) as I4.
    cbn [root s0 s1 sp sq sE fst snd]. rewrite !Qred_correct.
    assert (W : 0 <= (1 - d) * (1 / (1 + E))).
    { apply Qmult_le_0_compat; [lra|]. unfold Qdiv. rewrite Qmult_1_l. apply Qinv_le_0_compat. lra. }
    assert (J : forall k u v, 0 <= k -> u <= v -> k * u <= k * v) by (intros; nra).
    pose proof (J d _ _ (proj1 F3) I1). pose proof (J d _ _ (proj1 F3) I2).
    pose proof (J _ _ _ W I3) as J3. pose proof (J _ _ _ W I4) as J4.
    assert (X : E / (1 + E) == E * (1 / (1 + E))) by (field; lra). rewrite X.
    set (w := 1 / (1 + E)) in *. cbv beta in *. lra.
Qed.
Theorem tight_delta : forall params E d, proper_params params ->
  (CompRR_DP params E d <-> Phi (map root params) 1 E <= d).
Proof.
  intros params E d F. split; intros H.
  - apply Phi_root_le; [|exact H]. eapply Forall_impl; [|exact F]. intros q [X _]; exact X.
  - intros b Ev. pose proof (every_event b 1 E Ev F). lra.
Qed.

(* a figure by computation *)
Ltac by_figure := apply tight_delta; [repeat constructor; simpl; lra|apply Qle_bool_iff; vm_compute; reflexivity].

Lemma remove1_roots : forall p l r, remove1 p l = Some r -> Permutation (map root l) (root p :: map root r).
Proof.
  induction l as [|p' l IH]; simpl; intros r H; [discriminate|].
  destruct (Qeq_bool (fst p) (fst p') && Qeq_bool (snd p) (snd p')) eqn:E.
  - inversion H; subst. apply andb_true_iff in E. destruct E as [E1 E2].
    apply Qeq_bool_iff in E1. apply Qeq_bool_iff in E2. apply Qred_complete in E1. apply Qred_complete in E2.
    unfold root. rewrite E1, E2. reflexivity.
  - destruct (remove1 p l) as [r'|]; [|discriminate]. inversion H; subst. simpl.
    rewrite (IH r' eq_refl). apply perm_swap.
Qed.
Fixpoint leftover (l params : list (Q * Q)) : list (Q * Q) :=
  match l with
  | [] => params
  | p :: l' => match remove1 p params with Some r => leftover l' r | None => [] end
  end.
Lemma leftover_roots : forall l params, submultiset l params = true ->
  Permutation (map root params) (map root l ++ map root (leftover l params)).
Proof.
  induction l as [|p l IH]; simpl; intros params H; [reflexivity|].
  destruct (remove1 p params) as [r|] eqn:Hr; [|discriminate].
  rewrite (remove1_roots _ _ Hr). constructor. apply IH. exact H.
Qed.
Lemma remove1_proper : forall p l r, remove1 p l = Some r -> proper_params l -> proper_params r.
Proof.
  induction l as [|p' l IH]; simpl; intros r H F; [discriminate|]. inversion F; subst.
  destruct (Qeq_bool (fst p) (fst p') && Qeq_bool (snd p) (snd p')); [inversion H; subst; assumption|].
  destruct (remove1 p l) as [r'|]; [|discriminate]. inversion H; subst. constructor; [assumption|]. apply IH; auto.
Qed.
Lemma leftover_proper : forall l params, proper_params params -> proper_params (leftover l params).
Proof.
  induction l as [|p l IH]; simpl; intros params F; [exact F|].
  destruct (remove1 p params) as [r|] eqn:Hr; [|constructor]. apply IH. eapply remove1_proper; eauto.
Qed.

Lemma Phi_scale : forall l k a c, 0 <= k -> Phi l (k * a) (k * c) == k * Phi l a c.
Proof.
  induction l as [|z l IH]; intros k a c Hk; simpl.
  - destruct (mx_spec 0 (k * a - k * c)) as [A1 [A2 A3]], (mx_spec 0 (a - c)) as [B1 [B2 B3]].
    destruct A3 as [A3|A3], B3 as [B3|B3]; rewrite A3, B3 in *; nra.
  - rewrite (Phi_eq l (a := k * a) (a' := k * a) (c := 0) (c' := k * 0)) by (ring || reflexivity).
    rewrite (Phi_eq l (a := 0) (a' := k * 0) (c := k * c) (c' := k * c)) by (ring || reflexivity).
    rewrite (Phi_eq l (a := k * a * sE z) (a' := k * (a * sE z)) (c := k * c) (c' := k * c)) by (ring || reflexivity).
    rewrite (Phi_eq l (a := k * a) (a' := k * a) (c := k * c * sE z) (c' := k * (c * sE z))) by (ring || reflexivity).
    rewrite !IH by exact Hk. ring.
Qed.
Lemma Phi_mono : forall l a c c', Forall slot_ok l -> c <= c' -> Phi l a c' <= Phi l a c.
Proof.
  induction l as [|z l IH]; simpl; intros a c c' F H.
  - destruct (mx_spec 0 (a - c')) as [A1 [A2 A3]], (mx_spec 0 (a - c)) as [B1 [B2 B3]].
    destruct A3 as [A3|A3]; rewrite A3; lra.
  - inversion F as [|? ? [Z0 [Z1 [Z2 [Z3 Z4]]]] F']; subst.
    pose proof (IH 0 c c' F' H). pose proof (IH (a * sE z) c c' F' H).
    assert (c * sE z <= c' * sE z) as H' by nra. pose proof (IH a _ _ F' H'). nra.
Qed.
(* a question about one slot: each weight is shared among the answers *)
Lemma Phi_sum : forall A (l : list A) (zs : A -> Slot) z L a c, Forall slot_ok L ->
  (forall x, sE (zs x) = sE z) ->
  Sum l (fun x => s0 (zs x)) <= s0 z -> Sum l (fun x => s1 (zs x)) <= s1 z ->
  Sum l (fun x => sp (zs x)) <= sp z -> Sum l (fun x => sq (zs x)) <= sq z ->
  Sum l (fun x => Phi (zs x :: L) a c) <= Phi (z :: L) a c.
Proof.
  intros A l zs z L a c F HE H0 H1 Hp Hq. simpl.
  set (p0 := Phi L a 0). set (p1 := Phi L 0 c). set (pp := Phi L (a * sE z) c). set (pq := Phi L a (c * sE z)).
  rewrite (Sum_ext l _ (fun x => p0 * s0 (zs x) + p1 * s1 (zs x) + pp * sp (zs x) + pq * sq (zs x))).
  - rewrite !Sum_add, !Sum_scal.
    assert (J : forall k u v, 0 <= k -> u <= v -> k * u <= v * k) by (intros; nra).
    assert (N0 : 0 <= p0) by (apply Phi_nonneg; exact F). assert (N1 : 0 <= p1) by (apply Phi_nonneg; exact F).
    assert (N2 : 0 <= pp) by (apply Phi_nonneg; exact F). assert (N3 : 0 <= pq) by (apply Phi_nonneg; exact F).
    pose proof (J _ _ _ N0 H0). pose proof (J _ _ _ N1 H1). pose proof (J _ _ _ N2 Hp). pose proof (J _ _ _ N3 Hq). lra.
  - intros x. rewrite HE. unfold p0, p1, pp, pq. ring.
Qed.
