(** The theorems at work: figures by computation, a creation that is allowed and one that
    is not, and a composition as a component of a composition. *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories Figure Slots Counterexample Proved.
Import ListNotations.
Open Scope Q_scope.
Set Universe Polymorphism.

Definition decide_bool : decidable bool := bool_dec.
Definition decide_answers {A} (aeq : decidable A) : decidable (EAns A).
Proof. unfold decidable. decide equality. Defined.
Lemma same2_decides : decides side2 same2.
Proof. intros [[|] [|]]; unfold same2; simpl; split; intros; congruence. Qed.

(* randomised response with E = 3: one answer, then silence *)
Definition rr_step (s m : bool) : Dist (bool * bool) :=
  if s then [(3 # 4, (false, m)); (1 # 4, (false, negb m))] else ret (false, false).
Lemma rr_ok : forall s m, proper (rr_step s m).
Proof. intros [|] m; split; simpl; try lra; repeat constructor; simpl; lra. Qed.
Definition RR3 : CM bool bool bool := {| init := true; step := rr_step; step_ok := rr_ok |}.
Definition any (_ : list (bool * bool)) := true.
Lemma rr_tail : forall h b, prob bool_dec RR3 false (sideh side2 b h) == prob bool_dec RR3 false (sideh side2 (negb b) h).
Proof.
  induction h as [|[p a] h IH]; intros b; [reflexivity|].
  specialize (IH b). unfold sideh in *. simpl in *. destruct a; simpl; [reflexivity|]. rewrite IH; reflexivity.
Qed.
Lemma RR3_DP : DP side2 any RR3 3 0.
Proof.
  apply (pure_pointwise _ _ _ _ decide_bool); [lra|]. intros b [|[[q0 q1] a] h] _; simpl; [lra|].
  pose proof (rr_tail h b) as Ht. unfold sideh in *. unfold decide_bool.
  pose proof (prob_nonneg bool_dec RR3 (map (fun pa => (side2 (negb b) (fst pa), snd pa)) h) false) as N.
  set (u := prob bool_dec RR3 false (map (fun pa => (side2 (negb b) (fst pa), snd pa)) h)) in *.
  set (v := prob bool_dec RR3 false (map (fun pa => (side2 b (fst pa), snd pa)) h)) in *.
  clearbody u v. destruct b, q0, q1, a; simpl; lra.
Qed.
Lemma le13 : 1 <= 3. Proof. lra. Qed.
Lemma zero01 : 0 <= 0 <= 1. Proof. lra. Qed.
Definition claim3 : @Claim bool bool (bool * bool) side2 := @mkClaim _ _ _ side2 bool RR3 any 3 0 le13 zero01 RR3_DP.

(* one slot: one of two instances may get a pair with two sides, the other may not *)
Example sparse_valid : f_inf same2 [(3, 0)]
  [PCreate claim3; PCreate claim3; PQuery 0 (true, true); PQuery 1 (false, true)] = true.
Proof. vm_compute. reflexivity. Qed.
Example sparse_invalid : f_inf same2 [(3, 0)]
  [PCreate claim3; PCreate claim3; PQuery 0 (true, false); PQuery 1 (false, true)] = false.
Proof. vm_compute. reflexivity. Qed.

(* figures: the tight delta of Comp[RR_3, RR_3] at E = 3 is 3/8, at E = 9 it is 0; with delta *)
Example two_responses : Qeq_bool (Phi (map root [(3, 0); (3, 0)]) 1 3) (3 # 8) = true.
Proof. vm_compute. reflexivity. Qed.
Example two_responses_9 : Qeq_bool (Phi (map root [(3, 0); (3, 0)]) 1 9) 0 = true.
Proof. vm_compute. reflexivity. Qed.
Example with_delta : Qeq_bool (Phi (map root [(3, 1 # 10); (3, 1 # 10)]) 1 3) (79 # 160) = true.
Proof. vm_compute. reflexivity. Qed.
(* Theorem S: (E, delta) = (2, 1/4), k = 2 of n = 3 cost 23/32 at E = 1; and 1 - (1 - delta)^n at k = 1 *)
Example symmetric_sparse : Qeq_bool (Phi (map root (repeat (2, 0) 2 ++ repeat (1, 1 # 4) 3)) 1 1) (23 # 32) = true.
Proof. vm_compute. reflexivity. Qed.
Example symmetric_attained : Qeq_bool (Phi (map root (repeat (1, 0) 1 ++ repeat (1, 1 # 10) 2)) 1 1) (19 # 100) = true.
Proof. vm_compute. reflexivity. Qed.

(* a whole system without hypotheses: two responses, any number of identical pairs elsewhere *)
Corollary two_rr : DP (@eside bool bool _ side2) (f_inf same2 [(3, 0); (3, 0)]) (ExtConComp side2) 3 (3 # 8).
Proof.
  apply (sparse_parallel_pure _ _ _ decide_bool side2 same2 same2_decides); [lra| |by_figure].
  repeat constructor; simpl; lra.
Qed.

(* ExtConComp as a component of itself: two responses, composed, are one component (E = 9)
   of an outer composition whose messages are those of the inner one.  Claims live in a
   larger universe at each level. *)
Lemma inner_DP : DP (@eside bool bool _ side2) (f_fixed [(3, 0); (3, 0)]) (ExtConComp side2) 9 0.
Proof.
  apply (fixed_parameters _ _ _ decide_bool side2); [lra|repeat constructor; simpl; lra|by_figure].
Qed.
Lemma le19 : 1 <= 9. Proof. lra. Qed.
Definition inner : @Claim _ (EAns bool) _ (@eside bool bool _ side2) :=
  @mkClaim _ _ _ (@eside bool bool _ side2) _ (ExtConComp side2) (f_fixed [(3, 0); (3, 0)]) 9 0 le19 zero01 inner_DP.
Theorem composition_of_compositions : forall params E d, 0 <= E -> proper_params params -> CompRR_DP params E d ->
  DP (@eside _ (EAns bool) _ (@eside bool bool _ side2)) (f_fixed params) (ExtConComp (@eside bool bool _ side2)) E d.
Proof. exact (fixed_parameters _ _ _ (decide_answers decide_bool) (@eside bool bool _ side2)). Qed.
(* the outer composition creates [inner] and asks it to create a response *)
Example nested : f_fixed [(9, 0)] [PCreate inner; PQuery 0 (PCreate claim3); PQuery 0 (PQuery 0 (false, true))] = true.
Proof. vm_compute. reflexivity. Qed.

(* the attack of Section 5.2, computed: n = 2, delta = 1/10: 19/100 against 0 *)
Lemma tenth : 0 <= 1 # 10 <= 1. Proof. lra. Qed.
Definition attacked b := VI (@eside bool Ans4 _ side2) (f1 (1 # 10)) b (ExtConComp side2).
Example attack_1 : Qeq_bool (Pr (attacked true) (attack tenth) 5 (init (attacked true)) [] (@learns_one)) (19 # 100) = true.
Proof. vm_compute. reflexivity. Qed.
Example attack_0 : Qeq_bool (Pr (attacked false) (attack tenth) 5 (init (attacked false)) [] (@learns_one)) 0 = true.
Proof. vm_compute. reflexivity. Qed.
