(** Lyu's decomposition of one created mechanism, said of the transcripts of its pairs:
    [pure_share] is the purely private part of its law; all of the law is shared among the
    answers; and it is the whole law (up to 1 - delta) when the first pair with two sides
    comes, if delta = 0 or f' is first-pair consistent.                                 *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories Lyu Potential Components.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Section Shares.
  Context {Msg Ans Pair : Type} (side : bool -> Pair -> Msg) (same : Pair -> bool).
  Variable aeq : forall a a' : Ans, {a = a'} + {a <> a'}.
  Hypothesis same_ok : forall p, same p = true -> side false p = side true p.
  Notation Cl := (@Claim Msg Ans Pair side).
  Notation H := (list (Pair * Ans)).
  Variables (qs : list Pair) (T : nat).

  Definition some_h (h : H) : list (Pair * option Ans) := map (fun pa => (fst pa, Some (snd pa))) h.
  Definition world (c : Cl) (b : bool) := VI side (cf c) b (cM c).
  Definition pure_share (c : Cl) (h : H) (b : bool) : Q :=
    nu (oeq aeq) (world c) (cE c) (cd c) qs T (some_h h) b.
  Notation law1 := (@Components.law1 Msg Ans Pair side aeq).

  Lemma law1_nonneg : forall b (x : Cl * H), 0 <= law1 b x.
  Proof. intros; apply prob_nonneg. Qed.
  Lemma law1_world : forall b c h, valid (cf c) (map fst h) = true ->
    mu (oeq aeq) (world c) b (some_h h) == law1 b (c, h).
  Proof. intros b c h Hv. apply (prob_VI_valid aeq side (cf c) (cM c) b h [] (init (cM c)) Hv). Qed.
  Lemma law1_same : forall b c h, differs same (map fst h) = false -> law1 b (c, h) = law1 (negb b) (c, h).
  Proof.
    intros b c h Hd. unfold Components.law1. simpl. f_equal. unfold sideh. apply map_ext_in.
    intros [p a] Hin. simpl. f_equal.
    assert (Hs : same p = true).
    { unfold differs in Hd. destruct (same p) eqn:Hp; [reflexivity|]. exfalso.
      assert (X : existsb (fun p => negb (same p)) (map fst h) = true).
      { apply existsb_exists. exists p. split; [apply (in_map fst _ _ Hin)|rewrite Hp; reflexivity]. }
      rewrite X in Hd. discriminate. }
    apply same_ok in Hs. destruct b; simpl; congruence.
  Qed.
  (* the law of M alone, whatever f' says *)
  Lemma law1_children : forall b c h p l, NoDup l -> Sum l (fun a => law1 b (c, h ++ [(p, a)])) <= law1 b (c, h).
  Proof.
    intros b c h p l Hn.
    set (N := fun _ : bool => cM c).
    assert (X : forall a, law1 b (c, h ++ [(p, a)]) == mu aeq N b (sideh side b h ++ [(side b p, a)])).
    { intros a. unfold Components.law1, sideh. simpl. rewrite map_app. reflexivity. }
    rewrite (Sum_ext _ _ _ X).
    apply (@children_le _ _ _ aeq N (fun h => mu aeq N b h) (sideh side b h) (side b p) l Hn).
    - intros; apply mu_nonneg.
    - intros; apply mu_out; assumption.
    - apply mu_sum.
  Qed.

  Section OfOne.
    Variable c : Cl.
    Let Hd : 0 <= cd c <= 1 := cd01 c.
    Let HN : forall b, indist (world c b) (world c (negb b)) (cE c) (cd c) := cDP c.

    Definition children (h : H) (p : Pair) : list Ans := somes (supp (oeq aeq) (world c) (some_h h) p).
    Lemma asked_some : forall h, asked qs h -> asked qs (some_h h).
    Proof. intros h Ha. unfold asked, some_h in *. rewrite Forall_map. exact Ha. Qed.
    Lemma some_snoc : forall h p a, some_h (h ++ [(p, a)]) = some_h h ++ [(p, Some a)].
    Proof. intros. unfold some_h. rewrite map_app. reflexivity. Qed.
    Lemma some_length : forall h, length (some_h h) = length h.
    Proof. intros; apply map_length. Qed.
    Lemma valid_snoc : forall (l : list Pair) p, valid (cf c) (l ++ [p]) = true ->
      valid (cf c) l = true /\ cf c (l ++ [p]) = true.
    Proof. intros l p H. unfold valid in *. rewrite valid_from_snoc in H. apply andb_true_iff in H. exact H. Qed.

    Lemma pure_root : forall b, pure_share c [] b = 1 - cd c.
    Proof. intros; apply nu_root. Qed.
    Lemma pure_cone : forall h b, asked qs h -> (length h <= T)%nat -> valid (cf c) (map fst h) = true ->
      0 <= pure_share c h b /\ pure_share c h b <= law1 b (c, h) /\
      pure_share c h b <= cE c * pure_share c h (negb b).
    Proof.
      intros h b Ha Hl Hv. rewrite <- (law1_world b c h Hv).
      apply (nu_cone (oeq aeq) (world c) (cE1 c) Hd HN); [apply asked_some; exact Ha|rewrite some_length; exact Hl].
    Qed.

    Lemma no_halt : forall h p b, valid (cf c) (map fst h ++ [p]) = true ->
      mu (oeq aeq) (world c) b (some_h h ++ [(p, None)]) == 0.
    Proof.
      intros h p b Hv. unfold mu, world. simpl init. rewrite prob_strip, strip_snoc.
      assert (X : strip (cf c) [] (some_h h) = Some h).
      { apply valid_snoc in Hv. destruct Hv as [Hv _]. unfold valid in Hv. revert Hv. generalize (@nil Pair).
        induction h as [|[p0 a0] h IH]; intros l Hv; simpl; [reflexivity|].
        simpl in Hv. apply andb_true_iff in Hv. destruct Hv as [H1 H2]. rewrite H1, IH by exact H2. reflexivity. }
      rewrite X, some_length, Nat.eqb_refl. simpl. destruct (valid_snoc _ _ Hv) as [_ F]. rewrite F. reflexivity.
    Qed.

    (* the law and its pure part, summed over the answers that can come *)
    Lemma law1_sum : forall h p b, valid (cf c) (map fst h ++ [p]) = true ->
      Sum (children h p) (fun a => law1 b (c, h ++ [(p, a)])) == law1 b (c, h) /\
      (forall a, ~ In a (children h p) -> law1 b (c, h ++ [(p, a)]) == 0).
    Proof.
      intros h p b Hv. destruct (valid_snoc _ _ Hv) as [Hv0 _].
      assert (X : forall a, law1 b (c, h ++ [(p, a)]) == mu (oeq aeq) (world c) b (some_h h ++ [(p, Some a)])).
      { intros a. rewrite <- some_snoc. symmetry. apply law1_world. rewrite map_app. exact Hv. }
      split.
      - rewrite (Sum_ext _ _ _ X). unfold children. rewrite <- Sum_somes.
        rewrite <- (law1_world b c h Hv0), <- (mu_sum (oeq aeq) (world c) b (some_h h) p).
        apply Sum_ext. intros [a|]; [reflexivity|]. symmetry. apply no_halt. exact Hv.
      - intros a Hi. rewrite X. apply mu_out. intro Hin. apply Hi. unfold children.
        clear - Hin. induction (supp _ _ _ _) as [|[x|] l IH]; simpl in *; [tauto| |]; destruct Hin as [E|Hin]; auto; [|discriminate].
        inversion E. auto.
    Qed.
    Lemma pure_sum : forall h p b, asked qs h -> In p qs -> (length h < T)%nat ->
      valid (cf c) (map fst h ++ [p]) = true ->
      Sum (children h p) (fun a => pure_share c (h ++ [(p, a)]) b) == pure_share c h b /\
      (forall a, ~ In a (children h p) -> pure_share c (h ++ [(p, a)]) b == 0).
    Proof.
      intros h p b Ha Hp Hl Hv. pose proof (asked_some Ha) as Ha'.
      assert (Hl' : (length (some_h h) < T)%nat) by (rewrite some_length; exact Hl).
      destruct (nu_sum (oeq aeq) (world c) (cE1 c) Hd HN _ Ha' Hp Hl' b) as [S1 S2].
      assert (Z : nu (oeq aeq) (world c) (cE c) (cd c) qs T (some_h h ++ [(p, None)]) b == 0).
      { assert (A' : asked qs (some_h h ++ [(p, None)])).
        { apply Forall_app; split; [exact Ha'|]. constructor; [exact Hp|constructor]. }
        assert (L' : (length (some_h h ++ [(p, None)]) <= T)%nat) by (rewrite app_length; simpl; lia).
        destruct (nu_cone (oeq aeq) (world c) (cE1 c) Hd HN A' L' b) as [N1 [N2 _]]. rewrite no_halt in N2 by exact Hv. lra. }
      unfold pure_share. split.
      - rewrite (Sum_ext _ _ (fun a => nu (oeq aeq) (world c) (cE c) (cd c) qs T (some_h h ++ [(p, Some a)]) b))
          by (intros; rewrite some_snoc; reflexivity).
        unfold children. rewrite <- Sum_somes, <- S1. apply Sum_ext. intros [a|]; [reflexivity|]. symmetry; exact Z.
      - intros a Hi. rewrite some_snoc. apply S2. intro Hin. apply Hi. unfold children.
        clear - Hin. induction (supp _ _ _ _) as [|[x|] l IH]; simpl in *; [tauto| |]; destruct Hin as [E|Hin]; auto; [|discriminate].
        inversion E. auto.
    Qed.

    (* a nonnegative combination of the four is shared among any distinct answers *)
    Lemma combination_le : forall h p l x0 x1 y0 y1 z, asked qs h -> In p qs -> (length h < T)%nat ->
      valid (cf c) (map fst h ++ [p]) = true -> NoDup l ->
      (forall h, z h == x0 * law1 true (c, h) + x1 * law1 false (c, h) + y0 * pure_share c h true + y1 * pure_share c h false) ->
      (forall a, 0 <= z (h ++ [(p, a)])) ->
      Sum l (fun a => z (h ++ [(p, a)])) <= z h.
    Proof.
      intros h p l x0 x1 y0 y1 z Ha Hp Hl Hv Hn Hz Hpos.
      destruct (law1_sum h p true Hv) as [A1 A2]. destruct (law1_sum h p false Hv) as [B1 B2].
      destruct (@pure_sum h p true Ha Hp Hl Hv) as [C1 C2]. destruct (@pure_sum h p false Ha Hp Hl Hv) as [D1 D2].
      eapply Qle_trans; [apply (Sum_support aeq (children h p)); [exact Hn|exact Hpos|]|].
      - intros a Hi. rewrite Hz, A2, B2, C2, D2 by exact Hi. ring.
      - rewrite (Sum_ext _ _ (fun a => x0 * law1 true (c, h ++ [(p, a)]) + x1 * law1 false (c, h ++ [(p, a)])
          + y0 * pure_share c (h ++ [(p, a)]) true + y1 * pure_share c (h ++ [(p, a)]) false))
          by (intros; rewrite Hz; reflexivity).
        rewrite !Sum_add, !Sum_scal, A1, B1, C1, D1, Hz. lra.
    Qed.

    (* with delta = 0 the pure part is everything *)
    Lemma pure_all : forall h b, cd c == 0 -> asked qs h -> (length h <= T)%nat ->
      valid (cf c) (map fst h) = true -> pure_share c h b == law1 b (c, h).
    Proof.
      intros h b H0 Ha Hl Hv. revert Ha Hl Hv. induction h as [|[p a] h IH] using rev_ind; intros Ha Hl Hv.
      - rewrite pure_root. unfold Components.law1. simpl. lra.
      - destruct (@pure_cone _ b Ha Hl Hv) as [P1 [P2 _]]. unfold asked in Ha. rewrite Forall_app in Ha. destruct Ha as [Ha Ha'].
        inversion Ha'; subst. simpl in H2. rewrite app_length in Hl. simpl in Hl. rewrite map_app in Hv. simpl in Hv.
        destruct (valid_snoc _ _ Hv) as [Hv0 _]. assert (Hlt : (length h < T)%nat) by lia.
        specialize (IH Ha ltac:(lia) Hv0).
        destruct (law1_sum h p b Hv) as [A1 A2]. destruct (@pure_sum h p b Ha H2 Hlt Hv) as [C1 C2].
        destruct (in_dec aeq a (children h p)) as [Hi|Hi]; [|rewrite A2, C2 by exact Hi; reflexivity].
        assert (S0 : Sum (children h p) (fun a => law1 b (c, h ++ [(p, a)]) + (-1) * pure_share c (h ++ [(p, a)]) b) == 0).
        { rewrite Sum_add, Sum_scal, A1, C1, IH. ring. }
        assert (Pos : forall a', 0 <= law1 b (c, h ++ [(p, a')]) + (-1) * pure_share c (h ++ [(p, a')]) b).
        { intros a'. assert (A' : asked qs (h ++ [(p, a')])) by (apply Forall_app; split; [exact Ha|constructor; [exact H2|constructor]]).
          assert (L' : (length (h ++ [(p, a')]) <= T)%nat) by (rewrite app_length; simpl; lia).
          assert (V' : valid (cf c) (map fst (h ++ [(p, a')])) = true) by (rewrite map_app; exact Hv).
          destruct (@pure_cone _ b A' L' V') as [_ [K _]]. lra. }
        assert (One : Sum [a] (fun a => law1 b (c, h ++ [(p, a)]) + (-1) * pure_share c (h ++ [(p, a)]) b) <= 0).
        { rewrite <- S0. apply (Sum_support aeq); [constructor; [auto|constructor]|exact Pos|].
          intros a' Hi'. rewrite A2, C2 by exact Hi'. ring. }
        simpl in One. specialize (Pos a). lra.
    Qed.

    Lemma differs_snoc : forall (l : list Pair) p, differs same (l ++ [p]) = differs same l || negb (same p).
    Proof. intros. unfold differs. rewrite existsb_app. simpl. rewrite orb_false_r. reflexivity. Qed.

    (* the moment at which a pair with two sides comes first *)
    Lemma pure_joining : forall h p b, asked qs h -> (length h <= T)%nat ->
      valid (cf c) (map fst h ++ [p]) = true ->
      differs same (map fst h) = false -> differs same (map fst h ++ [p]) = true ->
      (cd c == 0 \/ first_pair_consistent same (cf c)) ->
      pure_share c h b == (1 - cd c) * law1 b (c, h).
    Proof.
      intros h p b Ha Hl Hv D0 D1 [H0|HF]; destruct (valid_snoc _ _ Hv) as [Hv0 Hf].
      - rewrite (pure_all b H0 Ha Hl Hv0), H0. ring.
      - destruct h as [|[p0 a0] h]; [rewrite pure_root; unfold Components.law1; simpl; ring|]. exfalso.
        simpl in *. apply orb_false_iff in D0. destruct D0 as [D0 D2].
        rewrite HF in Hf; [discriminate| |].
        + destruct (same p0); [reflexivity|discriminate].
        + rewrite differs_snoc. rewrite D0 in D1. simpl in D1. unfold differs in *. rewrite existsb_app in D1.
          simpl in D1. rewrite orb_false_r in D1. exact D1.
    Qed.
  End OfOne.
End Shares.
