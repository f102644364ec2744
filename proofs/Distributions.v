(** Finite distributions over rationals: the definitions, and the facts about sums
    that every other file uses.  No axioms.                                         *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.

(* A list of weighted outcomes.  The same outcome may stand in it more than once.    *)
Definition Dist (X : Type) := list (Q * X).

(* The expectation of g; the probability of an event is the expectation of its 0/1. *)
Fixpoint Ex {X} (d : Dist X) (g : X -> Q) : Q :=
  match d with [] => 0 | wx :: d' => fst wx * g (snd wx) + Ex d' g end.
Definition ind (b : bool) : Q := if b then 1 else 0.

(* No weight is negative, and the weights sum to one. *)
Definition proper {X} (d : Dist X) : Prop :=
  Forall (fun wx => 0 <= fst wx) d /\ Ex d (fun _ => 1) == 1.

Definition ret {X} (x : X) : Dist X := [(1, x)].
Definition dmap {X Y} (k : X -> Y) (d : Dist X) : Dist Y :=
  map (fun wx => (fst wx, k (snd wx))) d.
Definition bind {X Y} (d : Dist X) (k : X -> Dist Y) : Dist Y :=
  flat_map (fun wx => map (fun vy => (fst wx * fst vy, snd vy)) (k (snd wx))) d.

(* ------------------------------------------------------------------- expectations *)
Lemma Ex_ext_in : forall X (d : Dist X) g g',
  (forall w x, In (w, x) d -> g x == g' x) -> Ex d g == Ex d g'.
Proof.
  induction d as [|[w x] d IH]; simpl; intros g g' H; [reflexivity|].
  rewrite (H w x) by auto. rewrite (IH g g'); [reflexivity|]. intros; eapply H; eauto.
Qed.
Lemma Ex_ext : forall X (d : Dist X) g g', (forall x, g x == g' x) -> Ex d g == Ex d g'.
Proof. intros; apply Ex_ext_in; auto. Qed.
Lemma Ex_scal : forall X (d : Dist X) c g, Ex d (fun x => c * g x) == c * Ex d g.
Proof. induction d as [|[w x] d IH]; simpl; intros; [ring|rewrite IH; ring]. Qed.
Lemma Ex_app : forall X (d e : Dist X) g, Ex (d ++ e) g == Ex d g + Ex e g.
Proof. induction d as [|[w x] d IH]; simpl; intros; [ring|rewrite IH; ring]. Qed.
Lemma Ex_add : forall X (d : Dist X) g g', Ex d (fun x => g x + g' x) == Ex d g + Ex d g'.
Proof. induction d as [|[w x] d IH]; simpl; intros; [ring|rewrite IH; ring]. Qed.
Lemma Ex_zero : forall X (d : Dist X), Ex d (fun _ => 0) == 0.
Proof. induction d as [|[w x] d IH]; simpl; intros; [ring|rewrite IH; ring]. Qed.
Lemma Ex_nonneg : forall X (d : Dist X) g, Forall (fun wx => 0 <= fst wx) d ->
  (forall x, 0 <= g x) -> 0 <= Ex d g.
Proof.
  induction d as [|[w x] d IH]; simpl; intros g H Hg; [lra|].
  inversion H; subst; simpl in *. specialize (IH g H3 Hg). specialize (Hg x).
  assert (0 <= w * g x) by (apply Qmult_le_0_compat; auto). lra.
Qed.
Lemma Ex_mono : forall X (d : Dist X) g g', Forall (fun wx => 0 <= fst wx) d ->
  (forall x, g x <= g' x) -> Ex d g <= Ex d g'.
Proof.
  intros X d g g' H Hg.
  assert (0 <= Ex d (fun x => g' x + (-1) * g x)).
  { apply Ex_nonneg; auto. intros x; specialize (Hg x); lra. }
  rewrite Ex_add, Ex_scal in H0. lra.
Qed.
Lemma Ex_dmap : forall X Y (k : X -> Y) d g, Ex (dmap k d) g = Ex d (fun x => g (k x)).
Proof. induction d as [|wx d IH]; simpl; intros; [reflexivity|rewrite IH; reflexivity]. Qed.
Lemma Ex_scaled : forall Y (l : Dist Y) w g, Ex (map (fun vy => (w * fst vy, snd vy)) l) g == w * Ex l g.
Proof. induction l as [|[v y] l IH]; simpl; intros; [ring|rewrite IH; ring]. Qed.
Lemma Ex_bind : forall X Y (d : Dist X) (k : X -> Dist Y) g, Ex (bind d k) g == Ex d (fun x => Ex (k x) g).
Proof.
  induction d as [|[w x] d IH]; simpl; intros; [reflexivity|].
  unfold bind in *; simpl. rewrite Ex_app, IH, Ex_scaled. reflexivity.
Qed.

Lemma proper_ret : forall X (x : X), proper (ret x).
Proof. intros; split; [constructor; [simpl; lra|constructor]|simpl; lra]. Qed.
Lemma proper_dmap : forall X Y (k : X -> Y) d, proper d -> proper (dmap k d).
Proof.
  intros X Y k d [H1 H2]; split.
  - unfold dmap; rewrite Forall_map; exact H1.
  - rewrite Ex_dmap; exact H2.
Qed.
Lemma scaled_nonneg : forall Y (l : Dist Y) w, 0 <= w -> Forall (fun vy => 0 <= fst vy) l ->
  Forall (fun vy => 0 <= fst vy) (map (fun vy => (w * fst vy, snd vy)) l).
Proof. induction 2; simpl; constructor; auto. simpl. apply Qmult_le_0_compat; auto. Qed.
Lemma proper_bind : forall X Y (d : Dist X) (k : X -> Dist Y), proper d -> (forall x, proper (k x)) ->
  proper (bind d k).
Proof.
  intros X Y d k [N1 N2] H. split.
  - unfold bind. apply Forall_forall. intros x Hx. apply in_flat_map in Hx. destruct Hx as [[w sa] [H1 H2]].
    rewrite Forall_forall in N1. specialize (N1 _ H1). simpl in *.
    pose proof (scaled_nonneg N1 (proj1 (H sa))) as F.
    rewrite Forall_forall in F. apply F; exact H2.
  - rewrite Ex_bind. rewrite (Ex_ext _ _ (fun _ => 1)); [exact N2|]. intros; apply H.
Qed.

(* ---------------------------------------------------------------- sums over a list *)
Fixpoint Sum {X} (l : list X) (g : X -> Q) : Q :=
  match l with [] => 0 | x :: l' => g x + Sum l' g end.
Lemma Sum_ext_in : forall X (l : list X) g g', (forall x, In x l -> g x == g' x) -> Sum l g == Sum l g'.
Proof. induction l; simpl; intros; [reflexivity|]. rewrite (H a), (IHl g g') by auto. reflexivity. Qed.
Lemma Sum_ext : forall X (l : list X) g g', (forall x, g x == g' x) -> Sum l g == Sum l g'.
Proof. intros; apply Sum_ext_in; auto. Qed.
Lemma Sum_mono_in : forall X (l : list X) g g', (forall x, In x l -> g x <= g' x) -> Sum l g <= Sum l g'.
Proof.
  induction l; simpl; intros; [lra|]. pose proof (H a (or_introl eq_refl)).
  assert (Sum l g <= Sum l g') by (apply IHl; auto). lra.
Qed.
Lemma Sum_add : forall X (l : list X) g g', Sum l (fun x => g x + g' x) == Sum l g + Sum l g'.
Proof. induction l; simpl; intros; [ring|rewrite IHl; ring]. Qed.
Lemma Sum_scal : forall X (l : list X) c g, Sum l (fun x => c * g x) == c * Sum l g.
Proof. induction l; simpl; intros; [ring|rewrite IHl; ring]. Qed.
Lemma Sum_zero : forall X (l : list X), Sum l (fun _ => 0) == 0.
Proof. induction l; simpl; [reflexivity|rewrite IHl; ring]. Qed.
Lemma Sum_nonneg : forall X (l : list X) g, (forall x, In x l -> 0 <= g x) -> 0 <= Sum l g.
Proof.
  intros X l g H. rewrite <- (Sum_zero l). apply Sum_mono_in. exact H.
Qed.
Lemma Sum_map : forall X Y (k : X -> Y) l g, Sum (map k l) g = Sum l (fun x => g (k x)).
Proof. induction l; simpl; intros; [reflexivity|rewrite IHl; reflexivity]. Qed.
Lemma Ex_Sum : forall X Y (d : Dist X) (l : list Y) g,
  Ex d (fun x => Sum l (g x)) == Sum l (fun y => Ex d (fun x => g x y)).
Proof.
  induction l; simpl; intros; [apply Ex_zero|]. rewrite Ex_add, IHl; reflexivity.
Qed.
Section Pick.
  Context {A : Type} (aeq : forall a a' : A, {a = a'} + {a <> a'}).
  Lemma Sum_pick0 : forall (l : list A) a (v : Q), ~ In a l ->
    Sum l (fun a' => if aeq a a' then v else 0) == 0.
  Proof.
    induction l; simpl; intros; [reflexivity|]. rewrite IHl by auto.
    destruct (aeq a0 a); [subst; tauto|ring].
  Qed.
  Lemma Sum_pick : forall (l : list A) a (v : Q), NoDup l -> In a l ->
    Sum l (fun a' => if aeq a a' then v else 0) == v.
  Proof.
    induction l; simpl; intros a0 v Hn Hi; [tauto|]. inversion Hn; subst.
    destruct (aeq a0 a); [subst; rewrite Sum_pick0 by auto; ring|].
    destruct Hi as [->|Hi]; [congruence|]. rewrite IHl by auto. ring.
  Qed.
  (* a sum over distinct points is at most the sum over a list that holds every point
     where the nonnegative g is not zero                                              *)
  Lemma Sum_support : forall (supp l : list A) g, NoDup l ->
    (forall a, 0 <= g a) -> (forall a, ~ In a supp -> g a == 0) -> Sum l g <= Sum supp g.
  Proof.
    intros supp l g. revert supp g. induction l as [|a l IH]; intros supp g Hn Hg H0; simpl.
    - apply Sum_nonneg; auto.
    - inversion Hn; subst. destruct (in_dec aeq a supp) as [Hi|Hi].
      + apply in_split in Hi. destruct Hi as [s1 [s2 ->]].
        assert (K : Sum l g <= Sum (s1 ++ s2) (fun x => if aeq a x then 0 else g x)).
        { rewrite (Sum_ext_in l g (fun x => if aeq a x then 0 else g x)).
          - apply IH; auto.
            + intros x; destruct (aeq a x); [lra|auto].
            + intros x Hx. destruct (aeq a x) as [e|e]; [reflexivity|]. apply H0. intro Hin. apply Hx.
              apply in_app_or in Hin. apply in_or_app. destruct Hin as [Hin|[Hin|Hin]]; auto. congruence.
          - intros x Hx. destruct (aeq a x); [subst; tauto|reflexivity]. }
        assert (K2 : Sum (s1 ++ s2) (fun x => if aeq a x then 0 else g x) <= Sum (s1 ++ s2) g).
        { apply Sum_mono_in. intros x _. destruct (aeq a x); [apply Hg|lra]. }
        assert (S1 : forall u v, Sum (u ++ v) g == Sum u g + Sum v g).
        { induction u; simpl; intros; [ring|rewrite IHu; ring]. }
        rewrite !S1 in *. simpl. lra.
      + rewrite (H0 a Hi). assert (Sum l g <= Sum supp g) by auto. lra.
  Qed.
End Pick.
