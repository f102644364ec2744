(** Two interactive mechanisms side by side, by a hybrid argument: if N_i and N_i' are
    (E_i, d_i)-indistinguishable, then ConComp[N_1, N_2] and ConComp[N_1', N_2'] are so
    for (E_1 E_2, d_1 + E_1 d_2).  The N_i may be any systems. *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories PostProcessing.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Definition clamp (p : Q) : {p : Q | 0 <= p <= 1}.
Proof.
  refine (match Qlt_le_dec p 0 with
          | left _ => exist _ 0 _
          | right _ => match Qlt_le_dec 1 p with left _ => exist _ 1 _ | right _ => exist _ p _ end
          end); lra.
Defined.
Lemma clamp_id : forall p, 0 <= p <= 1 -> proj1_sig (clamp p) = p.
Proof.
  intros p H. unfold clamp. destruct (Qlt_le_dec p 0); simpl; [lra|]. destruct (Qlt_le_dec 1 p); simpl; [lra|reflexivity].
Qed.

Section Sample.
  Context {Msg Ans X : Type}.
  Fixpoint sample (d : Dist X) (k : X -> @Prog Msg Ans bool) : @Prog Msg Ans bool :=
    match d with
    | [] => Done false
    | wx :: d' => let p := clamp (fst wx / Ex d (fun _ => 1)) in
                  Flip (proj1_sig p) (proj2_sig p) (k (snd wx)) (sample d' k)
    end.
  Lemma mass0 : forall (d : Dist X) g, Forall (fun wx => 0 <= fst wx) d -> Ex d (fun _ => 1) == 0 -> Ex d g == 0.
  Proof.
    induction d as [|[w x] d IH]; simpl; intros g HF H; [reflexivity|]. inversion HF; subst. simpl in *.
    pose proof (@Ex_nonneg X d (fun _ => 1) H3 ltac:(intros; cbv beta; lra)).
    assert (w == 0) by lra. rewrite (IH g) by (auto; lra). rewrite H1. ring.
  Qed.
  Lemma val_sample : forall St (M : CM St Msg Ans) k s (d : Dist X), Forall (fun wx => 0 <= fst wx) d ->
    Ex d (fun _ => 1) * val M (sample d k) bit s == Ex d (fun x => val M (k x) bit s).
  Proof.
    induction d as [|[w x] d IH]; intros HF; [simpl; ring|]. inversion HF; subst. simpl in H1.
    pose proof (@Ex_nonneg X d (fun _ => 1) H2 ltac:(intros; cbv beta; lra)) as N. specialize (IH H2).
    set (W := Ex d (fun _ => 1)) in *. simpl. fold W.
    destruct (Qlt_le_dec 0 (w * 1 + W)) as [HW|HW].
    - rewrite clamp_id.
      + setoid_replace ((w * 1 + W) * (w / (w * 1 + W) * val M (k x) bit s + (1 - w / (w * 1 + W)) * val M (sample d k) bit s))
          with (w * val M (k x) bit s + W * val M (sample d k) bit s) by (field; lra).
        rewrite IH. reflexivity.
      + split; [apply Qle_shift_div_l|apply Qle_shift_div_r]; lra.
    - assert (W == 0) by lra. assert (w == 0) by lra.
      rewrite (mass0 (fun x => val M (k x) bit s) H2) by assumption.
      match goal with |- _ * ?B == _ => generalize B end. intros BB.
      setoid_replace (w * 1 + W) with 0 by lra. setoid_replace w with 0 by assumption. ring.
  Qed.
End Sample.

Section Hybrid.
  Context {G1 A1 G2 A2 : Type}.
  Variables (aeq1 : forall a a' : A1, {a = a'} + {a <> a'}) (aeq2 : forall a a' : A2, {a = a'} + {a <> a'}).
  Variables (g1 : G1) (g2 : G2).

  (* the adversary simulates the other mechanism *)
  Fixpoint tree1 {S2} (N2 : CM S2 G2 A2) (A : Adversary (G1 + G2) (A1 + A2)) T s2 past Ev : @Prog G1 A1 bool :=
    match T with
    | O => Done (Ev past)
    | S T' => match A past with
              | inl m => Call m (fun a => tree1 N2 A T' s2 (past ++ [inl a]) Ev)
              | inr m => sample (step N2 s2 m) (fun sa => tree1 N2 A T' (fst sa) (past ++ [inr (snd sa)]) Ev)
              end
    end.
  Fixpoint tree2 {S1} (N1 : CM S1 G1 A1) (A : Adversary (G1 + G2) (A1 + A2)) T s1 past Ev : @Prog G2 A2 bool :=
    match T with
    | O => Done (Ev past)
    | S T' => match A past with
              | inr m => Call m (fun a => tree2 N1 A T' s1 (past ++ [inr a]) Ev)
              | inl m => sample (step N1 s1 m) (fun sa => tree2 N1 A T' (fst sa) (past ++ [inl (snd sa)]) Ev)
              end
    end.
  Lemma Pr_tree1 : forall S1 S2 (N1 : CM S1 G1 A1) (N2 : CM S2 G2 A2) A Ev T s1 s2 past,
    Pr (ConComp N1 N2) A T (s1, s2) past Ev == val N1 (tree1 N2 A T s2 past Ev) bit s1.
  Proof.
    induction T as [|T IH]; intros; simpl; [reflexivity|]. destruct (A past) as [m|m]; simpl; rewrite Ex_dmap.
    - apply Ex_ext. intros; simpl. apply IH.
    - destruct (step_ok N2 s2 m) as [F P].
      pose proof (val_sample N1 (fun sa => tree1 N2 A T (fst sa) (past ++ [inr (snd sa)]) Ev) s1 F) as V.
      rewrite P, Qmult_1_l in V. rewrite V. apply Ex_ext. intros; simpl. apply IH.
  Qed.
  Lemma Pr_tree2 : forall S1 S2 (N1 : CM S1 G1 A1) (N2 : CM S2 G2 A2) A Ev T s1 s2 past,
    Pr (ConComp N1 N2) A T (s1, s2) past Ev == val N2 (tree2 N1 A T s1 past Ev) bit s2.
  Proof.
    induction T as [|T IH]; intros; simpl; [reflexivity|]. destruct (A past) as [m|m]; simpl; rewrite Ex_dmap.
    - destruct (step_ok N1 s1 m) as [F P].
      pose proof (val_sample N2 (fun sa => tree2 N1 A T (fst sa) (past ++ [inl (snd sa)]) Ev) s2 F) as V.
      rewrite P, Qmult_1_l in V. rewrite V. apply Ex_ext. intros; simpl. apply IH.
    - apply Ex_ext. intros; simpl. apply IH.
  Qed.

  Theorem concurrent_basic : forall S1 S1' S2 S2' (N1 : CM S1 G1 A1) (N1' : CM S1' G1 A1)
      (N2 : CM S2 G2 A2) (N2' : CM S2' G2 A2) E1 d1 E2 d2, 0 <= E1 ->
    indist N1 N1' E1 d1 -> indist N2 N2' E2 d2 ->
    indist (ConComp N1 N2) (ConComp N1' N2') (E1 * E2) (d1 + E1 * d2).
  Proof.
    intros S1 S1' S2 S2' N1 N1' N2 N2' E1 d1 E2 d2 HE H1 H2 A T Ev. simpl init.
    pose proof (randomised_adversaries aeq1 g1 H1 (tree1 N2 A T (init N2) [] Ev)) as K1.
    pose proof (randomised_adversaries aeq2 g2 H2 (tree2 N1' A T (init N1') [] Ev)) as K2.
    rewrite <- !Pr_tree1 in K1. rewrite <- !Pr_tree2 in K2.
    set (x := Pr (ConComp N1' N2) A T (init N1', init N2) [] Ev) in *.
    set (y := Pr (ConComp N1' N2') A T (init N1', init N2') [] Ev) in *.
    assert (E1 * x <= E1 * (E2 * y + d2)) by (rewrite !(Qmult_comm E1); apply Qmult_le_compat_r; assumption). lra.
  Qed.
End Hybrid.

