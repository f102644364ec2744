(** The composition theorems of CM, from the slots and from the filter. *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories Lyu Potential Components Shares Slots Filter.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Section Multisets.
  Lemma submultiset_prefix : forall l r : list (Q * Q), submultiset l (l ++ r) = true.
  Proof.
    induction l as [|p l IH]; intros r; simpl; [reflexivity|].
    assert (H : forall x, Qeq_bool x x = true) by (intros; apply Qeq_bool_iff; reflexivity).
    rewrite !H. simpl. apply IH.
  Qed.
  Lemma remove1_forall : forall (K : Q * Q -> Prop), (forall p p', fst p == fst p' -> snd p == snd p' -> K p' -> K p) ->
    forall p l r, remove1 p l = Some r -> Forall K l -> K p /\ Forall K r.
  Proof.
    intros K HK p. induction l as [|p' l IH]; simpl; intros r H F; [discriminate|]. inversion F; subst.
    destruct (Qeq_bool (fst p) (fst p') && Qeq_bool (snd p) (snd p')) eqn:C.
    - inversion H; subst. apply andb_true_iff in C. destruct C as [C1 C2].
      apply Qeq_bool_iff in C1. apply Qeq_bool_iff in C2. split; [eapply HK; eauto|assumption].
    - destruct (remove1 p l) as [r'|] eqn:Hr; [|discriminate]. inversion H; subst.
      destruct (IH r' eq_refl H3). split; [assumption|constructor; assumption].
  Qed.
  Lemma submultiset_forall : forall (K : Q * Q -> Prop), (forall p p', fst p == fst p' -> snd p == snd p' -> K p' -> K p) ->
    forall l params, submultiset l params = true -> Forall K params -> Forall K l.
  Proof.
    intros K HK. induction l as [|p l IH]; simpl; intros params H F; [constructor|].
    destruct (remove1 p params) as [r|] eqn:Hr; [|discriminate].
    destruct (@remove1_forall K HK p params r Hr F) as [K1 K2]. constructor; [exact K1|]. eapply IH; eauto.
  Qed.
  Definition small (q : Q * Q) := 1 <= fst q /\ 0 <= snd q < 1.
  Lemma small_eq : forall p p', fst p == fst p' -> snd p == snd p' -> small p' -> small p.
  Proof. intros p p' H1 H2 [S1 S2]. unfold small. rewrite H1, H2. auto. Qed.
  Lemma prod_bounds : forall l, Forall small l -> 1 <= prodE l /\ 0 < prodD l <= 1.
  Proof.
    induction 1 as [|q l [Q1 [Q2 Q3]] F [I1 [I2 I3]]]; simpl; [lra|]. split; [nra|]. split; [nra|].
    assert ((1 - snd q) * prodD l <= 1 * prodD l) by (apply Qmult_le_compat_r; lra). lra.
  Qed.
  Lemma remove1_prod : forall p l r, remove1 p l = Some r ->
    prodE l == fst p * prodE r /\ prodD l == (1 - snd p) * prodD r.
  Proof.
    induction l as [|p' l IH]; simpl; intros r H; [discriminate|].
    destruct (Qeq_bool (fst p) (fst p') && Qeq_bool (snd p) (snd p')) eqn:C.
    - inversion H; subst. apply andb_true_iff in C. destruct C as [C1 C2].
      apply Qeq_bool_iff in C1. apply Qeq_bool_iff in C2. rewrite C1, C2. split; reflexivity.
    - destruct (remove1 p l) as [r'|]; [|discriminate]. inversion H; subst. destruct (IH r' eq_refl) as [I1 I2].
      simpl. rewrite I1, I2. split; ring.
  Qed.
  Lemma submultiset_prod : forall l params, submultiset l params = true -> Forall small params ->
    prodE l <= prodE params /\ prodD params <= prodD l.
  Proof.
    induction l as [|p l IH]; simpl; intros params H F; [destruct (prod_bounds F); lra|].
    destruct (remove1 p params) as [r|] eqn:Hr; [|discriminate].
    destruct (@remove1_forall small small_eq p params r Hr F) as [[K1 [K3 K4]] K2].
    destruct (remove1_prod p params Hr) as [R1 R2]. destruct (IH r H K2) as [I1 I2]. rewrite R1, R2.
    assert (J : forall k u v, 0 <= k -> u <= v -> k * u <= k * v) by (intros; nra).
    split; apply J; lra.
  Qed.
End Multisets.

Section Theorems.
  Context {Msg Ans Pair : Type} (side : bool -> Pair -> Msg).
  Variable aeq : forall a a' : Ans, {a = a'} + {a <> a'}.
  Notation Cl := (@Claim Msg Ans Pair side).  Notation EP := (@EPair Msg Ans Pair side).
  Notation EDP := (DP (@eside Msg Ans Pair side)).  Notation Ext := (@ExtConComp Msg Ans Pair side).

  Lemma instances_claims : forall (ps : list EP), map fst (instances ps) = creations ps.
  Proof.
    intros ps. unfold instances. generalize 0%nat. induction (creations ps) as [|c l IH]; intros k; simpl; [reflexivity|].
    rewrite IH. reflexivity.
  Qed.
  Lemma filter_all : forall X (g : X -> bool) l, (forall x, g x = true) -> filter g l = l.
  Proof. induction l; simpl; intros H; [reflexivity|]. rewrite H, IHl by exact H. reflexivity. Qed.
  Definition never (_ : Pair) : bool := false.
  Lemma never_ok : forall p, never p = true -> side false p = side true p.
  Proof. intros p H. discriminate. Qed.

  Lemma every_slot : forall params E d, proper_params params -> 0 <= E -> CompRR_DP params E d ->
    forall f : list EP -> bool,
    (forall ps, f ps = true -> suitable 0 ps = true /\ forallb (@valid_instance Msg Ans Pair side) (instances ps) = true /\
       submultiset (params_of (instances ps)) params = true) ->
    EDP f Ext E d.
  Proof.
    intros params E d HP HE HRR f Hf. apply (@slots_composition _ _ _ side never aeq never_ok true params E d HP HE HRR f).
    intros ps Hps. destruct (Hf ps Hps) as [H1 [H2 H3]]. split; [exact H1|]. split.
    - apply Forall_forall. intros [c l] Hin _. rewrite forallb_forall in H2. split; [exact (H2 _ Hin)|left; reflexivity].
    - rewrite filter_all by reflexivity. exact H3.
  Qed.

  (* Theorem 4.10 *)
  Theorem fixed_mechanisms : forall (alphas : list Cl) f E d, 0 <= E -> accepts_fixed_mechanisms alphas f ->
    CompRR_DP (map (fun c : Cl => (cE c, cd c)) alphas) E d -> EDP f Ext E d.
  Proof.
    intros alphas f E d HE Hf HRR. apply every_slot with (params := map (fun c : Cl => (cE c, cd c)) alphas); auto.
    - apply Forall_forall. intros q Hq. apply in_map_iff in Hq. destruct Hq as [c [<- _]]. simpl. split; [apply cE1|apply cd01].
    - intros ps Hps. destruct (Hf ps Hps) as [H1 [[later H2] H3]]. repeat split; auto.
      assert (X : params_of (instances ps) = map (fun c : Cl => (cE c, cd c)) (creations ps)).
      { rewrite <- instances_claims. unfold params_of. rewrite map_map. reflexivity. }
      rewrite X, <- H2, map_app. apply submultiset_prefix.
  Qed.

  (* Theorem 4.12 *)
  Theorem fixed_parameters : forall params E d, 0 <= E -> proper_params params -> CompRR_DP params E d ->
    EDP (f_fixed params) Ext E d.
  Proof.
    intros params E d HE HP HRR. apply every_slot with (params := params); auto.
    intros ps Hps. unfold f_fixed in Hps. rewrite !andb_true_iff in Hps. tauto.
  Qed.

  Lemma J_slots : forall same, decides side same -> forall params E d, proper_params params -> 0 <= E -> CompRR_DP params E d ->
    forall f : list EP -> bool,
    (forall ps, f ps = true -> f_inf same params ps = true /\
       Forall (fun cl : Cl * list Pair => cd (fst cl) == 0 \/ first_pair_consistent same (cf (fst cl))) (active same ps)) ->
    EDP f Ext E d.
  Proof.
    intros same HS params E d HP HE HRR f Hf.
    apply (@slots_composition _ _ _ side same aeq (fun p H => proj1 (HS p) H) false params E d HP HE HRR f).
    intros ps Hps. destruct (Hf ps Hps) as [H1 H2]. unfold f_inf in H1. rewrite !andb_true_iff in H1.
    destruct H1 as [[H1 H3] H4]. split; [exact H1|]. split; [|exact H4].
    rewrite forallb_forall in H3. rewrite Forall_forall in H2. unfold active in *.
    apply Forall_forall. intros [c l] Hin C. unfold chg in C. simpl in C.
    assert (Ha : In (c, l) (filter (fun cl => differs same (snd cl)) (instances ps))) by (apply filter_In; split; assumption).
    split; [exact (H3 _ Ha)|right; exact (H2 _ Ha)].
  Qed.

  (* Theorem 5.2 *)
  Theorem sparse_parallel_pure : forall same, decides side same -> forall params E d, 0 <= E ->
    Forall (fun q => 1 <= fst q /\ snd q == 0) params -> CompRR_DP params E d -> EDP (f_inf same params) Ext E d.
  Proof.
    intros same HS params E d HE HP HRR. apply (J_slots HS) with (params := params); auto.
    - eapply Forall_impl; [|exact HP]. intros q [Q1 Q2]. rewrite Q2. repeat split; lra.
    - intros ps Hps. split; [exact Hps|]. unfold f_inf in Hps. rewrite !andb_true_iff in Hps. destruct Hps as [_ HS'].
      assert (F : Forall (fun q : Q * Q => snd q == 0) (params_of (active same ps))).
      { apply submultiset_forall with (params := params); auto.
        - intros p p' _ X Y. rewrite X. exact Y.
        - eapply Forall_impl; [|exact HP]. intros q [_ X]; exact X. }
      unfold params_of in F. rewrite Forall_map in F. eapply Forall_impl; [|exact F]. intros cl X. left. exact X.
  Qed.

  (* Theorem 5.5 *)
  Theorem sparse_parallel_first_pair : forall same, decides side same -> forall params f E d, 0 <= E ->
    proper_params params -> accepts_first_pair_consistent same params f -> CompRR_DP params E d -> EDP f Ext E d.
  Proof. intros same HS params f E d HE HP Hf HRR. apply (J_slots HS) with (params := params); auto. Qed.

  (* basic composition of adaptively created mechanisms *)
  Theorem basic_composition : forall params, Forall small params ->
    EDP (f_fixed params) Ext (prodE params) (1 - prodD params).
  Proof.
    intros params HP. destruct (prod_bounds HP) as [P1 [P2 P3]].
    apply (@basic_filter _ _ _ side never aeq never_ok true); [exact P1|lra|].
    intros ps Hps. unfold f_fixed in Hps. rewrite !andb_true_iff in Hps. destruct Hps as [[H1 H2] H3].
    unfold charged. rewrite filter_all by reflexivity. destruct (submultiset_prod _ H3 HP) as [S1 S2].
    repeat split; auto; [|lra].
    assert (F : Forall small (params_of (instances ps))) by (apply submultiset_forall with (params := params); [exact small_eq|assumption|assumption]).
    eapply Forall_impl; [|exact F]. intros q [_ [_ X]]; exact X.
  Qed.

  Theorem basic_composition_sum : forall params, Forall small params ->
    EDP (f_fixed params) Ext (prodE params) (Sum params snd).
  Proof.
    intros params HP b A T Ev. pose proof (basic_composition HP b A T Ev) as K.
    assert (U : 1 - prodD params <= Sum params snd).
    { clear K. induction HP as [|q l [Q1 [Q2 Q3]] F IH]; simpl; [lra|]. destruct (prod_bounds F) as [_ [P1 P2]]. nra. }
    lra.
  Qed.
End Theorems.
