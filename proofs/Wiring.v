(** Systems that are the same up to how they are wired: a post-processing that sends left
    messages on may stand on either side of V[f] and I(b); ConComp[M_1, .., M_k] is a
    post-processing of ExtConComp, which first creates the M_i.                          *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories PostProcessing Composition.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

(* equal steps, equal views *)
Lemma Pr_alike : forall S0 S1 Msg Ans (M0 : CM S0 Msg Ans) (M1 : CM S1 Msg Ans) (R : S0 -> S1 -> Prop),
  (forall x y m (g0 : S0 * Ans -> Q) (g1 : S1 * Ans -> Q), R x y ->
     (forall x' y' a, R x' y' -> g0 (x', a) == g1 (y', a)) -> Ex (step M0 x m) g0 == Ex (step M1 y m) g1) ->
  forall A Ev T x y past, R x y -> Pr M0 A T x past Ev == Pr M1 A T y past Ev.
Proof.
  intros S0 S1 Msg Ans M0 M1 R H A Ev. induction T as [|T IH]; intros x y past K; [reflexivity|].
  simpl. apply H; [exact K|]. intros x' y' a K'. simpl. apply IH. exact K'.
Qed.
Lemma indist_alike : forall S0 S0' S1 S1' Msg Ans (M0 : CM S0 Msg Ans) (N0 : CM S0' Msg Ans)
    (M1 : CM S1 Msg Ans) (N1 : CM S1' Msg Ans) E d,
  (forall A T Ev, Pr M0 A T (init M0) [] Ev == Pr N0 A T (init N0) [] Ev) ->
  (forall A T Ev, Pr M1 A T (init M1) [] Ev == Pr N1 A T (init N1) [] Ev) ->
  indist N0 N1 E d -> indist M0 M1 E d.
Proof. intros S0 S0' S1 S1' Msg Ans M0 N0 M1 N1 E d H0 H1 H A T Ev. rewrite H0, H1. apply H. Qed.

(* ----------------------------------------------------- P that sends messages on --- *)
Section Forwarding.
  Context {St Msg Ans Pair PS LA : Type}.
  Variables (side : bool -> Pair -> Msg) (f : list Pair -> bool) (M : CM St Msg Ans) (P : @IPM Msg Ans PS Msg LA).
  Variable react : PS -> Ans -> @Prog Msg Ans (PS * LA).
  Hypothesis sends : forall s m, handle P s m = Call m (react s).
  Hypothesis quiets : forall s a, quiet (react s a).

  (* P on the left of V[f] *)
  Fixpoint lifted (s : PS) (t : @Prog Msg Ans (PS * LA)) : @Prog Pair (option Ans) (PS * option LA) :=
    match t with
    | Done r => Done (fst r, Some (snd r))
    | Call _ _ => Done (s, None)
    | Flip p hp t e => Flip p hp (lifted s t) (lifted s e)
    end.
  Definition before : @IPM Pair (option Ans) PS Pair (option LA) :=
    {| pinit := pinit P;
       handle := fun s p => Call p (fun oa => match oa with None => Done (s, None) | Some a => lifted s (react s a) end) |}.
  Lemma run_lifted : forall S' (N : CM S' Pair (option Ans)) s t x y g0 g1, quiet t ->
    (forall r, g0 (x, r) == g1 (y, (fst r, Some (snd r)))) -> Ex (run M t x) g0 == Ex (run N (lifted s t) y) g1.
  Proof.
    intros S' N s t x y g0 g1 H. induction H as [r|p hp t e Ht IHt He IHe]; intros Hg; simpl.
    - rewrite Hg. reflexivity.
    - rewrite !Ex_app, !Ex_scaled, IHt, IHe by exact Hg. reflexivity.
  Qed.
  Definition same_place (x : option (list Pair * (PS * St))) (y : PS * option (list Pair * St)) : Prop :=
    match x, snd y with
    | None, None => True
    | Some (h, (s, z)), Some (h', z') => h = h' /\ s = fst y /\ z = z'
    | _, _ => False
    end.
  Lemma before_alike : forall b A Ev T x y past, same_place x y ->
    Pr (VI side f b (post P M)) A T x past Ev == Pr (post before (VI side f b M)) A T y past Ev.
  Proof.
    intros b A Ev. apply Pr_alike. intros x [s o] p g0 g1 K Hg.
    change (step (post before (VI side f b M)) (s, o) p) with
      (dmap (fun y : option (list Pair * St) * (PS * option LA) => ((fst (snd y), fst y), snd (snd y)))
            (run (VI side f b M) (handle before s p) o)).
    rewrite Ex_dmap. cbn [handle before run]. rewrite Ex_bind.
    destruct x as [[h [s' z]]|], o as [[h' z']|]; simpl in K; try tauto.
    - destruct K as [-> [-> ->]]. simpl step. unfold VIstep. destruct (f (h' ++ [p])) eqn:F.
      + rewrite !Ex_dmap. simpl step. unfold post_step. rewrite Ex_dmap. simpl fst. simpl snd.
        rewrite sends. cbn [run]. rewrite Ex_bind. apply Ex_ext. intros [z a]. simpl.
        apply run_lifted; [apply quiets|]. intros [s'' l]. simpl. apply Hg. simpl. auto.
      + simpl. rewrite (Hg None (s, None) None) by exact I. ring.
    - simpl. rewrite (Hg None (s, None) None) by exact I. ring.
  Qed.
End Forwarding.
Theorem forwarding : forall St Msg Ans Pair (aeq : decidable Ans) (p0 : Pair) (side : bool -> Pair -> Msg) f
    (M : CM St Msg Ans) PS LA (P : @IPM Msg Ans PS Msg LA) E d,
  sends_on P -> DP side f M E d -> DP side f (post P M) E d.
Proof.
  intros St Msg Ans Pair aeq p0 side f M PS LA P E d [react [Hs Hq]] H b.
  assert (K : forall b A T Ev, Pr (VI side f b (post P M)) A T (init (VI side f b (post P M))) [] Ev
                == Pr (post (before P react) (VI side f b M)) A T (init (post (before P react) (VI side f b M))) [] Ev).
  { intros b' A T Ev. apply (before_alike side f M P react Hs Hq). simpl. auto. }
  eapply indist_alike; [apply (K b)|apply (K (negb b))|]. apply (post_processing (oeq aeq) p0). apply H.
Qed.

(* ------------------------------------------------ ConComp from ExtConComp --- *)
Section FromTheStart.
  Context {Msg Ans Pair : Type}.
  Variables (side : bool -> Pair -> Msg) (alphas : list (@Claim Msg Ans Pair side)) (f : list (nat * Pair) -> bool).
  Notation Claim := (@Claim Msg Ans Pair side).
  Notation EPair := (@EPair Msg Ans Pair side).
  Notation EState := (@EState Msg Ans Pair side).
  Definition param_of (c : Claim) : Q * Q := (cE c, cd c).
  Definition F : list EPair -> bool := f_fixed (map param_of alphas).
  Notation ExtV b := (VI (@eside Msg Ans Pair side) F b (ExtConComp side)).

  Lemma remove1_here : forall p l, remove1 p (p :: l) = Some l.
  Proof.
    intros p l. simpl. replace (Qeq_bool (fst p) (fst p)) with true by (symmetry; apply Qeq_bool_iff; reflexivity).
    replace (Qeq_bool (snd p) (snd p)) with true by (symmetry; apply Qeq_bool_iff; reflexivity). reflexivity.
  Qed.
  Lemma submultiset_app : forall l l', submultiset l (l ++ l') = true.
  Proof.
    induction l as [|p l IH]; intros l'; [reflexivity|]. cbn [submultiset]. rewrite <- app_comm_cons, remove1_here. apply IH.
  Qed.
  Lemma params_creations : forall ps : list EPair, params_of (instances ps) = map param_of (creations ps).
  Proof.
    intros ps. unfold params_of, instances. generalize 0%nat as k. generalize (creations ps) as cs.
    induction cs as [|c cs IH]; intros k; [reflexivity|]. simpl. rewrite IH. reflexivity.
  Qed.
  Lemma creations_app : forall ps ps' : list EPair, creations (ps ++ ps') = creations ps ++ creations ps'.
  Proof. induction ps as [|[c|i q] ps IH]; simpl; intros; rewrite ?IH; reflexivity. Qed.
  Lemma creations_made : forall l, creations (map (@PCreate Msg Ans Pair side) l) = l.
  Proof. induction l; simpl; congruence. Qed.
  Lemma creations_asked : forall ps : list (nat * Pair),
    creations (map (fun p => @PQuery Msg Ans Pair side (fst p) (snd p)) ps) = [].
  Proof. induction ps; simpl; auto. Qed.
  Lemma suitable_made : forall l n, suitable n (map (@PCreate Msg Ans Pair side) l) = true.
  Proof. induction l; simpl; auto. Qed.
  Lemma pairs_made : forall l j, pairs j (map (@PCreate Msg Ans Pair side) l) = [].
  Proof. induction l; simpl; auto. Qed.
  Lemma valid_made : forall l, forallb (@valid_instance Msg Ans Pair side) (instances (map PCreate l)) = true.
  Proof.
    intros l. unfold instances. generalize 0%nat as k. generalize (creations (map (@PCreate Msg Ans Pair side) l)) as cs.
    induction cs as [|c cs IH]; intros k; [reflexivity|]. simpl. rewrite pairs_made, IH. reflexivity.
  Qed.
  Lemma F_made : forall l l', alphas = l ++ l' -> F (map PCreate l) = true.
  Proof.
    intros l l' E. unfold F, f_fixed. rewrite suitable_made, valid_made, params_creations, creations_made, E, map_app, submultiset_app.
    reflexivity.
  Qed.
  Hypothesis Hf : accepts_each alphas f.
  Lemma F_asked : forall ps, f ps = true -> F (created_first alphas ps) = true.
  Proof.
    intros ps H. destruct (Hf H) as [H1 H2]. unfold F, f_fixed. rewrite H1, H2, params_creations.
    unfold created_first. rewrite creations_app, creations_made, creations_asked, app_nil_r. simpl.
    rewrite <- (app_nil_r (map param_of alphas)) at 2. apply submultiset_app.
  Qed.

  (* who creates all of them before the first question.  Its state: nothing done yet, over,
     or what was asked so far. *)
  Definition Going := option (option (list (nat * Pair))).
  Notation Program := (@Prog EPair (option (EAns Ans)) (Going * option (EAns Ans))).
  Definition ask (h : list (nat * Pair)) (p : nat * Pair) : Program :=
    if f (h ++ [p]) then Call (PQuery (fst p) (snd p)) (fun a => Done (Some (Some (h ++ [p])), a)) else Done (Some None, None).
  Fixpoint make (l : list Claim) (t : Program) : Program :=
    match l with [] => t | c :: l' => Call (PCreate c) (fun _ => make l' t) end.
  Definition starter : @IPM EPair (option (EAns Ans)) Going (nat * Pair) (option (EAns Ans)) :=
    {| pinit := None;
       handle := fun s p => match s with
         | None => make alphas (ask [] p) | Some None => Done (Some None, None) | Some (Some h) => ask h p end |}.

  Lemma run_make : forall b t g l pre, alphas = pre ++ l ->
    Ex (run (ExtV b) (make l t) (Some (map PCreate pre, map (@start Msg Ans Pair side) pre))) g
    == Ex (run (ExtV b) t (Some (map PCreate alphas, map (@start Msg Ans Pair side) alphas))) g.
  Proof.
    intros b t g. induction l as [|c l IH]; intros pre E.
    - rewrite app_nil_r in E. subst. reflexivity.
    - cbn [make run]. rewrite Ex_bind. simpl step. unfold VIstep.
      replace (map PCreate pre ++ [PCreate c]) with (map (@PCreate Msg Ans Pair side) (pre ++ [c])) by (rewrite map_app; reflexivity).
      rewrite (F_made (pre ++ [c]) l) by (rewrite <- app_assoc; exact E).
      cbn [Ex fst snd].
      replace (map (@start Msg Ans Pair side) pre ++ [start c]) with (map (@start Msg Ans Pair side) (pre ++ [c])) by (rewrite map_app; reflexivity).
      rewrite (IH (pre ++ [c])) by (rewrite <- app_assoc; exact E). ring.
  Qed.

  Definition same_stage (x : option (list (nat * Pair) * EState)) (y : Going * option (list EPair * EState)) : Prop :=
    match x with
    | None => fst y = Some None
    | Some (h, st) =>
        (y = (Some (Some h), Some (created_first alphas h, st))) \/
        (h = [] /\ st = map (@start Msg Ans Pair side) alphas /\ y = (None, Some ([], [])))
    end.
  Lemma ask_alike : forall b h st p g0 g1,
    (forall x' y' a, same_stage x' y' -> g0 (x', a) == g1 (y', a)) ->
    Ex (VIstep (cside side) f b (ConCompOf alphas) (Some (h, st)) p) g0
    == Ex (run (ExtV b) (ask h p) (Some (created_first alphas h, st)))
         (fun y => g1 ((fst (snd y), fst y), snd (snd y))).
  Proof.
    intros b h st p g0 g1 Hg. unfold ask, VIstep. destruct (f (h ++ [p])) eqn:Hp.
    - cbn [run]. rewrite Ex_bind. simpl step. unfold VIstep.
      replace (created_first alphas h ++ [PQuery (fst p) (snd p)]) with (created_first alphas (h ++ [p]))
        by (unfold created_first; rewrite map_app, app_assoc; reflexivity).
      rewrite (F_asked Hp), !Ex_dmap. simpl step. unfold from_step. cbn [cside fst snd eside].
      apply Ex_ext. intros [st' a]. cbn [run fst snd]. unfold ret. cbn [Ex fst snd].
      rewrite Qmult_1_l, Qplus_0_r. apply Hg. left. reflexivity.
    - cbn [run]. unfold ret. cbn [Ex fst snd].
      rewrite !Qmult_1_l, !Qplus_0_r. apply Hg. reflexivity.
  Qed.
  Lemma start_alike : forall b A Ev T x y past, same_stage x y ->
    Pr (VI (cside side) f b (ConCompOf alphas)) A T x past Ev == Pr (post starter (ExtV b)) A T y past Ev.
  Proof.
    intros b A Ev. apply Pr_alike. intros x [s o] p g0 g1 K Hg.
    change (step (post starter (ExtV b)) (s, o) p) with
      (dmap (fun y : option (list EPair * EState) * (Going * option (EAns Ans)) => ((fst (snd y), fst y), snd (snd y)))
            (run (ExtV b) (handle starter s p) o)).
    rewrite Ex_dmap. destruct x as [[h st]|]; simpl in K.
    - destruct K as [K|[-> [-> K]]]; inversion K; subst; cbn [handle starter].
      + apply ask_alike. exact Hg.
      + rewrite (run_make b (ask [] p) _ alphas []) by reflexivity.
        rewrite <- (app_nil_r (map PCreate alphas)). apply (ask_alike b [] _ p g0 g1 Hg).
    - subst s. simpl. unfold ret. cbn [Ex fst snd]. rewrite !Qmult_1_l, !Qplus_0_r. apply Hg. reflexivity.
  Qed.
End FromTheStart.
Definition eans_dec {A} (aeq : decidable A) : decidable (EAns A).
Proof. unfold decidable. decide equality. Defined.
Theorem concomp : forall Msg Ans Pair (aeq : decidable Ans) (p0 : Pair) (side : bool -> Pair -> Msg)
    (alphas : list (@Claim Msg Ans Pair side)) f E d, 0 <= E -> accepts_each alphas f ->
  CompRR_DP (map (fun c : @Claim Msg Ans Pair side => (cE c, cd c)) alphas) E d ->
  DP (cside side) f (ConCompOf alphas) E d.
Proof.
  intros Msg Ans Pair aeq p0 side alphas f E d HE Hf HRR b.
  assert (PP : proper_params (map (@param_of Msg Ans Pair side) alphas)).
  { unfold proper_params. rewrite Forall_map. apply Forall_forall. intros c _. split; [apply cE1|apply cd01]. }
  pose proof (@Composition.fixed_parameters _ _ _ side aeq _ E d HE PP HRR) as H.
  assert (K : forall b A T Ev, Pr (VI (cside side) f b (ConCompOf alphas)) A T (init (VI (cside side) f b (ConCompOf alphas))) [] Ev
     == Pr (post (starter alphas f) (VI eside (F alphas) b (ExtConComp side))) A T
          (init (post (starter alphas f) (VI eside (F alphas) b (ExtConComp side)))) [] Ev).
  { intros b' A T Ev. apply (start_alike Hf). right. auto. }
  eapply indist_alike; [apply (K b)|apply (K (negb b))|]. apply (post_processing (oeq (eans_dec aeq)) (PQuery 0 p0)). apply H.
Qed.
