(** Joint laws of independent states: the expectation over a list of laws, one for each part. *)
From Coq Require Import QArith List Bool NArith Lia Lqa.
From Antiphon Require Import Distributions Model Game.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.

Fixpoint JE (ls : list (Dist N)) (F : list N -> Q) : Q :=
  match ls with [] => F [] | l :: ls' => Ex l (fun s => JE ls' (fun ss => F (s :: ss))) end.

Lemma Ex_swap : forall X Y (d : Dist X) (e : Dist Y) g,
  Ex d (fun x => Ex e (fun y => g x y)) == Ex e (fun y => Ex d (fun x => g x y)).
Proof.
  induction d as [|[w x] d IH]; simpl; intros; [symmetry; apply Ex_zero|].
  rewrite IH, Ex_add, Ex_scal. reflexivity.
Qed.
Lemma Ex_const : forall X (d : Dist X) c, Ex d (fun _ => c) == Ex d (fun _ => 1) * c.
Proof. induction d as [|[w x] d IH]; simpl; intros; [ring|]. rewrite IH. ring. Qed.
Lemma Ex_ret : forall X (x : X) g, Ex (ret x) g == g x.
Proof. intros. unfold ret. simpl. ring. Qed.

Lemma JE_ext : forall ls F F', (forall ss, F ss == F' ss) -> JE ls F == JE ls F'.
Proof. induction ls; simpl; intros; [apply H|]. apply Ex_ext. intros. apply IHls. intros. apply H. Qed.
Lemma JE_scal : forall ls c F, JE ls (fun ss => c * F ss) == c * JE ls F.
Proof. induction ls; simpl; intros; [reflexivity|]. rewrite <- Ex_scal. apply Ex_ext. intros. apply IHls. Qed.
Lemma JE_zero : forall ls, JE ls (fun _ => 0) == 0.
Proof. induction ls; simpl; [reflexivity|]. rewrite (Ex_ext _ _ (fun _ => 0)); [apply Ex_zero|]. intros; apply IHls. Qed.
Definition nonneg (l : Dist N) := Forall (fun wx => 0 <= fst wx) l.
Lemma JE_mono : forall ls F F', Forall nonneg ls -> (forall ss, F ss <= F' ss) -> JE ls F <= JE ls F'.
Proof.
  induction ls; simpl; intros; [apply H0|]. inversion H; subst. apply Ex_mono; [assumption|].
  intros. apply IHls; auto.
Qed.
Lemma JE_const : forall ls c, JE ls (fun _ => c) == JE ls (fun _ => 1) * c.
Proof.
  intros. rewrite (JE_ext ls (fun _ => c) (fun _ => c * 1)) by (intros; ring). rewrite JE_scal. ring.
Qed.
Lemma JE_Ex : forall ls Y (d : Dist Y) (H : Y -> list N -> Q),
  JE ls (fun ss => Ex d (fun y => H y ss)) == Ex d (fun y => JE ls (H y)).
Proof.
  induction ls; simpl; intros; [reflexivity|].
  rewrite (Ex_ext a _ (fun s => Ex d (fun y => JE ls (fun ss => H y (s :: ss))))).
  - apply Ex_swap.
  - intros. apply (IHls Y d (fun y ss => H y (x :: ss))).
Qed.
Lemma JE_put : forall ls k l F, nth_error ls k = Some l -> JE ls F == Ex l (fun s => JE (put ls k (ret s)) F).
Proof.
  induction ls; intros [|k] l F H; cbn [JE put nth_error] in *; try discriminate.
  - inversion H; subst. apply Ex_ext. intros. rewrite Ex_ret. reflexivity.
  - rewrite (Ex_ext a _ (fun s0 => Ex l (fun s => JE (put ls k (ret s)) (fun ss => F (s0 :: ss))))).
    + apply Ex_swap.
    + intros. apply IHls, H.
Qed.
Lemma JE_ret_step : forall ls k s Y (K : N -> Dist Y) (sn : Y -> N) (H : Y -> list N -> Q), (k < length ls)%nat ->
  JE (put ls k (ret s)) (fun ss => Ex (K (nth k ss 0%N)) (fun y => H y (put ss k (sn y))))
  == Ex (K s) (fun y => JE (put ls k (ret (sn y))) (H y)).
Proof.
  induction ls; intros [|k] s Y K sn H L; cbn [JE put nth length] in *; try lia.
  - rewrite Ex_ret, (JE_Ex ls (K s) (fun y ss => H y (sn y :: ss))). apply Ex_ext. intros. rewrite Ex_ret. reflexivity.
  - rewrite (Ex_ext a _ (fun s0 => Ex (K s) (fun y => JE (put ls k (ret (sn y))) (fun ss => H y (s0 :: ss))))).
    + apply Ex_swap.
    + intros. apply (IHls k s Y K sn (fun y ss => H y (x :: ss))). lia.
Qed.
(* one step of the k-th part *)
Lemma JE_step : forall ls k l Y (K : N -> Dist Y) (sn : Y -> N) (H : Y -> list N -> Q), nth_error ls k = Some l ->
  JE ls (fun ss => Ex (K (nth k ss 0%N)) (fun y => H y (put ss k (sn y))))
  == Ex l (fun s => Ex (K s) (fun y => JE (put ls k (ret (sn y))) (H y))).
Proof.
  intros. rewrite (JE_put _ _ _ H0). apply Ex_ext. intros. apply JE_ret_step.
  apply nth_error_Some. congruence.
Qed.
Lemma JE_snoc : forall ls s F, JE (ls ++ [ret s]) F == JE ls (fun ss => F (ss ++ [s])).
Proof.
  induction ls; intros; cbn [JE app]; [rewrite Ex_ret; reflexivity|]. apply Ex_ext. intros. apply (IHls s (fun ss => F (x :: ss))).
Qed.
Lemma put_put : forall X (l : list X) k x y, put (put l k x) k y = put l k y.
Proof. induction l; intros [|k] x y; simpl; auto. rewrite IHl. reflexivity. Qed.
Lemma put_nth : forall X (l : list X) k x, (k < length l)%nat -> nth_error (put l k x) k = Some x.
Proof. induction l; intros [|k] x H; simpl in *; try lia; auto. apply IHl. lia. Qed.
Lemma map_put : forall X Y (f : X -> Y) l k x, map f (put l k x) = put (map f l) k (f x).
Proof. induction l; intros [|k] x; simpl; auto. rewrite IHl. reflexivity. Qed.
Lemma Forall_put : forall X (P : X -> Prop) l k x, Forall P l -> P x -> Forall P (put l k x).
Proof. induction l; intros [|k] x H1 H2; simpl; auto; inversion H1; subst; constructor; auto. Qed.
Lemma Ex_scaled_law : forall x l l', (forall g, Ex l g == x * Ex l' g) ->
  forall ls k F, (k < length ls)%nat -> JE (put ls k l) F == x * JE (put ls k l') F.
Proof.
  intros x l l' H ls k F L. rewrite (JE_put (put ls k l) k F (put_nth _ _ L)), (JE_put (put ls k l') k F (put_nth _ _ L)).
  rewrite H. apply Qmult_comp; [reflexivity|]. apply Ex_ext. intros. rewrite !put_put. reflexivity.
Qed.
