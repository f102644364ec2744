(** When f' does not change if the sides of all pairs are swapped, Lyu's decomposition is the
    same under both bits as long as all pairs are identical.                             *)
From Coq Require Import QArith List Bool Arith Lia Lqa Qfield.
From Antiphon Require Import Distributions Statements Histories Lyu Potential Components Shares Slots.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Lemma mx_eq : forall x x' y y', x == x' -> y == y' -> mx x y == mx x' y'.
Proof.
  intros x x' y y' H1 H2. destruct (mx_spec x y) as [A1 [A2 A3]], (mx_spec x' y') as [B1 [B2 B3]].
  destruct A3 as [A3|A3], B3 as [B3|B3]; rewrite A3, B3 in *; lra.
Qed.
Lemma mn_eq : forall x x' y y', x == x' -> y == y' -> mn x y == mn x' y'.
Proof.
  intros x x' y y' H1 H2. destruct (mn_spec x y) as [A1 [A2 A3]], (mn_spec x' y') as [B1 [B2 B3]].
  destruct A3 as [A3|A3], B3 as [B3|B3]; rewrite A3, B3 in *; lra.
Qed.

Section Symmetric.
  Context {St Msg Ans : Type} (aeq : forall a a' : Ans, {a = a'} + {a <> a'}).
  Variables (N : bool -> CM St Msg Ans) (E d : Q) (qs : list Msg) (swap : Msg -> Msg).
  Hypothesis HE : 1 <= E.
  Hypothesis closed : forall q, In q qs -> In (swap q) qs.
  Hypothesis twice : forall q, swap (swap q) = q.
  Definition swap_h (h : list (Msg * Ans)) := map (fun qa => (swap (fst qa), snd qa)) h.
  Hypothesis mirror : forall b h, mu aeq N b (swap_h h) == mu aeq N (negb b) h.
  Notation mu := (mu aeq N).  Notation m := (m aeq N E qs).  Notation supp := (supp aeq N).

  Lemma swap_snoc : forall h q a, swap_h (h ++ [(q, a)]) = swap_h h ++ [(swap q, a)].
  Proof. intros. unfold swap_h. rewrite map_app. reflexivity. Qed.
  Lemma base_mirror : forall b h, base aeq N E b (swap_h h) == base aeq N E (negb b) h.
  Proof.
    intros. unfold base. apply mn_eq; [apply mirror|]. rewrite (mirror (negb b) h). reflexivity.
  Qed.
  Lemma m_out : forall T b h q a, ~ In a (supp h q) -> m T b (h ++ [(q, a)]) == 0.
  Proof.
    intros T b h q a Hi. pose proof (m_mu aeq N E qs T b (h ++ [(q, a)])) as A1.
    pose proof (m_nonneg aeq N qs HE T b (h ++ [(q, a)])) as A2. rewrite mu_out in A1 by exact Hi. lra.
  Qed.
  (* two lists of distinct answers that hold the support give the same sum *)
  Lemma sum_mirror : forall T b h q, (forall b h, m T b (swap_h h) == m T (negb b) h) ->
    Sum (supp (swap_h h) (swap q)) (fun a => m T b (swap_h h ++ [(swap q, a)]))
    == Sum (supp h q) (fun a => m T (negb b) (h ++ [(q, a)])).
  Proof.
    intros T b h q IH.
    assert (X : forall a, m T b (swap_h h ++ [(swap q, a)]) == m T (negb b) (h ++ [(q, a)])).
    { intros a. rewrite <- swap_snoc. apply IH. }
    rewrite (Sum_ext _ _ _ X). apply Qle_antisym; apply (Sum_support aeq); try apply supp_nodup;
      try (intros; apply m_nonneg; exact HE).
    - intros a Hi. apply m_out. exact Hi.
    - intros a Hi. rewrite <- X. apply m_out. exact Hi.
  Qed.
  Lemma m_mirror : forall T b h, m T b (swap_h h) == m T (negb b) h.
  Proof.
    induction T as [|T IH]; intros b h; [apply base_mirror|].
    assert (O : forall b h o, opt aeq N E (m T b) b (swap_h h) (option_map swap o) == opt aeq N E (m T (negb b)) (negb b) h o).
    { intros b' h' [q|]; simpl; [apply sum_mirror; exact IH|apply base_mirror]. }
    assert (Le : forall b h, m (S T) b (swap_h h) <= m (S T) (negb b) h).
    { intros b' h'. set (o := best aeq N E qs (m T (negb b')) (negb b') h').
      change (opt aeq N E (m T b') b' (swap_h h') (best aeq N E qs (m T b') b' (swap_h h')) <= opt aeq N E (m T (negb b')) (negb b') h' o).
      rewrite <- O. apply pickmin_le.
      assert (In o (None :: map Some qs)) as Ho by apply pickmin_in.
      destruct o as [q|]; simpl in *; [|left; reflexivity]. right. destruct Ho as [Ho|Ho]; [discriminate|].
      apply in_map_iff in Ho. destruct Ho as [q' [Hq Ho]]. inversion Hq; subst. apply in_map. apply closed. exact Ho. }
    apply Qle_antisym; [apply Le|].
    assert (Tw : swap_h (swap_h h) = h).
    { unfold swap_h. rewrite map_map. rewrite (map_ext _ (fun x => x)); [apply map_id|]. intros [q a]. simpl. rewrite twice. reflexivity. }
    pose proof (Le (negb b) (swap_h h)) as K. rewrite Tw, negb_involutive in K. exact K.
  Qed.

  Lemma share_mirror : forall (g : bool -> Ans -> Q) l W a, (forall a, g true a == g false a) -> W true == W false ->
    share aeq E g W l a true == share aeq E g W l a false.
  Proof.
    intros g l. induction l as [|x l IH]; intros W a Hg HW; simpl; [reflexivity|].
    assert (L : least E W (fun b => Sum l (g b)) true == least E W (fun b => Sum l (g b)) false).
    { assert (R : Sum l (g true) == Sum l (g false)) by (apply Sum_ext; exact Hg).
      unfold least. simpl negb. apply mx_eq; [reflexivity|]. apply mx_eq.
      - rewrite R, HW. reflexivity.
      - rewrite R, HW. reflexivity. }
    destruct (aeq x a); [exact L|]. apply IH; [exact Hg|]. rewrite HW, L. reflexivity.
  Qed.
  Lemma nu_mirror : forall T h, (length h <= T)%nat -> Forall (fun qa => swap (fst qa) = fst qa) h ->
    nu aeq N E d qs T h true == nu aeq N E d qs T h false.
  Proof.
    intros T h. unfold nu. induction h as [|[q a] h IH] using rev_ind; intros Hl HF; [reflexivity|].
    rewrite app_length in Hl. simpl in Hl. pose proof HF as HF'. rewrite Forall_app in HF. destruct HF as [HF _].
    rewrite !nu_from_snoc by lia. simpl app. apply share_mirror; [|apply IH; [lia|exact HF]].
    intros a'.
    assert (Fix : swap_h (h ++ [(q, a')]) = h ++ [(q, a')]).
    { unfold swap_h. rewrite (map_ext_in _ (fun x => x)); [apply map_id|]. intros [q' x] Hin. simpl. f_equal.
      rewrite Forall_app in HF'. destruct HF' as [F1 F2]. apply in_app_or in Hin. destruct Hin as [Hin|[Hin|[]]].
      - rewrite Forall_forall in F1. apply (F1 _ Hin).
      - inversion Hin; subst. inversion F2; subst. assumption. }
    rewrite <- Fix at 1. apply m_mirror.
  Qed.
End Symmetric.
