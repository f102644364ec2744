(** The game of a certificate: parts that are created as one goes, each with its own steps and
    its own verification function, and one public state that pays for pairs that differ.
    This is V[f] o* I(b) o* ExtConComp of finite parts, with a bit b that also chooses the
    first state of each part.                                                           *)
From Coq Require Import QArith List Bool NArith.
From Antiphon Require Import Distributions Model.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.

(* ------------------------------------------------------------------------- games --- *)
(* Parts, states, queries, answers, states of an f and public states are numbers.  State 0 of
   a part is that it is dead: it gives one and the same answer for ever.  A state j of an f is
   odd if the public state need not pay for pairs any more. *)
Record Game := {
  kernel : N -> N -> N -> Dist (N * N);         (* part, state, query: answer and next state *)
  halting : N -> N;                             (* the answer of a part that is dead *)
  judge : N -> N -> N * N -> option N;          (* part, state of its f, pair: next state of f *)
  asks : N -> bool;                             (* public state: may questions be asked? *)
  differ : N -> N -> option N;                  (* and after it has paid for a part's pair *)
  lets_in : N -> N -> option (N * bool);          (* and after a creation; is there then a part? *)
  most : N;                                     (* so many creations at most *)
  fixed : bool;                                 (* part 0 is there from the start *)
  first : bool -> N -> N;                       (* first state of a part in either world *)
  judged : N -> N;                              (* first state of its f *)
  kernel_ok : forall i s q, proper (kernel i s q);
  dead_ok : forall i q g, Ex (kernel i 0%N q) g == g (halting i, 0%N);
  judge_ok : forall i j q j', judge i j (q, q) = Some j' -> N.odd j' = N.odd j }.

(* The public part of a state: the same in both worlds.  Each part with the state of its f. *)
Record Public := { purse : N; made : N; kids : list (N * N) }.

Inductive Message := Creates (i : N) | Asks (k : nat) (q : N * N).
Inductive Reply := Halted | Created | Says (a : N).
(* what is then done: a part (or none) is created; the k-th part, of kind i, is asked *)
Inductive Deed := Born (i : option N) | Put (k : nat) (i : N) (q : N * N).

Fixpoint put {X} (l : list X) (k : nat) (x : X) : list X :=
  match l, k with [], _ => [] | _ :: l', O => x :: l' | y :: l', S k' => y :: put l' k' x end.

Section Play.
  Variable G : Game.
  Definition pays (p i j : N) (q : N * N) : option N :=
    if (fst q =? snd q)%N || N.odd j then Some p else differ G p i.

  (* V[f]: the next public state and what is done, or None if the message is refused *)
  Definition allows (u : Public) (m : Message) : option (Public * Deed) :=
    match m with
    | Creates i =>
        if (made u <? most G)%N then
          match lets_in G (purse u) i with
          | Some (p, true) =>
              Some ({| purse := p; made := made u + 1; kids := kids u ++ [(i, judged G i)] |}, Born (Some i))
          | Some (p, false) => Some ({| purse := p; made := made u + 1; kids := kids u |}, Born None)
          | None => None
          end
        else None
    | Asks k q =>
        if asks G (purse u) then
          match nth_error (kids u) k with
          | Some (i, j) =>
              match judge G i j q, pays (purse u) i j q with
              | Some j', Some p =>
                  Some ({| purse := p; made := made u; kids := put (kids u) k (i, j') |}, Put k i q)
              | _, _ => None
              end
          | None => None
          end
        else None
    end.

  Definition half (b : bool) (q : N * N) : N := if b then snd q else fst q.
  (* The hidden part of a state: the states of the parts.  None: it is over, and only Halted
     is answered.  It is over after a refusal and after the answer 0. *)
  Definition play (b : bool) (x : option (Public * list N)) (m : Message)
    : Dist (option (Public * list N) * Reply) :=
    match x with
    | None => ret (None, Halted)
    | Some (u, ss) =>
        match allows u m with
        | None => ret (None, Halted)
        | Some (u', Born None) => ret (Some (u', ss), Created)
        | Some (u', Born (Some i)) => ret (Some (u', ss ++ [first G b i]), Created)
        | Some (u', Put k i q) =>
            dmap (fun y => if (fst y =? 0)%N then (None, Halted) else (Some (u', put ss k (snd y)), Says (fst y)))
                 (kernel G i (nth k ss 0%N) (half b q))
        end
    end.
  Lemma play_ok : forall b x m, proper (play b x m).
  Proof.
    intros b [[u ss]|] m; simpl; [|apply proper_ret]. destruct (allows u m) as [[u' [[i|]|k i q]]|];
      try apply proper_ret. apply proper_dmap, kernel_ok.
  Qed.
  Definition first_public : Public :=
    {| purse := 0; made := 0; kids := if fixed G then [(0%N, judged G 0)] else [] |}.
  Definition world (b : bool) : CM (option (Public * list N)) Message Reply :=
    {| init := Some (first_public, if fixed G then [first G b 0] else []); step := play b; step_ok := play_ok b |}.

  (* the probability, in a world, that the answers to T messages are in an event *)
  Definition chance (b : bool) (A : Adversary Message Reply) (T : nat) (Ev : list Reply -> bool) : Q :=
    Pr (world b) A T (init (world b)) [] Ev.
  (* (E, d)-DP against T messages: any adversary, any event, either way round *)
  Definition game_DP (T : nat) (E d : Q) : Prop :=
    forall b A Ev, chance b A T Ev <= E * chance (negb b) A T Ev + d.
End Play.

(* An adversary with coins, each outcome with its own event: a finite mixture. *)
Definition mixed G b T (l : Dist (Adversary Message Reply * (list Reply -> bool))) : Q :=
  Ex l (fun x => chance G b (fst x) T (snd x)).
