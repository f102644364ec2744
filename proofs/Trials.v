(** The model, run: what it computes on systems that are written down as data, to be compared
    with what the library computes (tests/unit/test_model_against_code.py).               *)
From Coq Require Import QArith List Bool Arith NArith Lqa.
From Antiphon Require Import Distributions Statements Tables.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

(* a component by its data: the claim (E, 1), which is true of anything *)
Definition claim_of (c : Table * Automaton * Q) : option (@Claim nat nat (nat * nat) siden) :=
  let '(t, aut, E) := c in
  match bool_dec (table_ok t) true, Qlt_le_dec E 1 with
  | left Ht, right HE => Some (unchecked t aut Ht HE)
  | _, _ => None
  end.
(* (0, i, _) creates the i-th component of the catalogue; (i + 1, q0, q1) asks number i *)
Definition Said := (nat * nat * nat)%type.
Definition nobody : @EPair nat nat (nat * nat) siden := PQuery 99 (O, O).
Definition say (catalogue : list (Table * Automaton * Q)) (said : Said) : @EPair nat nat (nat * nat) siden :=
  match said with
  | (O, i, _) => match nth_error catalogue i with
      | Some c => match claim_of c with Some c => PCreate c | None => nobody end
      | None => nobody end
  | (S i, q0, q1) => PQuery i (q0, q1)
  end.

(* answers as numbers: 0 says HALT, whoever says it, and 1 says top *)
Definition code (a : option (EAns nat)) : nat :=
  match a with
  | None | Some Halt | Some (Answer O) => 0
  | Some Ack => 1
  | Some (Answer (S a)) => S (S a)
  end.
Definition same_view (u v : list nat) : bool := if list_eq_dec Nat.eq_dec u v then true else false.
(* what is said after which answers; after others, to nobody *)
Fixpoint plays (catalogue : list (Table * Automaton * Q)) (strategy : list (list nat * Said)) (past : list nat) :=
  match strategy with
  | [] => nobody
  | (v, said) :: rest => if same_view v past then say catalogue said else plays catalogue rest past
  end.

Record Trial := {
  parts : list (Table * Automaton * Q);  fixed : list (Q * Q);  rounds : nat;
  strategy : list (list nat * Said);  event : list (list nat);  expected : Q * Q }.
Definition world (x : Trial) (b : bool) := VI (@eside nat nat (nat * nat) siden) (f_inf samen (fixed x)) b (ExtConComp siden).
Definition chance (x : Trial) (b : bool) : Q :=
  Qred (Pr (world x b) (fun past => plays (parts x) (strategy x) (map code past)) (rounds x) (init (world x b)) []
    (fun view => existsb (same_view (map code view)) (event x))).
Definition agrees (x : Trial) : bool :=
  Qeq_bool (chance x false) (fst (expected x)) && Qeq_bool (chance x true) (snd (expected x)).

(* f_oo on sequences: how many pairs V[f_oo] lets through.  A sequence is a number in base 64,
   a pair a digit: 0 .. 15 create, 16 + 4 i + 2 q0 + q1 asks number i.                    *)
Fixpoint digits (fuel : nat) (n : N) : list N :=
  match fuel with
  | O => []
  | S k => if (n <=? 1)%N then [] else (n mod 64)%N :: digits k (n / 64)%N
  end.
Definition said_by (d : N) : Said :=
  if (d <? 16)%N then (O, N.to_nat d, O)
  else (S (N.to_nat ((d - 16) / 4)), N.to_nat ((d / 2) mod 2), N.to_nat (d mod 2)).
Fixpoint through {P} (f : list P -> bool) (h l : list P) : nat :=
  match l with [] => O | p :: l' => if f (h ++ [p]) then S (through f (h ++ [p]) l') else O end.
Definition let_through (catalogue : list (Table * Automaton * Q)) (params : list (Q * Q)) (n : N) : nat :=
  through (f_inf samen params) [] (map (fun d => say catalogue (said_by d)) (digits 40 n)).

(* the places in a list of what does not agree *)
Fixpoint failures {X} (ok : X -> bool) (i : nat) (l : list X) : list nat :=
  match l with [] => [] | x :: l' => if ok x then failures ok (S i) l' else i :: failures ok (S i) l' end.
