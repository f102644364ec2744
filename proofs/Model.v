(** Continual mechanisms and their composition: the definitions.  What is proved of them
    stands in Statements.v.

    CM stands for Henzinger, Safavi, Vadhan, "Concurrent Composition for Differentially
    Private Continual Mechanisms"; the numbers of sections, definitions and theorems are
    theirs.  Deviations of this model from the paper:
    (D1) E stands for e^epsilon; E, delta and all probabilities are rationals, and the
         law of one step is finite.
    (D2) An adversary is a function of the answers so far, and asks T questions, for any T;
         [randomised_adversaries] shows that coins, and stopping early, gain nothing.
    (D3) V[f] o* I(b) o* M is one system [VI].  Its messages are a type of well-shaped
         pairs; [side b p] is the message of the pair p that I(b) lets through.
    (D4) V lets a sequence through iff f accepts all its non-empty prefixes.  Where a
         theorem says "valid", each created f' is read the same way.  For an f' that is
         not closed under prefixes Theorem 5.2 is false (Twins.v).
    (D5) All components of one composition share one type of messages, of answers and of
         pairs (a sum type joins several).  A creation query carries the proof of its claim,
         so Definition 4.4 (iv) holds by typing; (iii) holds by typing as well.
    (D6) Components are counted from 0.
    (D7) A post-processing answers each left message after a finite dialogue.
    (D8) ExtConComp answers Halt to a query for a component that was not created, and goes
         on, where the paper's ends the communication.  A suitable f lets none through.
    (D9) Neighbours of Comp[RR, .., RR] are (0, .., 0) and (1, .., 1); the paper's are any two
         complementary tuples, for which the law is the same with answers renamed.
    (D10) Definition 4.9 wants the k creations first; here they may come at any time.   *)
From Coq Require Import QArith List Bool Arith Lqa.
From Antiphon Require Import Distributions.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

(* ==================================================================== mechanisms *)
(* Definitions 2.6 and 3.1: a randomised state function with one initial state. *)
Record CM (St Msg Ans : Type) : Type := mkCM {
  init : St;
  step : St -> Msg -> Dist (St * Ans);
  step_ok : forall s m, proper (step s m) }.

(* Definition 2.11.  Its own messages are determined by the answers so far. *)
Definition Adversary (Msg Ans : Type) := list Ans -> Msg.

(* Definition 2.9: the probability that, T rounds after [past], the view is in Ev. *)
Fixpoint Pr {St Msg Ans} (M : CM St Msg Ans) (A : Adversary Msg Ans) (T : nat)
    (s : St) (past : list Ans) (Ev : list Ans -> bool) : Q :=
  match T with
  | O => ind (Ev past)
  | S T' => Ex (step M s (A past)) (fun sa => Pr M A T' (fst sa) (past ++ [snd sa]) Ev)
  end.

(* Definitions 2.1 and 2.12, one direction: against every adversary, for every event. *)
Definition indist {S0 S1 Msg Ans} (M0 : CM S0 Msg Ans) (M1 : CM S1 Msg Ans) (E d : Q) : Prop :=
  forall (A : Adversary Msg Ans) T Ev,
    Pr M0 A T (init M0) [] Ev <= E * Pr M1 A T (init M1) [] Ev + d.

(* Definitions 3.2, 3.3, 3.5: V[f] o* I(b) o* M.  The state is the sequence received so far
   and M's state; None says that the system has halted, and the answer None is "halt". *)
Section VI.
  Context {St Msg Ans Pair : Type}.
  Variables (side : bool -> Pair -> Msg) (f : list Pair -> bool) (b : bool) (M : CM St Msg Ans).
  Definition VIstep (s : option (list Pair * St)) (p : Pair)
    : Dist (option (list Pair * St) * option Ans) :=
    match s with
    | None => ret (None, None)
    | Some (h, x) =>
        if f (h ++ [p])
        then dmap (fun sa => (Some (h ++ [p], fst sa), Some (snd sa))) (step M x (side b p))
        else ret (None, None)
    end.
  Lemma VIstep_ok : forall s p, proper (VIstep s p).
  Proof.
    intros [[h x]|] p; simpl; [destruct (f (h ++ [p]))|]; auto using proper_ret.
    apply proper_dmap, step_ok.
  Qed.
  Definition VI : CM (option (list Pair * St)) Pair (option Ans) :=
    {| init := Some ([], init M); step := VIstep; step_ok := VIstep_ok |}.
End VI.

(* Definition 3.7: M is (E, d)-DP w.r.t. f, both directions. *)
Definition DP {St Msg Ans Pair} (side : bool -> Pair -> Msg) (f : list Pair -> bool)
    (M : CM St Msg Ans) (E d : Q) : Prop :=
  forall b, indist (VI side f b M) (VI side f (negb b) M) E d.

(* every non-empty prefix is accepted: this is the sequence that V[f] lets through *)
Fixpoint valid_from {P} (f : list P -> bool) (h l : list P) : bool :=
  match l with [] => true | p :: l' => f (h ++ [p]) && valid_from f (h ++ [p]) l' end.
Definition valid {P} (f : list P -> bool) (l : list P) : bool := valid_from f [] l.

(* ==================================================================== transcripts *)
Section Trans.
  Context {Ans : Type} (aeq : forall a a' : Ans, {a = a'} + {a <> a'}).
  (* the probability of these answers to these messages *)
  Fixpoint prob {St Msg} (M : CM St Msg Ans) (s : St) (h : list (Msg * Ans)) : Q :=
    match h with
    | [] => 1
    | qa :: h' => Ex (step M s (fst qa))
                     (fun sa => if aeq (snd sa) (snd qa) then prob M (fst sa) h' else 0)
    end.

  Definition sideh {Msg Pair} (side : bool -> Pair -> Msg) (b : bool) (h : list (Pair * Ans)) :=
    map (fun pa => (side b (fst pa), snd pa)) h.

  (* "for every fixed valid sequence of pairs and answers" *)
  Definition pointwise {St Msg Pair} (side : bool -> Pair -> Msg) (f : list Pair -> bool)
      (M : CM St Msg Ans) (E : Q) : Prop :=
    forall b (h : list (Pair * Ans)), valid f (map fst h) = true ->
      prob M (init M) (sideh side b h) <= E * prob M (init M) (sideh side (negb b) h).
End Trans.

(* =============================================================== post-processing *)
Section Post.
  Context {Msg Ans : Type}.

  (* Definition 2.13, as what P does with one left message: a finite dialogue with the right
     party, coins, and an answer to the left.  (A P that talks to the right for ever, or
     that answers the left only after all coins came up tails, is left out.) *)
  Inductive Prog (R : Type) : Type :=
  | Done (r : R)
  | Call (m : Msg) (k : Ans -> Prog R)
  | Flip (p : Q) (hp : 0 <= p <= 1) (t e : Prog R).
  Arguments Done {R}. Arguments Call {R}. Arguments Flip {R}.

  Record IPM (PS LM LA : Type) := { pinit : PS; handle : PS -> LM -> Prog (PS * LA) }.

  (* the law of M's state and of the outcome after the dialogue t with M *)
  Fixpoint run {St R} (M : CM St Msg Ans) (t : Prog R) (s : St) : Dist (St * R) :=
    match t with
    | Done r => ret (s, r)
    | Call m k => bind (step M s m) (fun sa => run M (k (snd sa)) (fst sa))
    | Flip p _ t e => map (fun vy => (p * fst vy, snd vy)) (run M t s)
                   ++ map (fun vy => ((1 - p) * fst vy, snd vy)) (run M e s)
    end.
  Lemma run_ok : forall St R (M : CM St Msg Ans) (t : Prog R) s, proper (run M t s).
  Proof.
    induction t as [r|m k IH|p hp t IHt e IHe]; intros s; simpl.
    - apply proper_ret.
    - apply proper_bind; [apply step_ok|]. intros; apply IH.
    - destruct (IHt s) as [A1 A2], (IHe s) as [B1 B2]. split.
      + apply Forall_app; split; apply scaled_nonneg; auto; lra.
      + rewrite Ex_app, !Ex_scaled, A2, B2. ring.
  Qed.

  (* Definition 2.14: P o* M *)
  Section PostDef.
    Context {PS LM LA St : Type} (P : IPM PS LM LA) (M : CM St Msg Ans).
    Definition post_step (x : PS * St) (l : LM) : Dist ((PS * St) * LA) :=
      dmap (fun y : St * (PS * LA) => ((fst (snd y), fst y), snd (snd y))) (run M (handle P (fst x) l) (snd x)).
    Lemma post_ok : forall x l, proper (post_step x l).
    Proof. intros; apply proper_dmap, run_ok. Qed.
    Definition post : CM (PS * St) LM LA := {| init := (pinit P, init M); step := post_step; step_ok := post_ok |}.
  End PostDef.
End Post.
Arguments Done {Msg Ans R}.  Arguments Call {Msg Ans R}.  Arguments Flip {Msg Ans R}.

(* Not in CM: a P that sends each left message on as it is, once, and makes of the answer and
   its own state what it likes, with coins. *)
Inductive quiet {Msg Ans R : Type} : @Prog Msg Ans R -> Prop :=
| quiet_done : forall r, quiet (Done r)
| quiet_flip : forall p hp t e, quiet t -> quiet e -> quiet (@Flip Msg Ans R p hp t e).
Definition sends_on {Msg Ans PS LA : Type} (P : @IPM Msg Ans PS Msg LA) : Prop :=
  exists react, (forall s m, handle P s m = Call m (react s)) /\ forall s a, quiet (react s a).

(* ============================================================ randomised response *)
(* Definition 2.3: (b, top) is [Sure b], (b, bottom) is [Noisy b]. *)
Inductive Response := Sure (b : bool) | Noisy (b : bool).
Definition RR (E d : Q) (b : bool) : Dist Response :=
  [(d, Sure b); ((1 - d) * (E / (1 + E)), Noisy b); ((1 - d) * (1 / (1 + E)), Noisy (negb b))].
(* Comp[RR_1, .., RR_k](b, .., b), and "it is (E, d)-DP" (Section 4; Definition 2.2) *)
Fixpoint Comp (params : list (Q * Q)) (b : bool) : Dist (list Response) :=
  match params with
  | [] => ret []
  | q :: params' => bind (RR (fst q) (snd q) b) (fun r => dmap (cons r) (Comp params' b))
  end.
Definition CompRR_DP (params : list (Q * Q)) (E d : Q) : Prop :=
  forall b (Ev : list Response -> bool),
    Ex (Comp params b) (fun r => ind (Ev r)) <= E * Ex (Comp params (negb b)) (fun r => ind (Ev r)) + d.

(* parameters that make sense: epsilon >= 0 and 0 <= delta <= 1 *)
Definition proper_params (params : list (Q * Q)) : Prop :=
  Forall (fun q => 1 <= fst q /\ 0 <= snd q <= 1) params.

(* ========================================================= concurrent composition *)
(* the answers of ExtConComp: top, a component's answer, halt *)
Inductive EAns (Ans : Type) := Ack | Answer (a : Ans) | Halt.
Arguments Ack {Ans}.  Arguments Answer {Ans} a.  Arguments Halt {Ans}.
Section Composition.
  Context {Msg Ans Pair : Type}.
  Variable side : bool -> Pair -> Msg.
  Variable same : Pair -> bool.      (* do the two sides of a pair agree?  See [decides]. *)
  Definition decides : Prop := forall p, same p = true <-> side false p = side true p.

  (* The content (M, s, epsilon, delta, f) of a creation query, and that it is true. *)
  Record Claim := mkClaim {
    cSt : Type;  cM : CM cSt Msg Ans;  cf : list Pair -> bool;
    cE : Q;  cd : Q;  cE1 : 1 <= cE;  cd01 : 0 <= cd <= 1;
    cDP : DP side cf cM cE cd }.

  (* Definition 4.1: ExtConComp. *)
  Inductive EMsg := Create (c : Claim) | Query (i : nat) (q : Msg).
  Definition EState := list {c : Claim & cSt c}.
  Definition start (c : Claim) : {c : Claim & cSt c} := existT _ c (init (cM c)).
  Fixpoint upd (st : EState) (i : nat) (y : {c : Claim & cSt c}) : EState :=
    match st, i with
    | [], _ => []
    | _ :: st', O => y :: st'
    | z :: st', S i' => z :: upd st' i' y
    end.
  Definition ext_step (st : EState) (m : EMsg) : Dist (EState * EAns Ans) :=
    match m with
    | Create c => ret (st ++ [start c], Ack)
    | Query i q =>
        match nth_error st i with
        | Some (existT _ c x) =>
            dmap (fun xa => (upd st i (existT _ c (fst xa)), Answer (snd xa))) (step (cM c) x q)
        | None => ret (st, Halt)
        end
    end.
  Lemma ext_step_ok : forall st m, proper (ext_step st m).
  Proof.
    intros st [c|i q]; simpl; [apply proper_ret|].
    destruct (nth_error st i) as [[c x]|]; [apply proper_dmap, step_ok|apply proper_ret].
  Qed.
  Definition ExtConComp : CM EState EMsg (EAns Ans) :=
    {| init := []; step := ext_step; step_ok := ext_step_ok |}.

  (* Definition 4.4 (i): two identical creation queries, or two queries for one index. *)
  Inductive EPair := PCreate (c : Claim) | PQuery (i : nat) (p : Pair).
  Definition eside (b : bool) (p : EPair) : EMsg :=
    match p with PCreate c => Create c | PQuery i p => Query i (side b p) end.
  Definition esame (p : EPair) : bool :=
    match p with PCreate _ => true | PQuery _ p => same p end.

  (* Definition 4.4 (ii): a query comes after the creation it is for. *)
  Fixpoint suitable (n : nat) (ps : list EPair) : bool :=
    match ps with
    | [] => true
    | PCreate _ :: ps' => suitable (S n) ps'
    | PQuery i _ :: ps' => (i <? n)%nat && suitable n ps'
    end.
  (* the created mechanisms in order, each with the sequence of its pairs *)
  Fixpoint creations (ps : list EPair) : list Claim :=
    match ps with [] => [] | PCreate c :: ps' => c :: creations ps' | _ :: ps' => creations ps' end.
  Fixpoint pairs (j : nat) (ps : list EPair) : list Pair :=
    match ps with
    | [] => []
    | PQuery i p :: ps' => if (i =? j)%nat then p :: pairs j ps' else pairs j ps'
    | _ :: ps' => pairs j ps'
    end.
  Fixpoint instances_from (k : nat) (cs : list Claim) (ps : list EPair) : list (Claim * list Pair) :=
    match cs with [] => [] | c :: cs' => (c, pairs k ps) :: instances_from (S k) cs' ps end.
  Definition instances ps := instances_from 0 (creations ps) ps.
  Definition valid_instance (cl : Claim * list Pair) : bool := valid (cf (fst cl)) (snd cl).
  Definition params_of (l : list (Claim * list Pair)) := map (fun cl => (cE (fst cl), cd (fst cl))) l.

  (* Definition 5.1: J, the created mechanisms that ever got a pair with two sides. *)
  Definition differs (l : list Pair) : bool := existsb (fun p => negb (same p)) l.
  Definition active ps := filter (fun cl => differs (snd cl)) (instances ps).

  Fixpoint remove1 (p : Q * Q) (l : list (Q * Q)) : option (list (Q * Q)) :=
    match l with
    | [] => None
    | p' :: l' => if Qeq_bool (fst p) (fst p') && Qeq_bool (snd p) (snd p') then Some l'
                  else match remove1 p l' with Some r => Some (p' :: r) | None => None end
    end.
  Fixpoint submultiset (l params : list (Q * Q)) : bool :=
    match l with
    | [] => true
    | p :: l' => match remove1 p params with Some r => submultiset l' r | None => false end
    end.

  (* Definition 4.9, and more (D10).  Claims cannot be compared, so any verification function
     that accepts only such sequences stands for f^{alpha_1, .., alpha_k}. *)
  Definition accepts_fixed_mechanisms (alphas : list Claim) (f : list EPair -> bool) : Prop :=
    forall ps, f ps = true -> suitable 0 ps = true /\
      (exists later, creations ps ++ later = alphas) /\ forallb valid_instance (instances ps) = true.
  (* Definition 4.11 *)
  Definition f_fixed (params : list (Q * Q)) (ps : list EPair) : bool :=
    suitable 0 ps && forallb valid_instance (instances ps)
    && submultiset (params_of (instances ps)) params.
  (* Definition 5.1 *)
  Definition f_inf (params : list (Q * Q)) (ps : list EPair) : bool :=
    suitable 0 ps && forallb valid_instance (active ps)
    && submultiset (params_of (active ps)) params.
  (* Definition 5.3 *)
  Definition first_pair_consistent (f : list Pair -> bool) : Prop :=
    forall p l, same p = true -> differs l = true -> f (p :: l) = false.
  (* Definition 5.4, weakened: only a created mechanism in J with delta > 0 has to be
     first-pair consistent.  With all f' first-pair consistent it is f_{oo,FPC}; with all
     fixed delta_i = 0 it is f_oo. *)
  Definition accepts_first_pair_consistent (params : list (Q * Q)) (f : list EPair -> bool) : Prop :=
    forall ps, f ps = true -> f_inf params ps = true /\
      Forall (fun cl => cd (fst cl) == 0 \/ first_pair_consistent (cf (fst cl))) (active ps).

  (* A filter of basic composition: the parameters of J are chosen as one goes.  The
     product of the E's stays <= B, that of the (1 - delta)'s stays >= 1 - D; a created
     mechanism of J with delta > 0 is first-pair consistent, or all created ones are
     charged ([all] = true). *)
  Fixpoint prodE (l : list (Q * Q)) : Q := match l with [] => 1 | p :: l' => fst p * prodE l' end.
  Fixpoint prodD (l : list (Q * Q)) : Q := match l with [] => 1 | p :: l' => (1 - snd p) * prodD l' end.
  Definition charged (all : bool) ps := filter (fun cl => all || differs (snd cl)) (instances ps).
  Definition accepts_within (all : bool) (B D : Q) (f : list EPair -> bool) : Prop :=
    forall ps, f ps = true -> suitable 0 ps = true /\
      forallb valid_instance (charged all ps) = true /\
      Forall (fun q => snd q < 1) (params_of (charged all ps)) /\
      prodE (params_of (charged all ps)) <= B /\ 1 - D <= prodD (params_of (charged all ps)) /\
      (all = true \/ Forall (fun cl => cd (fst cl) == 0 \/ first_pair_consistent (cf (fst cl))) (charged all ps)).
End Composition.

Arguments Query {Msg Ans Pair side} i q.  Arguments Create {Msg Ans Pair side} c.
Arguments PQuery {Msg Ans Pair side} i p.  Arguments PCreate {Msg Ans Pair side} c.
Arguments eside {Msg Ans Pair side} b p.  Arguments ExtConComp {Msg Ans Pair} side.

(* ============================================================= complex mechanisms *)
(* Section 6.1.  Two runs of a deterministic P on the two sides of one left pair, after the
   right pairs r.  Destination: both ask the right, or both answer the left; response: then
   with the same answer; f -> f': the pairs they send to the right are f'-valid.
   [pair_up] makes a pair of two messages; K says what holds afterwards. *)
Section Complex.
  Context {Msg Ans Pair LM LA LPair PS : Type}.
  Variables (lside : bool -> LPair -> LM) (f : list LPair -> bool).
  Variables (side : bool -> Pair -> Msg) (f' : list Pair -> bool) (pair_up : Msg -> Msg -> Pair).
  Inductive together (K : list Pair -> PS -> PS -> Prop)
    : list Pair -> @Prog Msg Ans (PS * LA) -> @Prog Msg Ans (PS * LA) -> Prop :=
  | both_answer : forall r s0 s1 a, K r s0 s1 -> together K r (Done (s0, a)) (Done (s1, a))
  | both_ask : forall r m0 m1 k0 k1,
      side false (pair_up m0 m1) = m0 -> side true (pair_up m0 m1) = m1 ->
      f' (r ++ [pair_up m0 m1]) = true ->
      (forall a, together K (r ++ [pair_up m0 m1]) (k0 a) (k1 a)) ->
      together K r (Call m0 k0) (Call m1 k1).
  (* The three properties, for runs whose left pairs are f-valid only: a relation R of the
     left pairs, the right pairs and the two states holds at the start and is kept. *)
  Definition three_properties (P : @IPM Msg Ans PS LM LA) : Prop :=
    exists R : list LPair -> list Pair -> PS -> PS -> Prop,
      R [] [] (pinit P) (pinit P) /\
      forall l r s0 s1 p, R l r s0 s1 -> f (l ++ [p]) = true ->
        together (R (l ++ [p])) r (handle P s0 (lside false p)) (handle P s1 (lside true p)).
End Complex.

(* ============================================================ further definitions *)
(* ConComp[N1, N2] of two interactive mechanisms (Section 4): the adversary interleaves. *)
Section Con.
  Context {G1 A1 G2 A2 S1 S2 : Type} (N1 : CM S1 G1 A1) (N2 : CM S2 G2 A2).
  Definition con_step (s : S1 * S2) (m : G1 + G2) : Dist ((S1 * S2) * (A1 + A2)) :=
    match m with
    | inl m1 => dmap (fun sa => ((fst sa, snd s), inl (snd sa))) (step N1 (fst s) m1)
    | inr m2 => dmap (fun sa => ((fst s, fst sa), inr (snd sa))) (step N2 (snd s) m2)
    end.
  Lemma con_ok : forall s m, proper (con_step s m).
  Proof. intros s [m|m]; apply proper_dmap, step_ok. Qed.
  Definition ConComp : CM (S1 * S2) (G1 + G2) (A1 + A2) :=
    {| init := (init N1, init N2); step := con_step; step_ok := con_ok |}.
End Con.

(* Section 4: ConComp[M_1, .., M_k] of fixed CMs is ExtConComp after the k creations; its
   messages are queries with an index.  The sequences that f accepts are those of which each
   M_i gets pairs that are f_i-valid. *)
Section From.
  Context {Msg Ans Pair : Type} (side : bool -> Pair -> Msg) (alphas : list (@Claim Msg Ans Pair side)).
  Definition from_step (st : @EState Msg Ans Pair side) (m : nat * Msg) :=
    ext_step st (Query (fst m) (snd m)).
  Lemma from_ok : forall st m, proper (from_step st m).
  Proof. intros; apply ext_step_ok. Qed.
  Definition ConCompOf : CM (@EState Msg Ans Pair side) (nat * Msg) (EAns Ans) :=
    {| init := map (@start Msg Ans Pair side) alphas; step := from_step; step_ok := from_ok |}.
  Definition cside (b : bool) (p : nat * Pair) : nat * Msg := (fst p, side b (snd p)).
  Definition created_first (ps : list (nat * Pair)) : list (@EPair Msg Ans Pair side) :=
    map PCreate alphas ++ map (fun p => PQuery (fst p) (snd p)) ps.
  Definition accepts_each (f : list (nat * Pair) -> bool) : Prop :=
    forall ps, f ps = true -> suitable 0 (created_first ps) = true /\
      forallb (@valid_instance Msg Ans Pair side) (instances (created_first ps)) = true.
End From.

(* the mechanism of Section 5.2 has bits as messages and these answers *)
Definition side2 (b : bool) (p : bool * bool) : bool := if b then snd p else fst p.
Definition same2 (p : bool * bool) : bool := eqb (fst p) (snd p).
Inductive Ans4 := Bit (b : bool) | Top | Bot.
Fixpoint qpow (x : Q) (n : nat) : Q := match n with O => 1 | S n' => x * qpow x n' end.

(* what Theorem S asks of a verification function for ExtConComp *)
Definition accepts_symmetric {Msg Ans Pair} {side : bool -> Pair -> Msg} (same : Pair -> bool) (swap : Pair -> Pair)
    (n k : nat) (E0 d0 : Q) (f : list (@EPair Msg Ans Pair side) -> bool) : Prop :=
  forall ps, f ps = true -> suitable 0 ps = true /\
    (length (creations ps) <= n)%nat /\ (length (active same ps) <= k)%nat /\
    forallb (@valid_instance Msg Ans Pair side) (active same ps) = true /\
    Forall (fun c => cE c == E0 /\ cd c == d0 /\ forall l, cf c (map swap l) = cf c l) (creations ps).
