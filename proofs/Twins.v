(** False twins of the theorems, each refuted.  A model in which one of them could be proved
    would be inconsistent, so these guard the definitions. *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories Figure Slots Proved Examples.
Import ListNotations.
Open Scope Q_scope.
Set Universe Polymorphism.

Notation Comp2 Ans := (@ExtConComp bool Ans (bool * bool) side2).

(* Theorem 5.2 without delta_i = 0 *)
Definition Sparse_with_delta : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) same, decides side same ->
  forall params E d, 0 <= E -> proper_params params -> CompRR_DP params E d ->
  DP (@eside Msg Ans Pair side) (f_inf same params) (@ExtConComp Msg Ans Pair side) E d.
Definition decide4 : decidable Ans4.
Proof. unfold decidable. decide equality. apply bool_dec. Defined.
Theorem sparse_with_delta_is_false : ~ Sparse_with_delta.
Proof.
  intros H. specialize (H bool Ans4 (bool * bool)%type decide4 side2 same2 same2_decides [(1, 1 # 4)] 1 (1 # 4)).
  assert (K : DP (@eside bool Ans4 _ side2) (f_inf same2 [(1, 1 # 4)]) (Comp2 Ans4) 1 (1 # 4)).
  { apply H; [lra|repeat constructor; simpl; lra|by_figure]. }
  pose proof (no_sparse_composition (1 # 4) 1 (1 # 4) ltac:(lra) K 2%nat) as A. simpl in A. lra.
Qed.

(* f' read on whole sequences only, where it is not closed under prefixes: Echo answers what
   it is asked, and its f' accepts the sequences of two pairs.  V[f'] refuses the first pair,
   so Echo is (0, 0)-DP. *)
Definition Echo : CM unit bool bool.
Proof. refine {| init := tt; step := fun s m => ret (s, m) |}. intros; apply proper_ret. Defined.
Definition only_two (l : list (bool * bool)) : bool := (length l =? 2)%nat.
Lemma Echo_DP : DP side2 only_two Echo 1 0.
Proof.
  apply (pure_pointwise _ _ _ _ decide_bool); [lra|]. intros b [|pa h] Hv; [simpl; lra|]. discriminate.
Qed.
Definition echo : @Claim bool bool (bool * bool) side2 :=
  @mkClaim _ _ _ side2 unit Echo only_two 1 0 (Qle_refl 1) zero01 Echo_DP.
Definition f_inf_whole (params : list (Q * Q)) (ps : list (@EPair bool bool _ side2)) : bool :=
  suitable 0 ps && forallb (fun cl => cf (fst cl) (snd cl)) (active same2 ps)
  && submultiset (params_of (active same2 ps)) params.
Definition ask_echo (past : list (option (EAns bool))) : @EPair bool bool _ side2 :=
  match length past with O => PCreate echo | S O => PQuery 0 (false, false) | _ => PQuery 0 (false, true) end.
Definition said_one (past : list (option (EAns bool))) : bool :=
  existsb (fun a => match a with Some (Answer true) => true | _ => false end) past.
Theorem whole_sequences_are_not_enough :
  ~ DP (@eside bool bool _ side2) (f_inf_whole [(1, 0)]) (Comp2 bool) 1 0.
Proof.
  intros H. specialize (H true ask_echo 3%nat said_one). apply Qle_bool_iff in H. vm_compute in H. discriminate.
Qed.

(* a filter that charges a component only when the next one joins *)
Definition f_late (B : Q) (ps : list (@EPair bool bool _ side2)) : bool :=
  suitable 0 ps && forallb (@valid_instance _ _ _ side2) (active same2 ps)
  && Qle_bool (prodE (tl (params_of (active same2 ps)))) B.
Definition ask_rr (past : list (option (EAns bool))) : @EPair bool bool _ side2 :=
  match length past with O => PCreate claim3 | _ => PQuery 0 (false, true) end.
Theorem a_late_charge_is_not_enough : ~ DP (@eside bool bool _ side2) (f_late 1) (Comp2 bool) 1 0.
Proof.
  intros H. specialize (H true ask_rr 2%nat said_one). apply Qle_bool_iff in H. vm_compute in H. discriminate.
Qed.

(* the figure of two responses cannot be improved: 3/8 at E = 3 is attained *)
Definition ask_two (past : list (option (EAns bool))) : @EPair bool bool _ side2 :=
  match length past with
  | O | S O => PCreate claim3 | S (S O) => PQuery 0 (false, true) | _ => PQuery 1 (false, true) end.
Definition said_two (past : list (option (EAns bool))) : bool :=
  (2 <=? length (filter (fun a => match a with Some (Answer true) => true | _ => false end) past))%nat.
Theorem three_eighths_is_tight : forall d, DP (@eside bool bool _ side2) (f_fixed [(3, 0); (3, 0)]) (Comp2 bool) 3 d -> 3 # 8 <= d.
Proof.
  intros d H. specialize (H true ask_two 4%nat said_two).
  assert (X : Qeq_bool (Pr (VI (@eside bool bool _ side2) (f_fixed [(3, 0); (3, 0)]) true (Comp2 bool)) ask_two 4
     (init (VI (@eside bool bool _ side2) (f_fixed [(3, 0); (3, 0)]) true (Comp2 bool))) [] said_two) (9 # 16) = true)
    by (vm_compute; reflexivity).
  assert (Y : Qeq_bool (Pr (VI (@eside bool bool _ side2) (f_fixed [(3, 0); (3, 0)]) false (Comp2 bool)) ask_two 4
     (init (VI (@eside bool bool _ side2) (f_fixed [(3, 0); (3, 0)]) false (Comp2 bool))) [] said_two) (1 # 16) = true)
    by (vm_compute; reflexivity).
  apply Qeq_bool_iff in X. apply Qeq_bool_iff in Y. simpl negb in H. rewrite X, Y in H. lra.
Qed.

(* Theorem 6.1 without the response property: P answers the left with what the left said *)
Inductive loosely {Msg Ans Pair LA PS : Type} (side : bool -> Pair -> Msg) (f' : list Pair -> bool)
    (pair_up : Msg -> Msg -> Pair) (K : list Pair -> PS -> PS -> Prop)
  : list Pair -> @Prog Msg Ans (PS * LA) -> @Prog Msg Ans (PS * LA) -> Prop :=
| loose_answer : forall r s0 s1 a0 a1, K r s0 s1 -> loosely side f' pair_up K r (Done (s0, a0)) (Done (s1, a1))
| loose_ask : forall r m0 m1 k0 k1,
    side false (pair_up m0 m1) = m0 -> side true (pair_up m0 m1) = m1 -> f' (r ++ [pair_up m0 m1]) = true ->
    (forall a, loosely side f' pair_up K (r ++ [pair_up m0 m1]) (k0 a) (k1 a)) ->
    loosely side f' pair_up K r (Call m0 k0) (Call m1 k1).
Definition No_response_property : Prop :=
  forall St Msg Ans Pair (aeq : decidable Ans) (some_pair : Pair) (side : bool -> Pair -> Msg) f' (M : CM St Msg Ans)
    PS LM LA LPair (lside : bool -> LPair -> LM) f (pair_up : Msg -> Msg -> Pair) (P : @IPM Msg Ans PS LM LA) E d,
  (exists R : list LPair -> list Pair -> PS -> PS -> Prop, R [] [] (pinit P) (pinit P) /\
     forall l r s0 s1 p, R l r s0 s1 -> f (l ++ [p]) = true ->
       loosely side f' pair_up (R (l ++ [p])) r (handle P s0 (lside false p)) (handle P s1 (lside true p))) ->
  DP side f' M E d -> DP lside f (post P M) E d.
Definition Parrot : @IPM bool bool unit bool bool := {| pinit := tt; handle := fun s m => Done (s, m) |}.
Theorem the_response_property_is_needed : ~ No_response_property.
Proof.
  intros H. specialize (H bool bool bool (bool * bool)%type decide_bool (false, false) side2 any RR3
    unit bool bool (bool * bool)%type side2 any (fun m0 m1 => (m0, m1)) Parrot 3 0).
  assert (K : DP side2 any (post Parrot RR3) 3 0).
  { apply H; [|exact RR3_DP]. exists (fun _ _ _ _ => True). split; [exact I|]. intros. constructor. exact I. }
  specialize (K true (fun _ => (false, true)) 1%nat
    (existsb (fun a => match a with Some true => true | _ => false end))).
  apply Qle_bool_iff in K. vm_compute in K. discriminate.
Qed.

(* Lemma 2.15 w.r.t. an f, for a P that sends the left message on and remembers it *)
Definition Remembers_the_left : Prop :=
  forall St Msg Ans Pair (aeq : decidable Ans) (some_pair : Pair) (side : bool -> Pair -> Msg) f (M : CM St Msg Ans)
    PS LA (P : @IPM Msg Ans PS Msg LA) E d,
  (exists react, (forall s m, handle P s m = Call m (react s m)) /\ forall s m a, quiet (react s m a)) ->
  DP side f M E d -> DP side f (post P M) E d.
Definition Tattler : @IPM bool bool unit bool bool :=
  {| pinit := tt; handle := fun s m => Call m (fun _ => Done (s, m)) |}.
Theorem the_left_must_be_forgotten : ~ Remembers_the_left.
Proof.
  intros H. specialize (H bool bool bool (bool * bool)%type decide_bool (false, false) side2 any RR3 unit bool Tattler 3 0).
  assert (K : DP side2 any (post Tattler RR3) 3 0).
  { apply H; [|exact RR3_DP]. exists (fun s m _ => Done (s, m)). split; [reflexivity|]. intros. constructor. }
  specialize (K true (fun _ => (false, true)) 1%nat
    (existsb (fun a => match a with Some true => true | _ => false end))).
  apply Qle_bool_iff in K. vm_compute in K. discriminate.
Qed.

(* Theorem 4.10 for ConComp, without that the pairs of each M_i are valid: no pair of Echo is *)
Definition Unchecked_pairs : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) (alphas : list (Claim side)) E d,
  0 <= E -> CompRR_DP (map (fun c : @Claim Msg Ans Pair side => (cE c, cd c)) alphas) E d ->
  DP (cside side) (fun ps => suitable 0 (created_first alphas ps)) (@ConCompOf Msg Ans Pair side alphas) E d.
Theorem pairs_must_be_valid : ~ Unchecked_pairs.
Proof.
  intros H. specialize (H bool bool (bool * bool)%type decide_bool side2 [echo] 1 0).
  assert (K : DP (cside side2) (fun ps => suitable 0 (created_first [echo] ps)) (ConCompOf [echo]) 1 0).
  { apply H; [lra|]. by_figure. }
  specialize (K true (fun _ => (0%nat, (false, true))) 1%nat said_one).
  apply Qle_bool_iff in K. vm_compute in K. discriminate.
Qed.
