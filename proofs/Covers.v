(** Which true beliefs a position of a certificate stands for: parts may stand in any order, a
    part that cannot tell the worlds apart is left out, and one may be dead where the position
    has it alive. *)
From Coq Require Import QArith List Bool NArith ZArith Permutation Lia Lqa.
From Antiphon Require Import Distributions Model Game Certificate Products Columns.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.

(* a part, the state of its f, and the laws of its state: in the world ahead, and behind *)
Record Kid := { kind : N; at_f : N; ahead : Dist N; behind : Dist N }.
Definition weight (l : Dist N) : Q := Ex l (fun _ => 1).
Definition good (k : Kid) : Prop := nonneg (ahead k) /\ nonneg (behind k).
Definition listed (k : Kid) : N * N := (kind k, at_f k).

Section Covers.
  Variables (C : Certificate) (G : Game) (o : bool).     (* o is the world ahead *)
  Hypothesis T : of_tables C G.
  Let M := maps C.
  Hypothesis way : o = true -> symmetric C = true.
  Hypothesis rules_ok : forallb (check_rule C) (rules C) = true.
  Hypothesis columns_ok : forallb (fun c => check_column M (snd c)) (columns C) = true.

  Lemma pair_checked : forall c col ms ds q j', lookup [c] (column_map M) = Some col -> moves col = Some (ms, ds) ->
    judge G (part col) (state_of_f col) q = Some j' ->
    exists d, check_pair M col ms (half o q, half (negb o) q, j') d = true.
  Proof.
    intros c col ms ds q j' L E J. rewrite forallb_forall in columns_ok. pose proof (columns_ok _ (lookup_in _ _ L)) as H.
    simpl snd in H. unfold check_column in H. rewrite E in H.
    destruct (lookup [part col; state_of_f col] (rule_map M)) as [r|] eqn:R; [|discriminate].
    rewrite (its_rules T _ _ R) in J. apply ruled_in in J. apply (all2_nth _ _ _ _ H).
    destruct o; simpl; [|exact J].
    rewrite forallb_forall in rules_ok. pose proof (rules_ok _ (lookup_in _ _ R)) as K. cbn [check_rule] in K.
    rewrite forallb_forall in K. specialize (K _ J). cbn beta iota in K. split_and. rewrite (way eq_refl) in H1. simpl in H1.
    destruct (ruled (snd q, fst q) r) as [j''|] eqn:E'; [|discriminate]. apply N.eqb_eq in H1. subst.
    apply ruled_in in E'. exact E'.
  Qed.

  (* whatever is asked: in both worlds the same answer, and it is dead *)
  Definition dies (k : Kid) (q : N * N) (a : N) : Prop :=
    (forall g, Ex (ahead k) (fun s => Ex (kernel G (kind k) s (half o q)) g) == weight (ahead k) * g (a, 0%N)) /\
    (forall g, Ex (behind k) (fun s => Ex (kernel G (kind k) s (half (negb o) q)) g) == weight (behind k) * g (a, 0%N)).
  Definition spent (k : Kid) : Prop :=
    forall q j', judge G (kind k) (at_f k) q = Some j' -> exists a, dies k q a.
  Definition corpse (i j : N) (x y : Q) : Kid := {| kind := i; at_f := j; ahead := [(x, 0%N)]; behind := [(y, 0%N)] |}.
  Lemma corpse_spent : forall i j x y, spent (corpse i j x y).
  Proof.
    intros i j x y q j' _. exists (halting G i). split; intros g; unfold weight; simpl; rewrite (dead_ok G i _ g); ring.
  Qed.
  Lemma corpse_weight : forall i j x y, weight (ahead (corpse i j x y)) == x /\ weight (behind (corpse i j x y)) == y.
  Proof. intros. unfold weight, corpse. cbn [ahead behind Ex fst snd]. split; ring. Qed.
  (* one law for both worlds, and for no differing pair will ever be paid *)
  Definition same (p : N) (k : Kid) : Prop :=
    N.odd (at_f k) = false /\ differ G p (kind k) = None /\
    exists x y mu, 0 <= x /\ 0 <= y /\ nonneg mu /\
      (forall g, Ex (ahead k) g == x * Ex mu g) /\ (forall g, Ex (behind k) g == y * Ex mu g).
  Definition lost (p : N) (k : Kid) : Prop := spent k \/ same p k.
  Definition fits (k : Kid) (c : N) (x y : Q) : Prop :=
    exists col, lookup [c] (column_map M) = Some col /\ part col = kind k /\ state_of_f col = at_f k /\
      (forall g, Ex (ahead k) g == x * Ex (lawQ (law0 col)) g) /\
      (forall g, Ex (behind k) g == y * Ex (lawQ (law1 col)) g).
  Definition m (b : bool) (cs : list N) : Q := nat_Q (mass M b cs).
  Lemma m_cons : forall b c cs, m b (c :: cs) == m b [c] * m b cs.
  Proof. intros. unfold m. cbn [mass]. rewrite !nat_Q_mul. change (nat_Q 1) with 1. ring. Qed.
  Lemma m_nil : forall b, m b [] == 1. Proof. intros. reflexivity. Qed.
  Variable strict : bool.     (* no part is dead where the position has it alive *)
  Definition holds (k : Kid) (c : N) (x y : Q) : Prop :=
    0 <= x /\ 0 <= y /\
    (fits k c x y \/
     strict = false /\ spent k /\ weight (ahead k) == x * m false [c] /\ weight (behind k) == y * m true [c]).
  Lemma fits_weight : forall k c x y, fits k c x y ->
    weight (ahead k) == x * m false [c] /\ weight (behind k) == y * m true [c].
  Proof.
    intros k c x y (col & L & _ & _ & A & B). unfold weight. rewrite A, B, !total_lawQ.
    unfold m. cbn [mass]. unfold mass_of. rewrite L, !nat_Q_mul. cbn [law]. change (nat_Q 1) with 1. split; ring.
  Qed.
  Lemma holds_weight : forall k c x y, holds k c x y ->
    weight (ahead k) == x * m false [c] /\ weight (behind k) == y * m true [c].
  Proof. intros k c x y (_ & _ & [F|[_ [_ W]]]); [apply (fits_weight F)|exact W]. Qed.

  (* p is the public state; x and y are what is left of the weights beside those of the columns *)
  Inductive covers (p : N) : list Kid -> list N -> Q -> Q -> Prop :=
  | covers_nil : covers p [] [] 1 1
  | covers_for : forall k ks c cs x y X Y, holds k c x y -> covers p ks cs X Y ->
      covers p (k :: ks) (c :: cs) (x * X) (y * Y)
  | covers_lost : forall k ks cs X Y, lost p k -> covers p ks cs X Y ->
      covers p (k :: ks) cs (weight (ahead k) * X) (weight (behind k) * Y)
  | covers_eq : forall ks cs cs' X Y X' Y', covers p ks cs X Y -> Permutation cs cs' -> X == X' -> Y == Y' ->
      covers p ks cs' X' Y'.

  Lemma covers_later : forall p p' ks cs X Y, covers p ks cs X Y ->
    (forall i, differ G p i = None -> differ G p' i = None) -> covers p' ks cs X Y.
  Proof.
    intros p p' ks cs X Y H D. induction H; [constructor|constructor; auto| |eapply covers_eq; eauto].
    constructor; auto. destruct H as [H|(O & N & E)]; [left; exact H|right; repeat split; auto].
  Qed.
  Lemma covers_snoc : forall p ks cs X Y k c x y, covers p ks cs X Y -> holds k c x y ->
    covers p (ks ++ [k]) (c :: cs) (x * X) (y * Y).
  Proof.
    intros p ks cs X Y k c x y H K. induction H; simpl.
    - constructor; [exact K|constructor].
    - eapply covers_eq; [apply (covers_for H IHcovers)|apply perm_swap|ring|ring].
    - eapply covers_eq; [apply (covers_lost H IHcovers)|reflexivity|ring|ring].
    - eapply covers_eq; [exact IHcovers|constructor; assumption|rewrite H1; reflexivity|rewrite H2; reflexivity].
  Qed.
  Lemma covers_snoc_lost : forall p ks cs X Y k, covers p ks cs X Y -> lost p k ->
    covers p (ks ++ [k]) cs (weight (ahead k) * X) (weight (behind k) * Y).
  Proof.
    intros p ks cs X Y k H K. induction H; simpl.
    - constructor; [exact K|constructor].
    - eapply covers_eq; [apply (covers_for H IHcovers)|reflexivity|ring|ring].
    - eapply covers_eq; [apply (covers_lost H IHcovers)|reflexivity|ring|ring].
    - eapply covers_eq; [exact IHcovers|assumption|rewrite H1; reflexivity|rewrite H2; reflexivity].
  Qed.
  Definition frame (p : N) (ks : list Kid) (n : nat) (cs : list N) (X Y : Q) : Prop :=
    (forall k c x y, holds k c x y -> covers p (put ks n k) (c :: cs) (x * X) (y * Y)) /\
    (forall k, lost p k -> covers p (put ks n k) cs (weight (ahead k) * X) (weight (behind k) * Y)).
  Lemma covers_split : forall p ks cs X Y, covers p ks cs X Y -> forall n k, nth_error ks n = Some k ->
    exists cs' X' Y', frame p ks n cs' X' Y' /\
      ((exists c x y, holds k c x y /\ Permutation cs (c :: cs') /\ X == x * X' /\ Y == y * Y') \/
       (lost p k /\ Permutation cs cs' /\ X == weight (ahead k) * X' /\ Y == weight (behind k) * Y')).
  Proof.
    induction 1; intros [|n] k' N; simpl in N; try discriminate.
    - inversion N; subst. exists cs, X, Y. split.
      + split; intros; simpl; [apply covers_for|apply covers_lost]; assumption.
      + left. exists c, x, y. repeat split; try reflexivity; apply H.
    - destruct (IHcovers _ _ N) as (cs' & X' & Y' & [F1 F2] & R). exists (c :: cs'), (x * X'), (y * Y'). split.
      + split; intros; simpl.
        * eapply covers_eq; [apply (covers_for H (F1 _ _ _ _ H1))|apply perm_swap|ring|ring].
        * eapply covers_eq; [apply (covers_for H (F2 _ H1))|reflexivity|ring|ring].
      + destruct R as [(c' & x' & y' & R1 & R2 & R3 & R4)|(R1 & R2 & R3 & R4)].
        * left. exists c', x', y'. split; [exact R1|]. split; [rewrite R2; apply perm_swap|].
          rewrite R3, R4. split; ring.
        * right. split; [exact R1|]. split; [rewrite R2; reflexivity|]. rewrite R3, R4. split; ring.
    - inversion N; subst. exists cs, X, Y. split.
      + split; intros; simpl; [apply covers_for|apply covers_lost]; assumption.
      + right. repeat split; try reflexivity; apply H.
    - destruct (IHcovers _ _ N) as (cs' & X' & Y' & [F1 F2] & R).
      exists cs', (weight (ahead k) * X'), (weight (behind k) * Y'). split.
      + split; intros; simpl.
        * eapply covers_eq; [apply (covers_lost H (F1 _ _ _ _ H1))|reflexivity|ring|ring].
        * eapply covers_eq; [apply (covers_lost H (F2 _ H1))|reflexivity|ring|ring].
      + destruct R as [(c' & x' & y' & R1 & R2 & R3 & R4)|(R1 & R2 & R3 & R4)].
        * left. exists c', x', y'. split; [exact R1|]. split; [exact R2|]. rewrite R3, R4. split; ring.
        * right. split; [exact R1|]. split; [exact R2|]. rewrite R3, R4. split; ring.
    - destruct (IHcovers 0%nat k' N) as (cs2 & X2 & Y2 & F & R). exists cs2, X2, Y2. split; [exact F|].
      destruct R as [(c' & x' & y' & R1 & R2 & R3 & R4)|(R1 & R2 & R3 & R4)].
      + left. exists c', x', y'. rewrite <- H1, <- H2, <- H0. auto.
      + right. rewrite <- H1, <- H2, <- H0. auto.
    - destruct (IHcovers (S n) k' N) as (cs2 & X2 & Y2 & F & R). exists cs2, X2, Y2. split; [exact F|].
      destruct R as [(c' & x' & y' & R1 & R2 & R3 & R4)|(R1 & R2 & R3 & R4)].
      + left. exists c', x', y'. rewrite <- H1, <- H2, <- H0. auto.
      + right. rewrite <- H1, <- H2, <- H0. auto.
  Qed.

  (* a part that has just been created *)
  Hypothesis parts_ok : forallb (check_part C M) (parts C) = true.
  Definition newborn (i : N) : Kid :=
    {| kind := i; at_f := judged G i; ahead := ret (first G o i); behind := ret (first G (negb o) i) |}.
  Lemma newborn_holds : forall i s0 s1 j c, lookup [i] (part_map M) = Some (s0, s1, j, c) -> holds (newborn i) c 1 1.
  Proof.
    intros i s0 s1 j c L. destruct (its_parts T _ L) as (P0 & P1 & P2).
    assert (Pk := parts_ok). rewrite forallb_forall in Pk. specialize (Pk _ (lookup_in _ _ L)). cbn [check_part] in Pk.
    apply andb_true_iff in Pk. destruct Pk as [Sy Pk].
    destruct (lookup [c] (column_map M)) as [col|] eqn:Lc; [|discriminate]. split_and. apply N.eqb_eq in H, H2.
    apply same_law_eq in H1, H0. split; [lra|]. split; [lra|]. left. exists col. cbn [newborn kind at_f ahead behind]. rewrite P2.
    assert (first G o i = s0 /\ first G (negb o) i = s1) as [-> ->].
    { destruct o; simpl; [|auto]. rewrite (way eq_refl) in Sy. simpl in Sy. apply N.eqb_eq in Sy. subst. auto. }
    repeat split; auto; intros g; rewrite Ex_ret, ?H1, ?H0; cbn [lawQ map Ex fst snd]; change (nat_Q 1) with 1; ring.
  Qed.
  Lemma newborn_good : forall i, good (newborn i).
  Proof. intros. split; constructor; simpl; try lra; constructor. Qed.
  (* the part that a column stands for *)
  Lemma covers_find : forall p ks cs X Y, covers p ks cs X Y -> forall c, In c cs ->
    exists n k x y cs' X' Y', nth_error ks n = Some k /\ holds k c x y /\ frame p ks n cs' X' Y' /\
      Permutation cs (c :: cs') /\ X == x * X' /\ Y == y * Y'.
  Proof.
    induction 1; intros c0 I.
    - destruct I.
    - destruct I as [->|I].
      + exists 0%nat, k, x, y, cs, X, Y. repeat split; try reflexivity; try apply H;
          intros; simpl; [apply covers_for|apply covers_lost]; assumption.
      + destruct (IHcovers _ I) as (n & k' & x' & y' & cs' & X' & Y' & N & Ho & [F1 F2] & P & EX & EY).
        exists (S n), k', x', y', (c :: cs'), (x * X'), (y * Y'). split; [exact N|]. split; [exact Ho|]. split.
        * split; intros; simpl.
          -- eapply covers_eq; [apply (covers_for H (F1 _ _ _ _ H1))|apply perm_swap|ring|ring].
          -- eapply covers_eq; [apply (covers_for H (F2 _ H1))|reflexivity|ring|ring].
        * split; [rewrite P; apply perm_swap|]. rewrite EX, EY. split; ring.
    - destruct (IHcovers _ I) as (n & k' & x' & y' & cs' & X' & Y' & N & Ho & [F1 F2] & P & EX & EY).
      exists (S n), k', x', y', cs', (weight (ahead k) * X'), (weight (behind k) * Y'). split; [exact N|]. split; [exact Ho|]. split.
      + split; intros; simpl.
        * eapply covers_eq; [apply (covers_lost H (F1 _ _ _ _ H1))|reflexivity|ring|ring].
        * eapply covers_eq; [apply (covers_lost H (F2 _ H1))|reflexivity|ring|ring].
      + split; [exact P|]. rewrite EX, EY. split; ring.
    - rewrite <- H0 in I. destruct (IHcovers _ I) as (n & k' & x' & y' & cs2 & X2 & Y2 & N & Ho & F & P & EX & EY).
      exists n, k', x', y', cs2, X2, Y2. rewrite <- H1, <- H2, <- H0.
      split; [exact N|]. split; [exact Ho|]. split; [exact F|]. auto.
  Qed.

  (* ------------------------------------------------------------- leaving columns out --- *)
  Definition useless (p c : N) : Prop := forall k x y, holds k c x y -> lost p k.
  Lemma tells_not : forall p p' c, tells M p c = false ->
    (forall i, differ G p i = None -> differ G p' i = None) -> useless p' c.
  Proof.
    intros p p' c H D k x y (X & Y & [(col & L & P & F & A & B)|[_ [S _]]]); [|left; exact S].
    unfold tells in H. rewrite L in H. apply andb_false_iff in H. destruct H as [H|H].
    - right. apply orb_false_iff in H. destruct H as [H N]. apply orb_false_iff in H. destruct H as [O S].
      apply negb_false_iff in S. apply same_law_eq in S. split; [rewrite <- F; exact O|]. split.
      + apply D. rewrite (differ_eq T), <- P. fold M. destruct (assoc (part col) (differ_in M p)); [discriminate|reflexivity].
      + exists x, y, (lawQ (law0 col)). split; [exact X|]. split; [exact Y|]. split; [apply lawQ_nonneg|].
        split; [exact A|]. rewrite S. exact B.
    - left. destruct (moves col) as [[[|] ds]|] eqn:E; try discriminate. intros q j' J. rewrite <- P, <- F in J.
      destruct (pair_checked _ _ L E J) as [[a|n answers] K]; cbn [check_pair] in K.
      + apply andb_true_iff in K. destruct K as [K0 K1]. exists a. split; intros g; unfold weight; rewrite <- P.
        * rewrite A, (idle_law T _ _ _ _ K0), A. ring.
        * rewrite B, (idle_law T _ _ _ _ K1), B. ring.
      + destruct n; discriminate.
  Qed.
  Lemma covers_drop1 : forall p ks cs X Y, covers p ks cs X Y -> forall c cs', Permutation cs (c :: cs') ->
    useless p c -> covers p ks cs' (X * m false [c]) (Y * m true [c]).
  Proof.
    induction 1; intros c0 cs0 P U.
    - apply Permutation_nil_cons in P. tauto.
    - destruct (N.eq_dec c c0) as [->|D].
      + apply Permutation_cons_inv in P. destruct (holds_weight H) as [W1 W2].
        eapply covers_eq; [apply (covers_lost (U _ _ _ H) H0)|exact P|rewrite W1; ring|rewrite W2; ring].
      + assert (I : In c0 cs). { assert (In c0 (c :: cs)) as [E|E] by (rewrite P; left; reflexivity); [congruence|exact E]. }
        apply in_split in I. destruct I as (l1 & l2 & ->).
        assert (P1 : Permutation (l1 ++ c0 :: l2) (c0 :: l1 ++ l2)) by (symmetry; apply Permutation_middle).
        eapply covers_eq; [apply (covers_for H (IHcovers _ _ P1 U))| |ring|ring].
        rewrite P1 in P. rewrite perm_swap in P. apply Permutation_cons_inv in P. exact P.
    - eapply covers_eq; [apply (covers_lost H (IHcovers _ _ P U))|reflexivity|ring|ring].
    - rewrite <- H0 in P. eapply covers_eq; [apply (IHcovers _ _ P U)|reflexivity|rewrite H1; reflexivity|rewrite H2; reflexivity].
  Qed.
  Lemma covers_filter : forall p (f : N -> bool) ks cs, (forall c, f c = false -> useless p c) ->
    forall kept X Y, covers p ks (cs ++ kept) X Y ->
    covers p ks (filter f cs ++ kept) (X * m false (filter (fun c => negb (f c)) cs))
                                      (Y * m true (filter (fun c => negb (f c)) cs)).
  Proof.
    intros p f ks cs U. induction cs as [|c cs IH]; intros kept X Y H; cbn [filter app].
    - eapply covers_eq; [exact H|reflexivity|rewrite m_nil; ring|rewrite m_nil; ring].
    - destruct (f c) eqn:F; cbn [negb].
      + eapply covers_eq; [apply (IH (c :: kept))| |reflexivity|reflexivity].
        * eapply covers_eq; [exact H|apply (Permutation_middle cs kept c)|reflexivity|reflexivity].
        * symmetry. apply (Permutation_middle (filter f cs) kept c).
      + eapply covers_eq; [apply (IH kept); apply (covers_drop1 H (c := c)); [reflexivity|auto]|reflexivity| |];
          [rewrite (m_cons false c (filter _ cs))|rewrite (m_cons true c (filter _ cs))]; ring.
  Qed.

  (* ------------------------------------------------------------------------- weights --- *)
  Lemma covers_mass : forall p ks cs X Y, covers p ks cs X Y ->
    JE (map ahead ks) (fun _ => 1) == X * m false cs /\ JE (map behind ks) (fun _ => 1) == Y * m true cs.
  Proof.
    induction 1 as [| k ks c cs x y X Y H H0 [I1 I2] | k ks cs X Y H H0 [I1 I2] | ks cs cs' X Y X' Y' H [I1 I2] H0 H1 H2 ];
      cbn [map JE].
    - rewrite !m_nil. split; reflexivity.
    - rewrite !(Ex_const _ (JE _ _)), I1, I2. destruct (holds_weight H) as [W1 W2]. unfold weight in W1, W2.
      rewrite W1, W2, (m_cons false c cs), (m_cons true c cs). split; ring.
    - rewrite !(Ex_const _ (JE _ _)), I1, I2. unfold weight. split; ring.
    - assert (forall b, m b cs == m b cs') as E.
      { intros b. clear -H0. induction H0; [reflexivity| | |etransitivity; eauto].
        - rewrite (m_cons b x l), (m_cons b x l'), IHPermutation. reflexivity.
        - rewrite (m_cons b y (x :: l)), (m_cons b x l), (m_cons b x (y :: l)), (m_cons b y l). ring. }
      rewrite I1, I2, H1, H2, !E. split; reflexivity.
  Qed.
End Covers.
