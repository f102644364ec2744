(** What the check of a certificate's columns and tables says of every game of these tables. *)
From Coq Require Import QArith List Bool NArith ZArith FMapPositive Lia Lqa.
From Antiphon Require Import Distributions Model Game Certificate Products.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.

Ltac split_and := repeat match goal with H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H end.

(* ------------------------------------------------------------------------ look-ups --- *)
Lemma same_key_eq : forall k k', same_key k k' = true -> k = k'.
Proof.
  induction k; intros [|n k'] H; simpl in H; try discriminate; [reflexivity|]. split_and.
  apply N.eqb_eq in H. subst. f_equal. apply IHk; assumption.
Qed.
Lemma find_index : forall V (l : list (list N * V)) c kv, PositiveMap.find c (index l) = Some kv -> In kv l.
Proof.
  induction l as [|x l IH]; simpl; intros c kv H; [rewrite PositiveMap.gempty in H; discriminate|].
  destruct (Pos.eq_dec c (code (fst x))) as [->|D].
  - rewrite PositiveMap.gss in H. inversion H. auto.
  - rewrite PositiveMap.gso in H by exact D. right. eapply IH; eauto.
Qed.
Lemma lookup_in : forall V k (l : list (list N * V)) v, lookup k (index l) = Some v -> In (k, v) l.
Proof.
  unfold lookup. intros V k l v H. destruct (PositiveMap.find (code k) (index l)) as [[k' v']|] eqn:E; [|discriminate].
  destruct (same_key k' k) eqn:S; [|discriminate]. inversion H; subst. apply same_key_eq in S. subst.
  eapply find_index; eauto.
Qed.
Lemma assoc_in : forall X i (l : list (N * X)) x, assoc i l = Some x -> In (i, x) l.
Proof.
  induction l as [|[i' x'] l IH]; simpl; intros x H; [discriminate|].
  destruct (i =? i')%N eqn:E; [apply N.eqb_eq in E; inversion H; subst; auto|auto].
Qed.
Lemma ruled_in : forall q l j, ruled q l = Some j -> In (fst q, snd q, j) l.
Proof.
  induction l as [|[[q0 q1] j'] l IH]; simpl; intros j H; [discriminate|].
  destruct (q0 =? fst q)%N eqn:E0, (q1 =? snd q)%N eqn:E1; simpl in H; try (right; apply IH; exact H).
  apply N.eqb_eq in E0, E1. inversion H; subst. auto.
Qed.
Lemma same_law_eq : forall l l', same_law l l' = true -> l = l'.
Proof.
  induction l as [|[s w] l IH]; intros [|[s' w'] l'] H; simpl in H; try discriminate; [reflexivity|]. split_and.
  apply N.eqb_eq in H, H1. subst. f_equal. auto.
Qed.
Lemma all2_nth : forall X Y (f : X -> Y -> bool) l l' x, all2 f l l' = true -> In x l -> exists y, f x y = true.
Proof.
  induction l; intros [|y l'] x H I; simpl in *; try discriminate; [tauto|]. split_and.
  destruct I as [->|I]; eauto.
Qed.

(* ------------------------------------------------------------------------- numbers --- *)
Lemma nat_Q_add : forall a b, nat_Q (a + b) == nat_Q a + nat_Q b.
Proof. intros. unfold nat_Q. rewrite N2Z.inj_add, inject_Z_plus. reflexivity. Qed.
Lemma nat_Q_mul : forall a b, nat_Q (a * b) == nat_Q a * nat_Q b.
Proof. intros. unfold nat_Q. rewrite N2Z.inj_mul, inject_Z_mult. reflexivity. Qed.
Lemma nat_Q_nonneg : forall a, 0 <= nat_Q a.
Proof. intros. unfold nat_Q. rewrite <- (Zle_Qle 0). apply N2Z.is_nonneg. Qed.
Lemma stop_nonneg : forall a b, 0 <= stop a b.
Proof. intros. apply nat_Q_nonneg. Qed.
Lemma stop_least : forall a b, nat_Q a - nat_Q b <= stop a b.
Proof.
  intros. unfold stop. assert (nat_Q a <= nat_Q (a - b) + nat_Q b); [|lra].
  rewrite <- nat_Q_add. unfold nat_Q. rewrite <- Zle_Qle. lia.
Qed.
Lemma stop_zero : forall a, stop a 0 == nat_Q a.
Proof. intros. unfold stop. rewrite N.sub_0_r. reflexivity. Qed.

(* ---------------------------------------------------------------------------- sums --- *)
Definition lawQ (l : Law) : Dist N := map (fun sw => (nat_Q (snd sw), fst sw)) l.
Fixpoint zsum (l : Sums) (g : N * N -> Q) : Q :=
  match l with [] => 0 | (x, z) :: l' => inject_Z z * g x + zsum l' g end.
Lemma before_eq : forall x y, (fst x =? fst y)%N && (snd x =? snd y)%N = true -> x = y.
Proof. intros [a b] [c d] H. simpl in H. split_and. apply N.eqb_eq in H, H0. subst. reflexivity. Qed.
Lemma merge_zsum : forall l1 l2 g, zsum (merge l1 l2) g == zsum l1 g + zsum l2 g.
Proof.
  induction l1 as [|[x v] l1 IH1]; [intros; simpl; ring|].
  induction l2 as [|[y w] l2 IH2]; intros g; [simpl; ring|].
  cbn [merge]. destruct (before x y).
  - destruct ((fst x =? fst y)%N && (snd x =? snd y)%N) eqn:E.
    + apply before_eq in E. subst y. cbn [zsum]. rewrite IH1, inject_Z_plus. ring.
    + cbn [zsum]. rewrite IH1. cbn [zsum]. ring.
  - cbn [zsum]. rewrite IH1. cbn [zsum]. ring.
  - change ((y, w) :: (fix into (l0 : Sums) : Sums := _) l2) with ((y, w) :: merge ((x, v) :: l1) l2).
    cbn [zsum]. rewrite IH2. cbn [zsum]. ring.
Qed.
Lemma zero_zsum : forall x y, zero (Some x) (Some y) = true -> forall g, zsum x g + zsum y g == 0.
Proof.
  intros x y H g. rewrite <- merge_zsum. unfold zero in H. induction (merge x y) as [|[k z] l IH]; simpl in *; [reflexivity|].
  split_and. apply Z.eqb_eq in H. subst. rewrite IH by assumption. ring.
Qed.
Lemma scaled_zsum : forall k d bs g, zsum (scaled k bs) g == inject_Z (k * Zpos d) * Ex (row_law (d, bs)) g.
Proof.
  intros k d bs g. unfold scaled, row_law. simpl fst. simpl snd.
  induction bs as [|[x w] bs IH]; [simpl; ring|]. cbn [map zsum Ex fst snd]. rewrite IH, !inject_Z_mult.
  assert (Z.of_N w # d == inject_Z (Z.of_N w) / inject_Z (Zpos d)) as -> by (rewrite Qmake_Qdiv; reflexivity).
  field. intros H. unfold Qeq in H. simpl in H. lia.
Qed.
Lemma total_lawQ : forall l, Ex (lawQ l) (fun _ => 1) == nat_Q (total l).
Proof.
  induction l as [|[s w] l IH]; cbn [lawQ map total Ex fst snd]; [reflexivity|].
  rewrite nat_Q_add. unfold lawQ in IH. rewrite IH. ring.
Qed.
Lemma lawQ_nonneg : forall l, nonneg (lawQ l).
Proof. induction l; simpl; constructor; auto. apply nat_Q_nonneg. Qed.

Section Tables.
  Variables (C : Certificate) (G : Game).
  Hypothesis T : of_tables C G.
  Let M := maps C.

  Lemma push_zsum : forall i q D l r, push M i q D l = Some r -> forall g,
    zsum r g == inject_Z (Zpos D) * Ex (lawQ l) (fun s => Ex (kernel G i s q) g).
  Proof.
    intros i q D. induction l as [|[s w] l IH]; cbn [push]; intros r H g; [inversion H; subst; cbn [zsum lawQ map Ex]; ring|].
    destruct (lookup [i; s; q] (step_map M)) as [[d bs]|] eqn:E; [|discriminate].
    destruct (push M i q D l) as [r'|]; [|discriminate].
    destruct (Npos D / Npos d * Npos d =? Npos D)%N eqn:K; [|discriminate]. inversion H; subst; clear H.
    rewrite merge_zsum, (IH r' eq_refl), (scaled_zsum _ d). apply N.eqb_eq in K.
    cbn [lawQ map Ex fst snd]. rewrite (its_steps T _ _ _ E g).
    assert (Z.of_N (N.pos D / N.pos d * w) * Zpos d = Zpos D * Z.of_N w)%Z as ->.
    { change (Zpos d) with (Z.of_N (Npos d)). change (Zpos D) with (Z.of_N (Npos D)). rewrite <- !N2Z.inj_mul.
      f_equal. rewrite <- K at 2. lia. }
    rewrite inject_Z_mult. change (nat_Q w) with (inject_Z (Z.of_N w)). unfold lawQ. ring.
  Qed.

  Definition tlaw (b : bool) (t : Target) : Law := match target_law M b t with Some l => l | None => [] end.
  Fixpoint branch_sum (b : bool) (answers : list N) (l : list (N * N * Target)) (g : N * N -> Q) : Q :=
    match answers, l with
    | a :: answers', (f0, f1, t) :: l' =>
        nat_Q (if b then f1 else f0) * Ex (lawQ (tlaw b t)) (fun s => g (a, s)) + branch_sum b answers' l' g
    | _, _ => 0
    end.
  Fixpoint well_led (i j : N) (answers : list N) (l : list (N * N * Target)) : Prop :=
    match answers, l with
    | [], [] => True
    | a :: answers', (_, _, t) :: l' => leads M i j a t = true /\ well_led i j answers' l'
    | _, _ => False
    end.
  Lemma minus_zsum : forall a f l g,
    zsum (map (fun sw : N * N => (a, fst sw, (- Z.of_N f * Z.of_N (snd sw))%Z)) l) g
    == - (nat_Q f * Ex (lawQ l) (fun s => g (a, s))).
  Proof.
    induction l as [|[s w] l IH]; intros g; cbn [map zsum lawQ Ex fst snd]; [ring|].
    rewrite IH, inject_Z_mult, inject_Z_opp. change (nat_Q f) with (inject_Z (Z.of_N f)). change (nat_Q w) with (inject_Z (Z.of_N w)). unfold lawQ. ring.
  Qed.
  Lemma meant_zsum : forall b i j answers l r, meant M b i j answers l = Some r ->
    well_led i j answers l /\ forall g, zsum r g == - branch_sum b answers l g.
  Proof.
    intros b i j. induction answers as [|a answers IH]; intros [|[[f0 f1] t] l] r H; cbn [meant] in H; try discriminate.
    - inversion H. split; [exact I|]. intros. simpl. ring.
    - destruct (target_law M b t) as [k|] eqn:E; [|discriminate].
      destruct (meant M b i j answers l) as [r'|] eqn:E'; [|discriminate].
      destruct (leads M i j a t) eqn:L; [|discriminate]. inversion H; subst; clear H.
      destruct (IH _ _ E') as [W S]. split; [split; assumption|]. intros g.
      rewrite merge_zsum, minus_zsum, S. cbn [branch_sum]. unfold tlaw. rewrite E. ring.
  Qed.
  (* the law of answers and next states is what the branches say *)
  Lemma pair_law : forall b i j q D l answers bs, zero (push M i q D l) (meant M b i j answers bs) = true ->
    well_led i j answers bs /\
    forall g, inject_Z (Zpos D) * Ex (lawQ l) (fun s => Ex (kernel G i s q) g) == branch_sum b answers bs g.
  Proof.
    intros b i j q D l answers bs H. destruct (push M i q D l) as [x|] eqn:E1; [|discriminate].
    destruct (meant M b i j answers bs) as [y|] eqn:E2; [|discriminate].
    destruct (meant_zsum _ _ _ _ _ E2) as [W S]. split; [exact W|]. intros g.
    pose proof (zero_zsum _ _ H g) as Z. rewrite (push_zsum _ _ _ _ E1), S in Z. lra.
  Qed.
  Lemma idle_law : forall i q a l, idle M i q a l = true ->
    forall g, Ex (lawQ l) (fun s => Ex (kernel G i s q) g) == Ex (lawQ l) (fun _ => 1) * g (a, 0%N).
  Proof.
    intros i q a. unfold idle. induction l as [|[s w] l IH]; intros H g; cbn [forallb fst] in H; [simpl; ring|].
    cbn [lawQ map Ex fst snd]. split_and. change (map _ l) with (lawQ l). rewrite (IH H0 g).
    destruct (lookup [i; s; q] (step_map M)) as [[d bs]|] eqn:E; [|discriminate].
    assert (Ex (kernel G i s q) g == g (a, 0%N)) as ->; [|ring].
    rewrite (its_steps T _ _ _ E g).
    assert (Ex (row_law (d, bs)) g == Ex (row_law (d, bs)) (fun _ => 1) * g (a, 0%N)) as ->.
    { unfold row_law. simpl fst. simpl snd. clear E. induction bs as [|[[x y] z] bs IHb]; [simpl; ring|].
      cbn [map Ex fst snd forallb] in *. split_and. apply N.eqb_eq in H, H2. simpl in H, H2. subst. rewrite IHb by assumption. ring. }
    rewrite <- (its_steps T _ _ _ E (fun _ => 1)). destruct (kernel_ok G i s q) as [_ ->]. ring.
  Qed.

  (* ------------------------------------------------------------------- public states --- *)
  Inductive leq : N -> N -> Prop :=
  | leq_refl : forall p, leq p p
  | leq_step : forall p q r, In ([p; q], tt) (lesser C) -> leq q r -> leq p r.
  Lemma leq_trans : forall p q r, leq p q -> leq q r -> leq p r.
  Proof. induction 1; intros; auto. econstructor; eauto. Qed.
  Lemma is_less_leq : forall p q, is_less M p q = true -> leq p q.
  Proof.
    intros p q H. unfold is_less in H. destruct (p =? q)%N eqn:E; [apply N.eqb_eq in E; subst; constructor|].
    cbn [orb] in H. destruct (lookup [p; q] (less_map M)) as [[]|] eqn:L; [|discriminate].
    econstructor; [apply lookup_in, L|constructor].
  Qed.
  Hypothesis less_ok : forallb (check_less M) (lesser C) = true.
  Hypothesis publics_ok : forallb (check_public M) (publics C) = true.
  Lemma asks_eq : forall p, asks G p = asks_in M p.
  Proof. intros. apply (its_asks T). Qed.
  Lemma differ_eq : forall p i, differ G p i = assoc i (differ_in M p).
  Proof. intros. apply (its_differ T). Qed.
  Lemma admit_eq : forall p i, lets_in G p i = assoc i (admit_in M p).
  Proof. intros. apply (its_admit T). Qed.
  Lemma leq_simulates : forall p p', leq p p' ->
    (asks G p = true -> asks G p' = true) /\
    (forall i z, differ G p i = Some z -> exists z', differ G p' i = Some z' /\ leq z z') /\
    (forall i z born, lets_in G p i = Some (z, born) -> exists z', lets_in G p' i = Some (z', born) /\ leq z z').
  Proof.
    induction 1 as [p|p q r H L [IH1 [IH2 IH3]]].
    { repeat split; auto; intros; eexists; split; eauto; constructor. }
    rewrite forallb_forall in less_ok. specialize (less_ok _ H). cbn [check_less] in less_ok. split_and.
    rewrite forallb_forall in H1, H2. repeat split.
    - intros A. apply IH1. rewrite asks_eq in *. rewrite A in H0. exact H0.
    - intros i z D. rewrite differ_eq in D. pose proof (assoc_in _ _ D) as I. specialize (H2 _ I). simpl in H2. rewrite D in H2.
      destruct (assoc i (differ_in M q)) as [z1|] eqn:E; [|discriminate].
      destruct (IH2 i z1) as [z' [Z1 Z2]]; [rewrite differ_eq; exact E|]. exists z'. split; [exact Z1|].
      eapply leq_trans; [apply is_less_leq; exact H2|exact Z2].
    - intros i z born D. rewrite admit_eq in D. pose proof (assoc_in _ _ D) as I. specialize (H1 _ I). simpl in H1. rewrite D in H1.
      destruct (assoc i (admit_in M q)) as [[z1 b1]|] eqn:E; [|discriminate]. split_and.
      apply Bool.eqb_prop in H1. subst.
      destruct (IH3 i z1 born) as [z' [Z1 Z2]]; [rewrite admit_eq; exact E|]. exists z'. split; [exact Z1|].
      eapply leq_trans; [apply is_less_leq; exact H3|exact Z2].
  Qed.
  Lemma public_found : forall p, (exists r, lookup [p] (public_map M) = Some r) \/
    (asks_in M p = false /\ differ_in M p = [] /\ admit_in M p = []).
  Proof.
    intros p. unfold asks_in, differ_in, admit_in, public_row.
    destruct (lookup [p] (public_map M)) as [r|]; [left; eauto|right; auto].
  Qed.
  Lemma keeps_none : forall p p' i, keeps M p p' = true -> differ G p i = None -> differ G p' i = None.
  Proof.
    intros p p' i K N. unfold keeps in K. split_and. rewrite differ_eq in *. rewrite forallb_forall in H0.
    destruct (assoc i (differ_in M p')) as [z|] eqn:E; [|reflexivity].
    specialize (H0 _ (assoc_in _ _ E)). simpl in H0. rewrite N in H0. discriminate.
  Qed.
  Lemma pay_less : forall p i p', differ G p i = Some p' ->
    leq p' p /\ forall i', differ G p i' = None -> differ G p' i' = None.
  Proof.
    intros p i p' H. rewrite differ_eq in H. destruct (public_found p) as [[r R]|[_ [Z _]]]; [|rewrite Z in H; discriminate].
    rewrite forallb_forall in publics_ok. specialize (publics_ok _ (lookup_in _ _ R)). cbn [check_public] in publics_ok.
    split_and. rewrite forallb_forall in H0. specialize (H0 _ (assoc_in _ _ H)). simpl in H0. split_and.
    split; [apply is_less_leq; assumption|]. intros i'. apply keeps_none. assumption.
  Qed.
  Lemma admit_keeps : forall p i p' born, lets_in G p i = Some (p', born) ->
    forall i', differ G p i' = None -> differ G p' i' = None.
  Proof.
    intros p i p' born H i'. rewrite admit_eq in H. destruct (public_found p) as [[r R]|[_ [_ Z]]]; [|rewrite Z in H; discriminate].
    rewrite forallb_forall in publics_ok. specialize (publics_ok _ (lookup_in _ _ R)). cbn [check_public] in publics_ok.
    split_and. rewrite forallb_forall in H1. specialize (H1 _ (assoc_in _ _ H)). apply keeps_none. assumption.
  Qed.
End Tables.
