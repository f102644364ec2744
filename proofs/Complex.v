(** Theorem 6.1: complex mechanisms.  P2 runs two copies of P and sends pairs to the right
    (Definition 6.2); V[f] o* I(b) o* P o* M is P2 o* V[f'] o* I(b) o* M as far as any
    adversary can see (Claims 6.3, 6.4); and post-processing (Lemma 2.15) does the rest.
    The three properties are used for runs with f-valid left pairs only.                 *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories PostProcessing.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Section Complex.
  Context {St Msg Ans Pair PS LM LA LPair : Type}.
  Variables (aeq : forall a a' : Ans, {a = a'} + {a <> a'}) (p0 : Pair).
  Variables (side : bool -> Pair -> Msg) (f' : list Pair -> bool) (M : CM St Msg Ans).
  Variables (lside : bool -> LPair -> LM) (f : list LPair -> bool) (pair_up : Msg -> Msg -> Pair).
  Variable P : @IPM Msg Ans PS LM LA.

  (* the state of P2: the left pairs so far and both copies; None when V[f] has halted *)
  Definition S2 := option (list LPair * (PS * PS)).
  Notation Prog2 := (@Prog Pair (option Ans) (S2 * option LA)).
  (* both copies in step; the last case does not occur under the three properties *)
  Fixpoint merge (l : list LPair) (t0 t1 : @Prog Msg Ans (PS * LA)) : Prog2 :=
    match t0, t1 with
    | Done r0, Done r1 => Done (Some (l, (fst r0, fst r1)), Some (snd r0))
    | Call m0 k0, Call m1 k1 =>
        Call (pair_up m0 m1)
          (fun oa => match oa with Some a => merge l (k0 a) (k1 a) | None => Done (None, None) end)
    | _, _ => Done (None, None)
    end.
  Definition handle2 (s : S2) (p : LPair) : Prog2 :=
    match s with
    | Some (l, ss) =>
        if f (l ++ [p]) then merge (l ++ [p]) (handle P (fst ss) (lside false p)) (handle P (snd ss) (lside true p))
        else Done (None, None)
    | None => Done (None, None)
    end.
  Definition P2 : @IPM Pair (option Ans) S2 LPair (option LA) :=
    {| pinit := Some ([], (pinit P, pinit P)); handle := handle2 |}.

  Definition copy {X} (b : bool) (x y : X) : X := if b then y else x.
  Notation VP b := (VI lside f b (post P M)).
  Notation PV b := (post P2 (VI side f' b M)).

  (* one dialogue with the right: the copy that I(b) lets speak, and the pair of copies *)
  Lemma dialogue : forall b l K (g : PS * LA -> St -> Q) (g2 : S2 * option LA -> option (list Pair * St) -> Q) r t0 t1,
    together (LA := LA) side f' pair_up K r t0 t1 ->
    (forall r' s0 s1 a x, K r' s0 s1 -> g (copy b s0 s1, a) x == g2 (Some (l, (s0, s1)), Some a) (Some (r', x))) ->
    forall x, val M (copy b t0 t1) (fun s y => g y s) x
      == val (VI side f' b M) (merge l t0 t1) (fun s y => g2 y s) (Some (r, x)).
  Proof.
    intros b l K g g2 r t0 t1 H HK.
    induction H as [r s0 s1 a HR|r m0 m1 k0 k1 H0 H1 Hf Hk IH]; intros x.
    - unfold copy. destruct b; simpl; apply (HK r s0 s1 a x HR).
    - cbn [merge val]. cbn [step VI VIstep]. rewrite Hf, Ex_dmap.
      assert (X : val M (copy b (Call m0 k0) (Call m1 k1)) (fun s y => g y s) x
                  == Ex (step M x (copy b m0 m1)) (fun sa => val M (copy b (k0 (snd sa)) (k1 (snd sa))) (fun s y => g y s) (fst sa))).
      { destruct b; reflexivity. }
      rewrite X. assert (Y : side b (pair_up m0 m1) = copy b m0 m1) by (destruct b; assumption).
      rewrite Y. apply Ex_ext. intros sa. simpl. apply IH.
  Qed.

  Lemma halted : forall b A Ev T past v, Pr (VP b) A T None past Ev == Pr (PV b) A T (None, v) past Ev.
  Proof.
    intros b A Ev T. induction T as [|T IH]; intros past v; [reflexivity|].
    cbn [Pr]. change (step (VP b) None (A past)) with (@ret (option (list LPair * (PS * St)) * option LA) (None, None)).
    unfold ret at 1. cbn [Ex fst snd]. cbn [step post]. unfold post_step. cbn [fst snd handle P2 handle2 run]. unfold ret, dmap.
    cbn [map Ex fst snd]. rewrite (IH (past ++ [None]) v). reflexivity.
  Qed.

  Lemma same_view : forall R : list LPair -> list Pair -> PS -> PS -> Prop,
    (forall l r s0 s1 p, R l r s0 s1 -> f (l ++ [p]) = true ->
       together side f' pair_up (R (l ++ [p])) r (handle P s0 (lside false p)) (handle P s1 (lside true p))) ->
    forall b A Ev T l r s0 s1 x past, R l r s0 s1 ->
    Pr (VP b) A T (Some (l, (copy b s0 s1, x))) past Ev
    == Pr (PV b) A T (Some (l, (s0, s1)), Some (r, x)) past Ev.
  Proof.
    intros R HR b A Ev. induction T as [|T IH]; intros l r s0 s1 x past H; [reflexivity|].
    cbn [Pr]. set (p := A past). cbn [step VI]. unfold VIstep at 1.
    cbn [step post]. unfold post_step at 2. cbn [fst snd handle P2 handle2]. rewrite Ex_dmap.
    destruct (f (l ++ [p])) eqn:Hf.
    - rewrite Ex_dmap. cbn [step post]. unfold post_step. rewrite Ex_dmap. cbn [fst snd].
      rewrite (Ex_run M _ (fun s y => Pr (VP b) A T (Some (l ++ [p], (fst y, s))) (past ++ [Some (snd y)]) Ev)).
      rewrite (Ex_run (VI side f' b M) _ (fun s y => Pr (PV b) A T (fst y, s) (past ++ [snd y]) Ev)).
      pose proof (@dialogue b (l ++ [p]) (R (l ++ [p]))
        (fun y s => Pr (VP b) A T (Some (l ++ [p], (fst y, s))) (past ++ [Some (snd y)]) Ev)
        (fun y s => Pr (PV b) A T (fst y, s) (past ++ [snd y]) Ev) r _ _ (HR l r s0 s1 p H Hf)) as D.
      assert (X : handle P (copy b s0 s1) (lside b p) = copy b (handle P s0 (lside false p)) (handle P s1 (lside true p)))
        by (destruct b; reflexivity).
      rewrite X. apply D. intros r' t0 t1 a y HR'. cbn [fst snd]. apply IH. exact HR'.
    - unfold ret. cbn [Ex fst snd run ret]. unfold ret. cbn [Ex fst snd].
      rewrite (halted b A Ev T (past ++ [None]) (Some (r, x))). reflexivity.
  Qed.

  (* Theorem 6.1 *)
  Theorem complex_mechanism : forall E d, three_properties lside f side f' pair_up P ->
    DP side f' M E d -> DP lside f (post P M) E d.
  Proof.
    intros E d [R [R0 HR]] H b A T Ev.
    pose proof (PostProcessing.post_processing (oeq aeq) p0 P2 (H b)) as K. specialize (K A T Ev).
    assert (X : forall b', Pr (VP b') A T (init (VP b')) [] Ev == Pr (PV b') A T (init (PV b')) [] Ev).
    { intros b'. simpl init. pose proof (@same_view R HR b' A Ev T [] [] (pinit P) (pinit P) (init M) [] R0) as Y.
      assert (Z : copy b' (pinit P) (pinit P) = pinit P) by (destruct b'; reflexivity). rewrite Z in Y. exact Y. }
    rewrite !X. exact K.
  Qed.
End Complex.
