(** What is proved, each with its number in CM; Proved.v holds the proofs.  The definitions,
    and the list of deviations from the paper, stand in Model.v.                         *)
From Coq Require Import QArith List Bool Arith.
From Antiphon Require Export Distributions Model.
From Antiphon Require Game Certificate.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

(* ===================================================================== statements *)
(* Laws are finite lists (D1), and answers can be compared: so all answer distributions are
   discrete (Definition 4.5). *)
Definition decidable (A : Type) := forall a a' : A, {a = a'} + {a <> a'}.

(* Pure DP against every adaptive adversary is the inequality for every fixed sequence. *)
Definition Pure_pointwise : Prop :=
  forall St Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) f (M : CM St Msg Ans) E,
  1 <= E -> (DP side f M E 0 <-> pointwise aeq side f M E).

(* An adversary with coins, that may stop at any time, gains nothing (Definitions 2.9, 2.11). *)
Definition Randomised_adversaries : Prop :=
  forall Msg Ans (aeq : decidable Ans) (some_message : Msg) S0 S1 (M0 : CM S0 Msg Ans) (M1 : CM S1 Msg Ans) E d,
  indist M0 M1 E d -> forall t : @Prog Msg Ans bool,
  Ex (run M0 t (init M0)) (fun sr => ind (snd sr)) <= E * Ex (run M1 t (init M1)) (fun sr => ind (snd sr)) + d.

(* Lemma 2.15, for any two systems M0, M1 in place of M(s0), M(s1). *)
Definition Lemma_2_15 : Prop :=
  forall Msg Ans (aeq : decidable Ans) (some_message : Msg) S0 S1 (M0 : CM S0 Msg Ans) (M1 : CM S1 Msg Ans)
    PS LM LA (P : @IPM Msg Ans PS LM LA) E d,
  indist M0 M1 E d -> indist (post P M0) (post P M1) E d.

(* The same w.r.t. an f, for a P that sends left messages on and reads answers. *)
Definition Lemma_2_15_forwarding : Prop :=
  forall St Msg Ans Pair (aeq : decidable Ans) (some_pair : Pair) (side : bool -> Pair -> Msg) f (M : CM St Msg Ans)
    PS LA (P : @IPM Msg Ans PS Msg LA) E d,
  sends_on P -> DP side f M E d -> DP side f (post P M) E d.

(* Lemma 4.6 (Lyu).  The laws of V[f] o* I(b) o* M over transcripts of at most T pairs from qs
   are lam b + nu b: [lam] has total d, [nu] total 1 - d, both share themselves among the
   answers, and nu 0, nu 1 are within the factor E.  These are the paper's d * phi^b and its
   mixture of psi^b, psi^{1-b}; its simulator T samples from their conditional laws. *)
Definition Lemma_4_6 : Prop :=
  forall St Msg Ans Pair (aeq : decidable (option Ans)) (side : bool -> Pair -> Msg) f (M : CM St Msg Ans) E d,
  1 <= E -> 0 <= d <= 1 -> DP side f M E d -> forall (qs : list Pair) (T : nat),
  exists lam nu : bool -> list (Pair * option Ans) -> Q,
    (forall b, lam b [] == d /\ nu b [] == 1 - d) /\
    forall b h, Forall (fun pa => In (fst pa) qs) h -> (length h <= T)%nat ->
      prob aeq (VI side f b M) (init (VI side f b M)) h == lam b h + nu b h /\
      0 <= lam b h /\ 0 <= nu b h <= E * nu (negb b) h /\
      forall q, In q qs -> (length h < T)%nat -> exists answers,
        NoDup answers /\
        Sum answers (fun a => lam b (h ++ [(q, a)])) == lam b h /\
        Sum answers (fun a => nu b (h ++ [(q, a)])) == nu b h /\
        forall a, ~ In a answers -> lam b (h ++ [(q, a)]) == 0 /\ nu b (h ++ [(q, a)]) == 0.

Definition Theorem_4_10 : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) (alphas : list (Claim side)) f E d,
  0 <= E -> accepts_fixed_mechanisms alphas f ->
  CompRR_DP (map (fun c : @Claim Msg Ans Pair side => (cE c, cd c)) alphas) E d ->
  DP (@eside Msg Ans Pair side) f (@ExtConComp Msg Ans Pair side) E d.

(* The same of ConComp[M_1, .., M_k], where nothing is created. *)
Definition Theorem_4_10_ConComp : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (some_pair : Pair) (side : bool -> Pair -> Msg) (alphas : list (Claim side)) f E d,
  0 <= E -> accepts_each alphas f ->
  CompRR_DP (map (fun c : @Claim Msg Ans Pair side => (cE c, cd c)) alphas) E d ->
  DP (cside side) f (@ConCompOf Msg Ans Pair side alphas) E d.

Definition Theorem_4_12 : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) params E d,
  0 <= E -> proper_params params -> CompRR_DP params E d ->
  DP (@eside Msg Ans Pair side) (@f_fixed Msg Ans Pair side params) (@ExtConComp Msg Ans Pair side) E d.

(* The created mechanisms outside J may have any delta; the fixed ones have none. *)
Definition Theorem_5_2 : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) same, decides side same ->
  forall params E d, 0 <= E -> Forall (fun q => 1 <= fst q /\ snd q == 0) params -> CompRR_DP params E d ->
  DP (@eside Msg Ans Pair side) (@f_inf Msg Ans Pair side same params) (@ExtConComp Msg Ans Pair side) E d.

(* CM prints (eps_1, 0), .., (eps_k, 0) for the parameters of the composition; from its proof
   and Definition 5.4 they are (eps_i, delta_i), as here. *)
Definition Theorem_5_5 : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) same, decides side same ->
  forall params f E d, 0 <= E -> proper_params params -> @accepts_first_pair_consistent Msg Ans Pair side same params f ->
  CompRR_DP params E d -> DP (@eside Msg Ans Pair side) f (@ExtConComp Msg Ans Pair side) E d.

(* Not in CM: parameters chosen as one goes, concurrently; the bound of basic composition. *)
Definition Basic_filter : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) same, decides side same ->
  forall all B D f, 1 <= B -> 0 <= D <= 1 -> @accepts_within Msg Ans Pair side same all B D f ->
  DP (@eside Msg Ans Pair side) f (@ExtConComp Msg Ans Pair side) B D.

(* Not in CM: n adaptively created mechanisms, and the basic bound. *)
Definition Basic_composition : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) params,
  Forall (fun q => 1 <= fst q /\ 0 <= snd q < 1) params ->
  DP (@eside Msg Ans Pair side) (@f_fixed Msg Ans Pair side params) (@ExtConComp Msg Ans Pair side)
    (prodE params) (1 - prodD params).

(* The same with the sum of the deltas. *)
Definition Basic_composition_sum : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) params,
  Forall (fun q => 1 <= fst q /\ 0 <= snd q < 1) params ->
  DP (@eside Msg Ans Pair side) (@f_fixed Msg Ans Pair side params) (@ExtConComp Msg Ans Pair side)
    (prodE params) (Sum params snd).

(* M is any mechanism; with M = ExtConComp it is the paper's theorem. *)
Definition Theorem_6_1 : Prop :=
  forall St Msg Ans Pair (aeq : decidable Ans) (some_pair : Pair) (side : bool -> Pair -> Msg) f' (M : CM St Msg Ans)
    PS LM LA LPair (lside : bool -> LPair -> LM) f (pair_up : Msg -> Msg -> Pair) (P : @IPM Msg Ans PS LM LA) E d,
  three_properties lside f side f' pair_up P -> DP side f' M E d -> DP lside f (post P M) E d.

(* Theorem 1.4 and Section 5.2: with one slot (0, delta) the composition that f_oo allows is
   (E, d')-DP only if d' >= 1 - (1 - delta)^n for every n.  Messages are bits. *)
Definition Theorem_1_4 : Prop :=
  forall delta E d', 0 <= delta <= 1 ->
  DP eside (f_inf same2 [(1, delta)]) (@ExtConComp bool Ans4 (bool * bool) side2) E d' ->
  forall n, 1 - qpow (1 - delta) n <= d'.

Definition Pairwise_basic : Prop :=
  forall G1 A1 G2 A2 (aeq1 : decidable A1) (aeq2 : decidable A2) (some1 : G1) (some2 : G2) S1 S1' S2 S2'
    (N1 : CM S1 G1 A1) (N1' : CM S1' G1 A1) (N2 : CM S2 G2 A2) (N2' : CM S2' G2 A2) E1 d1 E2 d2,
  0 <= E1 -> indist N1 N1' E1 d1 -> indist N2 N2' E2 d2 ->
  indist (ConComp N1 N2) (ConComp N1' N2') (E1 * E2) (d1 + E1 * d2).

(* Theorem S, not in CM: k-sparse parallel composition for delta > 0 without first-pair
   consistency.  n mechanisms are created, each (E0, d0)-DP w.r.t. a verification function
   that does not change if the sides of all pairs are swapped; k of them are in J.  They cost
   what k responses RR_{E0,0} and n responses RR_{1,d0} cost. *)
Definition Theorem_S : Prop :=
  forall Msg Ans Pair (aeq : decidable Ans) (side : bool -> Pair -> Msg) same swap, decides side same ->
  (forall b p, side b (swap p) = side (negb b) p) -> (forall p, swap (swap p) = p) ->
  (forall p, same p = true -> swap p = p) ->
  forall n k E0 d0 f E d, 1 <= E0 -> 0 <= d0 <= 1 -> 0 <= E ->
  @accepts_symmetric Msg Ans Pair side same swap n k E0 d0 f ->
  CompRR_DP (repeat (E0, 0) k ++ repeat (1, d0) n) E d ->
  DP (@eside Msg Ans Pair side) f (@ExtConComp Msg Ans Pair side) E d.

(* Not in CM: certificates of exact answers (docs/certificates.md).  [check_tight] is a program,
   which the kernel runs on a certificate.  If it says true: there is a game of the tables; in
   each such game d bounds every adversary and every event, either way round, against at most
   as many messages as the certificate says; and against so many one adversary attains d. *)
Definition Certificate_exact : Prop :=
  forall C one zero d, Certificate.check_tight C one zero d = true -> Certificate.bounds C one zero d /\ Certificate.attains C one zero d.

(* The bound alone needs no option to be named. *)
Definition Certificate_sound : Prop :=
  forall C one zero d, Certificate.check C one zero d = true -> Certificate.bounds C one zero d.

(* An adversary with coins, which may choose its event by them, gains nothing in a game. *)
Definition Certificate_mixtures : Prop :=
  forall G T E d, Game.game_DP G T E d -> forall l b, proper l -> Game.mixed G b T l <= E * Game.mixed G (negb b) T l + d.
