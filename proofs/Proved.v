(** Each statement of Statements.v, proved.  The build prints the axioms of each theorem
    of this file; there are none. *)
From Coq Require Import QArith List Bool Lqa.
From Antiphon Require Import Distributions Statements Histories PostProcessing Lyu Composition Filter Sparse Complex Pairwise Wiring Counterexample.
From Antiphon Require Sound Attained.
Import ListNotations.
Open Scope Q_scope.
Set Universe Polymorphism.

Theorem pure_pointwise : Pure_pointwise.
Proof. intros St Msg Ans Pair aeq side f M E HE. exact (pure_DP_iff_pointwise aeq side f M HE). Qed.

Theorem randomised_adversaries : Randomised_adversaries.
Proof.
  intros Msg Ans aeq m0 S0 S1 M0 M1 E d H t.
  pose proof (PostProcessing.randomised_adversaries aeq m0 H t) as K. rewrite <- !Ex_run in K. exact K.
Qed.

Theorem post_processing : Lemma_2_15.
Proof. intros Msg Ans aeq m0 S0 S1 M0 M1 PS LM LA P E d H. exact (PostProcessing.post_processing aeq m0 P H). Qed.

Theorem post_processing_forwarding : Lemma_2_15_forwarding.
Proof.
  intros St Msg Ans Pair aeq p0 side f M PS LA P E d HP H. exact (Wiring.forwarding aeq p0 HP H).
Qed.

Theorem lyu_decomposition : Lemma_4_6.
Proof.
  intros St Msg Ans Pair aeq side f M E d HE Hd H qs T.
  set (N := fun b => VI side f b M).
  exists (fun b h => mu aeq N b h - nu aeq N E d qs T h b), (fun b h => nu aeq N E d qs T h b). split.
  - intros b. rewrite nu_root. unfold mu. simpl. split; ring.
  - intros b h Ha Hl. destruct (nu_cone aeq N HE Hd H Ha Hl b) as [K1 [K2 K3]].
    split; [unfold mu, N; ring|]. split; [lra|]. split; [split; assumption|].
    intros q Hq Hlt. destruct (nu_sum aeq N HE Hd H q Ha Hq Hlt b) as [S1 S2].
    exists (supp aeq N h q). split; [apply supp_nodup|]. split; [|split; [exact S1|]].
    + rewrite (Sum_ext _ _ (fun a => mu aeq N b (h ++ [(q, a)]) + (-1) * nu aeq N E d qs T (h ++ [(q, a)]) b))
        by (intros; ring).
      rewrite Sum_add, Sum_scal, S1, mu_sum. ring.
    + intros a Hi. rewrite (S2 a Hi), mu_out by exact Hi. split; reflexivity.
Qed.

Theorem fixed_mechanisms : Theorem_4_10.
Proof. intros Msg Ans Pair aeq side alphas f E d HE Hf H. exact (Composition.fixed_mechanisms aeq HE Hf H). Qed.

Theorem fixed_mechanisms_from_the_start : Theorem_4_10_ConComp.
Proof. intros Msg Ans Pair aeq p0 side alphas f E d HE Hf H. exact (Wiring.concomp aeq p0 HE Hf H). Qed.

Theorem fixed_parameters : Theorem_4_12.
Proof. intros Msg Ans Pair aeq side params E d HE HP H. exact (Composition.fixed_parameters aeq HE HP H). Qed.

Theorem sparse_parallel_pure : Theorem_5_2.
Proof. intros Msg Ans Pair aeq side same HS params E d HE HP H. exact (Composition.sparse_parallel_pure aeq HS HE HP H). Qed.

Theorem sparse_parallel_first_pair : Theorem_5_5.
Proof. intros Msg Ans Pair aeq side same HS params f E d HE HP Hf H. exact (Composition.sparse_parallel_first_pair aeq HS HE HP Hf H). Qed.

Theorem basic_filter : Basic_filter.
Proof.
  intros Msg Ans Pair aeq side same HS all B D f HB HD Hf.
  exact (@Filter.basic_filter _ _ _ side same aeq (fun p H => proj1 (HS p) H) all B D HB HD f Hf).
Qed.

Theorem basic_composition : Basic_composition.
Proof. intros Msg Ans Pair aeq side params HP. exact (Composition.basic_composition aeq HP). Qed.

Theorem basic_composition_sum : Basic_composition_sum.
Proof. intros Msg Ans Pair aeq side params HP. exact (Composition.basic_composition_sum aeq HP). Qed.

Theorem complex_mechanism : Theorem_6_1.
Proof.
  intros St Msg Ans Pair aeq p0 side f' M PS LM LA LPair lside f pair_up P E d H3 H.
  exact (Complex.complex_mechanism aeq p0 H3 H).
Qed.

Theorem no_sparse_composition : Theorem_1_4.
Proof. intros delta E d' Hd H n. exact (Counterexample.no_sparse_composition Hd H n). Qed.

Theorem pairwise_basic : Pairwise_basic.
Proof.
  intros G1 A1 G2 A2 aeq1 aeq2 g1 g2 S1 S1' S2 S2' N1 N1' N2 N2' E1 d1 E2 d2 HE H1 H2.
  exact (concurrent_basic aeq1 aeq2 g1 g2 HE H1 H2).
Qed.

Theorem symmetric_sparse_parallel : Theorem_S.
Proof.
  intros Msg Ans Pair aeq side same swap HS Hside Htwice Hsame n k E0 d0 f E d HE0 Hd0 HE Hf HRR.
  apply (@Sparse.symmetric_sparse_parallel _ _ _ side same swap aeq (fun p H => proj1 (HS p) H)
           Hside Htwice Hsame n k E0 d0 E d HE0 Hd0 HE HRR).
  intros ps Hps. destruct (Hf ps Hps) as [H1 [H2 [H3 [H4 H5]]]]. split; [exact H1|].
  split; [|split; [rewrite <- (map_length fst), instances_claims; exact H2|exact H3]].
  rewrite <- instances_claims, Forall_map in H5. rewrite Forall_forall in *. intros [c l] Hin.
  destruct (H5 _ Hin) as [K1 [K2 K3]]. simpl in *. split; [exact K1|]. split; [exact K2|]. split; [exact K3|].
  intros J. rewrite forallb_forall in H4. apply (H4 (c, l)). unfold active. apply filter_In. split; assumption.
Qed.

Theorem certificate_exact : Certificate_exact.
Proof. intros C one zero d H. exact (Attained.tight C one zero d H). Qed.

Theorem certificate_sound : Certificate_sound.
Proof. intros C one zero d H. exact (@Sound.accepted C one zero d H). Qed.

Theorem certificate_mixtures : Certificate_mixtures.
Proof. intros G T E d H l b Hl. exact (@Sound.mixtures G T E d H l b Hl). Qed.
