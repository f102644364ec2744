(** Soundness of certificates: no belief is worth more than its node says, so no adversary has
    more than the first one's value. *)
From Coq Require Import QArith List Bool NArith ZArith Permutation Lia Lqa.
From Antiphon Require Import Distributions Model Game Certificate Histories Products Columns Covers.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.

Lemma insert_perm : forall c cs, Permutation (insert c cs) (c :: cs).
Proof.
  induction cs as [|c' cs IH]; simpl; [reflexivity|]. destruct (c <=? c')%N; [reflexivity|].
  rewrite IH. apply perm_swap.
Qed.
Lemma numbered_in : forall X Y (f : nat -> X -> list Y) l n k x y,
  nth_error l k = Some x -> In y (f (n + k)%nat x) -> In y (numbered f n l).
Proof.
  induction l; intros n [|k] x y H I; simpl in *; try discriminate; apply in_or_app.
  - inversion H; subst. rewrite Nat.add_0_r in I. auto.
  - right. apply (IHl (S n) k x y H). rewrite <- plus_n_Sm in I. exact I.
Qed.
Lemma each_in : forall X Y (f : X -> option (list Y)) l r x, each f l = Some r -> In x l ->
  exists y, f x = Some y /\ incl y r.
Proof.
  induction l; intros r x H I; simpl in *; [tauto|]. destruct (f a) as [y|] eqn:E; [|discriminate].
  destruct (each f l) as [r'|]; [|discriminate]. inversion H; subst. destruct I as [->|I].
  - exists y. split; [exact E|apply incl_appl, incl_refl].
  - destruct (IHl _ _ eq_refl I) as [y' [F S]]. exists y'. split; [exact F|apply incl_appr, S].
Qed.
Lemma plus_eq : forall x y, plus x y == x + y.
Proof.
  intros [a b] [c d]. unfold plus. cbn [Qden Qnum]. destruct (b =? d)%positive eqn:E; [|apply Qred_correct].
  apply Pos.eqb_eq in E. subst. unfold Qeq, Qplus. cbn [Qden Qnum]. nia.
Qed.
Lemma scale_le : forall k x y, 0 <= k -> x <= y -> k * x <= k * y.
Proof. intros. rewrite (Qmult_comm k x), (Qmult_comm k y). apply Qmult_le_compat_r; assumption. Qed.
Lemma ind_between : forall b, 0 <= ind b <= 1.
Proof. destruct b; simpl; split; lra. Qed.

Section Bound.
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
  Notation covers := (covers C G o false).
  Notation m := (m C).

  (* -------------------------------------------------------------- what a value says --- *)
  Definition fine (t : N) (x : Position) (a b : N) (v : Q) : Prop :=
    let '(p, created, cs) := x in
    stop (a * mass M false cs) (b * mass M true cs) <= v /\
    (t = 0%N \/ nat_Q (a * mass M false cs) <= v \/
     exists l, options C M x = Some l /\ forall op, In op l -> no_more C M t a b v op = true).
  Lemma value_fine : forall t x a b v, value C M t (Some x) a b = Some v ->
    exists g a' b' v', a = (g * a')%N /\ b = (g * b')%N /\ v == nat_Q g * v' /\ fine t x a' b' v'.
  Proof.
    intros t [[p created] cs] a b v H. cbn [value] in H. pose proof (N.ggcd_correct_divisors a b) as D.
    destruct (N.ggcd a b) as [g [a' b']]. destruct D as [D1 D2].
    destruct (lookup (t :: p :: created :: a' :: b' :: cs) (node_map M)) as [[v' best]|] eqn:L.
    - inversion H; subst v. exists g, a', b', v'. split; [exact D1|]. split; [exact D2|]. split; [reflexivity|].
      rewrite forallb_forall in nodes_ok. pose proof (nodes_ok _ (lookup_in _ _ L)) as K. cbn [check_node] in K. split_and.
      apply Qle_bool_iff in H0. split; [exact H0|]. right. apply orb_true_iff in H1. destruct H1 as [H1|H1].
      + left. apply Qle_bool_iff. exact H1.
      + right. destruct (options C M (p, created, cs)) as [l|]; [|discriminate]. exists l. split; [reflexivity|].
        intros op I. rewrite forallb_forall in H1. apply H1, I.
    - match type of H with (if ?c then _ else _) = _ => destruct c eqn:E in H; [|discriminate] end. inversion H; subst v.
      exists 1%N, a, b, (stop (a * mass M false cs) (b * mass M true cs)).
      repeat split; try (rewrite N.mul_1_l; reflexivity); [change (nat_Q 1) with 1; ring|apply Qle_refl|].
      apply orb_true_iff in E. destruct E as [E|E]; [apply orb_true_iff in E; destruct E as [E|E];
        [apply orb_true_iff in E; destruct E as [E|E]|]|].
      + left. apply N.eqb_eq. exact E.
      + right; left. apply N.eqb_eq in E. rewrite E. apply stop_nonneg.
      + right; left. apply N.eqb_eq in E. rewrite E, stop_zero. apply Qle_refl.
      + right; right. destruct (options C M (p, created, cs)) as [[|]|]; try discriminate. exists []. split; [reflexivity|].
        intros op [].
  Qed.

  (* ------------------------------------------------------------------ what it bounds --- *)
  Variables (A : Adversary Message Reply) (Ev : list Reply -> bool).
  Definition go b r h u ss : Q := Pr (world G b) A r (Some (u, ss)) h Ev.
  Definition gone r (h : list Reply) : Q := ind (Ev (h ++ repeat Halted r)).
  Lemma Pr_gone : forall b r h, Pr (world G b) A r None h Ev == gone r h.
  Proof.
    induction r; intros h; unfold gone; cbn [Pr repeat]; [rewrite app_nil_r; reflexivity|].
    change (step (world G b)) with (Game.play G b). cbn [Game.play]. rewrite Ex_ret. cbn [fst snd]. rewrite IHr. unfold gone.
    rewrite <- app_assoc. reflexivity.
  Qed.
  Definition then_ b r h u (a : N) ss : Q := if (a =? 0)%N then gone r (h ++ [Halted]) else go b r (h ++ [Says a]) u ss.
  Definition gain (F : bool -> list N -> Q) ks al be : Q :=
    al * JE (map ahead ks) (F o) - be * JE (map behind ks) (F (negb o)).
  Lemma gain_ext : forall F F' ks al be, (forall b ss, F b ss == F' b ss) -> gain F ks al be == gain F' ks al be.
  Proof. intros. unfold gain. rewrite (JE_ext _ (F o) (F' o)), (JE_ext _ (F (negb o)) (F' (negb o))) by auto. reflexivity. Qed.

  (* the belief of weights al, be in both worlds is kk times that of the node's weights a, b *)
  Definition covered (u : Public) (x : Position) (ks : list Kid) (a b : N) (kk al be : Q) : Prop :=
    let '(p, created, cs) := x in
    leq C (purse u) p /\ (created <= made u)%N /\ Forall good ks /\ map listed ks = kids u /\
    0 <= al /\ 0 <= be /\ 0 <= kk /\
    exists X Y, covers (purse u) ks cs X Y /\ al * X == kk * nat_Q a /\ be * Y == kk * nat_Q b.
  Lemma covered_mass : forall u p created cs ks a b kk al be, covered u (p, created, cs) ks a b kk al be ->
    al * JE (map ahead ks) (fun _ => 1) == kk * nat_Q (a * mass M false cs) /\
    be * JE (map behind ks) (fun _ => 1) == kk * nat_Q (b * mass M true cs).
  Proof.
    intros u p created cs ks a b kk al be (_ & _ & _ & _ & _ & _ & _ & X & Y & V & HX & HY).
    destruct (covers_mass V) as [-> ->]. rewrite !nat_Q_mul, !Qmult_assoc, HX, HY. split; unfold Covers.m; fold M; ring.
  Qed.
  Lemma stop_bound : forall u p created cs ks a b kk al be v z, covered u (p, created, cs) ks a b kk al be ->
    stop (a * mass M false cs) (b * mass M true cs) <= v ->
    gain (fun _ _ => ind z) ks al be <= kk * v.
  Proof.
    intros u p created cs ks a b kk al be v z H S. destruct (covered_mass H) as [W0 W1].
    destruct H as (_ & _ & _ & _ & _ & _ & K & _). unfold gain. rewrite !(JE_const _ (ind z)), !Qmult_assoc, W0, W1.
    pose proof (stop_least (a * mass M false cs) (b * mass M true cs)) as L.
    pose proof (stop_nonneg (a * mass M false cs) (b * mass M true cs)) as N.
    revert L N S. generalize (stop (a * mass M false cs) (b * mass M true cs)) (nat_Q (a * mass M false cs)) (nat_Q (b * mass M true cs)).
    intros s x y L N S. assert (kk * 0 <= kk * v) by (apply scale_le; lra).
    assert (kk * (x - y) <= kk * v) by (apply scale_le; lra). destruct z; simpl; lra.
  Qed.
  Lemma ceiling_bound : forall u p created cs ks a b kk al be v r h, covered u (p, created, cs) ks a b kk al be ->
    nat_Q (a * mass M false cs) <= v -> gain (fun w => go w r h u) ks al be <= kk * v.
  Proof.
    intros u p created cs ks a b kk al be v r h H S. destruct (covered_mass H) as [W0 _].
    destruct H as (_ & _ & Gd & _ & A0 & B0 & K & _). unfold gain.
    assert (al * JE (map ahead ks) (go o r h u) <= al * JE (map ahead ks) (fun _ => 1)).
    { apply scale_le; [exact A0|]. apply JE_mono; [|intros; apply Pr_range]. clear -Gd. induction Gd; simpl; constructor; auto. apply H. }
    assert (be * 0 <= be * JE (map behind ks) (go (negb o) r h u)).
    { apply scale_le; [exact B0|]. rewrite <- (JE_zero (map behind ks)). apply JE_mono; [|intros; apply Pr_range].
      clear -Gd. induction Gd; simpl; constructor; auto. apply H. }
    pose proof (scale_le K S). lra.
  Qed.

  Lemma stop_fine : forall t x a b v, fine t x a b v -> 0 <= v.
  Proof. intros t [[p created] cs] a b v [F _]. eapply Qle_trans; [apply stop_nonneg|exact F]. Qed.
  Definition bounded (r : nat) : Prop := forall t x a b v kk al be u ks h,
    (r <= N.to_nat t)%nat -> fine t x a b v -> covered u x ks a b kk al be -> gain (fun w => go w r h u) ks al be <= kk * v.
  Lemma bounded_then : forall r, bounded r -> forall t x a b v kk al be u ks h e,
    (r <= N.to_nat t)%nat -> fine t x a b v -> covered u x ks a b kk al be ->
    gain (fun w => then_ w r h u e) ks al be <= kk * v.
  Proof.
    intros r IH t x a b v kk al be u ks h e R F V. unfold then_. destruct (e =? 0)%N.
    - destruct x as [[p created] cs]. exact (stop_bound _ V (proj1 F)).
    - exact (IH _ _ _ _ _ _ _ _ _ _ _ R F V).
  Qed.
  Lemma covered_gcd : forall u x ks g a' b' kk al be, covered u x ks (g * a') (g * b') kk al be ->
    covered u x ks a' b' (kk * nat_Q g) al be.
  Proof.
    intros u [[p created] cs] ks g a' b' kk al be (H1 & H2 & H3 & H4 & H5 & H6 & H7 & X & Y & V & HX & HY).
    repeat split; auto; [apply Qmult_le_0_compat; [exact H7|apply nat_Q_nonneg]|].
    exists X, Y. split; [exact V|]. rewrite HX, HY, !nat_Q_mul. split; ring.
  Qed.
  Lemma bounded_value : forall r, bounded r -> forall t x a b v kk al be u ks h e,
    (r <= N.to_nat t)%nat -> value C M t (Some x) a b = Some v -> covered u x ks a b kk al be ->
    gain (fun w => then_ w r h u e) ks al be <= kk * v /\ gain (fun w => go w r h u) ks al be <= kk * v.
  Proof.
    intros r IH t x a b v kk al be u ks h e R F V. destruct (value_fine _ _ _ _ F) as (g & a' & b' & v' & -> & -> & E & F').
    apply covered_gcd in V. rewrite E, Qmult_assoc. split.
    - eapply bounded_then; eauto.
    - eapply IH; eauto.
  Qed.
  (* a branch: some columns are left out *)
  Lemma branch_bound : forall r, bounded r -> forall t p' created all X Y f0 f1 a b v kk al be u ks h e,
    (r <= N.to_nat t)%nat ->
    value C M t (Some (p', created, filter (tells M p') all))
      (a * (f0 * mass M false (filter (fun c => negb (tells M p' c)) all)))
      (b * (f1 * mass M true (filter (fun c => negb (tells M p' c)) all))) = Some v ->
    leq C (purse u) p' -> (created <= made u)%N -> Forall good ks -> map listed ks = kids u ->
    0 <= al -> 0 <= be -> 0 <= kk -> covers (purse u) ks all X Y ->
    al * X == kk * nat_Q (a * f0) -> be * Y == kk * nat_Q (b * f1) ->
    gain (fun w => then_ w r h u e) ks al be <= kk * v /\ gain (fun w => go w r h u) ks al be <= kk * v.
  Proof.
    intros r IH t p' created all X Y f0 f1 a b v kk al be u ks h e R F L Cr Gd Ki A0 B0 K0 V HX HY.
    eapply (bounded_value IH); [exact R|exact F|]. repeat split; auto. 
    assert (U : forall c, tells M p' c = false -> useless C G o false (purse u) c).
    { intros c Hc. eapply tells_not; eauto. intros i D. destruct (leq_simulates T less_ok L) as [_ [S _]].
      destruct (differ G (purse u) i) as [z|] eqn:Z; [|reflexivity]. destruct (S _ _ Z) as [z' [Z' _]]. congruence. }
    assert (V' : covers (purse u) ks (all ++ []) X Y) by (rewrite app_nil_r; exact V).
    pose proof (covers_filter (tells M p') _ U _ V') as V2. rewrite app_nil_r in V2.
    eexists; eexists. split; [exact V2|]. unfold Covers.m. fold M. rewrite !Qmult_assoc, HX, HY, !nat_Q_mul. split; ring.
  Qed.

  (* ------------------------------------------------------------------------- answers --- *)
  Lemma go_put : forall b r h u u' n i q ss, A h = Asks n q -> allows G u (A h) = Some (u', Put n i q) ->
    go b (S r) h u ss ==
    Ex (kernel G i (nth n ss 0%N) (half b q)) (fun y => then_ b r h u' (fst y) (put ss n (snd y))).
  Proof.
    intros b r h u u' n i q ss E H. unfold go at 1. cbn [Pr]. change (step (world G b)) with (Game.play G b). cbn [Game.play]. rewrite H, Ex_dmap.
    apply Ex_ext. intros [a s]. unfold then_. cbn [fst snd]. destruct (a =? 0)%N; cbn [fst snd]; [apply Pr_gone|reflexivity].
  Qed.
  Lemma gain_put : forall r h u u' n i q ks k al be, A h = Asks n q -> allows G u (A h) = Some (u', Put n i q) ->
    nth_error ks n = Some k ->
    gain (fun b => go b (S r) h u) ks al be ==
    al * Ex (ahead k) (fun s => Ex (kernel G i s (half o q)) (fun y => JE (put (map ahead ks) n (ret (snd y))) (then_ o r h u' (fst y))))
    - be * Ex (behind k) (fun s => Ex (kernel G i s (half (negb o) q)) (fun y => JE (put (map behind ks) n (ret (snd y))) (then_ (negb o) r h u' (fst y)))).
  Proof.
    intros r h u u' n i q ks k al be E H N. unfold gain.
    rewrite (JE_ext (map ahead ks) _ _ (fun ss => @go_put o r h u u' n i q ss E H)), (JE_ext (map behind ks) _ _ (fun ss => @go_put (negb o) r h u u' n i q ss E H)).
    rewrite (JE_step (map ahead ks) n (fun s => kernel G i s (half o q)) snd (fun y => then_ o r h u' (fst y)) (l := ahead k)) by (apply map_nth_error, N).
    rewrite (JE_step (map behind ks) n (fun s => kernel G i s (half (negb o) q)) snd (fun y => then_ (negb o) r h u' (fst y)) (l := behind k)) by (apply map_nth_error, N).
    reflexivity.
  Qed.
  Lemma law_put : forall (f : Kid -> Dist N) ks n k' F, (n < length ks)%nat ->
    Ex (f k') (fun s => JE (put (map f ks) n (ret s)) F) == JE (map f (put ks n k')) F.
  Proof.
    intros f ks n k' F L. rewrite map_put.
    rewrite (JE_put (put (map f ks) n (f k')) n F (l := f k')) by (apply put_nth; rewrite map_length; exact L).
    apply Ex_ext. intros. rewrite put_put. reflexivity.
  Qed.
  Lemma gain_dies : forall r h u u' n i j' q ks k a al be, A h = Asks n q -> allows G u (A h) = Some (u', Put n i q) ->
    nth_error ks n = Some k -> i = kind k -> dies G o k q a ->
    gain (fun b => go b (S r) h u) ks al be ==
    gain (fun b => then_ b r h u' a) (put ks n (corpse i j' (weight (ahead k)) (weight (behind k)))) al be.
  Proof.
    intros r h u u' n i j' q ks k a al be E H N -> [D0 D1]. rewrite (@gain_put r h u u' n _ q ks k al be E H N), D0, D1. cbn [fst snd].
    assert (L : (n < length ks)%nat) by (apply nth_error_Some; congruence).
    unfold gain. rewrite <- !law_put by exact L. cbn [corpse ahead behind Ex fst snd]. ring.
  Qed.

  Lemma good_put : forall ks n k, Forall good ks -> nonneg (ahead k) -> nonneg (behind k) -> Forall good (put ks n k).
  Proof. intros. apply Forall_put; [assumption|split; assumption]. Qed.
  Lemma listed_put : forall ks n k l, map listed ks = l -> map listed (put ks n k) = put l n (listed k).
  Proof. intros. rewrite map_put, H. reflexivity. Qed.
  Lemma weight_nonneg : forall l, nonneg l -> 0 <= weight l.
  Proof. intros. apply Ex_nonneg; [assumption|]. intros; lra. Qed.
  Lemma one_law : forall x : Q, 0 <= x -> nonneg [(x, 0%N)].
  Proof. intros. constructor; [exact H|constructor]. Qed.

  (* ------------------------------------------------------------------------- options --- *)
  Lemma ask_options_in : forall x c cs done r, ask_options M x done cs = Some r -> In c cs ->
    (exists others k ms ds, Permutation (c :: others) (rev done ++ cs) /\ lookup [c] (column_map M) = Some k /\
       moves k = Some (ms, ds) /\ incl (numbered (ask_option M x (part k) c others) O ms) r) \/
    (exists d, done = c :: d).
  Proof.
    intros x c. induction cs as [|c0 cs IH]; intros done r H I; [destruct I|]. cbn [ask_options] in H.
    destruct (ask_options M x (c0 :: done) cs) as [r'|] eqn:E; [|discriminate].
    assert (Own : c = c0 -> (exists others k ms ds, Permutation (c :: others) (rev done ++ c0 :: cs) /\
       lookup [c] (column_map M) = Some k /\ moves k = Some (ms, ds) /\
       incl (numbered (ask_option M x (part k) c others) O ms) r) \/ (exists d, done = c :: d)).
    { intros ->. destruct (match done with [] => false | c' :: _ => (c0 =? c')%N end) eqn:D.
      - right. destruct done as [|c' d]; [discriminate|]. apply N.eqb_eq in D. subst. eauto.
      - left. destruct (lookup [c0] (column_map M)) as [k|] eqn:L; [|discriminate].
        destruct (moves k) as [[ms ds]|] eqn:Mo; [|discriminate]. inversion H; subst.
        exists (rev_append done cs), k, ms, ds. split; [|split; [reflexivity|split; [exact Mo|apply incl_appl, incl_refl]]].
        rewrite rev_append_rev. apply Permutation_middle. }
    destruct I as [->|I]; [apply Own; reflexivity|].
    assert (Sub : incl r' r).
    { destruct (match done with [] => false | c' :: _ => (c0 =? c')%N end); [inversion H; apply incl_refl|].
      destruct (lookup [c0] (column_map M)) as [k|]; [|discriminate]. destruct (moves k) as [[ms ds]|]; [|discriminate].
      inversion H. apply incl_appr, incl_refl. }
    destruct (IH _ _ E I) as [(others & k & ms & ds & P & L & Mo & Inc)|[d D]].
    - left. exists others, k, ms, ds. split; [|split; [exact L|split; [exact Mo|eapply incl_tran; eauto]]].
      rewrite P. cbn [rev]. rewrite <- app_assoc. reflexivity.
    - inversion D; subst. apply Own. reflexivity.
  Qed.
  Lemma options_of : forall p created cs l, options C M (p, created, cs) = Some l ->
    (asks_in M p = true -> exists r, ask_options M (p, created, cs) [] cs = Some r /\ incl r l) /\
    ((created < creations C)%N -> exists r, each (create_option M (p, created, cs)) (admit_in M p) = Some r /\ incl r l).
  Proof.
    intros p created cs l H. cbn [options] in H.
    destruct (if (created <? creations C)%N then _ else _) as [l1|] eqn:E1; [|discriminate].
    destruct (if asks_in M p then _ else _) as [l2|] eqn:E2; [|discriminate]. inversion H; subst. split.
    - intros As. rewrite As in E2. exists l2. split; [exact E2|apply incl_appr, incl_refl].
    - intros L. apply N.ltb_lt in L. rewrite L in E1. exists l1. split; [exact E1|apply incl_appl, incl_refl].
  Qed.

  (* --------------------------------------------------------------------- a live part --- *)
  Lemma branches_bound : forall r, bounded r -> forall t p' created others cs' X' Y' a b kk al be u u' ks n i j' h,
    (r <= N.to_nat t)%nat -> frame C G o false (purse u) ks n cs' X' Y' -> Permutation cs' others ->
    al * X' == kk * nat_Q a -> be * Y' == kk * nat_Q b -> leq C (purse u') p' ->
    (forall i, differ G (purse u) i = None -> differ G (purse u') i = None) -> (created <= made u')%N ->
    map listed ks = kids u -> kids u' = put (kids u) n (i, j') -> Forall good ks -> 0 <= al -> 0 <= be -> 0 <= kk ->
    (n < length ks)%nat -> forall bs answers w, well_led C i j' answers bs ->
    worth C M t a b (map (branch M p' created others) bs) = Some w ->
    al * branch_sum C false answers bs (fun y => JE (put (map ahead ks) n (ret (snd y))) (then_ o r h u' (fst y)))
    - be * branch_sum C true answers bs (fun y => JE (put (map behind ks) n (ret (snd y))) (then_ (negb o) r h u' (fst y)))
    <= kk * w.
  Proof.
    intros r IH t p' created others cs' X' Y' a b kk al be u u' ks n i j' h R [F1 F2] P HX HY L D Cr Ki Ki' Gd A0 B0 K0 Ln.
    induction bs as [|[[f0 f1] tg] bs IHb]; intros [|e answers] w W H; cbn [well_led] in W; try tauto;
      cbn [map worth] in H.
    { inversion H; subst. cbn [branch_sum]. lra. }
    destruct W as [Le W].
    destruct (branch M p' created others (f0, f1, tg)) as [[F_0 F_1] bx] eqn:B.
    destruct (value C M t bx (a * F_0) (b * F_1)) as [v1|] eqn:Vl; [|discriminate].
    destruct (worth C M t a b (map (branch M p' created others) bs)) as [w'|]; [|discriminate].
    inversion H; subst w; clear H. rewrite plus_eq. specialize (IHb _ _ W eq_refl).
    cbn [branch_sum fst snd].
    pose (k1 := {| kind := i; at_f := j'; ahead := lawQ (tlaw C false tg); behind := lawQ (tlaw C true tg) |}).
    assert (E0 : Ex (lawQ (tlaw C false tg)) (fun s => JE (put (map ahead ks) n (ret s)) (then_ o r h u' e))
                 == JE (map ahead (put ks n k1)) (then_ o r h u' e)) by (apply (law_put ahead ks k1); exact Ln).
    assert (E1 : Ex (lawQ (tlaw C true tg)) (fun s => JE (put (map behind ks) n (ret s)) (then_ (negb o) r h u' e))
                 == JE (map behind (put ks n k1)) (then_ (negb o) r h u' e)) by (apply (law_put behind ks k1); exact Ln).
    rewrite E0, E1. clear E0 E1.
    assert (Gd' : Forall good (put ks n k1)) by (apply good_put; [exact Gd|apply lawQ_nonneg|apply lawQ_nonneg]).
    assert (Ki2 : map listed (put ks n k1) = kids u') by (rewrite (listed_put _ _ _ Ki); symmetry; exact Ki').
    assert (A0' : 0 <= al * nat_Q f0) by (apply Qmult_le_0_compat; [exact A0|apply nat_Q_nonneg]).
    assert (B0' : 0 <= be * nat_Q f1) by (apply Qmult_le_0_compat; [exact B0|apply nat_Q_nonneg]).
    assert (HX' : al * nat_Q f0 * X' == kk * nat_Q (a * f0)) by (rewrite nat_Q_mul, !Qmult_assoc, <- HX; ring).
    assert (HY' : be * nat_Q f1 * Y' == kk * nat_Q (b * f1)) by (rewrite nat_Q_mul, !Qmult_assoc, <- HY; ring).
    assert (Dead_case : tlaw C false tg = [(0%N, 1%N)] -> tlaw C true tg = [(0%N, 1%N)] -> covers (purse u') (put ks n k1) others X' Y').
    { intros T0 T1. eapply covers_later; [|exact D].
      eapply covers_eq; [apply F2; left; unfold k1; rewrite T0, T1; apply (corpse_spent G o i j' (nat_Q 1) (nat_Q 1))|exact P| |];
        unfold k1, weight; cbn [ahead behind]; rewrite ?T0, ?T1; cbn [lawQ map Ex fst snd]; change (nat_Q 1) with 1; ring. }
    assert (Part : gain (fun b => then_ b r h u' e) (put ks n k1) (al * nat_Q f0) (be * nat_Q f1) <= kk * v1).
    { destruct tg as [| |c1]; cbn [branch] in B; inversion B; subst F_0 F_1 bx; clear B.
      - cbn [leads] in Le. cbn [value] in Vl. inversion Vl; subst v1. unfold then_. rewrite Le.
        rewrite !N.mul_assoc. apply (@stop_bound u' p' created others (put ks n k1) (a * f0) (b * f1) kk _ _ _ (Ev ((h ++ [Halted]) ++ repeat Halted r)));
          [|apply Qle_refl].
        repeat split; auto. exists X', Y'. split; [apply Dead_case; reflexivity|]. split; assumption.
      - apply (@branch_bound r IH t p' created others X' Y' f0 f1 a b v1 kk (al * nat_Q f0) (be * nat_Q f1) u' (put ks n k1) h e); auto.
      - apply (@branch_bound r IH t p' created (insert c1 others) X' Y' f0 f1 a b v1 kk (al * nat_Q f0) (be * nat_Q f1) u' (put ks n k1) h e); auto.
        eapply covers_later; [|exact D].
        cbn [leads] in Le. split_and. fold M in H0. destruct (lookup [c1] (column_map M)) as [kc|] eqn:Lc; [|discriminate]. split_and.
        apply N.eqb_eq in H0, H1.
        eapply covers_eq; [apply (F1 k1 c1 1 1)|rewrite insert_perm; constructor; exact P|ring|ring].
        split; [lra|]. split; [lra|]. left. exists kc. unfold k1, tlaw. cbn [kind at_f ahead behind target_law law]. fold M. rewrite Lc.
        repeat split; auto; intros; ring. }
    unfold gain in Part. assert (kk * (v1 + w') == kk * v1 + kk * w') as -> by ring.
    revert IHb Part. generalize (branch_sum C false answers bs (fun y => JE (put (map ahead ks) n (ret (snd y))) (then_ o r h u' (fst y)))).
    generalize (branch_sum C true answers bs (fun y => JE (put (map behind ks) n (ret (snd y))) (then_ (negb o) r h u' (fst y)))).
    generalize (JE (map ahead (put ks n k1)) (then_ o r h u' e)) (JE (map behind (put ks n k1)) (then_ (negb o) r h u' e)).
    intros j0 j1 s1 s0 I1 I2. revert I1 I2. generalize (kk * v1) (kk * w'). intros x1 x2 I1 I2.
    lra.
  Qed.

  (* ----------------------------------------------------------------------- one round --- *)
  Lemma allows_asks : forall u n q u' d, allows G u (Asks n q) = Some (u', d) ->
    asks G (purse u) = true /\ d = Put n (fst (nth n (kids u) (0%N, 0%N))) q /\
    exists i j j' p', nth_error (kids u) n = Some (i, j) /\ fst (nth n (kids u) (0%N, 0%N)) = i /\
      judge G i j q = Some j' /\ pays G (purse u) i j q = Some p' /\
      u' = {| purse := p'; made := made u; kids := put (kids u) n (i, j') |}.
  Proof.
    intros u n q u' d H. cbn [allows] in H. destruct (asks G (purse u)); [|discriminate].
    destruct (nth_error (kids u) n) as [[i j]|] eqn:N; [|discriminate].
    destruct (judge G i j q) as [j'|] eqn:J; [|discriminate]. destruct (pays G (purse u) i j q) as [p'|] eqn:P; [|discriminate].
    inversion H; subst. rewrite (nth_error_nth _ _ _ N). split; [reflexivity|]. split; [reflexivity|].
    exists i, j, j', p'. auto.
  Qed.
  Lemma pays_cases : forall p i j q p', pays G p i j q = Some p' ->
    leq C p' p /\ (forall i', differ G p i' = None -> differ G p' i' = None) /\
    ((p' = p /\ (fst q =? snd q)%N || N.odd j = true) \/ (differ G p i = Some p' /\ (fst q =? snd q)%N || N.odd j = false)).
  Proof.
    intros p i j q p' H. unfold pays in H. destruct ((fst q =? snd q)%N || N.odd j).
    - inversion H; subst. split; [constructor|auto].
    - destruct (pay_less T publics_ok _ _ H) as [L D]. auto.
  Qed.

  Lemma refused_bound : forall r u x ks a b kk al be t v h, fine t x a b v -> covered u x ks a b kk al be ->
    allows G u (A h) = None -> gain (fun w => go w (S r) h u) ks al be <= kk * v.
  Proof.
    intros r u [[p created] cs] ks a b kk al be t v h F V N.
    rewrite (gain_ext _ (fun _ _ => gone r (h ++ [Halted]))).
    - exact (stop_bound _ V (proj1 F)).
    - intros w ss. unfold go. cbn [Pr]. change (step (world G w)) with (Game.play G w). cbn [Game.play]. rewrite N, Ex_ret.
      apply Pr_gone.
  Qed.

  Lemma creates_bound : forall r, bounded r -> forall t x a b v kk al be u u' d ks h i,
    (S r <= N.to_nat t)%nat -> fine t x a b v -> covered u x ks a b kk al be -> nat_Q (a * mass M false (snd x)) <= v \/
    (exists l, options C M x = Some l /\ forall op, In op l -> no_more C M t a b v op = true) ->
    A h = Creates i -> allows G u (A h) = Some (u', d) -> gain (fun w => go w (S r) h u) ks al be <= kk * v.
  Proof.
    intros r IH t [[p created] cs] a b v kk al be u u' d ks h i R F V O E H.
    destruct O as [O|(l & O & OK)]; [exact (ceiling_bound _ _ V O)|].
    assert (V' := V). destruct V' as (L & Cr & Gd & Ki & A0 & B0 & K0 & X & Y & Cv & HX & HY).
    assert (H' := H). rewrite E in H'. cbn [allows] in H'. destruct (made u <? most G)%N eqn:Mo; [|discriminate].
    apply N.ltb_lt in Mo. rewrite (its_most T) in Mo.
    destruct (lets_in G (purse u) i) as [[p' born]|] eqn:Ad; [|discriminate].
    destruct (leq_simulates T less_ok L) as [_ [_ Sim]]. destruct (Sim _ _ _ Ad) as (p2 & Ad2 & L2).
    rewrite (admit_eq T) in Ad2. pose proof (assoc_in _ _ Ad2) as In2.
    destruct (options_of _ _ _ O) as [_ Oc]. destruct Oc as (rs & Er & Inc); [lia|].
    destruct (@each_in _ _ _ _ _ _ Er In2) as (ops & Eo & Inc2). cbn [create_option] in Eo.
    pose proof (admit_keeps T publics_ok _ _ Ad) as Kp.
    assert (R1 : (r <= N.to_nat (N.pred t))%nat) by lia. assert (R2 : (r <= N.to_nat t)%nat) by lia.
    assert (Skip : forall ks', covers p' ks' cs X Y -> Forall good ks' -> map listed ks' = kids u' -> p2 = p ->
      purse u' = p' -> made u' = (made u + 1)%N ->
      gain (fun w => go w r (h ++ [Created]) u') ks' al be <= kk * v).
    { intros ks' Cv' Gd' Ki' -> Pu Ma. apply (IH t (p, created, cs) a b v kk al be u' ks' (h ++ [Created]) R2 F).
      rewrite <- Pu in *. repeat split; auto; [lia|]. exists X, Y. auto. }
    assert (One : forall c tg ks' X1 Y1, (forall op, In op ops -> op = {| name := Make i; below := 1; after := [branch M p2 (created + 1) cs (1%N, 1%N, tg)] |} \/ False) ->
      ops <> [] -> (tg = Dead /\ c = cs \/ exists c1, tg = Live c1 /\ c = insert c1 cs) ->
      covers p' ks' c X1 Y1 -> X1 == X -> Y1 == Y -> Forall good ks' -> map listed ks' = kids u' -> purse u' = p' -> made u' = (made u + 1)%N ->
      gain (fun w => go w r (h ++ [Created]) u') ks' al be <= kk * v).
    { intros c tg ks' X1 Y1 Each Ne Tg Cv' EX EY Gd' Ki' Pu Ma. destruct ops as [|op ops']; [congruence|].
      destruct (Each op (or_introl eq_refl)) as [->|[]].
      pose proof (OK _ (Inc _ (Inc2 _ (or_introl eq_refl)))) as W. unfold no_more in W. cbn [after below worth] in W.
      assert (EQ : branch M p2 (created + 1) cs (1%N, 1%N, tg) =
        ((1 * mass M false (filter (fun c => negb (tells M p2 c)) c))%N, (1 * mass M true (filter (fun c => negb (tells M p2 c)) c))%N,
         Some (p2, (created + 1)%N, filter (tells M p2) c))).
      { destruct Tg as [[-> ->]|(c1 & -> & ->)]; reflexivity. }
      rewrite EQ in W.
      destruct (value C M (N.pred t) _ _ _) as [v1|] eqn:Vl in W; [|discriminate]. apply Qle_bool_iff in W. rewrite plus_eq in W.
      assert (B : gain (fun w => go w r (h ++ [Created]) u') ks' al be <= kk * v1).
      { rewrite <- Pu in *.
        apply (@branch_bound r IH (N.pred t) p2 (created + 1)%N c X1 Y1 1%N 1%N a b v1 kk al be u' ks' (h ++ [Created]) 0%N); auto; [lia| |];
          rewrite N.mul_1_r, ?EX, ?EY; assumption. }
      assert (kk * v1 <= kk * v) by (apply scale_le; [exact K0|change (inject_Z 1) with 1 in W; lra]). lra. }
    assert (CvP : covers p' ks cs X Y) by (eapply covers_later; [exact Cv|exact Kp]).
    destruct born.
    - inversion H'; subst u' d; clear H'.
      pose (new := newborn G o i).
      assert (Step : gain (fun w => go w (S r) h u) ks al be ==
        gain (fun w => go w r (h ++ [Created]) {| purse := p'; made := made u + 1; kids := kids u ++ [(i, judged G i)] |}) (ks ++ [new]) al be).
      { unfold gain. rewrite !map_app. cbn [map new newborn ahead behind]. rewrite !JE_snoc.
        rewrite (JE_ext (map ahead ks) (go o (S r) h u) (fun ss => go o r (h ++ [Created]) {| purse := p'; made := made u + 1; kids := kids u ++ [(i, judged G i)] |} (ss ++ [first G o i]))),
          (JE_ext (map behind ks) (go (negb o) (S r) h u) (fun ss => go (negb o) r (h ++ [Created]) {| purse := p'; made := made u + 1; kids := kids u ++ [(i, judged G i)] |} (ss ++ [first G (negb o) i]))); [reflexivity| |];
          intros ss; unfold go at 1; cbn [Pr]; match goal with |- context [step (world G ?w)] => change (step (world G w)) with (Game.play G w) end; cbn [Game.play]; rewrite H, Ex_ret; reflexivity. }
      rewrite Step. clear Step.
      assert (Gd' : Forall good (ks ++ [new])).
      { apply Forall_app. split; [exact Gd|]. constructor; [apply newborn_good|constructor]. }
      assert (Ki' : map listed (ks ++ [new]) = kids u ++ [(i, judged G i)]) by (rewrite map_app, Ki; reflexivity).
      destruct (lookup [i] (part_map M)) as [[[[s0 s1] j0] c]|] eqn:Lp; [|discriminate].
      assert (Ho : holds C G o false new c 1 1) by (eapply newborn_holds; eauto).
      destruct (asks_in M p && (p2 =? p)%N && negb (tells M p2 c)) eqn:Sk.
      + apply andb_true_iff in Sk. destruct Sk as [Sk Te]. apply andb_true_iff in Sk. destruct Sk as [_ Sk].
        apply N.eqb_eq in Sk. apply negb_true_iff in Te. inversion Eo. subst ops. clear One.
        assert (Us : useless C G o false p' c).
        { eapply tells_not; eauto. intros i' D. destruct (leq_simulates T less_ok L2) as [_ [S _]].
          destruct (differ G p' i') as [z|] eqn:Z; [|reflexivity]. destruct (S _ _ Z) as [z' [Z' _]]. congruence. }
        apply Skip; auto. eapply covers_eq; [apply (covers_snoc_lost CvP (Us _ _ _ Ho))|reflexivity| |];
          unfold weight, new; cbn [newborn ahead behind]; rewrite Ex_ret; ring.
      + inversion Eo; subst ops. apply (@One (insert c cs) (Live c) (ks ++ [new]) (1 * X) (1 * Y)); auto; try ring.
        * intros op [<-|[]]. auto.
        * discriminate.
        * right. exists c. auto.
        * eapply covers_eq; [apply (covers_snoc CvP Ho)|symmetry; apply insert_perm|reflexivity|reflexivity].
    - inversion H'; subst u' d; clear H'.
      assert (Step : gain (fun w => go w (S r) h u) ks al be ==
        gain (fun w => go w r (h ++ [Created]) {| purse := p'; made := made u + 1; kids := kids u |}) ks al be).
      { apply gain_ext. intros w ss. unfold go at 1. cbn [Pr]. change (step (world G w)) with (Game.play G w). cbn [Game.play].
        rewrite H, Ex_ret. reflexivity. }
      rewrite Step. clear Step.
      destruct (asks_in M p && (p2 =? p)%N) eqn:Sk.
      + apply andb_true_iff in Sk. destruct Sk as [_ Sk]. apply N.eqb_eq in Sk. apply Skip; auto.
      + inversion Eo; subst ops. apply (@One cs Dead ks X Y); auto; try reflexivity.
        * intros op [<-|[]]. auto.
        * discriminate.
  Qed.

  Lemma asks_bound : forall r, bounded r -> forall t x a b v kk al be u u' d ks h n q,
    (S r <= N.to_nat t)%nat -> fine t x a b v -> covered u x ks a b kk al be -> nat_Q (a * mass M false (snd x)) <= v \/
    (exists l, options C M x = Some l /\ forall op, In op l -> no_more C M t a b v op = true) ->
    A h = Asks n q -> allows G u (A h) = Some (u', d) -> gain (fun w => go w (S r) h u) ks al be <= kk * v.
  Proof.
    intros r IH t [[p created] cs] a b v kk al be u u' d ks h n q R F V O E H.
    destruct O as [O|(l & O & OK)]; [exact (ceiling_bound _ _ V O)|].
    assert (V' := V). destruct V' as (L & Cr & Gd & Ki & A0 & B0 & K0 & X & Y & Cv & HX & HY).
    assert (H' := H). rewrite E in H'. apply allows_asks in H'.
    destruct H' as (As & -> & i & j & j' & p' & Nk & Ei & J & Pay & ->). rewrite Ei in H. clear Ei.
    destruct (nth_error ks n) as [k|] eqn:N.
    2:{ apply nth_error_None in N. rewrite <- Ki in Nk. assert (nth_error (map listed ks) n = None) by (apply nth_error_None; rewrite map_length; exact N). congruence. }
    assert (Li : listed k = (i, j)) by (rewrite <- Ki in Nk; rewrite (map_nth_error listed _ _ N) in Nk; congruence).
    inversion Li. subst i j. clear Li Nk.
    destruct (pays_cases _ _ _ _ Pay) as (L1 & D1 & Pc).
    assert (Ln : (n < length ks)%nat) by (apply nth_error_Some; congruence).
    assert (Gk : good k) by (rewrite Forall_forall in Gd; apply Gd; eapply nth_error_In; eauto).
    set (u' := {| purse := p'; made := made u; kids := put (kids u) n (kind k, j') |}) in *.
    assert (R1 : (r <= N.to_nat (N.pred t))%nat) by lia. assert (R2 : (r <= N.to_nat t)%nat) by lia.
    assert (Die : forall e, dies G o k q e ->
      covers (purse u) (put ks n (corpse (kind k) j' (weight (ahead k)) (weight (behind k)))) cs X Y ->
      gain (fun w => go w (S r) h u) ks al be <= kk * v).
    { intros e De Cv'. rewrite (@gain_dies r h u u' n (kind k) j' q ks k e al be E H N eq_refl De).
      apply (@bounded_then r IH t (p, created, cs) a b); auto. 
      split; [apply (leq_trans L1 L)|]. split; [exact Cr|]. split.
      { apply good_put; [exact Gd| |]; apply one_law, weight_nonneg; apply Gk. }
      split; [rewrite map_put, Ki; reflexivity|]. repeat split; auto. exists X, Y. split; [|auto].
      eapply covers_later; [exact Cv'|exact D1]. }
    destruct (covers_split Cv _ N) as (cs' & X' & Y' & [F1 F2] & Role).
    destruct Role as [(c & x & y & Ho & P & EX & EY)|(Lo & P & EX & EY)].
    - assert (Die2 : forall e, dies G o k q e -> gain (fun w => go w (S r) h u) ks al be <= kk * v).
      { intros e De. apply (Die e De). destruct (holds_weight Ho) as [W0 W1].
        eapply covers_eq; [apply (F1 _ c x y)|symmetry; exact P|rewrite EX; reflexivity|rewrite EY; reflexivity].
        destruct Ho as (X0 & Y0 & _). split; [exact X0|]. split; [exact Y0|]. right. split; [reflexivity|].
        split; [apply corpse_spent|]. destruct (corpse_weight (kind k) j' (weight (ahead k)) (weight (behind k))) as [-> ->].
        split; assumption. }
      assert (Ho' := Ho). destruct Ho' as (X0 & Y0 & [Fi|(_ & Sp & _)]); [|destruct (Sp _ _ J) as [e De]; exact (Die2 e De)].
      destruct Fi as (col & Lc & Pk & Fk & EA & EB).
      destruct (leq_simulates T less_ok L) as [Sa [Sd _]].
      destruct (options_of _ _ _ O) as [Oa _]. destruct Oa as (rs & Er & Inc).
      { rewrite <- (asks_eq T). apply Sa, As. }
      assert (Ic : In c cs) by (rewrite P; left; reflexivity).
      destruct (@ask_options_in (p, created, cs) c cs [] rs Er Ic) as [(others & col' & ms & ds & P' & Lc' & Mo & Inc2)|[? ?]]; [|discriminate].
      fold M in Lc. rewrite Lc in Lc'. inversion Lc'. subst col'. clear Lc'. cbn [rev app] in P'.
      rewrite <- Pk, <- Fk in J.
      destruct (@pair_checked C G o T way rules_ok columns_ok c col ms ds q j' Lc Mo J) as [[e|nn answers] Ck]; cbn [check_pair] in Ck.
      + apply andb_true_iff in Ck. destruct Ck as [C0 C1]. apply (Die2 e). split; intros g; unfold weight; rewrite <- Pk.
        * rewrite EA, (idle_law T _ _ _ _ C0), EA. ring.
        * rewrite EB, (idle_law T _ _ _ _ C1), EB. ring.
      + destruct (nth_error ms nn) as [mv|] eqn:Nm; [|discriminate].
        apply andb_true_iff in Ck. destruct Ck as [Ck C1]. apply andb_true_iff in Ck. destruct Ck as [Pa C0].
        apply Bool.eqb_prop in Pa. destruct (pair_law T _ _ _ _ _ _ _ _ C0) as [W S0]. destruct (pair_law T _ _ _ _ _ _ _ _ C1) as [_ S1].
        assert (Hh : (half o q =? half (negb o) q)%N = (fst q =? snd q)%N) by (destruct o; simpl; [apply N.eqb_sym|reflexivity]).
        assert (exists p2, (if paying mv then assoc (part col) (differ_in M p) else Some p) = Some p2 /\ leq C p' p2) as (p2 & Ep & L2).
        { rewrite Pa, Hh, Fk, Pk. destruct Pc as [[-> ->]|[Dp ->]]; cbn [negb]; [exists p; auto|].
          destruct (Sd _ _ Dp) as (z & Z & Lz). exists z. rewrite (differ_eq T) in Z. auto. }
        assert (Iop : In {| name := Say c nn (0%N, 0%N); below := over mv; after := map (branch M p2 created others) (branches mv) |} l).
        { apply Inc, Inc2. apply (@numbered_in _ _ (ask_option M (p, created, cs) (part col) c others) ms 0 nn mv _ Nm). cbn [ask_option]. rewrite Ep. left. reflexivity. }
        pose proof (OK _ Iop) as W2. unfold no_more in W2. cbn [after below] in W2.
        destruct (worth C M (N.pred t) a b (map (branch M p2 created others) (branches mv))) as [w|] eqn:Ew; [|discriminate].
        apply Qle_bool_iff in W2. rewrite Pk in W.
        assert (Pc' : Permutation cs' others).
        { rewrite P in P'. apply Permutation_cons_inv in P'. symmetry. exact P'. }
        assert (HX' : al * x * X' == kk * nat_Q a) by (rewrite <- HX, EX; ring).
        assert (HY' : be * y * Y' == kk * nat_Q b) by (rewrite <- HY, EY; ring).
        pose proof (@branches_bound r IH (N.pred t) p2 created others cs' X' Y' a b kk (al * x) (be * y) u u' ks n (kind k) j' h
          R1 (conj F1 F2) Pc' HX' HY' L2 D1 Cr Ki eq_refl Gd (Qmult_le_0_compat _ _ A0 X0) (Qmult_le_0_compat _ _ B0 Y0) K0 Ln
          (branches mv) answers w W Ew) as B.
        rewrite (@gain_put r h u u' n (kind k) q ks k al be E H N), EA, EB, <- Pk.
        rewrite <- (S0 (fun y => JE (put (map ahead ks) n (ret (snd y))) (then_ o r h u' (fst y)))),
                <- (S1 (fun y => JE (put (map behind ks) n (ret (snd y))) (then_ (negb o) r h u' (fst y)))) in B.
        revert B. generalize (Ex (lawQ (law0 col)) (fun s => Ex (kernel G (part col) s (half o q)) (fun y => JE (put (map ahead ks) n (ret (snd y))) (then_ o r h u' (fst y))))).
        generalize (Ex (lawQ (law1 col)) (fun s => Ex (kernel G (part col) s (half (negb o) q)) (fun y => JE (put (map behind ks) n (ret (snd y))) (then_ (negb o) r h u' (fst y))))).
        intros z1 z0 B. pose proof (scale_le K0 W2) as W3.
        assert (D0 : 0 < inject_Z (Zpos (over mv))) by (rewrite <- (Zlt_Qlt 0); reflexivity).
        apply (Qmult_le_l _ _ _ D0). lra.
    - assert (Di : forall e, dies G o k q e -> gain (fun w => go w (S r) h u) ks al be <= kk * v).
      { intros e De. apply (Die e De).
        destruct (corpse_weight (kind k) j' (weight (ahead k)) (weight (behind k))) as [C0 C1].
        eapply covers_eq; [apply F2; left; apply corpse_spent|symmetry; exact P| |]; [rewrite C0, EX|rewrite C1, EY]; reflexivity. }
      destruct Lo as [Sp|Sm]; [destruct (Sp _ _ J) as [e De]; exact (Di e De)|].
      destruct Sm as (Odd & Df & x & y & mu & X0 & Y0 & Mn & EA & EB).
      destruct Pc as [[-> Sd]|[Dp _]]; [|congruence]. rewrite Odd, orb_false_r in Sd. apply N.eqb_eq in Sd.
      assert (Hq : half (negb o) q = half o q) by (destruct o; simpl; auto). clear Hq.
      rewrite (@gain_put r h u u' n (kind k) q ks k al be E H N), EA, EB.
      assert (Q0 : half o q = fst q) by (destruct o; simpl; auto). assert (Q1 : half (negb o) q = fst q) by (destruct o; simpl; auto).
      rewrite Q0, Q1.
      assert (J' : N.odd j' = false). { destruct q as [q0 q1]. simpl in Sd. subst q1. rewrite (judge_ok G _ _ _ J). exact Odd. }
      rewrite !Qmult_assoc, <- !Ex_scal.
      assert (Wm : weight mu == 0 \/ 0 < weight mu).
      { pose proof (weight_nonneg Mn) as Wn. apply Qle_lteq in Wn. destruct Wn as [Wn|Wn]; [right; exact Wn|left; symmetry; exact Wn]. }
      set (f0 := fun z => al * x * Ex (kernel G (kind k) z (fst q)) (fun y0 => JE (put (map ahead ks) n (ret (snd y0))) (then_ o r h u' (fst y0)))).
      set (f1 := fun z => be * y * Ex (kernel G (kind k) z (fst q)) (fun y0 => JE (put (map behind ks) n (ret (snd y0))) (then_ (negb o) r h u' (fst y0)))).
      assert (Ed : Ex mu f0 - Ex mu f1 == Ex mu (fun z => f0 z - f1 z)).
      { rewrite (Ex_ext mu (fun z => f0 z - f1 z) (fun z => f0 z + (-1) * f1 z)) by (intros; ring). rewrite Ex_add, Ex_scal. ring. }
      rewrite Ed. pose proof (stop_fine _ _ _ _ _ F) as V0.
      destruct Wm as [Wm|Wm].
      { assert (Ex mu (fun z => f0 z - f1 z) == 0) as ->; [|rewrite <- (Qmult_0_r kk); apply scale_le; assumption].
        clear -Wm Mn. unfold weight in Wm. revert Wm. generalize (fun z => f0 z - f1 z) as g. induction Mn as [|[w s] mu Hw Hm IHm]; intros g Wm; cbn [Ex fst snd] in *; [reflexivity|].
        assert (0 <= Ex mu (fun _ => 1)) by (apply Ex_nonneg; [exact Hm|intros; lra]). cbn in Hw.
        assert (w == 0) as -> by lra. rewrite IHm by lra. ring. }
      assert (Each : forall z, f0 z - f1 z <= kk / weight mu * v).
      { intros z. unfold f0, f1. rewrite <- !Ex_scal.
        set (g0 := fun y0 : BinNums.N * BinNums.N => al * x * JE (put (map ahead ks) n (ret (snd y0))) (then_ o r h u' (fst y0))).
        set (g1 := fun y0 : BinNums.N * BinNums.N => be * y * JE (put (map behind ks) n (ret (snd y0))) (then_ (negb o) r h u' (fst y0))).
        assert (Ex (kernel G (kind k) z (fst q)) g0 - Ex (kernel G (kind k) z (fst q)) g1 == Ex (kernel G (kind k) z (fst q)) (fun y0 => g0 y0 - g1 y0)) as ->.
        { rewrite (Ex_ext _ (fun y0 => g0 y0 - g1 y0) (fun y0 => g0 y0 + (-1) * g1 y0)) by (intros; ring). rewrite Ex_add, Ex_scal. ring. }
        destruct (kernel_ok G (kind k) z (fst q)) as [Kn K1].
        eapply Qle_trans; [apply (Ex_mono _ (fun _ => kk / weight mu * v) Kn)|rewrite Ex_const, K1; lra].
        intros [e s']. unfold g0, g1. cbn [fst snd].
        pose (k1 := {| kind := kind k; at_f := j'; ahead := ret s'; behind := ret s' |}).
        change (ret s') with (ahead k1) at 1. change (ret s') with (behind k1).
        rewrite <- (map_put ahead ks n k1), <- (map_put behind ks n k1).
        apply (@bounded_then r IH t (p, created, cs) a b v (kk / weight mu) (al * x) (be * y) u' (put ks n k1) h e R2 F).
        split; [exact L|]. split; [exact Cr|]. split; [apply good_put; [exact Gd| |]; (constructor; [simpl; lra|constructor])|].
        split; [rewrite map_put, Ki; reflexivity|]. split; [apply Qmult_le_0_compat; assumption|]. split; [apply Qmult_le_0_compat; assumption|].
        split; [apply Qle_shift_div_l; lra|].
        exists X', Y'. split.
        { eapply covers_eq; [apply F2|symmetry; exact P| |]; [right|unfold weight, k1; cbn [ahead behind]; rewrite Ex_ret; ring..].
          split; [exact J'|]. split; [exact Df|]. exists 1, 1, (ret s'). split; [lra|]. split; [lra|]. 
          split; [constructor; [simpl; lra|constructor]|]. split; intros g; cbn [k1 ahead behind]; ring. }
        assert (Nz : ~ weight mu == 0) by (intros Z; rewrite Z in Wm; apply (Qlt_irrefl 0 Wm)).
        rewrite EX in HX. rewrite EY in HY. unfold weight in HX at 1. unfold weight in HY at 1. rewrite EA in HX. rewrite EB in HY.
        fold (weight mu) in HX, HY. split.
        - transitivity ((al * (x * weight mu * X')) / weight mu); [field; exact Nz|rewrite HX; field; exact Nz].
        - transitivity ((be * (y * weight mu * Y')) / weight mu); [field; exact Nz|rewrite HY; field; exact Nz]. }
      eapply Qle_trans; [apply (Ex_mono _ (fun _ => kk / weight mu * v) Mn Each)|]. rewrite Ex_const. fold (weight mu).
      assert (weight mu * (kk / weight mu * v) == kk * v) as ->; [|apply Qle_refl]. field. intros Z. rewrite Z in Wm. apply (Qlt_irrefl 0 Wm).
  Qed.

  Theorem all_bounded : forall r, bounded r.
  Proof.
    induction r; intros t x a b v kk al be u ks h R F V.
    - destruct x as [[p created] cs]. rewrite (gain_ext _ (fun _ _ => ind (Ev h))); [exact (stop_bound _ V (proj1 F))|].
      intros. reflexivity.
    - assert (O : nat_Q (a * mass M false (snd x)) <= v \/
        (exists l, options C M x = Some l /\ forall op, In op l -> no_more C M t a b v op = true)).
      { destruct x as [[p created] cs]. destruct F as [_ [F|F]]; [subst t; simpl in R; lia|exact F]. }
      destruct (allows G u (A h)) as [[u' d]|] eqn:H; [|eapply refused_bound; eauto].
      destruct (A h) as [i|n q] eqn:E.
      + rewrite <- E in H. eapply creates_bound; eauto.
      + rewrite <- E in H. eapply asks_bound; eauto.
  Qed.
End Bound.
