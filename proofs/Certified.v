(** A certificate of the exact engine, as certify.py writes it, and neighbours that are refused:
    responses of e^epsilon = 3, three of them created, two of which may get a differing pair. *)
From Coq Require Import QArith List NArith.
From Antiphon Require Import Game Certificate Attained.
Import ListNotations.
Open Scope N_scope.
Definition two_responses_t0 : Law := [(1, 1)].
Definition two_responses_t1 : list Does := [Like 0 [1; 2]; Like 1 [1; 2]; Like 1 [2; 1]; Like 0 [2; 1]].
Definition two_responses_t2 : Law := [(2, 1)].
Definition two_responses_t3 : list Does := [Idle 3; Idle 3].
Definition two_responses_data : Certificate := {| rounds := 6; symmetric := true; composed := true; creations := 3;
  parts := [([0], (1, 1, 0, 2))];
  steps := [step_row 0 1 0 4 [(1, 2, 1); (2, 2, 3)]; step_row 0 1 1 4 [(1, 2, 3); (2, 2, 1)]; step_row 0 2 0 1 [(3, 0, 1)]; step_row 0 2 1 1 [(3, 0, 1)]];
  rules := [([0; 0], [(0, 0, 2); (0, 1, 5); (1, 0, 5); (1, 1, 2)]); ([0; 2], [(0, 0, 2); (1, 1, 2)]); ([0; 5], [(0, 0, 5); (1, 1, 5)])];
  publics := [([0], (true, [(0, 1)], [(0, (0, true))])); ([1], (true, [(0, 2)], [(0, (1, true))])); ([2], (true, [], [(0, (2, true))]))];
  lesser := [([1; 0], tt); ([2; 1], tt)];
  columns := [column 2 0 0 two_responses_t0 two_responses_t0 (Some ([fork false 4 1 1 3 3 3 3; fork true 4 1 3 4 3 1 4], two_responses_t1)); column 3 0 2 two_responses_t2 two_responses_t2 (Some ([], two_responses_t3)); column 4 0 5 two_responses_t2 two_responses_t2 (Some ([], two_responses_t3))];
  nodes := [node 1 0 3 1 3 [2] 0 1 Stop; node 1 1 3 1 9 [2] 0 1 Stop; node 1 1 3 1 1 [2] 1 2 (Say 2 1 (0, 1)); node 2 0 3 1 3 [2; 2] 3 8 (Say 2 1 (0, 1)); node 2 1 3 1 9 [2; 2] 0 1 Stop; node 2 1 3 1 1 [2; 2] 1 2 (Say 2 0 (0, 0)); node 3 0 3 1 3 [2; 2; 2] 3 8 (Say 2 0 (0, 0)); node 2 0 2 1 3 [] 0 1 Stop; node 2 1 2 1 9 [] 0 1 Stop; node 2 1 2 1 1 [] 1 2 (Make 0); node 3 0 2 1 3 [2] 3 8 (Make 0); node 3 1 2 1 9 [2] 0 1 Stop; node 3 1 2 1 1 [2] 1 2 (Make 0); node 4 0 2 1 3 [2; 2] 3 8 (Make 0); node 4 0 1 1 3 [] 3 8 (Make 0); node 4 1 1 1 9 [] 0 1 Stop; node 4 1 1 1 1 [] 1 2 (Make 0); node 5 0 1 1 3 [2] 3 8 (Make 0); node 6 0 0 1 3 [] 3 8 (Make 0)] |}.
Theorem two_responses : bounds two_responses_data 3 1 (3 # 8) /\ attains two_responses_data 3 1 (3 # 8).
Proof. apply tight. vm_cast_no_check (@eq_refl bool true). Qed.
Print Assumptions two_responses.

(* ------------------------------------------------------------------ false neighbours --- *)
Definition with_nodes (C : Certificate) l := {|
  rounds := rounds C; symmetric := symmetric C; composed := composed C; creations := creations C; parts := parts C;
  steps := steps C; rules := rules C; publics := publics C; lesser := lesser C; columns := columns C; nodes := l |}.
Definition against (C : Certificate) t := {|
  rounds := t; symmetric := symmetric C; composed := composed C; creations := creations C; parts := parts C;
  steps := steps C; rules := rules C; publics := publics C; lesser := lesser C; columns := columns C; nodes := nodes C |}.
Local Ltac refuse := vm_compute; reflexivity.

Example a_smaller_figure : check two_responses_data 3 1 (374 # 1000) = false.  Proof. refuse. Qed.
Example a_larger_figure : check two_responses_data 3 1 (376 # 1000) = true /\ check_tight two_responses_data 3 1 (376 # 1000) = false.
Proof. split; refuse. Qed.
Example another_epsilon : check two_responses_data 2 1 (3 # 8) = false.  Proof. refuse. Qed.
Example more_messages : check (against two_responses_data 7) 3 1 (3 # 8) = false.  Proof. refuse. Qed.
Example no_values : check (with_nodes two_responses_data []) 3 1 (3 # 8) = false.  Proof. refuse. Qed.
(* to stop at once is worth nothing here *)
Definition lazy_nodes := map (fun n : list N * (Q * Best) => (fst n, (0%Q, Stop))) (nodes two_responses_data).
Example nothing_is_gained : check (with_nodes two_responses_data lazy_nodes) 3 1 0 = false.  Proof. refuse. Qed.

(* To ask part 0 ends it and tells nothing, but pays; then part 1, which tells all, is let in.
   A check without [lesser] would find nothing to say, and delta = 0 instead of 1. *)
Definition dead_end (l : list (list N * unit)) : Certificate := {|
  rounds := 4; symmetric := true; composed := true; creations := 2;
  parts := [([0], (1, 1, 0, 2)); ([1], (1, 1, 1, 3))];
  steps := [step_row 0 1 0 1 [(1, 0, 1)]; step_row 0 1 1 1 [(1, 0, 1)]; step_row 1 1 0 1 [(2, 0, 1)]; step_row 1 1 1 1 [(3, 0, 1)]];
  rules := [([0; 0], [(0, 0, 0); (0, 1, 1); (1, 0, 1); (1, 1, 0)]); ([1; 1], [(0, 1, 1); (1, 0, 1)])];
  publics := [([0], (true, [(0, 1)], [(0, (0, true))])); ([1], (true, [], [(1, (1, true))]))];
  lesser := l;
  columns := [column 2 0 0 [(1, 1)] [(1, 1)] (Some ([], [Idle 1; Idle 1; Idle 1; Idle 1])); column 3 1 1 [(1, 1)] [(1, 1)] None];
  nodes := [] |}.
Example a_dead_end_that_pays : check (dead_end []) 1 1 0 = false /\ check (dead_end [([1; 0], tt)]) 1 1 0 = false.
Proof. split; refuse. Qed.
