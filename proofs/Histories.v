(** The law of the answers to a fixed sequence of messages; beliefs; what a fixed
    adversary sees.  Pure differential privacy against every adaptive adversary is the
    inequality for every fixed sequence (pure_DP_iff_pointwise).                       *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Lemma Pr_range : forall St Msg Ans (M : CM St Msg Ans) A Ev T s past,
  0 <= Pr M A T s past Ev <= 1.
Proof.
  induction T as [|T IH]; simpl; intros.
  - destruct (Ev past); simpl; lra.
  - destruct (step_ok M s (A past)) as [H1 H2]; split.
    + apply Ex_nonneg; auto. intros; apply IH.
    + rewrite <- H2. apply Ex_mono; auto. intros; apply IH.
Qed.

Section Generic.
  Context {Msg Ans : Type} (aeq : forall a a' : Ans, {a = a'} + {a <> a'}).

  Lemma prob_nonneg : forall St (M : CM St Msg Ans) h s, 0 <= prob aeq M s h.
  Proof.
    induction h as [|qa h IH]; simpl; intros; [lra|].
    apply Ex_nonneg; [apply step_ok|]. intros x; destruct (aeq _ _); [apply IH|lra].
  Qed.

  (* beliefs: unnormalised distributions over states *)
  Definition joint {St} (M : CM St Msg Ans) (mu : Dist St) (q : Msg) : Dist (St * Ans) :=
    flat_map (fun ws => map (fun v => (fst ws * fst v, snd v)) (step M (snd ws) q)) mu.
  Definition cond {St} (a : Ans) (d : Dist (St * Ans)) : Dist St :=
    flat_map (fun v => if aeq (snd (snd v)) a then [(fst v, fst (snd v))] else []) d.

  Lemma Ex_joint : forall St (M : CM St Msg Ans) mu q g,
    Ex (joint M mu q) g == Ex mu (fun s => Ex (step M s q) g).
  Proof.
    induction mu as [|[w s] mu IH]; simpl; intros; [reflexivity|].
    unfold joint in *; simpl. rewrite Ex_app, IH. apply Qplus_inj_r.
    induction (step M s q) as [|[w' x] l IHl]; simpl; [ring|]. rewrite IHl. ring.
  Qed.
  Lemma Ex_cond : forall St a (d : Dist (St * Ans)) g,
    Ex (cond a d) g == Ex d (fun sa => if aeq (snd sa) a then g (fst sa) else 0).
  Proof.
    induction d as [|[w [s a']] d IH]; simpl; intros; [reflexivity|].
    unfold cond in *; simpl. rewrite Ex_app, IH. destruct (aeq a' a); simpl; ring.
  Qed.
  Lemma Ex_split : forall St (d : Dist (St * Ans)) as_ g, NoDup as_ ->
    (forall w sa, In (w, sa) d -> In (snd sa) as_) ->
    Ex d g == Sum as_ (fun a => Ex (cond a d) (fun s => g (s, a))).
  Proof.
    intros St d as_ g Hn Hc.
    rewrite (Sum_ext as_ _ (fun a => Ex d (fun sa => if aeq (snd sa) a then g sa else 0))).
    - rewrite <- Ex_Sum. apply Ex_ext_in. intros w x Hin.
      rewrite (Sum_pick aeq); [reflexivity|auto|eapply Hc; eauto].
    - intros a. rewrite Ex_cond. apply Ex_ext. intros [s a']; simpl.
      destruct (aeq a' a); subst; reflexivity.
  Qed.

  Lemma cond_joint_prob : forall St (M : CM St Msg Ans) mu q a h,
    Ex (cond a (joint M mu q)) (fun s => prob aeq M s h)
    == Ex mu (fun s => prob aeq M s ((q, a) :: h)).
  Proof. intros. rewrite Ex_cond, Ex_joint. apply Ex_ext. intros; reflexivity. Qed.

  Lemma pure_beliefs : forall S0 S1 (M0 : CM S0 Msg Ans) (M1 : CM S1 Msg Ans) E A Ev T mu0 mu1 past,
    (forall h, Ex mu0 (fun s => prob aeq M0 s h) <= E * Ex mu1 (fun s => prob aeq M1 s h)) ->
    Ex mu0 (fun s => Pr M0 A T s past Ev) <= E * Ex mu1 (fun s => Pr M1 A T s past Ev).
  Proof.
    induction T as [|T IH]; intros mu0 mu1 past H.
    - simpl. destruct (Ev past); [apply (H [])|]. simpl ind. rewrite !Ex_zero. lra.
    - set (q := A past).
      set (as_ := nodup aeq (map (fun v => snd (snd v)) (joint M0 mu0 q)
                           ++ map (fun v => snd (snd v)) (joint M1 mu1 q))).
      assert (Hn : NoDup as_) by apply NoDup_nodup.
      assert (E0 : forall St (M : CM St Msg Ans) mu,
        (forall w sa, In (w, sa) (joint M mu q) -> In (snd sa) as_) ->
        Ex mu (fun s => Pr M A (S T) s past Ev)
        == Sum as_ (fun a => Ex (cond a (joint M mu q)) (fun s => Pr M A T s (past ++ [a]) Ev))).
      { intros St M mu Hc. simpl. fold q.
        rewrite <- (Ex_joint M mu q (fun sa => Pr M A T (fst sa) (past ++ [snd sa]) Ev)).
        rewrite (Ex_split _ _ Hn Hc). reflexivity. }
      rewrite (E0 _ M0 mu0), (E0 _ M1 mu1).
      + rewrite <- Sum_scal. apply Sum_mono_in. intros a _. apply IH. intros h. rewrite !cond_joint_prob. apply H.
      + intros w sa Hin. apply nodup_In, in_or_app. right. apply (in_map (fun v => snd (snd v)) _ _ Hin).
      + intros w sa Hin. apply nodup_In, in_or_app. left. apply (in_map (fun v => snd (snd v)) _ _ Hin).
  Qed.

  Lemma pure_suff : forall S0 S1 (M0 : CM S0 Msg Ans) (M1 : CM S1 Msg Ans) E,
    (forall h, prob aeq M0 (init M0) h <= E * prob aeq M1 (init M1) h) -> indist M0 M1 E 0.
  Proof.
    intros S0 S1 M0 M1 E H A T Ev.
    pose proof (@pure_beliefs S0 S1 M0 M1 E A Ev T (ret (init M0)) (ret (init M1)) []) as P.
    simpl in P. setoid_replace (E * Pr M1 A T (init M1) [] Ev + 0)
      with (E * (1 * Pr M1 A T (init M1) [] Ev + 0)) by ring.
    setoid_replace (Pr M0 A T (init M0) [] Ev) with (1 * Pr M0 A T (init M0) [] Ev + 0) by ring.
    apply P. intros h. specialize (H h). lra.
  Qed.

  (* the oblivious adversary that plays the messages of a fixed transcript *)
  Definition play (q0 : Msg) (full : list (Msg * Ans)) : Adversary Msg Ans :=
    fun past => nth (length past) (map fst full) q0.
  Definition is_view (full : list (Msg * Ans)) (l : list Ans) : bool :=
    if list_eq_dec aeq l (map snd full) then true else false.

  Lemma play_prob : forall St (M : CM St Msg Ans) q0 h done s past,
    length past = length done ->
    Pr M (play q0 (done ++ h)) (length h) s past (is_view (done ++ h))
    == if list_eq_dec aeq past (map snd done) then prob aeq M s h else 0.
  Proof.
    induction h as [|[q a] h IH]; intros done s past Hl; simpl.
    - unfold is_view. rewrite app_nil_r. destruct (list_eq_dec _ _ _); reflexivity.
    - assert (Hq : play q0 (done ++ (q, a) :: h) past = q).
      { unfold play. rewrite map_app, Hl, app_nth2; rewrite map_length; [|lia].
        rewrite Nat.sub_diag. reflexivity. }
      rewrite Hq.
      replace (done ++ (q, a) :: h) with ((done ++ [(q, a)]) ++ h) by (rewrite <- app_assoc; reflexivity).
      transitivity (Ex (step M s q) (fun sa =>
        if list_eq_dec aeq (past ++ [snd sa]) (map snd (done ++ [(q, a)]))
        then prob aeq M (fst sa) h else 0)).
      + apply Ex_ext. intros sa. apply IH. rewrite !app_length, Hl. reflexivity.
      + rewrite map_app. simpl. destruct (list_eq_dec aeq past (map snd done)) as [->|Hne].
        * apply Ex_ext. intros [s' a']; simpl.
          destruct (list_eq_dec _ _ _) as [e|e], (aeq a' a) as [e'|e']; try reflexivity.
          { apply app_inv_head in e. congruence. } { subst. congruence. }
        * rewrite (Ex_ext _ _ (fun _ => 0)); [apply Ex_zero|]. intros [s' a']; simpl.
          destruct (list_eq_dec _ _ _) as [e|e]; [|reflexivity].
          apply app_inj_tail in e. destruct e; congruence.
  Qed.

  Lemma pure_nec : forall S0 S1 (M0 : CM S0 Msg Ans) (M1 : CM S1 Msg Ans) E, 1 <= E ->
    indist M0 M1 E 0 ->
    forall h, prob aeq M0 (init M0) h <= E * prob aeq M1 (init M1) h.
  Proof.
    intros S0 S1 M0 M1 E HE H [|[q a] h]; [simpl; lra|].
    specialize (H (play q ((q, a) :: h)) (length ((q, a) :: h)) (is_view ((q, a) :: h))).
    pose proof (@play_prob S0 M0 q ((q, a) :: h) [] (init M0) [] eq_refl) as P0.
    pose proof (@play_prob S1 M1 q ((q, a) :: h) [] (init M1) [] eq_refl) as P1.
    destruct (list_eq_dec aeq [] (map snd [])) as [_|n]; [|simpl in n; congruence].
    simpl app in P0, P1. rewrite P0, P1 in H. lra.
  Qed.
End Generic.

Definition oeq {X} (aeq : forall a a' : X, {a = a'} + {a <> a'}) : forall a a' : option X, {a = a'} + {a <> a'}.
Proof. decide equality. Qed.

Section Equivalence.
  Context {St Msg Ans Pair : Type} (aeq : forall a a' : Ans, {a = a'} + {a <> a'}).
  Variables (side : bool -> Pair -> Msg) (f : list Pair -> bool) (M : CM St Msg Ans).
  Notation VIb b := (VI side f b M).

  Lemma prob_VI_valid : forall b h hist x, valid_from f hist (map fst h) = true ->
    prob (oeq aeq) (VIb b) (Some (hist, x)) (map (fun pa => (fst pa, Some (snd pa))) h)
    == prob aeq M x (sideh side b h).
  Proof.
    induction h as [|[p a] h IH]; intros hist x Hv; simpl in *; [reflexivity|].
    apply andb_true_iff in Hv. destruct Hv as [H1 H2]. rewrite H1, Ex_dmap.
    apply Ex_ext. intros [x' a']; simpl.
    destruct (aeq a' a); destruct (oeq aeq (Some a') (Some a)); try congruence.
    apply IH; assumption.
  Qed.

  Fixpoint allNone (h : list (Pair * option Ans)) : bool :=
    match h with [] => true | (_, None) :: h' => allNone h' | _ => false end.
  Fixpoint strip (hist : list Pair) (h : list (Pair * option Ans)) : option (list (Pair * Ans)) :=
    match h with
    | [] => Some []
    | (p, oa) :: h' =>
        if f (hist ++ [p]) then
          match oa, strip (hist ++ [p]) h' with
          | Some a, Some l => Some ((p, a) :: l)
          | _, _ => None end
        else if allNone h then Some [] else None
    end.

  Lemma prob_halted : forall b h,
    prob (oeq aeq) (VIb b) None h == if allNone h then 1 else 0.
  Proof.
    induction h as [|[p [a|]] h IH]; simpl; [reflexivity| |].
    - destruct (oeq aeq None (Some a)); [congruence|ring].
    - destruct (oeq aeq None None); [|congruence]. simpl in *. rewrite IH. ring.
  Qed.

  Lemma prob_strip : forall b h hist x,
    prob (oeq aeq) (VIb b) (Some (hist, x)) h
    == match strip hist h with Some l => prob aeq M x (sideh side b l) | None => 0 end.
  Proof.
    induction h as [|[p oa] h IH]; intros hist x; [reflexivity|].
    simpl. destruct (f (hist ++ [p])) eqn:Hf.
    - rewrite Ex_dmap. destruct oa as [a|].
      + destruct (strip (hist ++ [p]) h) as [l|] eqn:Hs; simpl.
        * apply Ex_ext. intros [x' a']; simpl.
          destruct (oeq aeq (Some a') (Some a)), (aeq a' a); try congruence.
          rewrite IH, Hs; reflexivity.
        * rewrite (Ex_ext _ _ (fun _ => 0)); [apply Ex_zero|]. intros [x' a']; simpl.
          destruct (oeq aeq (Some a') (Some a)); [rewrite IH, Hs|]; reflexivity.
      + rewrite (Ex_ext _ _ (fun _ => 0)); [apply Ex_zero|]. intros [x' a']; simpl.
        destruct (oeq aeq (Some a') None); [congruence|reflexivity].
    - simpl. destruct oa as [a|].
      + destruct (oeq aeq None (Some a)); [congruence|]. ring.
      + destruct (oeq aeq None None); [|congruence]. rewrite prob_halted.
        destruct (allNone h); simpl; ring.
  Qed.

  Lemma strip_valid : forall h hist l, strip hist h = Some l -> valid_from f hist (map fst l) = true.
  Proof.
    induction h as [|[p oa] h IH]; intros hist l H; simpl in H; [inversion H; reflexivity|].
    destruct (f (hist ++ [p])) eqn:Hf.
    - destruct oa as [a|]; [|discriminate]. destruct (strip (hist ++ [p]) h) eqn:Hs; [|discriminate].
      inversion H; subst; simpl. rewrite Hf. apply (IH _ _ Hs).
    - destruct oa; [discriminate|]. destruct (allNone h); inversion H; reflexivity.
  Qed.

  (** (a) Pure DP against every adaptive adversary = the fixed-transcript inequality. *)
  Theorem pure_DP_iff_pointwise : forall E, 1 <= E ->
    (DP side f M E 0 <-> pointwise aeq side f M E).
  Proof.
    intros E HE; split.
    - intros H b h Hv. specialize (H b).
      pose proof (pure_nec (oeq aeq) HE H (map (fun pa => (fst pa, Some (snd pa))) h)) as P.
      simpl in P. rewrite !prob_VI_valid in P by exact Hv. exact P.
    - intros H b. apply (pure_suff (oeq aeq)). intros h. simpl. rewrite !prob_strip.
      destruct (strip [] h) eqn:Hs; [|lra]. apply H. exact (strip_valid _ _ Hs).
  Qed.
End Equivalence.
