(** Theorem 1.4 and Section 5.2: for delta > 0, k-sparse parallel composition fails.
    M_delta is (0, delta)-DP w.r.t. g; with n instances, of which one gets one pair with
    two sides, an adversary learns the bit with probability 1 - (1 - delta)^n.          *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories Components.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.


Section CounterExample.
  Variable d : Q.
  Hypothesis d01 : 0 <= d <= 1.

  (* state true = "top" (initial), false = "bottom" *)
  Definition Mstep (s : bool) (m : bool) : Dist (bool * Ans4) :=
    if s then [(1 - d, (true, Top)); (d, (false, Bot))] else [(1, (false, Bit m))].
  Lemma Mstep_ok : forall s m, proper (Mstep s m).
  Proof. intros [|] m; split; simpl; try lra; repeat constructor; simpl; lra. Qed.
  Definition Mdelta : CM bool bool Ans4 := {| init := true; step := Mstep; step_ok := Mstep_ok |}.

  (* at most two pairs of bits, at most one of them differs *)
  Definition g (l : list (bool * bool)) : bool :=
    (length l <=? 2)%nat && (length (filter (fun p => xorb (fst p) (snd p)) l) <=? 1)%nat.

  Notation VIM b := (VI side2 g b Mdelta).

  Lemma halted_eq : forall A Ev T b past, Pr (VIM b) A T None past Ev == Pr (VIM (negb b)) A T None past Ev.
  Proof. induction T; intros; simpl; [reflexivity|]. rewrite IHT. reflexivity. Qed.
  Lemma late_eq : forall A Ev T b hist x past, (2 <= length hist)%nat ->
    Pr (VIM b) A T (Some (hist, x)) past Ev == Pr (VIM (negb b)) A T (Some (hist, x)) past Ev.
  Proof.
    intros A Ev [|T] b hist x past H; simpl; [reflexivity|].
    assert (G : g (hist ++ [A past]) = false).
    { unfold g. rewrite app_length. simpl. destruct (Nat.leb_spec (length hist + 1) 2); [lia|reflexivity]. }
    rewrite G. simpl. rewrite halted_eq. reflexivity.
  Qed.
  Lemma top_eq : forall A Ev T b hist past, (1 <= length hist)%nat ->
    Pr (VIM b) A T (Some (hist, true)) past Ev == Pr (VIM (negb b)) A T (Some (hist, true)) past Ev.
  Proof.
    intros A Ev [|T] b hist past H; simpl; [reflexivity|].
    destruct (g (hist ++ [A past])); simpl; [|rewrite halted_eq; reflexivity].
    rewrite !(late_eq A Ev T b) by (rewrite app_length; simpl; lia). reflexivity.
  Qed.

  Theorem Mdelta_DP : DP side2 g Mdelta 1 d.
  Proof.
    intros b A T Ev. destruct T as [|T]; simpl.
    - destruct (Ev []); lra.
    - destruct (g [A []]); simpl; [|rewrite halted_eq; lra].
      rewrite (top_eq A Ev T b) by (simpl; lia).
      pose proof (Pr_range (VIM b) A Ev T (Some ([A []], false)) [Some Bot]) as R1.
      pose proof (Pr_range (VIM (negb b)) A Ev T (Some ([A []], false)) [Some Bot]) as R2.
      simpl in R1, R2. nra.
  Qed.

  Definition claim : @Claim bool Ans4 (bool * bool) side2 :=
    @mkClaim bool Ans4 (bool * bool) side2 bool Mdelta g 1 d (Qle_refl 1) d01 Mdelta_DP.

  Notation EP := (@EPair bool Ans4 (bool * bool) side2).
  Notation EA := (option (EAns Ans4)).
  Definition f1 : list EP -> bool := f_inf same2 [(1, d)].      (* k = 1, (0, delta) *)
  Notation Sys b := (VI (@eside bool Ans4 (bool * bool) side2) f1 b (@ExtConComp bool Ans4 (bool * bool) side2)).

  (* create, ask (0,0); on "top" create the next; on the first "bottom" ask (0,1) *)
  Definition is_bot (a : EA) := match a with Some (Answer Bot) => true | _ => false end.
  Definition is_one (a : EA) := match a with Some (Answer (Bit true)) => true | _ => false end.
  Definition is_ack (a : EA) := match a with Some Ack => true | _ => false end.
  Definition created (past : list EA) := length (filter is_ack past).
  Definition attack (past : list EA) : EP :=
    if existsb is_bot past then PQuery (created past - 1) (false, true)
    else if Nat.even (length past) then PCreate claim
    else PQuery (created past - 1) (false, false).
  Definition learns_one (past : list EA) : bool := existsb is_one past.

  (* ---------------------------------------------------------------- b = 0 *)
  Definition ours (st : @EState bool Ans4 (bool * bool) side2) := Forall (fun z => projT1 z = claim) st.
  Lemma ours_upd : forall st i x, ours st -> ours (upd st i (existT _ claim x)).
  Proof. induction st; intros [|i] x H; inversion H; subst; simpl; constructor; auto. apply IHst; auto. Qed.

  Lemma never_zero : forall T s past, learns_one past = false ->
    (forall h st, s = Some (h, st) -> ours st) -> Pr (Sys false) attack T s past learns_one == 0.
  Proof.
    induction T as [|T IH]; intros s past Hp Hs; simpl; [rewrite Hp; reflexivity|].
    assert (N : forall a, is_one a = false -> learns_one (past ++ [a]) = false).
    { intros a Ha. unfold learns_one in *. rewrite existsb_app, Hp. simpl. rewrite Ha. reflexivity. }
    destruct s as [[h st]|]; simpl.
    2: { rewrite IH; [ring|apply N; reflexivity|intros; discriminate]. }
    specialize (Hs h st eq_refl).
    destruct (f1 (h ++ [attack past])); simpl.
    2: { rewrite IH; [ring|apply N; reflexivity|intros; discriminate]. }
    rewrite Ex_dmap. rewrite (Ex_ext_in _ _ (fun _ => 0)); [apply Ex_zero|].
    intros w [st' a] Hin. simpl. apply IH.
    - apply N. assert (K : eside false (attack past) = Create claim \/
                           exists i, eside false (attack past) = Query i false).
      { unfold attack. destruct (existsb is_bot past); [|destruct (Nat.even _)]; simpl; eauto. }
      destruct K as [K|[i K]]; rewrite K in Hin; simpl in Hin.
      + destruct Hin as [Hin|[]]. inversion Hin; reflexivity.
      + destruct (nth_error st i) as [[c x]|] eqn:Hn.
        * unfold ours in Hs. rewrite Forall_forall in Hs. apply nth_error_In in Hn.
          apply Hs in Hn. simpl in Hn. subst c. simpl in Hin. unfold Mstep in Hin.
          destruct x; simpl in Hin; intuition; match goal with E : _ = (w, _) |- _ => inversion E; reflexivity end.
        * destruct Hin as [Hin|[]]. inversion Hin; reflexivity.
    - intros h' st'' E. inversion E; subst; clear E.
      assert (K : eside false (attack past) = Create claim \/
                           exists i, eside false (attack past) = Query i false).
      { unfold attack. destruct (existsb is_bot past); [|destruct (Nat.even _)]; simpl; eauto. }
      destruct K as [K|[i K]]; rewrite K in Hin; simpl in Hin.
      + destruct Hin as [Hin|[]]. inversion Hin; subst. apply Forall_app; split; [exact Hs|].
        constructor; [reflexivity|constructor].
      + destruct (nth_error st i) as [[c x]|] eqn:Hn.
        * pose proof Hs as Hs'. unfold ours in Hs'. rewrite Forall_forall in Hs'. apply nth_error_In in Hn.
          apply Hs' in Hn. simpl in Hn. subst c. unfold dmap in Hin. apply in_map_iff in Hin.
          destruct Hin as [wy [Ey _]]. inversion Ey; subst. apply ours_upd; exact Hs.
        * destruct Hin as [Hin|[]]. inversion Hin; subst; exact Hs.
  Qed.

  (* ---------------------------------------------------------------- b = 1 *)
  Lemma sure : forall T s past, learns_one past = true -> Pr (Sys true) attack T s past learns_one == 1.
  Proof.
    induction T as [|T IH]; intros s past Hp; cbn [Pr]; [rewrite Hp; reflexivity|].
    destruct (step_ok (Sys true) s (attack past)) as [_ P].
    rewrite (Ex_ext _ _ (fun _ => 1)); [exact P|]. intros sa. apply IH.
    unfold learns_one in *. rewrite existsb_app, Hp. reflexivity.
  Qed.

  Definition ident (ps : list EP) : bool :=
    forallb (fun p => match p with PQuery _ p => same2 p | PCreate _ => true end) ps.
  Lemma ident_pairs : forall ps k, ident ps = true -> differs same2 (pairs k ps) = false.
  Proof.
    induction ps as [|[c|i p] ps IH]; simpl; intros k H; auto.
    apply andb_true_iff in H. destruct H as [H1 H2]. destruct (i =? k)%nat; [|apply IH; exact H2].
    unfold differs. simpl. rewrite H1. apply (IH k H2).
  Qed.
  Lemma pairs_app : forall (ps qs : list EP) k, pairs k (ps ++ qs) = pairs k ps ++ pairs k qs.
  Proof.
    induction ps as [|[c|i p] ps IH]; simpl; intros; auto.
    destruct (i =? k)%nat; simpl; rewrite IH; auto.
  Qed.
  Lemma instances_app : forall cs cs' k (ps : list EP),
    instances_from k (cs ++ cs') ps = instances_from k cs ps ++ instances_from (k + length cs) cs' ps.
  Proof.
    induction cs; simpl; intros; [rewrite Nat.add_0_r; reflexivity|]. rewrite IHcs, Nat.add_succ_comm; reflexivity.
  Qed.
  Lemma none_active : forall cs k (ps : list EP),
    (forall j, (k <= j < k + length cs)%nat -> differs same2 (pairs j ps) = false) ->
    filter (fun cl : @Claim bool Ans4 (bool * bool) side2 * _ => differs same2 (snd cl)) (instances_from k cs ps) = [].
  Proof.
    induction cs; simpl; intros k ps H; [reflexivity|]. rewrite (H k) by lia.
    apply IHcs. intros; apply H; lia.
  Qed.
  Lemma f1_ident : forall ps, ident ps = true -> suitable 0 ps = true -> f1 ps = true.
  Proof.
    intros ps Hi Hs. unfold f1, f_inf, active, instances. rewrite none_active, Hs; [reflexivity|].
    intros; apply ident_pairs; exact Hi.
  Qed.
  Lemma f1_reveal : forall h cs j, ident h = true -> suitable 0 h = true ->
    creations h = cs ++ [claim] -> length cs = j -> pairs j h = [(false, false)] ->
    f1 (h ++ [PQuery j (false, true)]) = true.
  Proof.
    intros h cs j Hi Hs Hc Hl Hp. unfold f1, f_inf, active, instances.
    rewrite suitable_app, Hs, creations_app, Hc. simpl creations. rewrite app_nil_r, instances_app, filter_app.
    rewrite none_active.
    - simpl. rewrite Hl, pairs_app, Hp. simpl. rewrite Nat.eqb_refl. simpl.
      rewrite app_length, Hl. simpl. destruct (Nat.ltb_spec j (j + 1)); [|lia]. simpl.
      assert (R : Qeq_bool d d = true) by (apply Qeq_bool_iff; reflexivity). rewrite R. reflexivity.
    - intros k Hk. rewrite pairs_app. simpl. destruct (Nat.eqb_spec j k); [lia|].
      rewrite app_nil_r. apply ident_pairs; exact Hi.
  Qed.


  Lemma nth_last : forall X (l : list X) y j, length l = j -> nth_error (l ++ [y]) j = Some y.
  Proof. intros; subst. rewrite nth_error_app2, Nat.sub_diag by lia. reflexivity. Qed.

  Lemma sys_step : forall b h st past T Ev, f1 (h ++ [attack past]) = true ->
    Pr (Sys b) attack (S T) (Some (h, st)) past Ev
    == Ex (ext_step st (eside b (attack past)))
          (fun sa => Pr (Sys b) attack T (Some (h ++ [attack past], fst sa)) (past ++ [Some (snd sa)]) Ev).
  Proof.
    intros b h st past T Ev H. cbn [Pr]. change (step (Sys b)) with (VIstep eside f1 b (@ExtConComp bool Ans4 (bool * bool) side2)).
    unfold VIstep at 1. rewrite H, Ex_dmap. reflexivity.
  Qed.

  Lemma win : forall n j cs h st past,
    existsb is_bot past = false -> Nat.even (length past) = true -> created past = j ->
    learns_one past = false -> ident h = true -> suitable 0 h = true ->
    creations h = cs -> length cs = j -> (forall k, (j <= k)%nat -> pairs k h = []) -> length st = j ->
    Pr (Sys true) attack (S (2 * n)) (Some (h, st)) past learns_one == 1 - qpow (1 - d) n.
  Proof.
    induction n as [|n IH]; intros j cs h st past Hb He Hj Hp Hi Hs Hc Hl Hk Hst.
    - simpl. assert (HA : attack past = PCreate claim) by (unfold attack; rewrite Hb, He; reflexivity).
      rewrite HA. rewrite f1_ident.
      + simpl. unfold learns_one in *. rewrite existsb_app, Hp. simpl. ring.
      + unfold ident in *. rewrite forallb_app, Hi. reflexivity.
      + rewrite suitable_app, Hs. reflexivity.
    - assert (HA : attack past = PCreate claim) by (unfold attack; rewrite Hb, He; reflexivity).
      set (h1 := h ++ [PCreate claim]). set (past1 := past ++ [Some (@Ack Ans4)]).
      set (st1 := st ++ [start claim]).
      assert (Hi1 : ident h1 = true) by (unfold h1, ident in *; rewrite forallb_app, Hi; reflexivity).
      assert (Hs1 : suitable 0 h1 = true) by (unfold h1; rewrite suitable_app, Hs; reflexivity).
      assert (Hc1 : creations h1 = cs ++ [claim]) by (unfold h1; rewrite creations_app, Hc; reflexivity).
      assert (HA1 : attack past1 = PQuery j (false, false)).
      { unfold attack, past1. rewrite existsb_app, Hb. simpl. rewrite app_length, Nat.add_comm. simpl plus.
        rewrite Nat.even_succ, <- Nat.negb_even, He. simpl. unfold created in *.
        rewrite filter_app, app_length, Hj. simpl. rewrite Nat.add_sub. reflexivity. }
      set (h2 := h1 ++ [PQuery j (false, false)]).
      assert (Hi2 : ident h2 = true) by (unfold h2, ident in *; rewrite forallb_app, Hi1; reflexivity).
      assert (Hs2 : suitable 0 h2 = true).
      { unfold h2; rewrite suitable_app, Hs1, Hc1, app_length, Hl. simpl.
        destruct (Nat.ltb_spec j (j + 1)); [reflexivity|lia]. }
      assert (Hc2 : creations h2 = cs ++ [claim]).
      { unfold h2; rewrite creations_app, Hc1. simpl. apply app_nil_r. }
      assert (Hn : nth_error st1 j = Some (start claim)) by (apply nth_last; exact Hst).
      replace (S (2 * S n)) with (S (S (S (2 * n)))) by lia.
      remember (S (2 * n)) as T0 eqn:HT0.
      (* round 1: create; round 2: ask (0,0) *)
      rewrite sys_step; rewrite HA; fold h1; [|apply f1_ident; assumption].
      change (ext_step st (eside true (PCreate claim))) with (ret (st1, @Ack Ans4)).
      unfold ret. cbn [Ex fst snd]. fold past1.
      rewrite sys_step; rewrite HA1; fold h2; [|apply f1_ident; assumption].
      assert (HX : ext_step st1 (eside true (PQuery j (false, false)))
        = [(1 - d, (upd st1 j (existT (fun c : Claim side2 => cSt c) claim true), Answer Top));
           (d, (upd st1 j (existT (fun c : Claim side2 => cSt c) claim false), Answer Bot))]).
      { cbn [ext_step eside side2]. rewrite Hn. reflexivity. }
      rewrite HX. cbn [Ex fst snd].
      set (pastT := past1 ++ [Some (Answer Top)]). set (pastB := past1 ++ [Some (Answer Bot)]).
      set (stT := upd st1 j (existT (fun c : Claim side2 => cSt c) claim true)).
      set (stB := upd st1 j (existT (fun c : Claim side2 => cSt c) claim false)).
      fold stT stB pastT pastB.
      assert (XT : Pr (Sys true) attack T0 (Some (h2, stT)) pastT learns_one == 1 - qpow (1 - d) n).
      { subst T0. apply (IH (S j) (cs ++ [claim])); auto; unfold pastT, past1.
        - rewrite !existsb_app, Hb. reflexivity.
        - rewrite !app_length. simpl. rewrite <- Nat.add_assoc, Nat.even_add, He. reflexivity.
        - unfold created in *. rewrite !filter_app, !app_length, Hj. simpl. lia.
        - unfold learns_one in *. rewrite !existsb_app, Hp. reflexivity.
        - rewrite app_length; simpl; lia.
        - intros k Hk'. unfold h2, h1. rewrite !pairs_app, Hk by lia. simpl.
          destruct (Nat.eqb_spec j k); [lia|reflexivity].
        - unfold stT. rewrite upd_length. unfold st1. rewrite app_length, Hst. simpl. lia. }
      assert (XB : Pr (Sys true) attack T0 (Some (h2, stB)) pastB learns_one == 1).
      { assert (HA2 : attack pastB = PQuery j (false, true)).
        { unfold attack, pastB, past1. rewrite !existsb_app. simpl. rewrite orb_true_r. unfold created in *.
          rewrite !filter_app, !app_length, Hj. simpl. f_equal. lia. }
        assert (Hf : f1 (h2 ++ [PQuery j (false, true)]) = true).
        { apply (@f1_reveal h2 cs j); auto. unfold h2, h1. rewrite !pairs_app, Hk by lia.
          simpl. rewrite Nat.eqb_refl. reflexivity. }
        assert (Hn2 : nth_error stB j = Some (existT (fun c : Claim side2 => cSt c) claim false)).
        { unfold stB, st1. clear - Hst. revert j Hst. induction st as [|z st IHs]; intros [|j] H; simpl in *;
            try discriminate; [reflexivity|apply IHs; lia]. }
        subst T0. rewrite sys_step; rewrite HA2; [|exact Hf].
        cbn [ext_step eside side2]. rewrite Hn2. unfold dmap.
        cbn [step cM claim Mdelta Mstep map Ex fst snd].
        rewrite sure; [ring|]. unfold learns_one. rewrite existsb_app. simpl. apply orb_true_r. }
      rewrite XT, XB. simpl qpow. ring.
  Qed.

  (** The attack: probability exactly 1-(1-delta)^n against 0. *)
  Theorem attack_succeeds : forall n,
    Pr (Sys true)  attack (S (2 * n)) (init (Sys true))  [] learns_one == 1 - qpow (1 - d) n /\
    Pr (Sys false) attack (S (2 * n)) (init (Sys false)) [] learns_one == 0.
  Proof.
    intros n; split.
    - apply (win n (j := 0%nat) (cs := [])); auto.
    - apply never_zero; [reflexivity|]. intros h st H. inversion H. constructor.
  Qed.

  (** Theorem 1.4: whatever E, the composition is not (E, d')-DP for d' < 1-(1-delta)^n. *)
  Theorem no_sparse_composition : forall E d', DP eside f1 (ExtConComp side2) E d' ->
    forall n, 1 - qpow (1 - d) n <= d'.
  Proof.
    intros E d' H n. destruct (attack_succeeds n) as [W Z].
    specialize (H true attack (S (2 * n)) learns_one). simpl negb in H. rewrite W, Z in H. lra.
  Qed.
End CounterExample.
