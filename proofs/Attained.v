(** Exactness: the options that the nodes name make an adversary, and an event, that have as
    much as the first node says. *)
From Coq Require Import QArith List Bool NArith ZArith Permutation Lia Lqa.
From Antiphon Require Import Distributions Model Game Certificate Products Columns Covers Bound Sound.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.

Definition Plan := (Adversary Message Reply * (list Reply -> bool))%type.
Lemma Pr_const : forall G b A z r s h, Pr (world G b) A r s h (fun _ => z) == ind z.
Proof.
  induction r; intros s h; cbn [Pr]; [reflexivity|]. rewrite (Ex_ext _ _ (fun _ => ind z)) by (intros; apply IHr).
  rewrite Ex_const. destruct (step_ok (world G b) s (A h)) as [_ ->]. ring.
Qed.
Lemma Pr_shift : forall G b A Ev x r s h,
  Pr (world G b) A r s (x :: h) Ev == Pr (world G b) (fun l => A (x :: l)) r s h (fun l => Ev (x :: l)).
Proof. induction r; intros s h; cbn [Pr]; [reflexivity|]. apply Ex_ext. intros. apply (IHr (fst x0) (h ++ [snd x0])). Qed.
Lemma distinct_cons : forall a l, distinct (a :: l) = true -> ~ In a l /\ distinct l = true.
Proof.
  intros a l H. cbn [distinct] in H. apply andb_true_iff in H. destruct H as [H D]. split; [|exact D]. intros I.
  apply negb_true_iff in H. assert (existsb (N.eqb a) l = true) by (apply existsb_exists; exists a; rewrite N.eqb_refl; auto). congruence.
Qed.
Lemma take_out_perm : forall c cs r, take_out c cs = Some r -> Permutation cs (c :: r).
Proof.
  induction cs as [|c' cs IH]; intros r H; cbn [take_out] in H; [discriminate|].
  destruct (c =? c')%N eqn:E; [apply N.eqb_eq in E; inversion H; subst; reflexivity|].
  destruct (take_out c cs) as [r'|]; [|discriminate]. inversion H; subst. rewrite (IH _ eq_refl). apply perm_swap.
Qed.
Lemma does_of_checked : forall f q r ds j d, does_of q r ds = Some (j, d) -> all2 f r ds = true ->
  ruled q r = Some j /\ f (fst q, snd q, j) d = true.
Proof.
  induction r as [|[[q0 q1] j'] r IH]; intros [|d' ds] j d H A; cbn [does_of all2 ruled] in *; try discriminate.
  apply andb_true_iff in A. destruct A as [A1 A2]. destruct ((q0 =? fst q)%N && (q1 =? snd q)%N) eqn:E.
  - apply andb_true_iff in E. destruct E as [E0 E1]. apply N.eqb_eq in E0, E1. inversion H; subst. auto.
  - eapply IH; eauto.
Qed.

Section Attained.
  Variables (C : Certificate) (G : Game).
  Hypothesis T : of_tables C G.
  Let M := maps C.
  Hypothesis rules_ok : forallb (check_rule C) (rules C) = true.
  Hypothesis columns_ok : forallb (fun c => check_column M (snd c)) (columns C) = true.
  Hypothesis parts_ok : forallb (check_part C M) (parts C) = true.
  Hypothesis publics_ok : forallb (check_public M) (publics C) = true.
  Hypothesis exact_ok : forallb (exact_node C M) (nodes C) = true.
  Let way : false = true -> symmetric C = true.
  Proof. discriminate. Qed.
  Notation covers := (covers C G false true).

  Definition worth_it (t : N) (x : Position) (a b : N) (v : Q) : Prop :=
    v == stop (a * mass M false (snd x)) (b * mass M true (snd x)) \/
    (t <> 0%N /\ exists best, as_much C M t a b v (named C M x best) = true).
  Lemma value_exact : forall t x a b v, value C M t (Some x) a b = Some v ->
    exists g a' b' v', a = (g * a')%N /\ b = (g * b')%N /\ v == nat_Q g * v' /\ worth_it t x a' b' v'.
  Proof.
    intros t [[p created] cs] a b v H. cbn [value] in H. pose proof (N.ggcd_correct_divisors a b) as D.
    destruct (N.ggcd a b) as [g [a' b']]. destruct D as [D1 D2].
    destruct (lookup (t :: p :: created :: a' :: b' :: cs) (node_map M)) as [[v' best]|] eqn:L.
    - inversion H; subst v. exists g, a', b', v'. split; [exact D1|]. split; [exact D2|]. split; [reflexivity|].
      assert (K := exact_ok). rewrite forallb_forall in K. specialize (K _ (lookup_in _ _ L)). cbn [exact_node] in K.
      destruct best as [|i|c n q]; [left; apply Qeq_bool_iff; exact K|..]; right;
        apply andb_true_iff in K; destruct K as [K0 K]; (split; [|eexists; exact K]);
        apply negb_true_iff in K0; apply N.eqb_neq; exact K0.
    - match type of H with (if ?c then _ else _) = _ => destruct c in H; [|discriminate] end. inversion H; subst v.
      exists 1%N, a, b, (stop (a * mass M false cs) (b * mass M true cs)).
      repeat split; try (rewrite N.mul_1_l; reflexivity); [change (nat_Q 1) with 1; ring|]. left. reflexivity.
  Qed.

  (* the belief is exactly the node's, up to the factor kk *)
  Definition stands (u : Public) (x : Position) (ks : list Kid) (a b : N) (kk al be : Q) : Prop :=
    x = (purse u, made u, snd x) /\ map listed ks = kids u /\
    exists X Y, covers (purse u) ks (snd x) X Y /\ al * X == kk * nat_Q a /\ be * Y == kk * nat_Q b.
  Definition has (r : nat) (u : Public) (ks : list Kid) (al be : Q) (z : Q) (P : Plan) : Prop :=
    gain false (fun w => go G (fst P) (snd P) w r [] u) ks al be == z.
  Definition reached (r : nat) : Prop := forall t x a b v kk al be u ks, r = N.to_nat t -> worth_it t x a b v ->
    stands u x ks a b kk al be -> exists P, has r u ks al be (kk * v) P.

  Lemma stands_gcd : forall u x ks g a' b' kk al be, stands u x ks (g * a') (g * b') kk al be ->
    stands u x ks a' b' (kk * nat_Q g) al be.
  Proof.
    intros u x ks g a' b' kk al be (E & Ki & X & Y & V & HX & HY). split; [exact E|]. split; [exact Ki|].
    exists X, Y. split; [exact V|]. rewrite HX, HY, !nat_Q_mul. split; ring.
  Qed.
  Lemma reached_value : forall r, reached r -> forall t x a b v kk al be u ks, r = N.to_nat t ->
    value C M t (Some x) a b = Some v -> stands u x ks a b kk al be -> exists P, has r u ks al be (kk * v) P.
  Proof.
    intros r IH t x a b v kk al be u ks R F V. destruct (value_exact _ _ _ _ F) as (g & a' & b' & v' & -> & -> & E & W).
    apply stands_gcd in V. destruct (IH t x a' b' v' _ al be u ks R W V) as [P HP]. exists P. unfold has in *.
    rewrite HP, E. ring.
  Qed.
  Lemma constant : forall (F : bool -> list N -> Q) ks al be z, (forall b ss, F b ss == z) ->
    gain false F ks al be == (al * JE (map ahead ks) (fun _ => 1) - be * JE (map behind ks) (fun _ => 1)) * z.
  Proof.
    intros. unfold gain. rewrite (JE_ext _ (F false) (fun _ => z)), (JE_ext _ (F (negb false)) (fun _ => z)) by auto.
    rewrite !(JE_const _ z). ring.
  Qed.
  Lemma stop_choice : forall x y : N, exists z, (nat_Q x - nat_Q y) * ind z == stop x y.
  Proof.
    intros x y. destruct (N.le_gt_cases x y) as [L|L].
    - exists false. simpl. unfold stop. replace (x - y)%N with 0%N by lia. change (nat_Q 0) with 0. ring.
    - exists true. simpl. assert (nat_Q x == nat_Q (x - y) + nat_Q y) as ->; [|unfold stop; ring].
      rewrite <- nat_Q_add. replace (x - y + y)%N with x by lia. reflexivity.
  Qed.
  Lemma stands_mass : forall u x ks a b kk al be, stands u x ks a b kk al be ->
    al * JE (map ahead ks) (fun _ => 1) == kk * nat_Q (a * mass M false (snd x)) /\
    be * JE (map behind ks) (fun _ => 1) == kk * nat_Q (b * mass M true (snd x)).
  Proof.
    intros u x ks a b kk al be (_ & _ & X & Y & V & HX & HY).
    destruct (covers_mass V) as [-> ->]. rewrite !nat_Q_mul, !Qmult_assoc, HX, HY. split; unfold Covers.m; fold M; ring.
  Qed.
  Lemma stop_reached : forall r u x ks a b kk al be, stands u x ks a b kk al be ->
    exists P, has r u ks al be (kk * stop (a * mass M false (snd x)) (b * mass M true (snd x))) P.
  Proof.
    intros r u x ks a b kk al be S. destruct (stands_mass S) as [W0 W1].
    destruct (stop_choice (a * mass M false (snd x)) (b * mass M true (snd x))) as [z Hz].
    exists (fun _ => Creates 0, fun _ => z). unfold has.
    etransitivity; [apply (@constant _ ks al be (ind z)); intros; unfold go; cbn [fst snd]; apply Pr_const|]. rewrite W0, W1, <- Hz. ring.
  Qed.
  Lemma branch_reached : forall r, reached r -> forall t p' created all X Y f0 f1 a b v kk al be u ks,
    r = N.to_nat t ->
    value C M t (Some (p', created, filter (tells M p') all))
      (a * (f0 * mass M false (filter (fun c => negb (tells M p' c)) all)))
      (b * (f1 * mass M true (filter (fun c => negb (tells M p' c)) all))) = Some v ->
    purse u = p' -> made u = created -> map listed ks = kids u ->
    covers (purse u) ks all X Y -> al * X == kk * nat_Q (a * f0) -> be * Y == kk * nat_Q (b * f1) ->
    exists P, has r u ks al be (kk * v) P.
  Proof.
    intros r IH t p' created all X Y f0 f1 a b v kk al be u ks R F Pu Ma Ki V HX HY.
    eapply (reached_value IH); [exact R|exact F|]. split; [cbn [snd]; rewrite Pu, Ma; reflexivity|]. split; [exact Ki|].
    assert (U : forall c, tells M p' c = false -> useless C G false true (purse u) c).
    { intros c Hc. eapply tells_not; eauto. rewrite Pu. auto. }
    assert (V' : covers (purse u) ks (all ++ []) X Y) by (rewrite app_nil_r; exact V).
    pose proof (covers_filter (tells M p') _ U _ V') as V2. rewrite app_nil_r in V2.
    eexists; eexists. split; [exact V2|]. unfold Covers.m. fold M. rewrite !Qmult_assoc, HX, HY, !nat_Q_mul. split; ring.
  Qed.
  Lemma insert_permutation : forall c cs, Permutation (insert c cs) (c :: cs).
  Proof. apply insert_perm. Qed.

  Definition then_plan (m : Message) (F : Reply -> Plan) : Plan :=
    (fun h => match h with [] => m | e :: l => fst (F e) l end,
     fun h => match h with [] => false | e :: l => snd (F e) l end).
  Lemma then_plan_step : forall m F r w s e,
    Pr (world G w) (fst (then_plan m F)) r s [e] (snd (then_plan m F)) == Pr (world G w) (fst (F e)) r s [] (snd (F e)).
  Proof. intros. rewrite Pr_shift. reflexivity. Qed.

  (* ----------------------------------------------------------------------- to create --- *)
  Lemma make_reached : forall r, reached r -> forall t p created cs a b v kk al be u ks i, S r = N.to_nat t ->
    as_much C M t a b v (named C M (p, created, cs) (Make i)) = true ->
    stands u (p, created, cs) ks a b kk al be -> exists P, has (S r) u ks al be (kk * v) P.
  Proof.
    intros r IH t p created cs a b v kk al be u ks i R W (E & Ki & X & Y & V & HX & HY). cbn [snd] in *. inversion E; subst p created; clear E.
    cbn [named] in W. destruct (assoc i (admit_in M (purse u))) as [[p' born]|] eqn:Ad; [|discriminate].
    destruct (made u <? creations C)%N eqn:Mo; [|discriminate].
    assert (Ad' := Ad). unfold M in Ad'. rewrite <- (admit_eq T) in Ad'.
    pose proof (admit_keeps T publics_ok _ _ Ad') as Kp.
    assert (CvP : covers p' ks cs X Y) by (eapply covers_later; [exact V|exact Kp]).
    assert (R1 : r = N.to_nat (N.pred t)) by lia.
    assert (One : forall ks' all X1 Y1 u' d tg, allows G u (Creates i) = Some (u', d) -> purse u' = p' -> made u' = (made u + 1)%N ->
      map listed ks' = kids u' -> covers p' ks' all X1 Y1 -> X1 == X -> Y1 == Y ->
      as_much C M t a b v [{| name := Make i; below := 1; after := [branch M p' (made u + 1) cs (1%N, 1%N, tg)] |}] = true ->
      branch M p' (made u + 1) cs (1%N, 1%N, tg) =
        ((1 * mass M false (filter (fun c => negb (tells M p' c)) all))%N, (1 * mass M true (filter (fun c => negb (tells M p' c)) all))%N,
         Some (p', (made u + 1)%N, filter (tells M p') all)) ->
      exists P, has r u' ks' al be (kk * v) P).
    { intros ks' all X1 Y1 u' d tg Al Pu Ma Ki' Cv' EX EY As EQ. cbn [as_much after below worth] in As. rewrite EQ in As.
      destruct (value C M (N.pred t) _ _ _) as [v1|] eqn:Vl in As; [|discriminate]. apply Qeq_bool_iff in As. rewrite plus_eq in As.
      rewrite <- Pu in Cv'.
      destruct (@branch_reached r IH (N.pred t) p' (made u + 1)%N all X1 Y1 1%N 1%N a b v1 kk al be u' ks') as [P HP]; auto;
        [rewrite N.mul_1_r, EX; exact HX|rewrite N.mul_1_r, EY; exact HY|].
      exists P. unfold has in *. rewrite HP. change (inject_Z 1) with 1 in As. assert (v1 == v) as -> by lra. reflexivity. }
    unfold create_option in W. destruct born.
    - destruct (lookup [i] (part_map M)) as [[[[s0 s1] j0] c]|] eqn:L; [|discriminate].
      destruct (asks_in M (purse u) && (p' =? purse u)%N && negb (tells M p' c)) eqn:Sk; [discriminate|].
      assert (Ho : holds C G false true (newborn G false i) c 1 1) by (eapply newborn_holds; eauto).
      assert (Al : allows G u (Creates i) = Some ({| purse := p'; made := made u + 1; kids := kids u ++ [(i, judged G i)] |}, Born (Some i))).
      { cbn [allows]. rewrite (its_most T), Mo, Ad'. reflexivity. }
      destruct (One (ks ++ [newborn G false i]) (insert c cs) (1 * X) (1 * Y) _ _ (Live c) Al) as [P HP]; auto; try ring.
      + rewrite map_app, Ki. reflexivity.
      + eapply covers_eq; [apply (covers_snoc CvP Ho)|symmetry; apply insert_perm|reflexivity|reflexivity].
      + exists (then_plan (Creates i) (fun _ => P)). unfold has, gain in *. rewrite !map_app in HP. cbn [map newborn ahead behind] in HP.
        rewrite !JE_snoc in HP. rewrite <- HP.
        assert (St : forall w ss, go G (fst (then_plan (Creates i) (fun _ => P))) (snd (then_plan (Creates i) (fun _ => P))) w (S r) [] u ss ==
          go G (fst P) (snd P) w r [] {| purse := p'; made := made u + 1; kids := kids u ++ [(i, judged G i)] |} (ss ++ [first G w i])).
        { intros w ss. unfold go at 1. cbn [Pr]. change (step (world G w)) with (Game.play G w). cbn [Game.play].
          change (fst (then_plan (Creates i) (fun _ => P)) []) with (Creates i). rewrite Al, Ex_ret. cbn [fst snd app]. rewrite then_plan_step. reflexivity. }
        rewrite (JE_ext _ _ _ (St false)), (JE_ext _ _ _ (St (negb false))). reflexivity.
    - destruct (asks_in M (purse u) && (p' =? purse u)%N) eqn:Sk; [discriminate|].
      assert (Al : allows G u (Creates i) = Some ({| purse := p'; made := made u + 1; kids := kids u |}, Born None)).
      { cbn [allows]. rewrite (its_most T), Mo, Ad'. reflexivity. }
      destruct (One ks cs X Y _ _ Dead Al) as [P HP]; auto; try reflexivity.
      exists (then_plan (Creates i) (fun _ => P)). unfold has in *. rewrite <- HP. apply gain_ext. intros w ss.
      unfold go at 1. cbn [Pr]. change (step (world G w)) with (Game.play G w). cbn [Game.play].
      change (fst (then_plan (Creates i) (fun _ => P)) []) with (Creates i). rewrite Al, Ex_ret. cbn [fst snd app]. rewrite then_plan_step. reflexivity.
  Qed.

  (* -------------------------------------------------------------------------- to ask --- *)
  Definition next (F : N -> Plan) w r u (e : N) ss : Q :=
    if (e =? 0)%N then ind (snd (F 0%N) (repeat Halted r)) else go G (fst (F e)) (snd (F e)) w r [] u ss.
  Lemma next_ext : forall F F' w r u e ss, F e = F' e -> next F w r u e ss = next F' w r u e ss.
  Proof. intros. unfold next. destruct (e =? 0)%N eqn:E; [apply N.eqb_eq in E; subst e|]; rewrite H; reflexivity. Qed.
  Lemma branch_sum_ext : forall b answers bs g g', (forall e s, In e answers -> g (e, s) == g' (e, s)) ->
    branch_sum C b answers bs g == branch_sum C b answers bs g'.
  Proof.
    induction answers as [|e answers IH]; intros [|[[f0 f1] tg] bs] g g' H; cbn [branch_sum]; try reflexivity.
    rewrite (Ex_ext _ (fun s => g (e, s)) (fun s => g' (e, s))) by (intros; apply H; left; reflexivity).
    rewrite (IH bs g g') by (intros; apply H; right; assumption). reflexivity.
  Qed.
  Lemma branches_reached : forall r, reached r -> forall t p' created others cs' X' Y' a b kk al be u u' ks n i j',
    r = N.to_nat t -> frame C G false true (purse u) ks n cs' X' Y' -> Permutation cs' others ->
    al * X' == kk * nat_Q a -> be * Y' == kk * nat_Q b -> purse u' = p' ->
    (forall i, differ G (purse u) i = None -> differ G (purse u') i = None) -> made u' = created ->
    map listed ks = kids u -> kids u' = put (kids u) n (i, j') ->
    (n < length ks)%nat -> forall bs answers w, well_led C i j' answers bs -> distinct answers = true ->
    worth C M t a b (map (branch M p' created others) bs) = Some w ->
    exists F,
    al * branch_sum C false answers bs (fun y => JE (put (map ahead ks) n (ret (snd y))) (next F false r u' (fst y)))
    - be * branch_sum C true answers bs (fun y => JE (put (map behind ks) n (ret (snd y))) (next F true r u' (fst y)))
    == kk * w.
  Proof.
    intros r IH t p' created others cs' X' Y' a b kk al be u u' ks n i j' R [F1 F2] P HX HY Pu D Ma Ki Ki' Ln.
    induction bs as [|[[f0 f1] tg] bs IHb]; intros [|e answers] w W Di H; cbn [well_led] in W; try tauto;
      cbn [map worth] in H.
    { inversion H; subst. exists (fun _ => (fun _ => Creates 0, fun _ => false)). cbn [branch_sum]. ring. }
    destruct W as [Le W]. apply distinct_cons in Di. destruct Di as [Ni Di].
    destruct (branch M p' created others (f0, f1, tg)) as [[F_0 F_1] bx] eqn:B.
    destruct (value C M t bx (a * F_0) (b * F_1)) as [v1|] eqn:Vl; [|discriminate].
    destruct (worth C M t a b (map (branch M p' created others) bs)) as [w'|]; [|discriminate].
    inversion H; subst w; clear H. destruct (IHb _ _ W Di eq_refl) as [F' HF].
    pose (k1 := {| kind := i; at_f := j'; ahead := lawQ (tlaw C false tg); behind := lawQ (tlaw C true tg) |}).
    assert (Ki2 : map listed (put ks n k1) = kids u') by (rewrite map_put, Ki; symmetry; exact Ki').
    assert (HX' : al * nat_Q f0 * X' == kk * nat_Q (a * f0)) by (rewrite nat_Q_mul, !Qmult_assoc, <- HX; ring).
    assert (HY' : be * nat_Q f1 * Y' == kk * nat_Q (b * f1)) by (rewrite nat_Q_mul, !Qmult_assoc, <- HY; ring).
    assert (Dead_case : tlaw C false tg = [(0%N, 1%N)] -> tlaw C true tg = [(0%N, 1%N)] -> covers (purse u') (put ks n k1) others X' Y').
    { intros T0 T1. eapply covers_later; [|exact D].
      eapply covers_eq; [apply F2; left; unfold k1; rewrite T0, T1; apply (corpse_spent G false i j' (nat_Q 1) (nat_Q 1))|exact P| |];
        unfold k1, weight; cbn [ahead behind]; rewrite ?T0, ?T1; cbn [lawQ map Ex fst snd]; change (nat_Q 1) with 1; ring. }
    assert (Part : exists Q1, gain false (fun w => next (fun _ => Q1) w r u' e) (put ks n k1) (al * nat_Q f0) (be * nat_Q f1) == kk * v1).
    { destruct tg as [| |c1]; cbn [branch] in B; inversion B; subst F_0 F_1 bx; clear B.
      - cbn [leads] in Le. cbn [value] in Vl. inversion Vl; subst v1. 
        destruct (stop_choice (a * (f0 * mass M false others)) (b * (f1 * mass M true others))) as [z Hz].
        exists (fun _ => Creates 0, fun _ => z). unfold next. rewrite Le. cbn [snd].
        assert (St : stands u' (p', created, others) (put ks n k1) (a * f0) (b * f1) kk (al * nat_Q f0) (be * nat_Q f1)).
        { split; [cbn [snd]; rewrite Pu, Ma; reflexivity|]. split; [exact Ki2|]. exists X', Y'. split; [apply Dead_case; reflexivity|auto]. }
        destruct (stands_mass St) as [W0 W1]. cbn [snd] in W0, W1.
        etransitivity; [apply (@constant _ _ _ _ (ind z)); intros; reflexivity|]. rewrite W0, W1, <- Hz, !N.mul_assoc. ring.
      - cbn [leads] in Le. apply negb_true_iff in Le.
        destruct (@branch_reached r IH t p' created others X' Y' f0 f1 a b v1 kk (al * nat_Q f0) (be * nat_Q f1) u' (put ks n k1)) as [Q1 H1]; auto.
        exists Q1. unfold next. rewrite Le. exact H1.
      - cbn [leads] in Le. apply andb_true_iff in Le. destruct Le as [Le Lc']. apply negb_true_iff in Le.
        destruct (@branch_reached r IH t p' created (insert c1 others) X' Y' f0 f1 a b v1 kk (al * nat_Q f0) (be * nat_Q f1) u' (put ks n k1)) as [Q1 H1]; auto.
        + eapply covers_later; [|exact D]. fold M in Lc'.
          destruct (lookup [c1] (column_map M)) as [kc|] eqn:Lc; [|discriminate]. split_and. apply N.eqb_eq in H, H0.
          eapply covers_eq; [apply (F1 k1 c1 1 1)|rewrite insert_perm; constructor; exact P|ring|ring].
          split; [lra|]. split; [lra|]. left. exists kc. unfold k1, tlaw. cbn [kind at_f ahead behind target_law law]. fold M. rewrite Lc.
          repeat split; auto; intros; ring.
        + exists Q1. unfold next. rewrite Le. exact H1. }
    destruct Part as [Q1 Part]. exists (fun x => if (x =? e)%N then Q1 else F' x). cbn [branch_sum fst snd].
    pose (F := fun x => if (x =? e)%N then Q1 else F' x). fold F.
    assert (Old : forall w e' s, In e' answers -> forall ls, JE (put ls n (ret s)) (next F w r u' e') == JE (put ls n (ret s)) (next F' w r u' e')).
    { intros w e' s I ls. apply JE_ext. intros ss. rewrite (next_ext F F'); [reflexivity|]. unfold F.
      destruct (e' =? e)%N eqn:Ee; [apply N.eqb_eq in Ee; subst; tauto|reflexivity]. }
    rewrite (branch_sum_ext false answers bs _ (fun y => JE (put (map ahead ks) n (ret (snd y))) (next F' false r u' (fst y))))
      by (intros; apply Old; assumption).
    rewrite (branch_sum_ext true answers bs _ (fun y => JE (put (map behind ks) n (ret (snd y))) (next F' true r u' (fst y))))
      by (intros; apply Old; assumption).
    assert (E0 : Ex (lawQ (tlaw C false tg)) (fun s => JE (put (map ahead ks) n (ret s)) (next F false r u' e))
                 == JE (map ahead (put ks n k1)) (next (fun _ => Q1) false r u' e)).
    { rewrite <- (@law_put ahead ks n k1) by exact Ln. apply Ex_ext. intros. apply JE_ext. intros.
      rewrite (next_ext F (fun _ => Q1)); [reflexivity|]. unfold F. rewrite N.eqb_refl. reflexivity. }
    assert (E1 : Ex (lawQ (tlaw C true tg)) (fun s => JE (put (map behind ks) n (ret s)) (next F true r u' e))
                 == JE (map behind (put ks n k1)) (next (fun _ => Q1) true r u' e)).
    { rewrite <- (@law_put behind ks n k1) by exact Ln. apply Ex_ext. intros. apply JE_ext. intros.
      rewrite (next_ext F (fun _ => Q1)); [reflexivity|]. unfold F. rewrite N.eqb_refl. reflexivity. }
    rewrite E0, E1, plus_eq. unfold gain in Part. cbn [negb] in Part.
    assert (kk * (v1 + w') == kk * v1 + kk * w') as -> by ring. rewrite <- Part, <- HF. ring.
  Qed.

  Lemma say_reached : forall r, reached r -> forall t p created cs a b v kk al be u ks c n q, S r = N.to_nat t ->
    as_much C M t a b v (named C M (p, created, cs) (Say c n q)) = true ->
    stands u (p, created, cs) ks a b kk al be -> exists P, has (S r) u ks al be (kk * v) P.
  Proof.
    intros r IH t p created cs a b v kk al be u ks c n q R W (E & Ki & X & Y & V & HX & HY). cbn [snd] in *. inversion E; subst p created; clear E.
    cbn [named] in W. destruct (lookup [c] (column_map M)) as [col|] eqn:Lc; [|discriminate].
    destruct (take_out c cs) as [others|] eqn:To; [|discriminate]. apply take_out_perm in To.
    destruct (moves col) as [[ms ds]|] eqn:Mo; [|discriminate].
    destruct (lookup [part col; state_of_f col] (rule_map M)) as [rl|] eqn:Rl; [|discriminate].
    destruct (nth_error ms n) as [mv|] eqn:Nm; [|discriminate].
    destruct (does_of q rl ds) as [[j' [e|n' answers]]|] eqn:Do; try discriminate.
    destruct ((n =? n')%nat && distinct answers && asks_in M (purse u)) eqn:Cond; [|discriminate].
    apply andb_true_iff in Cond. destruct Cond as [Cond As]. apply andb_true_iff in Cond. destruct Cond as [En Di].
    apply Nat.eqb_eq in En. subst n'.
    assert (Ck := columns_ok). rewrite forallb_forall in Ck. specialize (Ck _ (lookup_in _ _ Lc)). cbn [snd] in Ck.
    unfold check_column in Ck. rewrite Mo, Rl in Ck. destruct (does_of_checked _ _ _ _ Do Ck) as [Ru Cp]. clear Ck.
    cbn [check_pair] in Cp. rewrite Nm in Cp. apply andb_true_iff in Cp. destruct Cp as [Cp C1]. apply andb_true_iff in Cp. destruct Cp as [Pa C0].
    apply Bool.eqb_prop in Pa. destruct (pair_law T _ _ _ _ _ _ _ _ C0) as [Wl S0]. destruct (pair_law T _ _ _ _ _ _ _ _ C1) as [_ S1].
    assert (Ic : In c cs) by (rewrite To; left; reflexivity).
    destruct (covers_find V _ Ic) as (g & k & x & y & cs' & X' & Y' & N & Ho & F & P & EX & EY).
    destruct Ho as (X0 & Y0 & [Fi|(Abs & _)]); [|discriminate Abs].
    destruct Fi as (col' & Lc' & Pk & Fk & EA & EB). fold M in Lc'. rewrite Lc in Lc'. inversion Lc'. subst col'. clear Lc'.
    unfold ask_option in W.
    destruct (if paying mv then assoc (part col) (differ_in M (purse u)) else Some (purse u)) as [p'|] eqn:Ep; [|discriminate].
    cbn [as_much after below] in W.
    destruct (worth C M (N.pred t) a b (map (branch M p' (made u) others) (branches mv))) as [w|] eqn:Ew; [|discriminate].
    apply Qeq_bool_iff in W.
    assert (Pay : pays G (purse u) (kind k) (at_f k) q = Some p').
    { unfold pays. rewrite <- Pk, <- Fk, (differ_eq T). rewrite Pa in Ep. fold M.
      destruct ((fst q =? snd q)%N || N.odd (state_of_f col)); exact Ep. }
    assert (J : judge G (kind k) (at_f k) q = Some j') by (rewrite <- Pk, <- Fk, (its_rules T _ _ Rl); exact Ru).
    assert (Nk : nth_error (kids u) g = Some (kind k, at_f k)) by (rewrite <- Ki; apply (map_nth_error listed _ _ N)).
    set (u' := {| purse := p'; made := made u; kids := put (kids u) g (kind k, j') |}).
    assert (Al : allows G u (Asks g q) = Some (u', Put g (kind k) q)).
    { cbn [allows]. rewrite (asks_eq T). fold M. rewrite As, Nk, J, Pay. reflexivity. }
    destruct (@pays_cases C G T publics_ok _ _ _ _ _ Pay) as (_ & D & _).
    assert (Ln : (g < length ks)%nat) by (apply nth_error_Some; congruence).
    assert (HX' : al * x * X' == kk * nat_Q a) by (rewrite <- HX, EX; ring).
    assert (HY' : be * y * Y' == kk * nat_Q b) by (rewrite <- HY, EY; ring).
    assert (Pc : Permutation cs' others) by (rewrite To in P; apply Permutation_cons_inv in P; symmetry; exact P).
    rewrite Pk in Wl.
    destruct (@branches_reached r IH (N.pred t) p' (made u) others cs' X' Y' a b kk (al * x) (be * y) u u' ks g (kind k) j')
      with (bs := branches mv) (answers := answers) (w := w) as [Fn HF]; auto; [lia|].
    exists (then_plan (Asks g q) (fun e => match e with Says e' => Fn e' | _ => Fn 0%N end)). unfold has.
    set (Pl := then_plan (Asks g q) (fun e => match e with Says e' => Fn e' | _ => Fn 0%N end)).
    assert (Eq0 : fst Pl [] = Asks g q) by reflexivity.
    assert (Al' : allows G u (fst Pl []) = Some (u', Put g (kind k) q)) by (rewrite Eq0; exact Al).
    rewrite (@gain_put G false (fst Pl) (snd Pl) r [] u u' g (kind k) q ks k al be Eq0 Al' N). cbn [half negb].
    assert (Nx : forall w0 e ss, then_ G (fst Pl) (snd Pl) w0 r [] u' e ss == next Fn w0 r u' e ss).
    { intros w0 e ss. unfold then_, next. destruct (e =? 0)%N; [reflexivity|]. unfold go. cbn [app]. unfold Pl. rewrite then_plan_step. reflexivity. }
    rewrite EA, EB, <- Pk.
    rewrite (Ex_ext (lawQ (law0 col)) _ (fun s => Ex (kernel G (part col) s (fst q)) (fun y => JE (put (map ahead ks) g (ret (snd y))) (next Fn false r u' (fst y)))))
      by (intros; apply Ex_ext; intros; apply JE_ext; intros; apply Nx).
    rewrite (Ex_ext (lawQ (law1 col)) _ (fun s => Ex (kernel G (part col) s (snd q)) (fun y => JE (put (map behind ks) g (ret (snd y))) (next Fn true r u' (fst y)))))
      by (intros; apply Ex_ext; intros; apply JE_ext; intros; apply Nx).
    rewrite <- S0, <- S1 in HF. revert HF.
    generalize (Ex (lawQ (law0 col)) (fun s => Ex (kernel G (part col) s (fst q)) (fun y => JE (put (map ahead ks) g (ret (snd y))) (next Fn false r u' (fst y))))).
    generalize (Ex (lawQ (law1 col)) (fun s => Ex (kernel G (part col) s (snd q)) (fun y => JE (put (map behind ks) g (ret (snd y))) (next Fn true r u' (fst y))))).
    intros z1 z0 HF. rewrite W in HF.
    assert (Nz : ~ inject_Z (Zpos (over mv)) == 0) by (intros Q; unfold Qeq in Q; simpl in Q; lia).
    apply (Qmult_inj_l _ _ _ Nz).
    transitivity (al * x * (inject_Z (Zpos (over mv)) * z0) - be * y * (inject_Z (Zpos (over mv)) * z1)); [ring|].
    rewrite HF. ring.
  Qed.

  Theorem all_reached : forall r, reached r.
  Proof.
    induction r; intros t x a b v kk al be u ks R W S.
    - destruct W as [W|[Nz _]]; [|exfalso; apply Nz; lia]. destruct (stop_reached 0 S) as [P HP]. exists P.
      unfold has in *. rewrite HP, W. reflexivity.
    - destruct W as [W|[_ [[|i|c n q] W]]].
      + destruct (stop_reached (Datatypes.S r) S) as [P HP]. exists P. unfold has in *. rewrite HP, W. reflexivity.
      + destruct x as [[p created] cs]. discriminate W.
      + destruct x as [[p created] cs]. eapply make_reached; eauto.
      + destruct x as [[p created] cs]. eapply say_reached; eauto.
  Qed.

  Lemma first_reached : forall f0 f1 x a b v kk, start C M = Some (f0, f1, x) ->
    value C M (rounds C) (Some x) (a * f0) (b * f1) = Some v ->
    exists A Ev, kk * nat_Q a * chance G false A (N.to_nat (rounds C)) Ev - kk * nat_Q b * chance G true A (N.to_nat (rounds C)) Ev == kk * v.
  Proof.
    intros f0 f1 x a b v kk S V. unfold start in S. unfold chance, world. cbn [init]. fold (world G false) (world G true).
    unfold first_public. rewrite (its_start T). destruct (composed C); cbn [negb].
    - inversion S; subst f0 f1 x; clear S. rewrite !N.mul_1_r in V.
      destruct (@reached_value _ (@all_reached (N.to_nat (rounds C))) (rounds C) (0%N, 0%N, []) a b v kk (kk * nat_Q a) (kk * nat_Q b)
        {| purse := 0; made := 0; kids := [] |} [] eq_refl V) as [[A Ev] HP].
      { split; [reflexivity|]. split; [reflexivity|]. exists 1, 1. split; [constructor|]. split; ring. }
      exists A, Ev. exact HP.
    - destruct (lookup [0%N] (part_map M)) as [[[[s0 s1] j0] c]|] eqn:L; [|discriminate].
      cbn [branch insert] in S. inversion S; subst f0 f1 x; clear S.
      assert (Ho : holds C G false true (newborn G false 0) c 1 1) by (eapply newborn_holds; eauto).
      destruct (@branch_reached _ (@all_reached (N.to_nat (rounds C))) (rounds C) 0%N 0%N [c] (1 * 1) (1 * 1) 1%N 1%N a b v kk (kk * nat_Q a) (kk * nat_Q b)
        {| purse := 0; made := 0; kids := [(0%N, judged G 0)] |} [newborn G false 0] eq_refl V) as [[A Ev] HP]; auto.
      + apply covers_for; [exact Ho|constructor].
      + rewrite N.mul_1_r. ring.
      + rewrite N.mul_1_r. ring.
      + exists A, Ev. unfold has, gain in HP. cbn [map newborn ahead behind JE] in HP. rewrite !Ex_ret in HP. exact HP.
  Qed.
End Attained.

Theorem exact : forall C one zero d, check_tight C one zero d = true -> attains C one zero d.
Proof.
  intros C one zero d H G TG. unfold check_tight in H. apply andb_true_iff in H. destruct H as [H X].
  unfold check_with in H. do 2 (apply andb_true_iff in H; destruct H as [H _]).
  apply andb_true_iff in H. destruct H as [H Hc]. apply andb_true_iff in H. destruct H as [H _].
  apply andb_true_iff in H. destruct H as [H Hp]. apply andb_true_iff in H. destruct H as [H _].
  apply andb_true_iff in H. destruct H as [H Ha]. apply andb_true_iff in H. destruct H as [_ Hr].
  unfold exact_with in X. apply andb_true_iff in X. destruct X as [Hx X].
  destruct (start C (maps C)) as [[[f0 f1] x]|] eqn:S; [|discriminate].
  assert (Nz : ~ inject_Z (Zpos zero) == 0) by (intros Q; unfold Qeq in Q; simpl in Q; lia).
  assert (E1 : 1 / inject_Z (Zpos zero) * nat_Q (Npos zero) == 1) by (change (nat_Q (Npos zero)) with (inject_Z (Zpos zero)); field; exact Nz).
  assert (E2 : 1 / inject_Z (Zpos zero) * nat_Q (Npos one) == Zpos one # zero)
    by (rewrite (over_zero one zero); change (nat_Q (Npos one)) with (inject_Z (Zpos one)); field; exact Nz).
  apply orb_true_iff in X. destruct X as [X|X].
  - destruct (value C (maps C) (rounds C) (Some x) (Npos zero * f0) (Npos one * f1)) as [v|] eqn:E; [|discriminate].
    apply Qeq_bool_iff in X.
    destruct (@first_reached C G TG Hr Hc Ha Hp Hx f0 f1 x _ _ v (1 / inject_Z (Zpos zero)) S E) as (A & Ev & HP).
    exists false, A, Ev. cbn [negb]. rewrite E1, E2, X in HP.
    assert (1 / inject_Z (Zpos zero) * (d * inject_Z (Zpos zero)) == d) as F by (field; exact Nz). rewrite F in HP.
    revert HP. generalize (chance G false A (N.to_nat (rounds C)) Ev) (chance G true A (N.to_nat (rounds C)) Ev). intros. lra.
  - destruct (value C (maps C) (rounds C) (Some x) (Npos one * f0) (Npos zero * f1)) as [v|] eqn:E; [|discriminate].
    apply Qeq_bool_iff in X.
    destruct (@first_reached C G TG Hr Hc Ha Hp Hx f0 f1 x _ _ v (1 / inject_Z (Zpos zero)) S E) as (A & Ev & HP).
    exists true, A, (fun h => negb (Ev h)). cbn [negb]. rewrite E1, E2 in HP. unfold chance in *.
    pose proof (Pr_not (world G true) A Ev (N.to_nat (rounds C)) (init (world G true)) []) as N1.
    pose proof (Pr_not (world G false) A Ev (N.to_nat (rounds C)) (init (world G false)) []) as N0.
    assert (F : 1 / inject_Z (Zpos zero) * v == d - 1 + (Zpos one # zero)).
    { assert (v == d * inject_Z (Zpos zero) - inject_Z (Zpos zero) + inject_Z (Zpos one)) as ->.
      { rewrite <- X. unfold Z.sub. rewrite inject_Z_plus. change (- Zpos one)%Z with (Z.opp (Zpos one)). rewrite inject_Z_opp. ring. }
      rewrite (over_zero one zero). field. exact Nz. }
    rewrite F in HP. revert N1 N0 HP.
    generalize (Pr (world G true) A (N.to_nat (rounds C)) (init (world G true)) [] Ev) (Pr (world G false) A (N.to_nat (rounds C)) (init (world G false)) [] Ev)
      (Pr (world G true) A (N.to_nat (rounds C)) (init (world G true)) [] (fun h => negb (Ev h))) (Pr (world G false) A (N.to_nat (rounds C)) (init (world G false)) [] (fun h => negb (Ev h))).
    intros p1 p0 n1 n0 N1 N0 HP. assert (n0 == 1 - p0) as -> by lra. assert (n1 == 1 - p1) as -> by lra. lra.
Qed.
Theorem tight : forall C one zero d, check_tight C one zero d = true -> bounds C one zero d /\ attains C one zero d.
Proof.
  intros C one zero d H. split; [|apply exact, H]. apply accepted. unfold check_tight in H. apply andb_true_iff in H. apply H.
Qed.
