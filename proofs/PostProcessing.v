(** Post-processing (Lemma 2.15): for every interactive post-processing P, possibly
    randomised, that answers each left message after a finite dialogue with the
    mechanism to its right, P o* M is as indistinguishable as M.  And: an adversary with
    coins gains nothing.  Both are one fact about programs with coins.                  *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Section Post.
  Context {Msg Ans : Type}.
  Notation Prog := (@Prog Msg Ans).

  (* ------------------------------------------------------------- proof --- *)
  Fixpoint val {St R} (M : CM St Msg Ans) (t : Prog R) (g : St -> R -> Q) (s : St) : Q :=
    match t with
    | Done r => g s r
    | Call m k => Ex (step M s m) (fun sa => val M (k (snd sa)) g (fst sa))
    | Flip p _ t e => p * val M t g s + (1 - p) * val M e g s
    end.
  Lemma Ex_run : forall St R (M : CM St Msg Ans) (t : Prog R) g s,
    Ex (run M t s) (fun sr => g (fst sr) (snd sr)) == val M t g s.
  Proof.
    induction t as [r|m k IH|p hp t IHt e IHe]; intros g s; simpl; [ring| |].
    - rewrite Ex_bind. apply Ex_ext. intros; apply IH.
    - rewrite Ex_app, !Ex_scaled, IHt, IHe. reflexivity.
  Qed.
  Fixpoint pbind {R R'} (t : Prog R) (k : R -> Prog R') : Prog R' :=
    match t with
    | Done r => k r
    | Call m c => Call m (fun a => pbind (c a) k)
    | Flip p hp t e => Flip p hp (pbind t k) (pbind e k)
    end.
  Lemma val_pbind : forall St R R' (M : CM St Msg Ans) (t : Prog R) (k : R -> Prog R') g s,
    val M (pbind t k) g s == val M t (fun s' r => val M (k r) g s') s.
  Proof.
    induction t as [r|m c IH|p hp t IHt e IHe]; intros k g s; simpl; [reflexivity| |].
    - apply Ex_ext. intros; apply IH.
    - rewrite IHt, IHe. reflexivity.
  Qed.
  Lemma val_ext : forall St R (M : CM St Msg Ans) (t : Prog R) g g' s,
    (forall s' r, g s' r == g' s' r) -> val M t g s == val M t g' s.
  Proof.
    induction t as [r|m c IH|p hp t IHt e IHe]; intros g g' s H; simpl; [apply H| |].
    - apply Ex_ext. intros; apply IH; auto.
    - rewrite (IHt g g'), (IHe g g') by auto. reflexivity.
  Qed.

  (* the whole attack on P o* M as one program against M *)
  Fixpoint tree {PS LM LA} (P : IPM PS LM LA) (A : Adversary LM LA) T ps past (Ev : list LA -> bool) : Prog bool :=
    match T with
    | O => Done (Ev past)
    | S T' => pbind (handle P ps (A past)) (fun r => tree P A T' (fst r) (past ++ [snd r]) Ev)
    end.
  Definition bit {St : Type} (s : St) (b : bool) : Q := ind b.
  Lemma Pr_post : forall PS LM LA St (P : IPM PS LM LA) (M : CM St Msg Ans) A Ev T ps s past,
    Pr (post P M) A T (ps, s) past Ev == val M (tree P A T ps past Ev) bit s.
  Proof.
    induction T as [|T IH]; intros ps s past; simpl; [reflexivity|].
    rewrite val_pbind. unfold post_step. rewrite Ex_dmap. simpl.
    rewrite (Ex_run M (handle P ps (A past))
      (fun s' r => Pr (post P M) A T (fst r, s') (past ++ [snd r]) Ev)).
    apply val_ext. intros s' r. apply IH.
  Qed.

  (* derandomise a program into an adversary, given beliefs about both worlds *)
  Section Derandomise.
    Variables (aeq : forall a a' : Ans, {a = a'} + {a <> a'}) (m0 : Msg).
    Context {S0 S1 : Type} (M0 : CM S0 Msg Ans) (M1 : CM S1 Msg Ans) (E : Q).
    Definition gap (t : Prog bool) (mu0 : Dist S0) (mu1 : Dist S1) : Q :=
      Ex mu0 (val M0 t bit) - E * Ex mu1 (val M1 t bit).
    Definition supp (mu0 : Dist S0) (mu1 : Dist S1) (m : Msg) : list Ans :=
      nodup aeq (map (fun v => snd (snd v)) (joint M0 mu0 m) ++ map (fun v => snd (snd v)) (joint M1 mu1 m)).
    Notation c0 a mu m := (cond aeq a (joint M0 mu m)).
    Notation c1 a mu m := (cond aeq a (joint M1 mu m)).
    Definition pick t e mu0 mu1 : bool := Qle_bool (gap e mu0 mu1) (gap t mu0 mu1).
    Fixpoint depth (t : Prog bool) mu0 mu1 : nat :=
      match t with
      | Done _ => O
      | Call m k => S (list_max (map (fun a => depth (k a) (c0 a mu0 m) (c1 a mu1 m)) (supp mu0 mu1 m)))
      | Flip _ _ t e => if pick t e mu0 mu1 then depth t mu0 mu1 else depth e mu0 mu1
      end.
    Fixpoint adv (t : Prog bool) mu0 mu1 : list Ans -> Msg :=
      match t with
      | Done _ => fun _ => m0
      | Call m k => fun l => match l with [] => m | a :: l' => adv (k a) (c0 a mu0 m) (c1 a mu1 m) l' end
      | Flip _ _ t e => if pick t e mu0 mu1 then adv t mu0 mu1 else adv e mu0 mu1
      end.
    Fixpoint evt (t : Prog bool) mu0 mu1 : list Ans -> bool :=
      match t with
      | Done b => fun _ => b
      | Call m k => fun l => match l with [] => false | a :: l' => evt (k a) (c0 a mu0 m) (c1 a mu1 m) l' end
      | Flip _ _ t e => if pick t e mu0 mu1 then evt t mu0 mu1 else evt e mu0 mu1
      end.

    Lemma Pr_const : forall St (M : CM St Msg Ans) A T s past b,
      Pr M A T s past (fun _ => b) == ind b.
    Proof.
      induction T; simpl; intros; [reflexivity|]. destruct (step_ok M s (A past)) as [_ P].
      rewrite (Ex_ext _ _ (fun _ => ind b * 1)) by (intros; rewrite IHT; ring).
      rewrite Ex_scal, P. ring.
    Qed.
    Lemma Pr_shift : forall St (M : CM St Msg Ans) A Ev a T s past,
      Pr M A T s (a :: past) Ev = Pr M (fun l => A (a :: l)) T s past (fun l => Ev (a :: l)).
    Proof.
      induction T; intros; simpl; [reflexivity|].
      induction (step M s (A (a :: past))) as [|[w x] l IHl]; simpl; [reflexivity|].
      rewrite IHl, IHT. reflexivity.
    Qed.
    Lemma split_step : forall St (M : CM St Msg Ans) mu m as_ G, NoDup as_ ->
      (forall w sa, In (w, sa) (joint M mu m) -> In (snd sa) as_) ->
      Ex mu (fun s => Ex (step M s m) G) == Sum as_ (fun a => Ex (cond aeq a (joint M mu m)) (fun s => G (s, a))).
    Proof. intros. rewrite <- Ex_joint. apply Ex_split; assumption. Qed.
    Lemma Sum_gap : forall (l : list Ans) u v u' v' , (forall a, In a l -> u a - E * v a <= u' a - E * v' a) ->
      Sum l u - E * Sum l v <= Sum l u' - E * Sum l v'.
    Proof.
      intros l u v u' v' H. apply Sum_mono_in in H.
      assert (X : forall f g, Sum l (fun a => f a - E * g a) == Sum l f - E * Sum l g).
      { intros f g. rewrite (Sum_ext l _ (fun a => f a + (- E) * g a)) by (intros; ring).
        rewrite Sum_add, Sum_scal. ring. }
      rewrite !X in H. exact H.
    Qed.

    Lemma derandomise : forall t mu0 mu1 T, (depth t mu0 mu1 <= T)%nat ->
      gap t mu0 mu1 <= Ex mu0 (fun s => Pr M0 (adv t mu0 mu1) T s [] (evt t mu0 mu1))
                 - E * Ex mu1 (fun s => Pr M1 (adv t mu0 mu1) T s [] (evt t mu0 mu1)).
    Proof.
      induction t as [r|m k IH|p hp t IHt e IHe]; intros mu0 mu1 T HT; simpl in HT.
      - simpl adv. simpl evt. unfold gap. simpl val.
        rewrite (Ex_ext mu0 (fun s => Pr M0 _ T s [] _) (fun s => bit s r)) by (intros; apply Pr_const).
        rewrite (Ex_ext mu1 (fun s => Pr M1 _ T s [] _) (fun s => bit s r)) by (intros; apply Pr_const). lra.
      - destruct T as [|T]; [lia|]. unfold gap. simpl.
        assert (Hn : NoDup (supp mu0 mu1 m)) by apply NoDup_nodup.
        assert (C0 : forall w sa, In (w, sa) (joint M0 mu0 m) -> In (snd sa) (supp mu0 mu1 m)).
        { intros w sa H. apply nodup_In, in_or_app. left. apply (in_map (fun v => snd (snd v)) _ _ H). }
        assert (C1 : forall w sa, In (w, sa) (joint M1 mu1 m) -> In (snd sa) (supp mu0 mu1 m)).
        { intros w sa H. apply nodup_In, in_or_app. right. apply (in_map (fun v => snd (snd v)) _ _ H). }
        rewrite !(split_step M0 mu0 m _ Hn C0), !(split_step M1 mu1 m _ Hn C1).
        apply Sum_gap. intros a Ha. simpl.
        assert (Hd : (depth (k a) (c0 a mu0 m) (c1 a mu1 m) <= T)%nat).
        { apply le_S_n in HT. apply list_max_le in HT. rewrite Forall_forall in HT. apply HT.
          apply (in_map (fun a => depth (k a) (c0 a mu0 m) (c1 a mu1 m))). exact Ha. }
        specialize (IH a (c0 a mu0 m) (c1 a mu1 m) T Hd). unfold gap in IH.
        eapply Qle_trans; [exact IH|]. apply Qle_lteq. right.
        apply Qplus_comp; [|apply Qopp_comp, Qmult_comp; [reflexivity|]];
          apply Ex_ext; intros s; rewrite Pr_shift; reflexivity.
      - assert (Hg : gap (Flip p hp t e) mu0 mu1 == p * gap t mu0 mu1 + (1 - p) * gap e mu0 mu1).
        { unfold gap. simpl val. rewrite !Ex_add, !Ex_scal. ring. }
        rewrite Hg. simpl adv. simpl evt. unfold pick in *.
        destruct (Qle_bool (gap e mu0 mu1) (gap t mu0 mu1)) eqn:Hc.
        + apply Qle_bool_iff in Hc. eapply Qle_trans; [|apply IHt; exact HT]. nra.
        + assert (gap t mu0 mu1 < gap e mu0 mu1).
          { apply Qnot_le_lt. intro H. apply Qle_bool_iff in H. congruence. }
          eapply Qle_trans; [|apply IHe; exact HT]. nra.
    Qed.
  End Derandomise.

  (** Lemma 2.15. *)
  Theorem post_processing : forall (aeq : forall a a' : Ans, {a = a'} + {a <> a'}) (m0 : Msg)
      S0 S1 (M0 : CM S0 Msg Ans) (M1 : CM S1 Msg Ans) PS LM LA (P : IPM PS LM LA) E d,
    indist M0 M1 E d -> indist (post P M0) (post P M1) E d.
  Proof.
    intros aeq m0 S0 S1 M0 M1 PS LM LA P E d H A T Ev. simpl init. rewrite !Pr_post.
    set (t := tree P A T (pinit P) [] Ev).
    pose proof (derandomise aeq m0 M0 M1 E t (ret (init M0)) (ret (init M1)) (le_n _)) as D.
    set (n := depth aeq M0 M1 E t (ret (init M0)) (ret (init M1))) in *.
    specialize (H (adv aeq m0 M0 M1 E t (ret (init M0)) (ret (init M1))) n
                  (evt aeq M0 M1 E t (ret (init M0)) (ret (init M1)))).
    unfold gap in D. simpl Ex in D. lra.
  Qed.

  (** Deterministic adversaries suffice: a program with coins, which may stop at any
      time and whose verdict may use its coins, gains nothing (Defs. 2.9, 2.11). *)
  Theorem randomised_adversaries : forall (aeq : forall a a' : Ans, {a = a'} + {a <> a'}) (m0 : Msg)
      S0 S1 (M0 : CM S0 Msg Ans) (M1 : CM S1 Msg Ans) E d, indist M0 M1 E d ->
    forall t : Prog bool, val M0 t bit (init M0) <= E * val M1 t bit (init M1) + d.
  Proof.
    intros aeq m0 S0 S1 M0 M1 E d H t.
    pose proof (derandomise aeq m0 M0 M1 E t (ret (init M0)) (ret (init M1)) (le_n _)) as D.
    set (n := depth aeq M0 M1 E t (ret (init M0)) (ret (init M1))) in *.
    specialize (H (adv aeq m0 M0 M1 E t (ret (init M0)) (ret (init M1))) n
                  (evt aeq M0 M1 E t (ret (init M0)) (ret (init M1)))).
    unfold gap in D. simpl Ex in D. lra.
  Qed.
End Post.
