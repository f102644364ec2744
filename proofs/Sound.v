(** A certificate that is accepted bounds every adversary, of every game of its tables; and
    there is such a game. *)
From Coq Require Import QArith List Bool NArith ZArith Permutation Lia Lqa.
From Antiphon Require Import Distributions Model Game Certificate Histories Products Columns Covers Bound.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.

#[universes(polymorphic)]
Lemma Pr_not : forall St Msg Ans (M : CM St Msg Ans) A Ev T s past,
  Pr M A T s past Ev + Pr M A T s past (fun h => negb (Ev h)) == 1.
Proof.
  induction T; intros s past; cbn [Pr]; [destruct (Ev past); reflexivity|].
  rewrite <- Ex_add, (Ex_ext _ _ (fun _ => 1)) by (intros; apply IHT). apply step_ok.
Qed.

Section Start.
  Variables (C : Certificate) (G : Game) (o : bool).
  Hypothesis T : of_tables C G.
  Let M := maps C.
  Hypothesis way : o = true -> symmetric C = true.
  Hypothesis rules_ok : forallb (check_rule C) (rules C) = true.
  Hypothesis columns_ok : forallb (fun c => check_column M (snd c)) (columns C) = true.
  Hypothesis parts_ok : forallb (check_part C M) (parts C) = true.
  Hypothesis less_ok : forallb (check_less M) (lesser C) = true.
  Hypothesis publics_ok : forallb (check_public M) (publics C) = true.
  Hypothesis nodes_ok : forallb (check_node C M) (nodes C) = true.

  Lemma first_bound : forall f0 f1 x a b v kk A Ev r, start C M = Some (f0, f1, x) ->
    value C M (rounds C) (Some x) (a * f0) (b * f1) = Some v -> 0 <= kk -> (r <= N.to_nat (rounds C))%nat ->
    kk * nat_Q a * chance G o A r Ev - kk * nat_Q b * chance G (negb o) A r Ev <= kk * v.
  Proof.
    intros f0 f1 x a b v kk A Ev r S V K0 R.
    pose proof (@all_bounded C G o T way rules_ok columns_ok parts_ok less_ok publics_ok nodes_ok A Ev) as B.
    unfold chance, world. cbn [init]. fold (world G o) (world G (negb o)).
    assert (A0 : 0 <= kk * nat_Q a) by (apply Qmult_le_0_compat; [exact K0|apply nat_Q_nonneg]).
    assert (B0 : 0 <= kk * nat_Q b) by (apply Qmult_le_0_compat; [exact K0|apply nat_Q_nonneg]).
    unfold start in S. unfold first_public. rewrite (its_start T). destruct (composed C); cbn [negb].
    - inversion S; subst f0 f1 x; clear S. rewrite !N.mul_1_r in V.
      destruct (@bounded_value C G o nodes_ok A Ev r (B r) (rounds C) (0%N, 0%N, []) a b v kk (kk * nat_Q a) (kk * nat_Q b)
        {| purse := 0; made := 0; kids := [] |} [] [] 0%N R V) as [_ W]; [|exact W].
      split; [constructor|]. split; [cbn; lia|]. split; [constructor|]. split; [reflexivity|]. repeat split; auto.
      exists 1, 1. split; [constructor|]. split; ring.
    - destruct (lookup [0%N] (part_map M)) as [[[[s0 s1] j0] c]|] eqn:L; [|discriminate].
      cbn [branch insert] in S. inversion S; subst f0 f1 x; clear S.
      pose (new := newborn G o 0).
      assert (Ho : holds C G o false new c 1 1) by (eapply newborn_holds; eauto).
      destruct (@branch_bound C G o T way rules_ok columns_ok less_ok nodes_ok A Ev r (B r) (rounds C) 0%N 0%N [c] (1 * 1) (1 * 1) 1%N 1%N
        a b v kk (kk * nat_Q a) (kk * nat_Q b) {| purse := 0; made := 0; kids := [(0%N, judged G 0)] |} [new] [] 0%N R V) as [_ W]; auto.
      + constructor.
      + cbn. lia.
      + constructor; [apply newborn_good|constructor].
      + apply covers_for; [exact Ho|constructor].
      + rewrite N.mul_1_r. ring.
      + rewrite N.mul_1_r. ring.
      + unfold gain in W. cbn [map new newborn ahead behind JE] in W. rewrite !Ex_ret in W. unfold go in W. exact W.
  Qed.
End Start.

Lemma over_zero : forall one zero : positive, Zpos one # zero == inject_Z (Zpos one) / inject_Z (Zpos zero).
Proof. intros. rewrite Qmake_Qdiv. reflexivity. Qed.
Lemma from_units : forall (zero : positive) v d, v <= d * inject_Z (Zpos zero) -> 1 / inject_Z (Zpos zero) * v <= d.
Proof.
  intros zero v d H. assert (Z : 0 < inject_Z (Zpos zero)) by (rewrite <- (Zlt_Qlt 0); reflexivity).
  apply (Qmult_le_l _ _ _ Z). apply (Qle_trans _ v); [|rewrite Qmult_comm; exact H].
  assert (inject_Z (Zpos zero) * (1 / inject_Z (Zpos zero) * v) == v) as ->; [|apply Qle_refl].
  field. intros E. rewrite E in Z. apply (Qlt_irrefl 0 Z).
Qed.

Theorem sound : forall C one zero d, check C one zero d = true -> forall G, of_tables C G ->
  forall T, (T <= N.to_nat (rounds C))%nat -> game_DP G T (Zpos one # zero) d.
Proof.
  intros C one zero d H G TG T R. unfold check, check_with in H.
  apply andb_true_iff in H. destruct H as [H V]. apply andb_true_iff in H. destruct H as [H Hn].
  apply andb_true_iff in H. destruct H as [H Hc]. apply andb_true_iff in H. destruct H as [H Hl].
  apply andb_true_iff in H. destruct H as [H Hp]. apply andb_true_iff in H. destruct H as [H _].
  apply andb_true_iff in H. destruct H as [H Ha]. apply andb_true_iff in H. destruct H as [_ Hr].
  destruct (start C (maps C)) as [[[f0 f1] x]|] eqn:S; [|discriminate].
  apply andb_true_iff in V. destruct V as [V W].
  destruct (value C (maps C) (rounds C) (Some x) (Npos zero * f0) (Npos one * f1)) as [v|] eqn:E; [|discriminate].
  apply Qle_bool_iff in V. apply from_units in V.
  assert (Z : 0 < inject_Z (Zpos zero)) by (rewrite <- (Zlt_Qlt 0); reflexivity).
  assert (Nz : ~ inject_Z (Zpos zero) == 0) by (intros Q; rewrite Q in Z; apply (Qlt_irrefl 0 Z)).
  assert (K : 0 <= 1 / inject_Z (Zpos zero)) by (apply Qle_shift_div_l; lra).
  assert (E1 : 1 / inject_Z (Zpos zero) * nat_Q (Npos zero) == 1) by (change (nat_Q (Npos zero)) with (inject_Z (Zpos zero)); field; exact Nz).
  assert (E2 : 1 / inject_Z (Zpos zero) * nat_Q (Npos one) == Zpos one # zero)
    by (rewrite (over_zero one zero); change (nat_Q (Npos one)) with (inject_Z (Zpos one)); field; exact Nz).
  assert (Ahead : forall b, (b = true -> symmetric C = true) -> forall A Ev,
    chance G b A T Ev <= (Zpos one # zero) * chance G (negb b) A T Ev + d).
  { intros b Wb A Ev. pose proof (@first_bound C G b TG Wb Hr Hc Ha Hl Hp Hn f0 f1 x _ _ v _ A Ev T S E K R) as B.
    rewrite E1, E2 in B. lra. }
  intros [|] A Ev; [|apply Ahead; discriminate].
  destruct (symmetric C) eqn:Sy; [apply Ahead; auto|]. cbn [orb] in W.
  destruct (value C (maps C) (rounds C) (Some x) (Npos one * f0) (Npos zero * f1)) as [v'|] eqn:E'; [|discriminate].
  apply Qle_bool_iff in W. apply from_units in W.
  assert (Wb : false = true -> symmetric C = true) by discriminate.
  pose proof (@first_bound C G false TG Wb Hr Hc Ha Hl Hp Hn f0 f1 x _ _ v' _ A (fun h => negb (Ev h)) T S E' K R) as B.
  rewrite E1, E2 in B. cbn [negb] in *. unfold chance in *.
  pose proof (Pr_not (world G true) A Ev T (init (world G true)) []) as N1.
  pose proof (Pr_not (world G false) A Ev T (init (world G false)) []) as N0.
  rewrite Qmult_plus_distr_r in W.
  assert (E3 : 1 / inject_Z (Zpos zero) * inject_Z (Zpos zero - Zpos one) == 1 - (Zpos one # zero)).
  { rewrite (over_zero one zero). unfold Z.sub. rewrite inject_Z_plus. change (- Zpos one)%Z with (Z.opp (Zpos one)). rewrite inject_Z_opp. field. exact Nz. }
  rewrite E3 in W. revert N1 N0 B W.
  generalize (Pr (world G true) A T (init (world G true)) [] Ev) (Pr (world G false) A T (init (world G false)) [] Ev)
    (Pr (world G true) A T (init (world G true)) [] (fun h => negb (Ev h))) (Pr (world G false) A T (init (world G false)) [] (fun h => negb (Ev h))).
  intros p1 p0 n1 n0 N1 N0 B W. assert (n0 == 1 - p0) as F by lra. rewrite F in B. lra.
Qed.

(* coins gain nothing *)
Theorem mixtures : forall G T E d, game_DP G T E d -> forall l b, proper l -> mixed G b T l <= E * mixed G (negb b) T l + d.
Proof.
  intros G T E d H l b [N W]. unfold mixed.
  eapply Qle_trans; [apply (Ex_mono _ (fun x => E * chance G (negb b) (fst x) T (snd x) + d) N); intros; apply H|].
  rewrite Ex_add, Ex_scal, Ex_const, W. lra.
Qed.

(* ------------------------------------------------------------------ there is a game --- *)
Definition row_ok (s : N) (r : Row) : bool :=
  (fold_right (fun y n => snd y + n) 0 (snd r) =? Npos (fst r))%N &&
  (negb (s =? 0)%N || forallb (fun y => (fst (fst y) =? 0)%N && (snd (fst y) =? 0)%N) (snd r)).
Definition row_of (C : Certificate) (i s q : N) : Dist (N * N) :=
  match lookup [i; s; q] (index (steps C)) with
  | Some r => if row_ok s r then row_law r else ret (0, 0)%N
  | None => ret (0, 0)%N
  end.
Definition judge_of (C : Certificate) (i j : N) (q : N * N) : option N :=
  match lookup [i; j] (index (rules C)) with
  | Some l => match ruled q l with
    | Some j' => if negb (fst q =? snd q)%N || Bool.eqb (N.odd j') (N.odd j) then Some j' else None
    | None => None end
  | None => None
  end.
Definition part_of (C : Certificate) (i : N) : N * N * N * N :=
  match lookup [i] (index (parts C)) with Some p => p | None => (0, 0, 0, 0)%N end.
Lemma row_sum : forall r, Ex (row_law r) (fun _ => 1) == inject_Z (Z.of_N (fold_right (fun y n => snd y + n)%N 0%N (snd r))) / inject_Z (Zpos (fst r)).
Proof.
  intros [d bs]. unfold row_law. cbn [fst snd].
  assert (Nz : ~ inject_Z (Zpos d) == 0) by (intros Q; unfold Qeq in Q; simpl in Q; lia).
  induction bs as [|[x w] bs IH]; cbn [map Ex fst snd fold_right]; [field; exact Nz|].
  rewrite IH, N2Z.inj_add, inject_Z_plus. rewrite Qmake_Qdiv. field. exact Nz.
Qed.
Lemma row_law_proper : forall s r, row_ok s r = true -> proper (row_law r).
Proof.
  intros s r H. unfold row_ok in H. split_and. split.
  - unfold row_law. apply Forall_forall. intros x I. apply in_map_iff in I. destruct I as [y [<- _]]. cbn [fst].
    unfold Qle. simpl. rewrite Z.mul_1_r. apply N2Z.is_nonneg.
  - rewrite row_sum. apply N.eqb_eq in H. rewrite H. cbn [Z.of_N]. field. intros Q. unfold Qeq in Q. simpl in Q. lia.
Qed.
Lemma row_of_proper : forall C i s q, proper (row_of C i s q).
Proof.
  intros. unfold row_of. destruct (lookup [i; s; q] (index (steps C))) as [r|]; [|apply proper_ret].
  destruct (row_ok s r) eqn:E; [apply (row_law_proper _ _ E)|apply proper_ret].
Qed.
Lemma row_of_dead : forall C i q g, Ex (row_of C i 0 q) g == g (0, 0)%N.
Proof.
  intros. unfold row_of. destruct (lookup [i; 0%N; q] (index (steps C))) as [r|]; [|apply Ex_ret].
  destruct (row_ok 0 r) eqn:E; [|apply Ex_ret]. destruct (row_law_proper _ _ E) as [_ W].
  unfold row_ok in E. cbn [N.eqb negb orb] in E. split_and.
  assert (Ex (row_law r) g == Ex (row_law r) (fun _ => 1) * g (0, 0)%N) as ->; [|rewrite W; ring].
  clear -H0. destruct r as [d bs]. unfold row_law. cbn [fst snd] in *. induction bs as [|[[a s] w] bs IH]; cbn [map Ex fst snd forallb] in *; [ring|].
  apply andb_true_iff in H0. destruct H0 as [Ha Hb]. apply andb_true_iff in Ha. destruct Ha as [Ha Hs].
  apply N.eqb_eq in Ha, Hs. subst. rewrite IH by exact Hb. ring.
Qed.
Lemma judge_of_ok : forall C i j q j', judge_of C i j (q, q) = Some j' -> N.odd j' = N.odd j.
Proof.
  intros C i j q j' H. unfold judge_of in H. destruct (lookup [i; j] (index (rules C))) as [l|]; [|discriminate].
  destruct (ruled (q, q) l) as [j1|]; [|discriminate]. cbn [fst snd] in H. rewrite N.eqb_refl in H. cbn [negb orb] in H.
  destruct (Bool.eqb (N.odd j1) (N.odd j)) eqn:E; [|discriminate]. inversion H; subst. apply Bool.eqb_prop, E.
Qed.
Definition game_of (C : Certificate) : Game := {|
  kernel := row_of C; halting := fun _ => 0%N; judge := judge_of C;
  asks := fun p => fst (fst (public_row (index (publics C)) p));
  differ := fun p i => assoc i (snd (fst (public_row (index (publics C)) p)));
  lets_in := fun p i => assoc i (snd (public_row (index (publics C)) p));
  most := creations C; fixed := negb (composed C);
  first := fun b i => let '(s0, s1, _, _) := part_of C i in if b then s1 else s0;
  judged := fun i => let '(_, _, j, _) := part_of C i in j;
  kernel_ok := row_of_proper C; dead_ok := row_of_dead C; judge_ok := judge_of_ok C |}.
Theorem its_game : forall C, forallb check_step (steps C) = true -> forallb (check_rule C) (rules C) = true ->
  of_tables C (game_of C).
Proof.
  intros C Hs Hr. constructor; try reflexivity.
  - intros i s q r L g. cbn [game_of kernel]. unfold row_of. rewrite L.
    rewrite forallb_forall in Hs. specialize (Hs _ (lookup_in _ _ L)). cbn [check_step] in Hs. destruct r as [d bs].
    unfold row_ok. cbn [fst snd]. rewrite Hs. reflexivity.
  - intros i j l L q. cbn [game_of judge]. unfold judge_of. rewrite L.
    destruct (ruled q l) as [j'|] eqn:E; [|reflexivity].
    rewrite forallb_forall in Hr. specialize (Hr _ (lookup_in _ _ L)). cbn [check_rule] in Hr.
    rewrite forallb_forall in Hr. specialize (Hr _ (ruled_in _ _ E)). cbn beta iota in Hr. split_and. rewrite H. reflexivity.
  - intros i s0 s1 j c L. cbn [game_of first judged]. unfold part_of. rewrite L. auto.
Qed.
Theorem accepted : forall C one zero d, check C one zero d = true -> bounds C one zero d.
Proof.
  intros C one zero d H. split; [|intros G TG T R; exact (@sound C one zero d H G TG T R)].
  exists (game_of C). unfold check, check_with in H. repeat (apply andb_true_iff in H; destruct H as [H ?]).
  apply its_game; assumption.
Qed.
