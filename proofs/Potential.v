(** The method of all composition theorems here.  A potential is a function of
    transcripts that is at least P_b(h) - E P_{1-b}(h), that no question can raise (the
    children of a transcript sum to at most its own potential), and that starts at <= d.
    A system with a potential is (E, d)-DP.  The potential may depend on the finitely many
    pairs that a fixed adversary can ask within its horizon.                             *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories Lyu.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Section Worlds.
  Context {St Msg Ans : Type} (aeq : forall a a' : Ans, {a = a'} + {a <> a'}).
  Variables (N : bool -> CM St Msg Ans) (E : Q) (b : bool) (A : Adversary Msg Ans) (Ev : list Ans -> bool).
  Hypothesis HE : 0 <= E.
  Notation mu b := (mu aeq N b).  Notation belief b := (belief aeq N b).  Notation supp := (supp aeq N).
  (* the messages that A can send in T rounds after the transcript h *)
  Fixpoint reach T (h : list (Msg * Ans)) : list Msg :=
    match T with
    | O => []
    | S T' => A (map snd h) :: flat_map (fun a => reach T' (h ++ [(A (map snd h), a)])) (supp h (A (map snd h)))
    end.
  Lemma potential_bound : forall qs (Phi : list (Msg * Ans) -> Q) T,
    (forall h, asked qs h -> (length h <= T)%nat -> 0 <= Phi h /\ mu b h - E * mu (negb b) h <= Phi h) ->
    (forall h q l, asked qs h -> In q qs -> (length h < T)%nat -> NoDup l ->
       Sum l (fun a => Phi (h ++ [(q, a)])) <= Phi h) ->
    forall n h, (n + length h = T)%nat -> asked qs h -> incl (reach n h) qs ->
    Ex (belief b h) (fun s => Pr (N b) A n s (map snd h) Ev)
      - E * Ex (belief (negb b) h) (fun s => Pr (N (negb b)) A n s (map snd h) Ev) <= Phi h.
  Proof.
    intros qs Phi T H1 H2. induction n as [|n IH]; intros h Hl Ha Hr.
    - simpl Pr. assert (Hl' : (length h <= T)%nat) by (simpl in Hl; lia). destruct (H1 h Ha Hl') as [P1 P2].
      destruct (Ev (map snd h)); simpl ind.
      + rewrite !belief_one. exact P2.
      + rewrite !Ex_zero. lra.
    - simpl Pr. simpl in Hr. set (q := A (map snd h)) in *.
      rewrite !(@PostProcessing.split_step _ _ aeq _ _ _ _ _ _ (supp_nodup aeq N h q) (supp_holds aeq N _ h q)).
      assert (Hq : In q qs) by (apply Hr; left; reflexivity).
      assert (Hlt : (length h < T)%nat) by lia.
      apply Qle_trans with (Sum (supp h q) (fun a => Phi (h ++ [(q, a)]))); [|apply H2; auto using supp_nodup].
      match goal with |- Sum _ ?u - E * Sum _ ?v <= _ =>
        assert (L : Sum (supp h q) u <= Sum (supp h q) (fun a => Phi (h ++ [(q, a)]) + E * v a));
        [|rewrite Sum_add, Sum_scal in L; lra] end.
      apply Sum_mono_in. intros a Hin. rewrite <- !belief_snoc. simpl fst. simpl snd.
      specialize (IH (h ++ [(q, a)])). rewrite map_app in IH. simpl map in IH.
      cut (n + length (h ++ [(q, a)]) = T /\ asked qs (h ++ [(q, a)]) /\ incl (reach n (h ++ [(q, a)])) qs)%nat;
        [intros [K1 [K2 K3]]; specialize (IH K1 K2 K3); lra|]. split; [|split].
      + rewrite app_length. simpl. lia.
      + apply Forall_app. split; [exact Ha|]. constructor; [exact Hq|constructor].
      + intros x Hx. apply Hr. right. apply in_flat_map. exists a. auto.
  Qed.
End Worlds.

(* ----------------------------------------------------- V[f] o* I(b) o* M -------- *)
Section Verified.
  Context {St Msg Ans Pair : Type} (aeq : forall a a' : Ans, {a = a'} + {a <> a'}).
  Variables (side : bool -> Pair -> Msg) (f : list Pair -> bool) (M : CM St Msg Ans).

  Lemma strip_snoc : forall h hist p oa, strip f hist (h ++ [(p, oa)]) =
    match strip f hist h with
    | None => None
    | Some l =>
        if ((length l =? length h)%nat && f (hist ++ map fst l ++ [p]))%bool
        then match oa with Some a => Some (l ++ [(p, a : Ans)]) | None => None end
        else match oa with None => Some l | Some _ => None end
    end.
  Proof.
    induction h as [|[p0 o0] h IH]; intros hist p oa; simpl.
    - destruct (f (hist ++ [p])); destruct oa; reflexivity.
    - destruct (f (hist ++ [p0])).
      + rewrite IH. destruct o0 as [a0|]; [|reflexivity].
        destruct (strip f (hist ++ [p0]) h) as [l|]; [|reflexivity]. simpl.
        rewrite <- app_assoc. simpl.
        destruct ((length l =? length h)%nat && f (hist ++ p0 :: map fst l ++ [p]))%bool; destruct oa; reflexivity.
      + destruct o0 as [a0|]; [reflexivity|].
        assert (X : forall h' : list (Pair * option Ans), allNone (h' ++ [(p, oa)]) = allNone h' && match oa with None => true | _ => false end).
        { induction h' as [|[p' [a'|]] h' IH']; simpl; [destruct oa; reflexivity|reflexivity|exact IH']. }
        rewrite X. destruct (allNone h); simpl; [|reflexivity]. destruct oa; reflexivity.
  Qed.
  Lemma strip_length : forall (h : list (Pair * option Ans)) hist l, strip f hist h = Some l -> (length l <= length h)%nat.
  Proof.
    induction h as [|[p [a|]] h IH]; simpl; intros hist l H.
    - inversion H; simpl; lia.
    - destruct (f (hist ++ [p])); [|discriminate]. destruct (strip f (hist ++ [p]) h) eqn:Hs; [|discriminate].
      inversion H; subst. simpl. apply IH in Hs. lia.
    - destruct (f (hist ++ [p])); [destruct (strip f (hist ++ [p]) h); discriminate|].
      destruct (allNone h); inversion H; simpl; lia.
  Qed.
  Lemma strip_asked : forall qs (h : list (Pair * option Ans)) hist l, strip f hist h = Some l -> asked qs h -> asked qs l.
  Proof.
    induction h as [|[p [a|]] h IH]; simpl; intros hist l H Ha.
    - inversion H; constructor.
    - destruct (f (hist ++ [p])); [|discriminate]. destruct (strip f (hist ++ [p]) h) eqn:Hs; [|discriminate].
      inversion H; subst. inversion Ha; subst. constructor; [assumption|eapply IH; eauto].
    - destruct (f (hist ++ [p])); [destruct (strip f (hist ++ [p]) h); discriminate|].
      destruct (allNone h); inversion H; constructor.
  Qed.
  Lemma valid_from_snoc : forall (l : list Pair) hist p,
    valid_from f hist (l ++ [p]) = valid_from f hist l && f (hist ++ l ++ [p]).
  Proof.
    induction l as [|p0 l IH]; intros hist p; simpl; [rewrite andb_true_r; reflexivity|].
    rewrite IH, <- app_assoc, andb_assoc. reflexivity.
  Qed.

  Fixpoint somes (l : list (option Ans)) : list Ans :=
    match l with [] => [] | Some a :: l' => a :: somes l' | None :: l' => somes l' end.
  Lemma somes_in : forall l a, In a (somes l) -> In (Some a) l.
  Proof. induction l as [|[x|] l IH]; simpl; intros a H; auto. destruct H; [left; congruence|auto]. Qed.
  Lemma somes_nodup : forall l, NoDup l -> NoDup (somes l).
  Proof.
    induction l as [|[x|] l IH]; simpl; intros H; inversion H; subst; auto; constructor; auto.
    intro Hin. apply H2. apply somes_in. exact Hin.
  Qed.
  Lemma Sum_somes : forall (g : Ans -> Q) l,
    Sum l (fun oa => match oa with Some a => g a | None => 0 end) == Sum (somes l) g.
  Proof. induction l as [|[x|] l IH]; simpl; [reflexivity| |]; rewrite IH; ring. Qed.

  Definition potential (E d : Q) (b : bool) (qs : list Pair) (T : nat) (Phi : list (Pair * Ans) -> Q) : Prop :=
    Phi [] <= d /\
    (forall h, valid f (map fst h) = true -> asked qs h -> (length h <= T)%nat ->
       0 <= Phi h /\ prob aeq M (init M) (sideh side b h) - E * prob aeq M (init M) (sideh side (negb b) h) <= Phi h) /\
    (forall h p l, valid f (map fst h ++ [p]) = true -> asked qs h -> In p qs -> (length h < T)%nat -> NoDup l ->
       Sum l (fun a => Phi (h ++ [(p, a)])) <= Phi h).

  Theorem DP_of_potential : forall E d, 0 <= E ->
    (forall b qs T, exists Phi, potential E d b qs T Phi) -> DP side f M E d.
  Proof.
    intros E d HE HP b A T Ev.
    set (N := fun b => VI side f b M).
    set (qs := reach (oeq aeq) N A T []).
    destruct (HP b qs T) as [Phi [H0 [H1 H2]]].
    set (Phi' := fun h : list (Pair * option Ans) => match strip f [] h with Some l => Phi l | None => 0 end).
    assert (V : forall (h : list (Pair * option Ans)) l, strip f [] h = Some l -> valid f (map fst l) = true)
      by (intros h l Hs; exact (strip_valid _ _ _ Hs)).
    pose proof (@potential_bound _ _ _ (oeq aeq) N E b A Ev qs Phi' T) as K.
    assert (K' : Ex (belief (oeq aeq) N b []) (fun s => Pr (N b) A T s [] Ev)
      - E * Ex (belief (oeq aeq) N (negb b) []) (fun s => Pr (N (negb b)) A T s [] Ev) <= Phi' []).
    { apply K; clear K.
      - intros h Ha Hl. unfold Phi', mu, N. simpl init. rewrite !prob_strip.
        destruct (strip f [] h) as [l|] eqn:Hs; [|lra].
        apply H1; [exact (V h l Hs)|exact (strip_asked _ Hs Ha)|]. apply strip_length in Hs. lia.
      - intros h p l Ha Hp Hl Hn. unfold Phi'.
        destruct (strip f [] h) as [t|] eqn:Hs.
        + destruct ((length t =? length h)%nat && f ([] ++ map fst t ++ [p]))%bool eqn:C.
          * rewrite (Sum_ext l _ (fun oa => match oa with Some a => Phi (t ++ [(p, a)]) | None => 0 end)).
            { rewrite Sum_somes. apply andb_true_iff in C. destruct C as [C1 C2]. apply Nat.eqb_eq in C1. apply H2.
              - unfold valid. rewrite valid_from_snoc. apply andb_true_iff. split; [exact (V h t Hs)|exact C2].
              - exact (strip_asked _ Hs Ha).
              - exact Hp.
              - lia.
              - apply somes_nodup; exact Hn. }
            intros oa. rewrite strip_snoc, Hs, C. destruct oa; reflexivity.
          * rewrite (Sum_ext l _ (fun oa => match oa with None => Phi t | Some _ => 0 end)).
            { assert (P : 0 <= Phi t).
              { apply H1; [exact (V h t Hs)|exact (strip_asked _ Hs Ha)|]. apply strip_length in Hs. lia. }
              eapply Qle_trans; [apply (Sum_support (oeq aeq) [None])|simpl; lra].
              - exact Hn.
              - intros [a|]; lra.
              - intros [a|] Hi; [reflexivity|]. exfalso; apply Hi; left; reflexivity. }
            intros oa. rewrite strip_snoc, Hs, C. destruct oa; reflexivity.
        + rewrite (Sum_ext l _ (fun _ => 0)); [rewrite Sum_zero; lra|].
          intros oa. rewrite strip_snoc, Hs. reflexivity.
      - simpl. lia.
      - constructor.
      - apply incl_refl. }
    unfold belief, ret in K'. simpl Ex in K'. unfold Phi' in K'. simpl strip in K'. unfold N in K'. simpl init in *. lra.
  Qed.
End Verified.
