(** Finite components as tables, and their verification functions as automata: so a component
    of the library is written in Coq ([export.py] does it).  [check] decides by computation
    that one is (E, 0)-DP; what it accepts is a Claim.                                    *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

(* Messages, answers and states are numbers; the pair (q0, q1) is a pair of numbers. *)
Definition siden (b : bool) (p : nat * nat) : nat := if b then snd p else fst p.
Definition samen (p : nat * nat) : bool := (fst p =? snd p)%nat.
Lemma samen_decides : decides siden samen.
Proof. intros [x y]. unfold samen; simpl. apply Nat.eqb_eq. Qed.

(* ---------------------------------------------------------------------- tables --- *)
(* for each state and each message the law of (next state, answer); state 0 comes first *)
Definition Table := list (list (Dist (nat * nat))).
Definition law_of (t : Table) (s m : nat) : Dist (nat * nat) :=
  match nth_error t s with
  | Some r => match nth_error r m with Some l => l | None => ret (s, O) end
  | None => ret (s, O)
  end.
Definition is_law {X} (l : Dist X) : bool :=
  forallb (fun wx => Qle_bool 0 (fst wx)) l && Qeq_bool (Ex l (fun _ => 1)) 1.
Definition table_ok (t : Table) : bool := forallb (forallb is_law) t.
Lemma law_ok : forall t, table_ok t = true -> forall s m, proper (law_of t s m).
Proof.
  intros t H s m. unfold law_of. destruct (nth_error t s) as [r|] eqn:Er; [|apply proper_ret].
  destruct (nth_error r m) as [l|] eqn:El; [|apply proper_ret].
  unfold table_ok in H. rewrite forallb_forall in H. specialize (H r (nth_error_In _ _ Er)).
  rewrite forallb_forall in H. specialize (H l (nth_error_In _ _ El)).
  apply andb_true_iff in H. destruct H as [H1 H2]. split.
  - rewrite forallb_forall in H1. apply Forall_forall. intros wx Hx. apply Qle_bool_iff, H1, Hx.
  - apply Qeq_bool_iff, H2.
Qed.
Definition tabled (t : Table) (H : table_ok t = true) : CM nat nat nat :=
  {| init := O; step := law_of t; step_ok := law_ok t H |}.

(* -------------------------------------------------------------------- automata --- *)
(* for each state the pairs that are let through, each with the next state *)
Definition Automaton := list (list (nat * nat * nat)).
Fixpoint find_pair (p : nat * nat) (l : list (nat * nat * nat)) : option nat :=
  match l with
  | [] => None
  | (q0, q1, a) :: l' => if (q0 =? fst p)%nat && (q1 =? snd p)%nat then Some a else find_pair p l'
  end.
Fixpoint follow (aut : Automaton) (a : nat) (ps : list (nat * nat)) : option nat :=
  match ps with
  | [] => Some a
  | p :: ps' => match find_pair p (nth a aut []) with Some a' => follow aut a' ps' | None => None end
  end.
Definition allows (aut : Automaton) (ps : list (nat * nat)) : bool :=
  match follow aut O ps with Some _ => true | None => false end.
Lemma find_in : forall p l a, find_pair p l = Some a -> In (fst p, snd p, a) l.
Proof.
  induction l as [|[[q0 q1] a0] l IH]; simpl; intros a H; [discriminate|].
  destruct (q0 =? fst p)%nat eqn:E0, (q1 =? snd p)%nat eqn:E1; simpl in H; try (right; apply IH; exact H).
  apply Nat.eqb_eq in E0, E1. inversion H; subst. left; reflexivity.
Qed.
Lemma valid_all : forall P (f : list P -> bool) l h, valid_from f h l = true -> l <> [] -> f (h ++ l) = true.
Proof.
  induction l as [|p l IH]; simpl; intros h H Hn; [congruence|]. apply andb_true_iff in H. destruct H as [H1 H2].
  destruct l as [|p' l']; [exact H1|]. specialize (IH (h ++ [p]) H2 ltac:(discriminate)).
  rewrite <- app_assoc in IH. exact IH.
Qed.
Lemma valid_follow : forall aut l, valid (allows aut) l = true -> follow aut O l <> None.
Proof.
  intros aut [|p l] H; [simpl; discriminate|]. apply valid_all in H; [|discriminate]. simpl app in H.
  unfold allows in H. destruct (follow aut 0 (p :: l)); congruence.
Qed.

(* --------------------------------------------------------------------- beliefs --- *)
Fixpoint add (w : Q) (s : nat) (mu : Dist nat) : Dist nat :=
  match mu with
  | [] => [(Qred w, s)]
  | (v, s') :: mu' => if (s =? s')%nat then (Qred (w + v), s') :: mu' else (v, s') :: add w s mu'
  end.
Fixpoint merged (mu : Dist nat) : Dist nat :=
  match mu with [] => [] | (w, s) :: mu' => add w s (merged mu') end.
Lemma Ex_add_one : forall mu w s g, Ex (add w s mu) g == w * g s + Ex mu g.
Proof.
  induction mu as [|[v s'] mu IH]; intros w s g; cbn [add Ex fst snd]; [rewrite Qred_correct; ring|].
  destruct (s =? s')%nat eqn:E; cbn [Ex fst snd]; [|rewrite IH; ring].
  apply Nat.eqb_eq in E. subst. rewrite Qred_correct. ring.
Qed.
Lemma Ex_merged : forall mu g, Ex (merged mu) g == Ex mu g.
Proof. induction mu as [|[w s] mu IH]; simpl; intros g; [reflexivity|]. rewrite Ex_add_one, IH. reflexivity. Qed.

(* the weight of s, and the rest *)
Fixpoint take (s : nat) (mu : Dist nat) : Q * Dist nat :=
  match mu with
  | [] => (0, [])
  | (w, s') :: mu' => let (v, r) := take s mu' in
      if (s =? s')%nat then (w + v, r) else (v, (w, s') :: r)
  end.
Fixpoint below (E : Q) (mu nu : Dist nat) : bool :=
  match mu with
  | [] => forallb (fun ws => Qle_bool 0 (fst ws)) nu
  | (w, s) :: mu' => let (v, r) := take s nu in Qle_bool w (E * v) && below E mu' r
  end.
Lemma Ex_take : forall s mu g, Ex mu g == fst (take s mu) * g s + Ex (snd (take s mu)) g.
Proof.
  induction mu as [|[w s'] mu IH]; simpl; intros g; [ring|]. rewrite (IH g).
  destruct (take s mu) as [v r]. simpl. destruct (s =? s')%nat eqn:E; simpl; [|ring].
  apply Nat.eqb_eq in E. subst. ring.
Qed.
Lemma below_le : forall E mu nu g, 0 <= E -> below E mu nu = true -> (forall s, 0 <= g s) -> Ex mu g <= E * Ex nu g.
Proof.
  induction mu as [|[w s] mu IH]; simpl; intros nu g HE H Hg.
  - apply Qmult_le_0_compat; [exact HE|]. apply Ex_nonneg; [|exact Hg].
    rewrite forallb_forall in H. apply Forall_forall. intros x Hx. apply Qle_bool_iff, H, Hx.
  - pose proof (Ex_take s nu g) as T. destruct (take s nu) as [v r]. simpl in T. apply andb_true_iff in H.
    destruct H as [H1 H2]. apply Qle_bool_iff in H1. specialize (IH r g HE H2 Hg). specialize (Hg s). rewrite T.
    assert (w * g s <= E * v * g s) by (apply Qmult_le_compat_r; assumption). lra.
Qed.

(* ------------------------------------------------------------------- the check --- *)
(* automaton states after which the two sides of all pairs agree, for ever *)
Definition mem (a : nat) (l : list nat) : bool := existsb (Nat.eqb a) l.
Definition calm_in (aut : Automaton) (C : list nat) (a : nat) : bool :=
  forallb (fun e => (fst (fst e) =? snd (fst e))%nat && mem (snd e) C) (nth a aut []).
Fixpoint calming (n : nat) (aut : Automaton) (C : list nat) : list nat :=
  match n with O => C | S n' => calming n' aut (filter (calm_in aut C) C) end.
Definition calm (aut : Automaton) : list nat := calming (length aut) aut (seq 0 (length aut)).

(* a state that stays, and answers 0, whatever it is asked: one that has halted *)
Definition silent (t : Table) (s : nat) : bool :=
  match nth_error t s with
  | None => true
  | Some r => forallb (fun l => match l with
      | [(w, (s', a))] => Qeq_bool w 1 && (s' =? s)%nat && (a =? 0)%nat | _ => false end) r
  end.

Section Check.
  Variables (t : Table) (Ht : table_ok t = true) (aut : Automaton) (E : Q).
  Notation M := (tabled t Ht).
  Notation pr b s h := (prob Nat.eq_dec M s (sideh siden b h)).
  Let C := calm aut.
  Definition mass (mu : Dist nat) : Q := Qred (Ex mu (fun _ => 1)).
  (* from here on the two worlds answer alike *)
  Definition settled (a : nat) (mu0 mu1 : Dist nat) : bool :=
    (mem a C || forallb (fun ws => silent t (snd ws)) (mu0 ++ mu1)) && below E mu0 mu1 && below E mu1 mu0.
  Definition answers (l : Dist (nat * nat)) : list nat := map (fun v => snd (snd v)) l.
  (* mu0, mu1: the state of M under the two bits, weighed by what was answered so far *)
  Fixpoint check_from (fuel a : nat) (mu0 mu1 : Dist nat) : bool :=
    Qle_bool (mass mu0) (E * mass mu1) && Qle_bool (mass mu1) (E * mass mu0) &&
    (settled a mu0 mu1 ||
     match fuel with
     | O => false
     | S n => forallb (fun e =>
         let j0 := joint M mu0 (fst (fst e)) in let j1 := joint M mu1 (snd (fst e)) in
         forallb (fun x => check_from n (snd e) (merged (cond Nat.eq_dec x j0)) (merged (cond Nat.eq_dec x j1)))
                 (nodup Nat.eq_dec (answers j0 ++ answers j1))) (nth a aut [])
     end).
  Definition check (fuel : nat) : bool :=
    forallb (calm_in aut C) C && check_from fuel O (ret O) (ret O).

  Lemma mem_in : forall a l, mem a l = true -> In a l.
  Proof. intros a l H. apply existsb_exists in H. destruct H as [x [H1 H2]]. apply Nat.eqb_eq in H2. subst; exact H1. Qed.
  Lemma calm_same : forallb (calm_in aut C) C = true -> forall h a, mem a C = true ->
    follow aut a (map (@fst _ nat) h) <> None -> sideh siden false h = sideh siden true h.
  Proof.
    intros HC. induction h as [|[p x] h IH]; simpl; intros a Ha Hf; [reflexivity|].
    rewrite forallb_forall in HC. pose proof (HC a (mem_in _ _ Ha)) as K. unfold calm_in in K.
    destruct (find_pair p (nth a aut [])) as [a'|] eqn:F; [|congruence]. apply find_in in F.
    rewrite forallb_forall in K. specialize (K _ F). simpl in K. apply andb_true_iff in K. destruct K as [K1 K2].
    apply Nat.eqb_eq in K1. f_equal; [congruence|]. apply (IH a'); assumption.
  Qed.
  Lemma silent_alike : forall h s, silent t s = true -> pr false s h == pr true s h.
  Proof.
    induction h as [|[p x] h IH]; intros s Hs; [reflexivity|]. simpl. pose proof (IH s Hs) as I.
    assert (L : forall m, Ex (law_of t s m) (fun sa => if Nat.eq_dec (snd sa) x then pr false (fst sa) h else 0)
                  == (if Nat.eq_dec 0 x then pr false s h else 0)
                  /\ Ex (law_of t s m) (fun sa => if Nat.eq_dec (snd sa) x then pr true (fst sa) h else 0)
                  == (if Nat.eq_dec 0 x then pr true s h else 0)).
    { intros m. unfold silent in Hs. unfold law_of. destruct (nth_error t s) as [r|]; [|simpl; destruct (Nat.eq_dec 0 x); split; ring].
      destruct (nth_error r m) as [l|] eqn:El; [|simpl; destruct (Nat.eq_dec 0 x); split; ring].
      rewrite forallb_forall in Hs. specialize (Hs l (nth_error_In _ _ El)).
      destruct l as [|[w [s' a]] [|? ?]]; try discriminate. apply andb_true_iff in Hs. destruct Hs as [Hs Ha].
      apply andb_true_iff in Hs. destruct Hs as [Hw Hs]. apply Nat.eqb_eq in Hs, Ha. apply Qeq_bool_iff in Hw. subst.
      cbn [Ex fst snd]. rewrite Hw. destruct (Nat.eq_dec 0 x); split; ring. }
    destruct (L (fst p)) as [L0 _]. destruct (L (snd p)) as [_ L1].
    rewrite L0, L1. destruct (Nat.eq_dec 0 x); [exact I|reflexivity].
  Qed.

  Definition alike (a : nat) (mu0 mu1 : Dist nat) : Prop :=
    forall h, follow aut a (map fst h) <> None ->
      Ex mu0 (fun s => pr false s h) <= E * Ex mu1 (fun s => pr true s h) /\
      Ex mu1 (fun s => pr true s h) <= E * Ex mu0 (fun s => pr false s h).
  Lemma settled_alike : 0 <= E -> forallb (calm_in aut C) C = true ->
    forall a mu0 mu1, settled a mu0 mu1 = true -> alike a mu0 mu1.
  Proof.
    intros HE HC a mu0 mu1 H h Hf. unfold settled in H. rewrite !andb_true_iff in H. destruct H as [[H H0] H1].
    assert (Same : forall w s, In (w, s) (mu0 ++ mu1) -> pr false s h == pr true s h).
    { intros w s Hi. apply orb_true_iff in H. destruct H as [H|H].
      - rewrite (calm_same HC h a H Hf). reflexivity.
      - rewrite forallb_forall in H. apply silent_alike. exact (H _ Hi). }
    assert (N : forall b s, 0 <= pr b s h) by (intros; apply prob_nonneg).
    split.
    - rewrite <- (Ex_ext_in mu1 (fun s => pr false s h)); [apply below_le; auto|].
      intros w s Hi. apply (Same w). apply in_or_app; right; exact Hi.
    - rewrite (Ex_ext_in mu0 (fun s => pr false s h) (fun s => pr true s h)); [apply below_le; auto|].
      intros w s Hi. apply (Same w). apply in_or_app; left; exact Hi.
  Qed.
  Lemma cond_out : forall x (j : Dist (nat * nat)), ~ In x (answers j) -> cond Nat.eq_dec x j = [].
  Proof.
    intros x. unfold cond, answers. induction j as [|[w [s a]] j IH]; simpl; intros H; [reflexivity|].
    destruct (Nat.eq_dec a x); [tauto|]. simpl. apply IH. tauto.
  Qed.
  Lemma check_alike : 0 <= E -> forallb (calm_in aut C) C = true ->
    forall fuel a mu0 mu1, check_from fuel a mu0 mu1 = true -> alike a mu0 mu1.
  Proof.
    intros HE HC. induction fuel as [|n IH]; intros a mu0 mu1 H.
    - simpl in H. rewrite !andb_true_iff, orb_false_r in H. apply settled_alike; tauto.
    - cbn [check_from] in H. rewrite !andb_true_iff in H. destruct H as [[H0 H1] H].
      apply orb_true_iff in H. destruct H as [H|H]; [apply settled_alike; assumption|].
      apply Qle_bool_iff in H0, H1. unfold mass in H0, H1. rewrite !Qred_correct in H0, H1.
      intros [|[p x] h] Hf; [simpl; split; assumption|].
      simpl map in Hf. cbn [follow] in Hf. destruct (find_pair p (nth a aut [])) as [a'|] eqn:F; [|congruence].
      apply find_in in F. rewrite forallb_forall in H. specialize (H _ F). cbv beta zeta in H. cbn [fst snd] in H.
      set (j0 := joint M mu0 (fst p)) in *. set (j1 := joint M mu1 (snd p)) in *.
      assert (Z0 : Ex mu0 (fun s => pr false s ((p, x) :: h)) == Ex (merged (cond Nat.eq_dec x j0)) (fun s => pr false s h)).
      { rewrite Ex_merged. unfold j0. rewrite cond_joint_prob. reflexivity. }
      assert (Z1 : Ex mu1 (fun s => pr true s ((p, x) :: h)) == Ex (merged (cond Nat.eq_dec x j1)) (fun s => pr true s h)).
      { rewrite Ex_merged. unfold j1. rewrite cond_joint_prob. reflexivity. }
      rewrite Z0, Z1. destruct (in_dec Nat.eq_dec x (answers j0 ++ answers j1)) as [Hi|Hi].
      + rewrite forallb_forall in H. specialize (H x (proj2 (nodup_In Nat.eq_dec _ x) Hi)). apply (IH _ _ _ H h Hf).
      + rewrite !cond_out by (intro; apply Hi, in_or_app; tauto). simpl. lra.
  Qed.
  Lemma check_pointwise : 0 <= E -> forall fuel, check fuel = true -> pointwise Nat.eq_dec siden (allows aut) M E.
  Proof.
    intros HE fuel H b h Hv. apply andb_true_iff in H. destruct H as [HC H].
    destruct (check_alike HE HC _ _ _ _ H h (valid_follow _ _ Hv)) as [K0 K1]. unfold ret in K0, K1. cbn [Ex fst snd] in K0, K1.
    change (init M) with O. destruct b; simpl negb; lra.
  Qed.
End Check.

(* What is checked is a claim.  In a composition whose claims are not in question (a test of
   what it answers) anything is (E, 1)-DP.                                              *)
Lemma zero_one : 0 <= 0 <= 1. Proof. lra. Qed.
Lemma one_one : 0 <= 1 <= 1. Proof. lra. Qed.
Lemma check_DP : forall t (Ht : table_ok t = true) aut E fuel, 1 <= E -> check t Ht aut E fuel = true ->
  DP siden (allows aut) (tabled t Ht) E 0.
Proof.
  intros t Ht aut E fuel HE H. apply (pure_DP_iff_pointwise Nat.eq_dec siden (allows aut) (tabled t Ht) HE).
  exact (check_pointwise t Ht aut (Qle_trans _ _ _ (Qlt_le_weak 0 1 eq_refl) HE) fuel H).
Qed.
Definition checked (t : Table) (aut : Automaton) (E : Q) (fuel : nat) (Ht : table_ok t = true) (HE : 1 <= E)
    (H : check t Ht aut E fuel = true) : @Claim nat nat (nat * nat) siden :=
  @mkClaim _ _ _ siden nat (tabled t Ht) (allows aut) E 0 HE zero_one (check_DP t Ht aut fuel HE H).
Lemma any_DP : forall St Msg Ans Pair (side : bool -> Pair -> Msg) f (M : CM St Msg Ans) E, 0 <= E -> DP side f M E 1.
Proof.
  intros St Msg Ans Pair side f M E HE b A T Ev.
  destruct (Pr_range (VI side f b M) A Ev T (init (VI side f b M)) []) as [_ H0].
  destruct (Pr_range (VI side f (negb b) M) A Ev T (init (VI side f (negb b) M)) []) as [H1 _].
  pose proof (Qmult_le_0_compat _ _ HE H1). lra.
Qed.
Lemma at_least_0 : forall E, 1 <= E -> 0 <= E. Proof. intros; lra. Qed.
Definition unchecked (t : Table) (aut : Automaton) (E : Q) (Ht : table_ok t = true) (HE : 1 <= E)
  : @Claim nat nat (nat * nat) siden :=
  @mkClaim _ _ _ siden nat (tabled t Ht) (allows aut) E 1 HE one_one
    (any_DP siden (allows aut) (tabled t Ht) (at_least_0 HE)).
