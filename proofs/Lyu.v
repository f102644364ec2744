(** Lyu's decomposition (Lemma 4.6, Appendix A).  Two systems that are
    (E, d)-indistinguishable in both directions are, as laws over transcripts,
        mu_b = lambda_b + nu_b
    with nu_b nonnegative, consistent (the children of a transcript sum to it), of total
    1 - d, and nu_0, nu_1 within the factor E of each other: a part d that may reveal the
    bit, and a purely private rest.  The paper's phi^b is lambda_b / d and its psi's are
    the mixtures of nu_0 and nu_1.
    The messages come from a finite list [qs] and there are at most T of them: a fixed
    adversary with a fixed horizon can ask no others, and the supremum over queries of
    Definition A.3 becomes a maximum of rationals.                                      *)
From Coq Require Import QArith List Bool Arith Lia Lqa Qfield.
From Antiphon Require Import Distributions Statements Histories PostProcessing.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Definition mx (x y : Q) : Q := if Qle_bool x y then y else x.
Definition mn (x y : Q) : Q := if Qle_bool x y then x else y.
Lemma Qle_bool_false : forall x y, Qle_bool x y = false -> y < x.
Proof. intros x y H. apply Qnot_le_lt. intro K. apply Qle_bool_iff in K. congruence. Qed.
Lemma mx_spec : forall x y, x <= mx x y /\ y <= mx x y /\ (mx x y = x \/ mx x y = y).
Proof.
  intros x y. unfold mx. destruct (Qle_bool x y) eqn:H.
  - apply Qle_bool_iff in H. repeat split; auto; lra.
  - apply Qle_bool_false in H. repeat split; auto; lra.
Qed.
Lemma mn_spec : forall x y, mn x y <= x /\ mn x y <= y /\ (mn x y = x \/ mn x y = y).
Proof.
  intros x y. unfold mn. destruct (Qle_bool x y) eqn:H.
  - apply Qle_bool_iff in H. repeat split; auto; lra.
  - apply Qle_bool_false in H. repeat split; auto; lra.
Qed.

(* the point of the list where g is least *)
Fixpoint pickmin {X} (g : X -> Q) (x0 : X) (l : list X) : X :=
  match l with
  | [] => x0
  | x :: l' => let y := pickmin g x0 l' in if Qle_bool (g x) (g y) then x else y
  end.
Lemma pickmin_le : forall X (g : X -> Q) l x0 x, In x (x0 :: l) -> g (pickmin g x0 l) <= g x.
Proof.
  induction l as [|y l IH]; simpl; intros x0 x H.
  - destruct H as [->|[]]. lra.
  - destruct (Qle_bool (g y) (g (pickmin g x0 l))) eqn:C.
    + apply Qle_bool_iff in C. destruct H as [->|[->|H]]; [|lra|].
      * pose proof (IH x x (or_introl eq_refl)). lra.
      * pose proof (IH x0 x (or_intror H)). lra.
    + apply Qle_bool_false in C. destruct H as [->|[->|H]].
      * apply IH; left; reflexivity.
      * lra.
      * apply IH; right; exact H.
Qed.
Lemma pickmin_in : forall X (g : X -> Q) l x0, In (pickmin g x0 l) (x0 :: l).
Proof.
  induction l as [|y l IH]; simpl; intros x0; [auto|].
  destruct (Qle_bool _ _); [auto|]. destruct (IH x0); auto.
Qed.

Section Lyu.
  Context {St Msg Ans : Type} (aeq : forall a a' : Ans, {a = a'} + {a <> a'}).
  Variables (N : bool -> CM St Msg Ans) (E d : Q) (qs : list Msg).
  Hypothesis (HE : 1 <= E) (Hd : 0 <= d <= 1).
  Hypothesis HN : forall b, indist (N b) (N (negb b)) E d.

  (* ------------------------------------------------------- laws of transcripts --- *)
  Definition mu b h := prob aeq (N b) (init (N b)) h.
  Fixpoint bel b (m : Dist St) (h : list (Msg * Ans)) : Dist St :=
    match h with [] => m | qa :: h' => bel b (cond aeq (snd qa) (joint (N b) m (fst qa))) h' end.
  Definition belief b h := bel b (ret (init (N b))) h.
  Lemma bel_mass : forall b h m h',
    Ex (bel b m h) (fun s => prob aeq (N b) s h') == Ex m (fun s => prob aeq (N b) s (h ++ h')).
  Proof.
    induction h as [|[q a] h IH]; intros m h'; [reflexivity|].
    simpl bel. rewrite IH. rewrite cond_joint_prob. reflexivity.
  Qed.
  Lemma belief_mass : forall b h h',
    Ex (belief b h) (fun s => prob aeq (N b) s h') == mu b (h ++ h').
  Proof. intros. unfold belief. rewrite bel_mass. unfold mu, ret. simpl. ring. Qed.
  Lemma bel_app : forall b h m h', bel b m (h ++ h') = bel b (bel b m h) h'.
  Proof. induction h; simpl; intros; auto. Qed.
  Lemma belief_snoc : forall b h q a, belief b (h ++ [(q, a)]) = cond aeq a (joint (N b) (belief b h) q).
  Proof. intros. unfold belief. rewrite bel_app. reflexivity. Qed.
  Lemma belief_one : forall b h, Ex (belief b h) (fun _ => 1) == mu b h.
  Proof.
    intros. pose proof (belief_mass b h []) as P. rewrite app_nil_r in P. exact P.
  Qed.

  Definition answers b h q := map (fun v => snd (snd v)) (joint (N b) (belief b h) q).
  Definition supp (h : list (Msg * Ans)) (q : Msg) : list Ans :=
    nodup aeq (answers true h q ++ answers false h q).
  Lemma supp_nodup : forall h q, NoDup (supp h q).
  Proof. intros; apply NoDup_nodup. Qed.
  Lemma supp_holds : forall b h q w sa, In (w, sa) (joint (N b) (belief b h) q) -> In (snd sa) (supp h q).
  Proof.
    intros b h q w sa H. apply nodup_In, in_or_app.
    destruct b; [left|right]; apply (in_map (fun v => snd (snd v)) _ _ H).
  Qed.
  Lemma mu_step : forall b h q a,
    mu b (h ++ [(q, a)]) == Ex (cond aeq a (joint (N b) (belief b h) q)) (fun _ => 1).
  Proof.
    intros. rewrite <- belief_one, belief_snoc. reflexivity.
  Qed.
  Lemma mu_sum : forall b h q, Sum (supp h q) (fun a => mu b (h ++ [(q, a)])) == mu b h.
  Proof.
    intros. rewrite <- belief_one.
    rewrite (Sum_ext _ _ _ (fun a => mu_step b h q a)).
    rewrite <- (Ex_split aeq (joint (N b) (belief b h) q) (fun _ => 1) (supp_nodup h q) (supp_holds b h q)).
    rewrite Ex_joint. apply Ex_ext. intros s. apply (step_ok (N b) s q).
  Qed.
  Lemma mu_out : forall b h q a, ~ In a (supp h q) -> mu b (h ++ [(q, a)]) == 0.
  Proof.
    intros b h q a H. rewrite mu_step, Ex_cond. rewrite (Ex_ext_in _ _ (fun _ => 0)); [apply Ex_zero|].
    intros w sa Hin. destruct (aeq (snd sa) a) as [e|e]; [|reflexivity].
    subst a. exfalso. apply H. exact (supp_holds b h q w sa Hin).
  Qed.
  Lemma mu_nonneg : forall b h, 0 <= mu b h.
  Proof. intros; apply prob_nonneg. Qed.

  (* ------------- the control function: m = mu - L, with L of Definition A.4 --- *)
  Definition base b h := mn (mu b h) (E * mu (negb b) h).
  Definition opt (m : list (Msg * Ans) -> Q) b h (o : option Msg) : Q :=
    match o with None => base b h | Some q => Sum (supp h q) (fun a => m (h ++ [(q, a)])) end.
  Definition best (m : list (Msg * Ans) -> Q) b h := pickmin (opt m b h) None (map Some qs).
  Fixpoint m T b h : Q :=
    match T with O => base b h | S T' => opt (m T' b) b h (best (m T' b) b h) end.
  (* the adversary that attains L *)
  Definition verdict b h : @Prog Msg Ans bool := Done (negb (Qle_bool (mu b h) (E * mu (negb b) h))).
  Fixpoint attacker T b h : @Prog Msg Ans bool :=
    match T with
    | O => verdict b h
    | S T' => match best (m T' b) b h with
              | None => verdict b h
              | Some q => Call q (fun a => attacker T' b (h ++ [(q, a)]))
              end
    end.
  Definition advantage b h (t : @Prog Msg Ans bool) := Ex (belief b h) (val (N b) t bit)
    - E * Ex (belief (negb b) h) (val (N (negb b)) t bit).

  Lemma verdict_advantage : forall b h, advantage b h (verdict b h) == mu b h - base b h.
  Proof.
    intros b h. unfold advantage, verdict, base, mn. simpl val. unfold bit.
    destruct (Qle_bool (mu b h) (E * mu (negb b) h)); simpl ind.
    - rewrite !Ex_zero. ring.
    - rewrite !belief_one. ring.
  Qed.
  Lemma attacker_advantage : forall T b h, advantage b h (attacker T b h) == mu b h - m T b h.
  Proof.
    induction T as [|T IH]; intros b h; [apply verdict_advantage|].
    simpl. destruct (best (m T b) b h) as [q|]; [|apply verdict_advantage].
    unfold advantage. simpl val. simpl opt.
    rewrite !(@split_step _ _ aeq _ _ _ _ _ _ (supp_nodup h q) (supp_holds _ h q)).
    transitivity (Sum (supp h q) (fun a => advantage b (h ++ [(q, a)]) (attacker T b (h ++ [(q, a)])))).
    - unfold advantage.
      rewrite (Sum_ext (supp h q) (fun a => _ - _) (fun a =>
        Ex (belief b (h ++ [(q, a)])) (val (N b) (attacker T b (h ++ [(q, a)])) bit)
        + (- E) * Ex (belief (negb b) (h ++ [(q, a)])) (val (N (negb b)) (attacker T b (h ++ [(q, a)])) bit)))
        by (intros; ring).
      rewrite Sum_add, Sum_scal.
      assert (X : forall b', Sum (supp h q) (fun a => Ex (cond aeq a (joint (N b') (belief b' h) q))
          (fun s => val (N b') (attacker T b (h ++ [(q, a)])) bit s))
        == Sum (supp h q) (fun a => Ex (belief b' (h ++ [(q, a)])) (val (N b') (attacker T b (h ++ [(q, a)])) bit))).
      { intros b'. apply Sum_ext. intros a. rewrite belief_snoc. reflexivity. }
      simpl. rewrite !X. ring.
    - rewrite (Sum_ext _ _ _ (fun a => IH b (h ++ [(q, a)]))).
      rewrite (Sum_ext (supp h q) (fun a => _ - _) (fun a => mu b (h ++ [(q, a)]) + (-1) * m T b (h ++ [(q, a)])))
        by (intros; ring).
      rewrite Sum_add, Sum_scal, mu_sum. ring.
  Qed.

  (* Corollary A.8: L() <= delta *)
  Lemma m_root : forall T b, 1 - d <= m T b [].
  Proof.
    intros T b. pose proof (attacker_advantage T b []) as K. unfold advantage, belief in K. simpl bel in K.
    unfold ret in K. simpl Ex in K.
    assert (V : val (N b) (attacker T b []) bit (init (N b))
                <= E * val (N (negb b)) (attacker T b []) bit (init (N (negb b))) + d).
    { destruct qs as [|q0 qs'] eqn:Hq.
      - assert (X : attacker T b [] = verdict b []).
        { destruct T; simpl; [reflexivity|]. unfold best. rewrite Hq. reflexivity. }
        rewrite X. unfold verdict. simpl val. unfold bit. destruct (negb (Qle_bool _ _)); simpl ind; lra.
      - apply (randomised_adversaries aeq q0 (HN b)). }
    unfold mu at 1 in K. simpl prob in K. lra.
  Qed.
  Lemma m_base : forall T b h, m T b h <= base b h.
  Proof.
    intros [|T] b h; [simpl; lra|]. change (opt (m T b) b h (best (m T b) b h) <= opt (m T b) b h None).
    apply pickmin_le. left; reflexivity.
  Qed.
  Lemma m_mu : forall T b h, m T b h <= mu b h.
  Proof. intros. pose proof (m_base T b h). destruct (mn_spec (mu b h) (E * mu (negb b) h)) as [A _]. unfold base in H. lra. Qed.
  Lemma base_nonneg : forall b h, 0 <= base b h.
  Proof.
    intros. pose proof (mu_nonneg b h). pose proof (mu_nonneg (negb b) h).
    unfold base. destruct (mn_spec (mu b h) (E * mu (negb b) h)) as [_ [_ [->| ->]]]; [lra|nra].
  Qed.
  Lemma m_nonneg : forall T b h, 0 <= m T b h.
  Proof.
    induction T as [|T IH]; intros b h; simpl; [apply base_nonneg|].
    destruct (best (m T b) b h); simpl; [apply Sum_nonneg; auto|apply base_nonneg].
  Qed.
  (* Lemma A.21 *)
  Lemma m_step : forall T b h q, In q qs -> m (S T) b h <= Sum (supp h q) (fun a => m T b (h ++ [(q, a)])).
  Proof.
    intros T b h q H. change (opt (m T b) b h (best (m T b) b h) <= opt (m T b) b h (Some q)).
    apply pickmin_le.
    right. apply in_map. exact H.
  Qed.
  (* Lemma A.9 *)
  Lemma base_cone : forall b h, base b h <= E * base (negb b) h.
  Proof.
    intros b h. unfold base. rewrite negb_involutive.
    pose proof (mu_nonneg b h). pose proof (mu_nonneg (negb b) h).
    destruct (mn_spec (mu b h) (E * mu (negb b) h)) as [A1 [A2 _]].
    destruct (mn_spec (mu (negb b) h) (E * mu b h)) as [_ [_ [->| ->]]]; [lra|].
    assert (mu b h <= E * mu b h) by nra. assert (E * mu b h <= E * (E * mu b h)) by nra. lra.
  Qed.
  Lemma m_cone : forall T b h, m T b h <= E * m T (negb b) h.
  Proof.
    induction T as [|T IH]; intros b h; [apply base_cone|].
    change (opt (m T b) b h (best (m T b) b h)
      <= E * opt (m T (negb b)) (negb b) h (best (m T (negb b)) (negb b) h)).
    set (o := best (m T (negb b)) (negb b) h).
    apply Qle_trans with (opt (m T b) b h o).
    - apply pickmin_le. apply pickmin_in.
    - destruct o as [q|]; simpl; [|apply base_cone].
      rewrite <- Sum_scal. apply Sum_mono_in. intros; apply IH.
  Qed.

  (* ------------------------------------------- sharing nu among the children --- *)
  (* a child gets as little as the others and the cone allow (Lyu's largest phi) *)
  Definition least (W R : bool -> Q) (b : bool) : Q :=
    mx 0 (mx (W b - R b) ((W (negb b) - R (negb b)) / E)).
  Fixpoint share (g : bool -> Ans -> Q) (W : bool -> Q) (l : list Ans) (a' : Ans) (b : bool) : Q :=
    match l with
    | [] => 0
    | a :: l' => let w := least W (fun b => Sum l' (g b)) in
                 if aeq a a' then w b else share g (fun b => W b - w b) l' a' b
    end.
  Definition cone (W : bool -> Q) := forall b, 0 <= W b /\ W b <= E * W (negb b).

  Lemma least_ok : forall W G R, cone W -> cone G -> cone R -> (forall b, W b <= G b + R b) ->
    cone (least W R) /\ (forall b, least W R b <= G b) /\
    cone (fun b => W b - least W R b) /\ (forall b, W b - least W R b <= R b).
  Proof.
    intros W G R CW CG CR HW.
    assert (T : forall b, exists t, least W R b = mx 0 (mx (W b - R b) t) /\ E * t == W (negb b) - R (negb b)).
    { intros b. eexists; split; [reflexivity|]. field. lra. }
    assert (L : forall b, 0 <= least W R b /\ W b - R b <= least W R b /\
              W (negb b) - R (negb b) <= E * least W R b /\
              (least W R b == 0 \/ least W R b == W b - R b \/ E * least W R b == W (negb b) - R (negb b))).
    { intros b. destruct (T b) as [t [-> Ht]].
      destruct (mx_spec 0 (mx (W b - R b) t)) as [A1 [A2 A3]].
      destruct (mx_spec (W b - R b) t) as [B1 [B2 B3]].
      repeat split; try lra; [nra|].
      destruct A3 as [->| ->]; [left; reflexivity|]. destruct B3 as [->| ->]; [right; left; reflexivity|right; right; exact Ht]. }
    assert (K : forall b, 0 <= least W R b <= G b /\ least W R b <= E * least W R (negb b) /\
               0 <= W b - least W R b <= R b /\ W b - least W R b <= E * (W (negb b) - least W R (negb b))).
    { intros b. destruct (L b) as [L1 [L2 [L3 L4]]]. destruct (L (negb b)) as [M1 [M2 [M3 M4]]].
      destruct (CW b) as [CW1 CW2], (CW (negb b)) as [CW3 CW4].
      destruct (CG b) as [CG1 CG2], (CG (negb b)) as [CG3 CG4].
      destruct (CR b) as [CR1 CR2], (CR (negb b)) as [CR3 CR4].
      pose proof (HW b) as HW1. pose proof (HW (negb b)) as HW2.
      rewrite negb_involutive in *.
      set (x := least W R b) in *. set (y := least W R (negb b)) in *.
      set (W0 := W b) in *. set (W1 := W (negb b)) in *. set (R0 := R b) in *. set (R1 := R (negb b)) in *.
      set (G0 := G b) in *. set (G1 := G (negb b)) in *.
      clearbody x y W0 W1 R0 R1 G0 G1. clear - HE L1 L2 L3 L4 M1 M2 M3 M4 CW1 CW2 CW3 CW4 CG1 CG2 CG3 CG4 CR1 CR2 CR3 CR4 HW1 HW2.
      assert (Z : forall u v, E * u <= E * v -> u <= v) by (intros; nra).
      assert (P : forall u v, u <= v -> E * u <= E * v) by (intros; nra).
      repeat split.
      - exact L1.
      - destruct L4 as [L4|[L4|L4]]; [lra|lra|]. apply Z. lra.
      - destruct L4 as [L4|[L4|L4]]; [nra|lra|]. apply Z. assert (Y : y <= E * y) by nra. pose proof (P _ _ Y). lra.
      - destruct L4 as [L4|[L4|L4]]; [lra|lra|]. apply Z. lra.
      - lra.
      - destruct M4 as [M4|[M4|M4]].
        + nra.
        + assert (E * (W1 - y) == E * R1) by (rewrite M4; ring). lra.
        + assert (E * (W1 - y) == E * W1 - (W0 - R0)) by (rewrite <- M4; ring). lra. }
    repeat split; intros; apply (K b).
  Qed.

  Lemma share_ok : forall g l W, NoDup l -> (forall a, cone (fun b => g b a)) -> cone W ->
    (forall b, W b <= Sum l (g b)) ->
    (forall a, ~ In a l -> forall b, share g W l a b = 0) /\
    (forall a, cone (share g W l a)) /\
    (forall a b, In a l -> share g W l a b <= g b a) /\
    (forall b, Sum l (fun a => share g W l a b) == W b).
  Proof.
    intros g l. induction l as [|a l IH]; intros W Hn Hg CW HW; simpl.
    - repeat split; intros; try tauto; try lra. specialize (HW b). destruct (CW b). simpl in HW. lra.
    - inversion Hn as [|? ? Hni Hn']; subst.
      set (R := fun b => Sum l (g b)).
      assert (CR : cone R).
      { intros b. split; [apply Sum_nonneg; intros; apply Hg|].
        unfold R. rewrite <- Sum_scal. apply Sum_mono_in. intros x _. apply (Hg x). }
      destruct (@least_ok W (fun b => g b a) R CW (Hg a) CR HW) as [K1 [K2 [K3 K4]]].
      destruct (IH (fun b => W b - least W R b) Hn' Hg K3 K4) as [I1 [I2 [I3 I4]]].
      split; [|split; [|split]].
      + intros a' Ha b. destruct (aeq a a') as [e|e]; [subst; exfalso; apply Ha; left; reflexivity|].
        apply I1. intro; apply Ha; right; assumption.
      + intros a' b. fold R. destruct (aeq a a'); [apply K1|apply I2].
      + intros a' b Ha. fold R. destruct (aeq a a') as [e|e]; [subst; apply K2|].
        apply I3. destruct Ha; [congruence|assumption].
      + intros b. fold R. destruct (aeq a a) as [_|n]; [|congruence].
        rewrite (Sum_ext_in l _ (fun a' => share g (fun b => W b - least W R b) l a' b)).
        * rewrite I4. ring.
        * intros x Hx. destruct (aeq a x); [subst; tauto|reflexivity].
  Qed.

  Fixpoint nu_from T past (W : bool -> Q) (h : list (Msg * Ans)) (b : bool) {struct h} : Q :=
    match h with
    | [] => W b
    | qa :: h' =>
        match T with
        | O => 0
        | S T' => nu_from T' (past ++ [qa])
            (share (fun b a => m T' b (past ++ [(fst qa, a)])) W (supp past (fst qa)) (snd qa)) h' b
        end
    end.
  Definition nu T h b := nu_from T [] (fun _ => 1 - d) h b.

  Definition asked (h : list (Msg * Ans)) := Forall (fun qa => In (fst qa) qs) h.
  Definition fits T h (W : bool -> Q) := cone W /\ forall b, W b <= m T b h.

  Lemma nu_from_snoc : forall h T past W q a b, (length h < T)%nat ->
    nu_from T past W (h ++ [(q, a)]) b
    = share (fun b a => m (T - S (length h)) b ((past ++ h) ++ [(q, a)])) (fun b => nu_from T past W h b)
        (supp (past ++ h) q) a b.
  Proof.
    induction h as [|qa h IH]; intros [|T] past W q a b Hl; simpl in Hl; try lia.
    - simpl. rewrite app_nil_r, Nat.sub_0_r. reflexivity.
    - simpl app. simpl nu_from. rewrite IH by lia. simpl Nat.sub. rewrite <- !app_assoc. reflexivity.
  Qed.
  Lemma fits_share : forall T past W q, In q qs -> fits (S T) past W ->
    let g := fun b a => m T b (past ++ [(q, a)]) in
    (forall a, ~ In a (supp past q) -> forall b, share g W (supp past q) a b = 0) /\
    (forall a, fits T (past ++ [(q, a)]) (share g W (supp past q) a)) /\
    (forall b, Sum (supp past q) (fun a => share g W (supp past q) a b) == W b).
  Proof.
    intros T past W q Hq [CW HW] g.
    destruct (@share_ok g (supp past q) W (supp_nodup past q)) as [S1 [S2 [S3 S4]]].
    - intros a b. split; [apply m_nonneg|apply m_cone].
    - exact CW.
    - intros b. eapply Qle_trans; [apply HW|apply m_step; exact Hq].
    - split; [exact S1|]. split; [|exact S4]. intros a. split; [apply S2|].
      intros b. destruct (in_dec aeq a (supp past q)) as [Hi|Hi]; [apply (S3 a b Hi)|].
      rewrite (S1 a Hi). apply m_nonneg.
  Qed.
  Lemma nu_fits : forall h T past W, asked h -> (length h <= T)%nat -> fits T past W ->
    fits (T - length h) (past ++ h) (fun b => nu_from T past W h b).
  Proof.
    induction h as [|[q a] h IH]; intros T past W Ha Hl HF.
    - rewrite app_nil_r, Nat.sub_0_r. exact HF.
    - destruct T as [|T]; simpl in Hl; [lia|]. inversion Ha; subst. simpl.
      replace (past ++ (q, a) :: h) with ((past ++ [(q, a)]) ++ h) by (rewrite <- app_assoc; reflexivity).
      apply IH; [assumption|lia|]. apply fits_share; assumption.
  Qed.
  Lemma fits_root : forall T, fits T [] (fun _ => 1 - d).
  Proof. intros T. split; [intros b; split; nra|intros b; apply m_root]. Qed.

  Theorem nu_cone : forall T h, asked h -> (length h <= T)%nat -> forall b,
    0 <= nu T h b /\ nu T h b <= mu b h /\ nu T h b <= E * nu T h (negb b).
  Proof.
    intros T h Ha Hl b. destruct (nu_fits Ha Hl (fits_root T)) as [C M]. destruct (C b).
    pose proof (m_mu (T - length h) b h). specialize (M b). unfold nu. simpl in M. repeat split; auto. lra.
  Qed.
  Theorem nu_sum : forall T h q, asked h -> In q qs -> (length h < T)%nat -> forall b,
    Sum (supp h q) (fun a => nu T (h ++ [(q, a)]) b) == nu T h b /\
    (forall a, ~ In a (supp h q) -> nu T (h ++ [(q, a)]) b == 0).
  Proof.
    intros T h q Ha Hq Hl b.
    assert (Hl' : (length h <= T)%nat) by lia.
    pose proof (nu_fits Ha Hl' (fits_root T)) as F.
    replace (T - length h)%nat with (S (T - S (length h))) in F by lia.
    destruct (fits_share q Hq F) as [S1 [_ S3]]. unfold nu. simpl app in *. split.
    - rewrite (Sum_ext _ _ (fun a => share (fun b a => m (T - S (length h)) b (h ++ [(q, a)]))
        (fun b => nu_from T [] (fun _ => 1 - d) h b) (supp h q) a b)).
      + apply S3.
      + intros a. rewrite nu_from_snoc by exact Hl. reflexivity.
    - intros a Hi. rewrite nu_from_snoc by exact Hl. simpl app. rewrite (S1 a Hi). reflexivity.
  Qed.
  Lemma nu_root : forall T b, nu T [] b = 1 - d.
  Proof. intros [|T] b; reflexivity. Qed.

  (* against any list of distinct answers, with mu and lambda = mu - nu as well *)
  Lemma children_le : forall (x : list (Msg * Ans) -> Q) h q l, NoDup l ->
    (forall a, 0 <= x (h ++ [(q, a)])) -> (forall a, ~ In a (supp h q) -> x (h ++ [(q, a)]) == 0) ->
    Sum (supp h q) (fun a => x (h ++ [(q, a)])) == x h -> Sum l (fun a => x (h ++ [(q, a)])) <= x h.
  Proof. intros x h q l Hn H1 H2 H3. rewrite <- H3. apply (Sum_support aeq); assumption. Qed.
End Lyu.
