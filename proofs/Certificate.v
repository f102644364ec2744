(** Certificates as data, the game of their tables, and the check that a kernel computes.
    docs/certificates.md has the format; a node, a column and a row are those of its lines. *)
From Coq Require Import QArith List Bool NArith ZArith FMapPositive.
From Antiphon Require Import Distributions Model Game.
Import ListNotations.
Open Scope N_scope.
Set Implicit Arguments.

(* ------------------------------------------------------- tables that are looked up --- *)
(* A key is a list of numbers.  It is written bit by bit into one number; that two keys have
   not the same one is never used, for the key that is found is compared. *)
Fixpoint bits (p onto : positive) : positive :=
  match p with xH => onto~0 | xO p' => bits p' onto~1~0 | xI p' => bits p' onto~1~1 end%positive.
Definition code (k : list N) : positive := fold_left (fun onto n => bits (N.succ_pos n) onto) k xH.
Fixpoint same_key (k k' : list N) : bool :=
  match k, k' with [], [] => true | n :: l, n' :: l' => (n =? n') && same_key l l' | _, _ => false end.
Definition Index V := PositiveMap.t (list N * V).
Definition index {V} (l : list (list N * V)) : Index V :=
  fold_right (fun kv m => PositiveMap.add (code (fst kv)) kv m) (PositiveMap.empty _) l.
Definition lookup {V} (k : list N) (m : Index V) : option V :=
  match PositiveMap.find (code k) m with
  | Some (k', v) => if same_key k' k then Some v else None
  | None => None
  end.
Fixpoint assoc {X} (i : N) (l : list (N * X)) : option X :=
  match l with [] => None | (i', x) :: l' => if i =? i' then Some x else assoc i l' end.
Fixpoint ruled (q : N * N) (l : list (N * N * N)) : option N :=
  match l with
  | [] => None
  | (q0, q1, j) :: l' => if (q0 =? fst q) && (q1 =? snd q) then Some j else ruled q l'
  end.

(* -------------------------------------------------------------------- certificates --- *)
Definition Law := list (N * N).                        (* state, weight *)
Definition Row := (positive * list (N * N * N))%type.  (* denominator; answer, next state, weight *)
Inductive Target := Over | Dead | Live (c : N).        (* where a branch leads; c is a column *)
Record Move := { paying : bool; over : positive; branches : list (N * N * Target) }.
(* what a pair does: its one answer ends its part for certain, or it is as the n-th move, with
   these answers; the pairs come in the order of the rule *)
Inductive Does := Idle (a : N) | Like (n : nat) (answers : list N).
Record Column := {
  part : N; state_of_f : N; law0 : Law; law1 : Law;
  moves : option (list Move * list Does) }.            (* None: it is never asked *)
Inductive Best := Stop | Make (i : N) | Say (c : N) (n : nat) (q : N * N).

Record Certificate := {
  rounds : N; symmetric : bool; composed : bool; creations : N;
  parts : list (list N * (N * N * N * N));             (* [i]: first states, state of f, column *)
  steps : list (list N * Row);                         (* [i; state; query] *)
  rules : list (list N * list (N * N * N));            (* [i; j]: each pair, next j *)
  publics : list (list N * (bool * list (N * N) * list (N * (N * bool))));  (* [p] *)
  lesser : list (list N * unit);                       (* [p; p']: whatever p pays for, p' does *)
  columns : list (list N * Column);                    (* [c] *)
  nodes : list (list N * (Q * Best)) }.                (* t :: p :: created :: a :: b :: columns *)

Definition nat_Q (n : N) : Q := inject_Z (Z.of_N n).
Definition row_law (r : Row) : Dist (N * N) :=
  map (fun x => (Qmake (Z.of_N (snd x)) (fst r), fst x)) (snd r).
Definition public_row (m : Index (bool * list (N * N) * list (N * (N * bool)))) (p : N) :=
  match lookup [p] m with Some r => r | None => (false, [], []) end.

(* A game of these tables.  Where they have no row, steps and rules may be any; a public state
   without a row allows nothing. *)
Record of_tables (C : Certificate) (G : Game) : Prop := {
  its_steps : forall i s q r, lookup [i; s; q] (index (steps C)) = Some r ->
    forall g, (Ex (kernel G i s q) g == Ex (row_law r) g)%Q;
  its_rules : forall i j l, lookup [i; j] (index (rules C)) = Some l -> forall q, judge G i j q = ruled q l;
  its_parts : forall i s0 s1 j c, lookup [i] (index (parts C)) = Some (s0, s1, j, c) ->
    first G false i = s0 /\ first G true i = s1 /\ judged G i = j;
  its_asks : forall p, asks G p = fst (fst (public_row (index (publics C)) p));
  its_differ : forall p i, differ G p i = assoc i (snd (fst (public_row (index (publics C)) p)));
  its_admit : forall p i, lets_in G p i = assoc i (snd (public_row (index (publics C)) p));
  its_most : most G = creations C;
  its_start : fixed G = negb (composed C) }.

(* --------------------------------------------------------------------- the tables --- *)
Record Maps := {
  part_map : Index (N * N * N * N); step_map : Index Row; rule_map : Index (list (N * N * N));
  public_map : Index (bool * list (N * N) * list (N * (N * bool)));
  less_map : Index unit; column_map : Index Column; node_map : Index (Q * Best) }.
Definition maps (C : Certificate) : Maps := {|
  part_map := index (parts C); step_map := index (steps C); rule_map := index (rules C);
  public_map := index (publics C); less_map := index (lesser C);
  column_map := index (columns C); node_map := index (nodes C) |}.

Section Check.
  Variables (C : Certificate) (M : Maps).
  Definition asks_in (p : N) : bool := fst (fst (public_row (public_map M) p)).
  Definition differ_in (p : N) : list (N * N) := snd (fst (public_row (public_map M) p)).
  Definition admit_in (p : N) : list (N * (N * bool)) := snd (public_row (public_map M) p).

  Fixpoint total (l : Law) : N := match l with [] => 0 | (_, w) :: l' => w + total l' end.
  Definition law (b : bool) (c : Column) : Law := if b then law1 c else law0 c.
  Definition mass_of (b : bool) (c : N) : N :=
    match lookup [c] (column_map M) with Some k => total (law b k) | None => 0 end.
  Fixpoint mass (b : bool) (cs : list N) : N :=
    match cs with [] => 1 | c :: cs' => mass_of b c * mass b cs' end.

  (* ----------------------------------------------------------- a column and its moves --- *)
  Definition Sums := list (N * N * Z).                 (* answer, state, weight *)
  Definition before (x y : N * N) : comparison :=
    match fst x ?= fst y with Eq => snd x ?= snd y | o => o end.
  Fixpoint merge (l1 : Sums) : Sums -> Sums :=
    match l1 with
    | [] => fun l2 => l2
    | (x, v) :: l1' =>
        fix into (l2 : Sums) : Sums :=
          match l2 with
          | [] => (x, v) :: l1'
          | (y, w) :: l2' =>
              match before x y with
              | Eq => if (fst x =? fst y) && (snd x =? snd y) then (x, (v + w)%Z) :: merge l1' l2'
                      else (x, v) :: merge l1' l2
              | Lt => (x, v) :: merge l1' l2
              | Gt => (y, w) :: into l2'
              end
          end
    end.
  Definition scaled (k : Z) (l : list (N * N * N)) : Sums := map (fun x => (fst x, (k * Z.of_N (snd x))%Z)) l.
  (* what a query makes of a law, times D *)
  Fixpoint push (i q : N) (D : positive) (l : Law) : option Sums :=
    match l with
    | [] => Some []
    | (s, w) :: l' =>
        match lookup [i; s; q] (step_map M), push i q D l' with
        | Some (d, bs), Some r =>
            let k := Npos D / Npos d in
            if k * Npos d =? Npos D then Some (merge (scaled (Z.of_N (k * w)) bs) r) else None
        | _, _ => None
        end
    end.
  Definition target_law (b : bool) (t : Target) : option Law :=
    match t with
    | Live c => match lookup [c] (column_map M) with Some k => Some (law b k) | None => None end
    | _ => Some [(0, 1)]
    end.
  Definition leads (i j a : N) (t : Target) : bool :=
    match t with
    | Over => a =? 0
    | Dead => negb (a =? 0)
    | Live c => negb (a =? 0) && match lookup [c] (column_map M) with
                                  | Some k => (part k =? i) && (state_of_f k =? j) | None => false end
    end.
  (* minus the branches, under these answers *)
  Fixpoint meant (b : bool) (i j : N) (answers : list N) (l : list (N * N * Target)) : option Sums :=
    match answers, l with
    | [], [] => Some []
    | a :: answers', (f0, f1, t) :: l' =>
        match target_law b t, meant b i j answers' l' with
        | Some k, Some r =>
            if leads i j a t
            then Some (merge (map (fun sw => (a, fst sw, (- Z.of_N (if b then f1 else f0) * Z.of_N (snd sw))%Z)) k) r)
            else None
        | _, _ => None
        end
    | _, _ => None
    end.
  Definition zero (l1 l2 : option Sums) : bool :=
    match l1, l2 with
    | Some x, Some y => forallb (fun z => (snd z =? 0)%Z) (merge x y) | _, _ => false
    end.
  Definition idle (i q a : N) (l : Law) : bool :=
    forallb (fun sw => match lookup [i; fst sw; q] (step_map M) with
      | Some (_, bs) => forallb (fun x => (fst (fst x) =? a) && (snd (fst x) =? 0)) bs
      | None => false end) l.
  Definition check_pair (c : Column) (ms : list Move) (r : N * N * N) (d : Does) : bool :=
    let '(q0, q1, j) := r in
    match d with
    | Idle a => idle (part c) q0 a (law0 c) && idle (part c) q1 a (law1 c)
    | Like n answers =>
        match nth_error ms n with
        | None => false
        | Some m =>
            Bool.eqb (paying m) (negb ((q0 =? q1) || N.odd (state_of_f c))) &&
            zero (push (part c) q0 (over m) (law0 c)) (meant false (part c) j answers (branches m)) &&
            zero (push (part c) q1 (over m) (law1 c)) (meant true (part c) j answers (branches m))
        end
    end.
  Fixpoint all2 {X Y} (f : X -> Y -> bool) (l : list X) (l' : list Y) : bool :=
    match l, l' with [], [] => true | x :: m, y :: m' => f x y && all2 f m m' | _, _ => false end.
  Definition check_column (c : Column) : bool :=
    match moves c with
    | None => true
    | Some (ms, ds) =>
        match lookup [part c; state_of_f c] (rule_map M) with
        | Some r => all2 (check_pair c ms) r ds | None => false
        end
    end.

  (* ------------------------------------------------------------------------ options --- *)
  Fixpoint same_law (l l' : Law) : bool :=
    match l, l' with
    | [], [] => true
    | (s, w) :: m, (s', w') :: m' => (s =? s') && (w =? w') && same_law m m'
    | _, _ => false
    end.
  (* whether a column can ever tell the worlds apart; else it is left out of a position *)
  Definition tells (p c : N) : bool :=
    match lookup [c] (column_map M) with
    | None => true
    | Some k =>
        (N.odd (state_of_f k) || negb (same_law (law0 k) (law1 k)) ||
         match assoc (part k) (differ_in p) with Some _ => true | None => false end)
        && match moves k with Some ([], _) => false | _ => true end
    end.
  Fixpoint insert (c : N) (cs : list N) : list N :=
    match cs with [] => [c] | c' :: cs' => if c <=? c' then c :: cs else c' :: insert c cs' end.

  Definition Position := (N * N * list N)%type.        (* public state, creations, columns *)
  Definition Branch := (N * N * option Position)%type. (* factors of the worlds; None: it is over *)
  Record Option_ := { name : Best; below : positive; after : list Branch }.
  Definition branch (p created : N) (others : list N) (x : N * N * Target) : Branch :=
    let '(f0, f1, t) := x in
    match t with
    | Over => (f0 * mass false others, f1 * mass true others, None)
    | _ =>
        let all := match t with Live c => insert c others | _ => others end in
        let lost := filter (fun c => negb (tells p c)) all in
        (f0 * mass false lost, f1 * mass true lost, Some (p, created, filter (tells p) all))
    end.
  Definition create_option (x : Position) (a : N * (N * bool)) : option (list Option_) :=
    let '(p, created, cs) := x in
    let '(i, (p', born)) := a in
    let one t := {| name := Make i; below := 1; after := [branch p' (created + 1) cs (1, 1, t)] |} in
    if born then
      match lookup [i] (part_map M) with
      | None => None
      | Some (_, _, _, c) =>
          if asks_in p && (p' =? p) && negb (tells p' c) then Some [] else Some [one (Live c)]
      end
    else if asks_in p && (p' =? p) then Some [] else Some [one Dead].
  Definition ask_option (x : Position) (i c : N) (others : list N) (n : nat) (m : Move) : list Option_ :=
    let '(p, created, _) := x in
    match (if paying m then assoc i (differ_in p) else Some p) with
    | None => []
    | Some p' => [{| name := Say c n (0, 0); below := over m; after := map (branch p' created others) (branches m) |}]
    end.
  Fixpoint numbered {X Y} (f : nat -> X -> list Y) (n : nat) (l : list X) : list Y :=
    match l with [] => [] | x :: l' => f n x ++ numbered f (S n) l' end.
  (* of equal columns, which stand side by side, one is asked *)
  Fixpoint ask_options (x : Position) (done cs : list N) : option (list Option_) :=
    match cs with
    | [] => Some []
    | c :: cs' =>
        match ask_options x (c :: done) cs' with
        | None => None
        | Some r =>
            if match done with c' :: _ => c =? c' | [] => false end then Some r else
            match lookup [c] (column_map M) with
            | None => None
            | Some k =>
                match moves k with
                | None => None
                | Some (ms, _) => Some (numbered (ask_option x (part k) c (rev_append done cs')) O ms ++ r)
                end
            end
        end
    end.
  Fixpoint each {X Y} (f : X -> option (list Y)) (l : list X) : option (list Y) :=
    match l with
    | [] => Some []
    | x :: l' => match f x, each f l' with Some y, Some r => Some (y ++ r) | _, _ => None end
    end.
  Definition options (x : Position) : option (list Option_) :=
    let '(p, created, cs) := x in
    match (if created <? creations C then each (create_option x) (admit_in p) else Some []),
          (if asks_in p then ask_options x [] cs else Some []) with
    | Some l, Some l' => Some (l ++ l')
    | _, _ => None
    end.

  (* ------------------------------------------------------------------------- values --- *)
  Definition stop (own against : N) : Q := nat_Q (own - against).
  Definition value (t : N) (x : option Position) (a b : N) : option Q :=
    match x with
    | None => Some (stop a b)
    | Some (p, created, cs) =>
        let '(g, (a', b')) := N.ggcd a b in
        match lookup (t :: p :: created :: a' :: b' :: cs) (node_map M) with
        | Some (v, _) => Some (nat_Q g * v)%Q
        | None =>
            let own := a * mass false cs in let against := b * mass true cs in
            (* nested, not ||, so that options are looked for only if they matter *)
            if (if (if (if t =? 0 then true else own =? 0) then true else against =? 0) then true
                else match options (p, created, cs) with Some [] => true | _ => false end)
            then Some (stop own against) else None
        end
    end.
  Definition plus (x y : Q) : Q :=
    if (Qden x =? Qden y)%positive then Qmake (Qnum x + Qnum y) (Qden x) else Qred (x + y).
  Fixpoint worth (t a b : N) (l : list Branch) : option Q :=
    match l with
    | [] => Some 0%Q
    | (f0, f1, x) :: l' =>
        match value t x (a * f0) (b * f1), worth t a b l' with
        | Some v, Some r => Some (plus v r) | _, _ => None
        end
    end.
  Definition no_more (t a b : N) (v : Q) (o : Option_) : bool :=
    match worth (N.pred t) a b (after o) with
    | Some w => Qle_bool w (v * inject_Z (Zpos (below o))) | None => false
    end.
  Definition check_node (n : list N * (Q * Best)) : bool :=
    match n with
    | (t :: p :: created :: a :: b :: cs, (v, _)) =>
        let own := a * mass false cs in let against := b * mass true cs in
        Qle_bool (stop own against) v &&
        (if Qle_bool (nat_Q own) v then true else
         match options (p, created, cs) with Some l => forallb (no_more t a b v) l | None => false end)
    | _ => false
    end.

  (* what attains a value: the option that a node names, and one of its pairs *)
  Definition as_much (t a b : N) (v : Q) (l : list Option_) : bool :=
    match l with
    | [o] => match worth (N.pred t) a b (after o) with
        | Some w => Qeq_bool w (v * inject_Z (Zpos (below o))) | None => false end
    | _ => false
    end.
  Fixpoint take_out (c : N) (cs : list N) : option (list N) :=
    match cs with
    | [] => None
    | c' :: cs' => if c =? c' then Some cs' else
        match take_out c cs' with Some r => Some (c' :: r) | None => None end
    end.
  Fixpoint does_of (q : N * N) (r : list (N * N * N)) (ds : list Does) : option (N * Does) :=
    match r, ds with
    | (q0, q1, j) :: r', d :: ds' => if (q0 =? fst q) && (q1 =? snd q) then Some (j, d) else does_of q r' ds'
    | _, _ => None
    end.
  Fixpoint distinct (l : list N) : bool :=
    match l with [] => true | a :: l' => negb (existsb (N.eqb a) l') && distinct l' end.
  Definition named (x : Position) (best : Best) : list Option_ :=
    let '(p, created, cs) := x in
    match best with
    | Stop => []
    | Make i =>
        match assoc i (admit_in p) with
        | Some a => if created <? creations C then match create_option x (i, a) with Some l => l | None => [] end else []
        | None => []
        end
    | Say c n q =>
        match lookup [c] (column_map M), take_out c cs with
        | Some k, Some others =>
            match moves k, lookup [part k; state_of_f k] (rule_map M) with
            | Some (ms, ds), Some r =>
                match nth_error ms n, does_of q r ds with
                | Some m, Some (_, Like n' answers) =>
                    if Nat.eqb n n' && distinct answers && asks_in p then ask_option x (part k) c others n m else []
                | _, _ => []
                end
            | _, _ => []
            end
        | _, _ => []
        end
    end.
  Definition exact_node (n : list N * (Q * Best)) : bool :=
    match n with
    | (t :: p :: created :: a :: b :: cs, (v, best)) =>
        match best with
        | Stop => Qeq_bool v (stop (a * mass false cs) (b * mass true cs))
        | _ => negb (t =? 0) && as_much t a b v (named (p, created, cs) best)
        end
    | _ => false
    end.

  (* -------------------------------------------------------- tables that make a game --- *)
  Definition check_step (x : list N * Row) : bool :=
    match x with
    | ([i; s; q], (d, bs)) =>
        (fold_right (fun y n => snd y + n) 0 bs =? Npos d) &&
        (negb (s =? 0) || forallb (fun y => (fst (fst y) =? 0) && (snd (fst y) =? 0)) bs)
    | _ => false
    end.
  Definition check_rule (x : list N * list (N * N * N)) : bool :=
    match x with
    | ([i; j], l) =>
        forallb (fun r => let '(q0, q1, j') := r in
          (negb (q0 =? q1) || Bool.eqb (N.odd j') (N.odd j)) &&
          (negb (symmetric C) || match ruled (q1, q0) l with Some j'' => j'' =? j' | None => false end)) l
    | _ => false
    end.
  Definition check_part (x : list N * (N * N * N * N)) : bool :=
    match x with
    | ([i], (s0, s1, j, c)) =>
        (negb (symmetric C) || (s0 =? s1)) &&
        match lookup [c] (column_map M) with
        | Some k => (part k =? i) && (state_of_f k =? j) && same_law (law0 k) [(s0, 1)] && same_law (law1 k) [(s1, 1)]
        | None => false
        end
    | _ => false
    end.
  Definition is_less (p p' : N) : bool :=
    (p =? p') || match lookup [p; p'] (less_map M) with Some _ => true | None => false end.
  (* what p pays for, p' pays for, and so for ever *)
  Definition check_less (x : list N * unit) : bool :=
    match x with
    | ([p; p'], _) =>
        implb (asks_in p) (asks_in p') &&
        forallb (fun y => match assoc (fst y) (differ_in p') with
          | Some z => match assoc (fst y) (differ_in p) with Some z' => is_less z' z | None => false end
          | None => false end) (differ_in p) &&
        forallb (fun y => match assoc (fst y) (admit_in p'), assoc (fst y) (admit_in p) with
          | Some (z, born), Some (z', born') => Bool.eqb born born' && is_less z' z
          | _, _ => false end) (admit_in p)
    | _ => false
    end.
  Definition known (p : N) : bool := match lookup [p] (public_map M) with Some _ => true | None => false end.
  (* to pay leaves no more than before, and no purse ever grows *)
  Definition keeps (p to : N) : bool :=
    known to && forallb (fun z => match assoc (fst z) (differ_in p) with Some _ => true | None => false end) (differ_in to).
  Definition check_public (x : list N * (bool * list (N * N) * list (N * (N * bool)))) : bool :=
    match x with
    | ([p], _) =>
        forallb (fun y => keeps p (snd y) && is_less (snd y) p) (differ_in p) &&
        forallb (fun y => keeps p (fst (snd y))) (admit_in p)
    | _ => false
    end.
  Definition start : option (N * N * Position) :=
    if composed C then Some (1, 1, (0, 0, [])) else
    match lookup [0] (part_map M) with
    | None => None
    | Some (_, _, _, c) =>
        match branch 0 0 [] (1, 1, Live c) with (f0, f1, Some x) => Some (f0, f1, x) | _ => None end
    end.
  (* one over zero is e^epsilon *)
  Definition check_with (one zero : positive) (d : Q) : bool :=
    forallb check_step (steps C) && forallb check_rule (rules C) && forallb check_part (parts C) &&
    known 0 && forallb check_public (publics C) && forallb check_less (lesser C) &&
    forallb (fun c => check_column (snd c)) (columns C) && forallb check_node (nodes C) &&
    match start with
    | None => false
    | Some (f0, f1, x) =>
        match value (rounds C) (Some x) (Npos zero * f0) (Npos one * f1) with
        | Some v => Qle_bool v (d * inject_Z (Zpos zero))
        | None => false
        end &&
        (symmetric C ||
         match value (rounds C) (Some x) (Npos one * f0) (Npos zero * f1) with
         | Some v => Qle_bool (inject_Z (Zpos zero - Zpos one) + v) (d * inject_Z (Zpos zero))
         | None => false
         end)
    end.
  Definition exact_with (one zero : positive) (d : Q) : bool :=
    forallb exact_node (nodes C) &&
    match start with
    | None => false
    | Some (f0, f1, x) =>
        match value (rounds C) (Some x) (Npos zero * f0) (Npos one * f1) with
        | Some v => Qeq_bool v (d * inject_Z (Zpos zero)) | None => false
        end ||
        match value (rounds C) (Some x) (Npos one * f0) (Npos zero * f1) with
        | Some v => Qeq_bool (inject_Z (Zpos zero - Zpos one) + v) (d * inject_Z (Zpos zero)) | None => false
        end
    end.
End Check.

(* d is a bound; and it is attained *)
Definition check (C : Certificate) (one zero : positive) (d : Q) : bool := check_with C (maps C) one zero d.
Definition check_tight (C : Certificate) (one zero : positive) (d : Q) : bool :=
  let M := maps C in check_with C M one zero d && exact_with C M one zero d.

(* What is claimed of it: against as many messages, d bounds every adversary and every event of
   every game of these tables; and one adversary, with one event, attains it.            *)
Definition bounds (C : Certificate) (one zero : positive) (d : Q) : Prop :=
  (exists G, of_tables C G) /\
  forall G, of_tables C G -> forall T, (T <= N.to_nat (rounds C))%nat -> game_DP G T (Zpos one # zero) d.
Definition attains (C : Certificate) (one zero : positive) (d : Q) : Prop :=
  forall G, of_tables C G -> exists b A Ev, let T := N.to_nat (rounds C) in
    (chance G b A T Ev == (Zpos one # zero) * chance G (negb b) A T Ev + d)%Q.

(* how one is written *)
Definition move (pays : bool) (d : positive) (l : list (N * N * Target)) : Move :=
  {| paying := pays; over := d; branches := l |}.
Definition fork (pays : bool) (d : positive) (a b c a' b' c' : N) : Move :=
  move pays d [(a, b, Live c); (a', b', Live c')].
Definition column (c i j : N) (l0 l1 : Law) (ms : option (list Move * list Does)) : list N * Column :=
  ([c], {| part := i; state_of_f := j; law0 := l0; law1 := l1; moves := ms |}).
Definition step_row (i s q : N) (d : positive) (l : list (N * N * N)) : list N * Row := ([i; s; q], (d, l)).
Definition node (t p created a b : N) (cs : list N) (u : N) (v : positive) (best : Best) : list N * (Q * Best) :=
  (t :: p :: created :: a :: b :: cs, (Qmake (Z.of_N u) v, best)).
