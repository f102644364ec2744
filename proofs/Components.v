(** ExtConComp seen by its components: the law of a concurrent transcript is the product
    of the components' laws, and a potential of the components' transcripts is a potential
    of the whole (DP_of_components).                                                     *)
From Coq Require Import QArith List Bool Arith Lia Lqa.
From Antiphon Require Import Distributions Statements Histories Lyu Potential.
Import ListNotations.
Open Scope Q_scope.
Set Implicit Arguments.
Set Universe Polymorphism.

Section Components.
  Context {Msg Ans Pair : Type} (side : bool -> Pair -> Msg).
  Variable aeq : forall a a' : Ans, {a = a'} + {a <> a'}.
  Notation Cl := (@Claim Msg Ans Pair side).  Notation EP := (@EPair Msg Ans Pair side).
  Notation EA := (EAns Ans).  Notation ESt := (@EState Msg Ans Pair side).
  Notation Ext := (@ExtConComp Msg Ans Pair side).
  (* a component: its claim and its own transcript *)
  Notation Part := (Cl * list (Pair * Ans))%type.

  Definition eaeq : forall a a' : EA, {a = a'} + {a <> a'}.
  Proof. decide equality. Qed.

  Fixpoint pproj (k : nat) (h : list (EP * EA)) : list (Pair * Ans) :=
    match h with
    | (PQuery i p, Answer a) :: h' => if (i =? k)%nat then (p, a) :: pproj k h' else pproj k h'
    | _ :: h' => pproj k h'
    | [] => []
    end.
  (* creations are acknowledged and queries answered *)
  Definition shape1 (e : EP * EA) : bool :=
    match e with (PCreate _, Ack) | (PQuery _ _, Answer _) => true | _ => false end.
  Definition shape (h : list (EP * EA)) : bool := forallb shape1 h.
  Fixpoint parts_from (k : nat) (cs : list Cl) (h : list (EP * EA)) : list Part :=
    match cs with [] => [] | c :: cs' => (c, pproj k h) :: parts_from (S k) cs' h end.
  Definition parts h := parts_from 0 (creations (map fst h)) h.
  Definition pairs_only (l : list Part) : list (Cl * list Pair) := map (fun x => (fst x, map fst (snd x))) l.
  (* the law of all components' transcripts under the bit b *)
  Definition law1 (b : bool) (x : Part) : Q := prob aeq (cM (fst x)) (init (cM (fst x))) (sideh side b (snd x)).
  Fixpoint law (b : bool) (l : list Part) : Q := match l with [] => 1 | x :: l' => law1 b x * law b l' end.

  (* ------------------------------------------------ the law of a transcript --- *)
  Definition fac (b : bool) (z : {c : Cl & cSt c}) (k : nat) (h : list (EP * EA)) : Q :=
    prob aeq (cM (projT1 z)) (projT2 z) (sideh side b (pproj k h)).
  Fixpoint prodst (b : bool) (st : ESt) (k : nat) (h : list (EP * EA)) : Q :=
    match st with [] => 1 | z :: st' => fac b z k h * prodst b st' (S k) h end.

  Lemma prodst_congr : forall b st k h h', (forall j, (k <= j)%nat -> pproj j h = pproj j h') ->
    prodst b st k h = prodst b st k h'.
  Proof.
    induction st as [|z st IH]; simpl; intros k h h' H; [reflexivity|]. unfold fac.
    rewrite (H k) by lia. rewrite (IH (S k) h h'); [reflexivity|]. intros; apply H; lia.
  Qed.

  (* single out the factor of the i-th component *)
  Lemma prodst_focus : forall b p a h more (c : Cl) st i k x,
    nth_error st i = Some (existT _ c x) ->
    exists r,
      (forall x', prodst b (upd st i (existT _ c x') ++ more) k h
           == r * prob aeq (cM c) x' (sideh side b (pproj (k + i) h))) /\
      prodst b (st ++ more) k ((PQuery (k + i) p, Answer a) :: h)
           == r * prob aeq (cM c) x ((side b p, a) :: sideh side b (pproj (k + i) h)).
  Proof.
    induction st as [|z st IH]; intros i k x Hn; destruct i as [|i]; try discriminate.
    - simpl in Hn. injection Hn as Hz. subst z. rewrite Nat.add_0_r.
      exists (prodst b (st ++ more) (S k) h). split.
      + intros x'. simpl. unfold fac. simpl. ring.
      + simpl app. simpl prodst. unfold fac. simpl projT1. simpl projT2. simpl pproj.
        rewrite Nat.eqb_refl.
        rewrite (prodst_congr b (st ++ more) (k := S k) ((PQuery k p, Answer a) :: h) h).
        * unfold sideh at 1. simpl map. fold (sideh side b (pproj k h)). ring.
        * intros j Hj. simpl. destruct (Nat.eqb_spec k j); [lia|reflexivity].
    - simpl in Hn. destruct (IH i (S k) x Hn) as [r [H1 H2]].
      rewrite Nat.add_succ_comm in H1, H2.
      exists (fac b z k h * r). split.
      + intros x'. simpl. rewrite H1. ring.
      + simpl app. simpl prodst. rewrite H2.
        assert (Hf : fac b z k ((PQuery (k + S i) p, Answer a) :: h) = fac b z k h).
        { unfold fac. simpl pproj. destruct (Nat.eqb_spec (k + S i) k); [lia|reflexivity]. }
        rewrite Hf. ring.
  Qed.

  Lemma upd_length : forall (st : ESt) i y, length (upd st i y) = length st.
  Proof. induction st; destruct i; simpl; intros; auto. Qed.

  Lemma factor : forall b h st, suitable (length st) (map fst h) = true ->
    prob eaeq Ext st (sideh (@eside _ _ _ side) b h)
    == if shape h then prodst b (st ++ map (@start _ _ _ side) (creations (map fst h))) 0 h else 0.
  Proof.
    induction h as [|[[c|i p] ea] h IH]; intros st Hs.
    - simpl. rewrite app_nil_r. generalize 0%nat.
      induction st as [|z st IHst]; intros k; simpl; [reflexivity|].
      rewrite <- IHst by (clear; induction st; simpl; auto). unfold fac; simpl. ring.
    - simpl in Hs. unfold shape. simpl forallb. fold (shape h). simpl prob.
      destruct ea as [|a|]; destruct (eaeq Ack _) as [e|e]; try congruence; cbv iota beta; simpl andb; cbv iota; try ring.
      simpl map. simpl creations.
      rewrite IH by (rewrite app_length; simpl; rewrite Nat.add_1_r; exact Hs).
      rewrite <- app_assoc. simpl app. destruct (shape h); [|ring].
      rewrite (prodst_congr b (st ++ start c :: map (@start _ _ _ side) (creations (map fst h))) (k := 0%nat)
                 ((PCreate c, Ack) :: h) h) by reflexivity. ring.
    - simpl in Hs. apply andb_true_iff in Hs. destruct Hs as [Hi Hs]. apply Nat.ltb_lt in Hi.
      destruct (nth_error st i) as [[c x]|] eqn:Hn; [|apply nth_error_None in Hn; lia].
      simpl sideh. simpl prob. rewrite Hn, Ex_dmap. simpl map. simpl creations.
      set (more := map (@start _ _ _ side) (creations (map fst h))).
      unfold shape. simpl forallb. fold (shape h). destruct ea as [|a|]; simpl andb.
      + rewrite (Ex_ext _ _ (fun _ => 0)); [apply Ex_zero|].
        intros xa; simpl. destruct (eaeq _ _); [congruence|reflexivity].
      + destruct (prodst_focus b p a h more st i 0 Hn) as [r [H1 H2]]. simpl in H1, H2.
        destruct (shape h) eqn:Hsh.
        * rewrite H2. simpl prob. rewrite <- Ex_scal. apply Ex_ext. intros [x' a']; simpl.
          destruct (eaeq (Answer a') (Answer a)), (aeq a' a); try congruence; [|ring].
          rewrite IH by (rewrite upd_length; exact Hs).
          apply H1.
        * rewrite (Ex_ext _ _ (fun _ => 0)); [apply Ex_zero|].
          intros xa; simpl. destruct (eaeq _ _); [|reflexivity].
          rewrite IH by (rewrite upd_length; exact Hs). reflexivity.
      + rewrite (Ex_ext _ _ (fun _ => 0)); [apply Ex_zero|].
        intros xa; simpl. destruct (eaeq _ _); [congruence|reflexivity].
  Qed.
  Lemma prodst_start : forall b h cs k, prodst b (map (@start _ _ _ side) cs) k h = law b (parts_from k cs h).
  Proof. induction cs as [|c cs IH]; intros k; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
  Corollary transcript_law : forall b h, suitable 0 (map fst h) = true ->
    prob eaeq Ext (init Ext) (sideh (@eside _ _ _ side) b h) == if shape h then law b (parts h) else 0.
  Proof. intros. simpl init. rewrite factor by assumption. simpl app. rewrite prodst_start. reflexivity. Qed.

  Lemma law_nonneg : forall b l, 0 <= law b l.
  Proof. induction l; simpl; [lra|]. apply Qmult_le_0_compat; [apply prob_nonneg|assumption]. Qed.
  Lemma law_app : forall b l l', law b (l ++ l') == law b l * law b l'.
  Proof. induction l; simpl; intros; [ring|rewrite IHl; ring]. Qed.

  (* ------------------------------------------------------- one message later --- *)
  Lemma suitable_app : forall (ps qs : list EP) n,
    suitable n (ps ++ qs) = suitable n ps && suitable (n + length (creations ps)) qs.
  Proof.
    induction ps as [|[c|i p] ps IH]; simpl; intros qs n; [rewrite Nat.add_0_r; reflexivity| |].
    - rewrite IH. rewrite <- Nat.add_succ_comm. reflexivity.
    - rewrite IH. apply andb_assoc.
  Qed.
  Lemma creations_app : forall ps qs : list EP, creations (ps ++ qs) = creations ps ++ creations qs.
  Proof. induction ps as [|[c|i p] ps IH]; simpl; intros; auto. rewrite IH; auto. Qed.
  Lemma pproj_app : forall h h' k, pproj k (h ++ h') = pproj k h ++ pproj k h'.
  Proof.
    induction h as [|[[c|i p] [|a|]] h IH]; simpl; intros; auto. destruct (i =? k)%nat; simpl; rewrite IH; auto.
  Qed.
  Lemma parts_app : forall cs cs' k h, parts_from k (cs ++ cs') h = parts_from k cs h ++ parts_from (k + length cs) cs' h.
  Proof. induction cs; simpl; intros; [rewrite Nat.add_0_r; reflexivity|]. rewrite IHcs, Nat.add_succ_comm; reflexivity. Qed.
  Lemma parts_congr : forall cs k h h', (forall j, (k <= j < k + length cs)%nat -> pproj j h = pproj j h') ->
    parts_from k cs h = parts_from k cs h'.
  Proof.
    induction cs as [|c cs IH]; simpl; intros k h h' H; [reflexivity|].
    rewrite (H k) by lia. rewrite (IH (S k) h h'); [reflexivity|]. intros; apply H; lia.
  Qed.
  Lemma pproj_none : forall h n k, suitable n (map fst h) = true -> (n + length (creations (map fst h)) <= k)%nat ->
    pproj k h = [].
  Proof.
    induction h as [|[[c|i p] ea] h IH]; simpl; intros n k Hs Hk; [reflexivity| |].
    - destruct ea; apply (IH (S n)); auto; lia.
    - apply andb_true_iff in Hs. destruct Hs as [Hi Hs]. apply Nat.ltb_lt in Hi.
      destruct ea as [|a|]; try (apply (IH n); auto; lia).
      destruct (Nat.eqb_spec i k); [lia|]. apply (IH n); auto; lia.
  Qed.
  Lemma pproj_pairs : forall h k, shape h = true -> map fst (pproj k h) = pairs k (map fst h).
  Proof.
    induction h as [|[[c|i p] [|a|]] h IH]; simpl; intros k H; try discriminate; auto.
    destruct (i =? k)%nat; simpl; rewrite IH; auto.
  Qed.
  Lemma instances_parts : forall h, shape h = true -> instances (map fst h) = pairs_only (parts h).
  Proof.
    intros h Hs. unfold instances, parts. generalize 0%nat. generalize (creations (map fst h)).
    induction l as [|c l IH]; intros k; simpl; [reflexivity|]. rewrite IH, pproj_pairs by exact Hs. reflexivity.
  Qed.
  Lemma parts_create : forall h c, suitable 0 (map fst h) = true ->
    parts (h ++ [(PCreate c, Ack)]) = parts h ++ [(c, [])].
  Proof.
    intros h c Hs. unfold parts. rewrite map_app, creations_app, parts_app. simpl.
    rewrite pproj_app. simpl. rewrite app_nil_r, (@pproj_none h 0 _ Hs) by lia.
    f_equal. apply parts_congr. intros j _. rewrite pproj_app. simpl. apply app_nil_r.
  Qed.
  Lemma parts_query : forall h i p, (i < length (creations (map fst h)))%nat ->
    exists l1 c hc l2, parts h = l1 ++ (c, hc) :: l2 /\
      forall a, parts (h ++ [(PQuery i p, Answer a)]) = l1 ++ (c, hc ++ [(p, a)]) :: l2.
  Proof.
    intros h i p Hi.
    destruct (nth_error (creations (map fst h)) i) as [c|] eqn:Hn; [|apply nth_error_None in Hn; lia].
    apply nth_error_split in Hn. destruct Hn as [c1 [c2 [Hc Hl]]].
    exists (parts_from 0 c1 h), c, (pproj i h), (parts_from (S i) c2 h). unfold parts. split.
    - rewrite Hc, parts_app. simpl. rewrite Hl. reflexivity.
    - intros a. rewrite map_app, creations_app. simpl creations. rewrite app_nil_r, Hc, parts_app. simpl. rewrite Hl.
      rewrite pproj_app. simpl. rewrite Nat.eqb_refl. f_equal; [|f_equal].
      + apply parts_congr. intros j Hj. rewrite pproj_app. simpl.
        destruct (Nat.eqb_spec i j); [lia|]. apply app_nil_r.
      + apply parts_congr. intros j Hj. rewrite pproj_app. simpl.
        destruct (Nat.eqb_spec i j); [lia|]. apply app_nil_r.
  Qed.

  (* ------------------------------------------------ potentials of the parts --- *)
  Fixpoint answers_of (l : list EA) : list Ans :=
    match l with [] => [] | Answer a :: l' => a :: answers_of l' | _ :: l' => answers_of l' end.
  Lemma answers_of_in : forall l a, In a (answers_of l) -> In (Answer a) l.
  Proof. induction l as [|[|x|] l IH]; simpl; intros a H; auto. destruct H; [left; congruence|auto]. Qed.
  Lemma answers_of_nodup : forall l, NoDup l -> NoDup (answers_of l).
  Proof.
    induction l as [|[|x|] l IH]; simpl; intros H; inversion H; subst; auto; constructor; auto.
    intro Hin. apply H2. apply answers_of_in. exact Hin.
  Qed.
  Lemma Sum_answers : forall (g : Ans -> Q) l,
    Sum l (fun ea => match ea with Answer a => g a | _ => 0 end) == Sum (answers_of l) g.
  Proof. induction l as [|[|x|] l IH]; simpl; try reflexivity; rewrite IH; ring. Qed.
  Fixpoint pairs_in (qs : list EP) : list Pair :=
    match qs with [] => [] | PQuery _ p :: qs' => p :: pairs_in qs' | _ :: qs' => pairs_in qs' end.
  Lemma pairs_in_In : forall qs i p, In (PQuery i p) qs -> In p (pairs_in qs).
  Proof.
    induction qs as [|[c|j p'] qs IH]; simpl; intros i p H; auto.
    - destruct H as [H|H]; [discriminate|eauto].
    - destruct H as [H|H]; [inversion H; auto|right; eauto].
  Qed.
  (* every component is asked pairs of qs only, at most T of them *)
  Definition bounded (qs : list Pair) (T : nat) (l : list Part) : Prop :=
    Forall (fun x => asked qs (snd x) /\ (length (snd x) <= T)%nat) l.
  Lemma parts_bounded : forall qs T h, asked qs h -> (length h <= T)%nat -> bounded (pairs_in qs) T (parts h).
  Proof.
    intros qs T h Ha Hl. unfold parts. generalize 0%nat. generalize (creations (map fst h)).
    induction l as [|c l IH]; intros k; simpl; constructor; [|apply IH]. simpl. clear IH l.
    assert (asked (pairs_in qs) (pproj k h) /\ (length (pproj k h) <= length h)%nat).
    { clear Hl. induction h as [|[[c'|i p] ea] h IHh]; simpl; [split; [constructor|lia]| |]; inversion Ha; subst;
        destruct (IHh H2) as [I1 I2].
      - destruct ea; split; auto.
      - destruct ea as [|a|]; try (split; auto; fail). destruct (i =? k)%nat; simpl; split; auto; try lia.
        constructor; [|exact I1]. simpl in *. eapply pairs_in_In; eauto. }
    destruct H. split; [assumption|lia].
  Qed.

  (* V says what the verification function guarantees of the instances *)
  Definition parts_potential (V : list (Cl * list Pair) -> Prop) (E d : Q) (b : bool) (qs : list Pair) (T : nat)
      (G : list Part -> Q) : Prop :=
    G [] <= d /\
    (forall l, V (pairs_only l) -> bounded qs T l -> 0 <= G l /\ law b l - E * law (negb b) l <= G l) /\
    (forall l c, V (pairs_only l) -> V (pairs_only (l ++ [(c, [])])) -> bounded qs T l ->
       G (l ++ [(c, [])]) <= G l) /\
    (forall l1 c hc l2 p as_, V (pairs_only (l1 ++ (c, hc) :: l2)) ->
       V (pairs_only l1 ++ (c, map fst hc ++ [p]) :: pairs_only l2) -> bounded qs T (l1 ++ (c, hc) :: l2) ->
       In p qs -> (length hc < T)%nat -> NoDup as_ ->
       Sum as_ (fun a => G (l1 ++ (c, hc ++ [(p, a)]) :: l2)) <= G (l1 ++ (c, hc) :: l2)).

  Lemma valid_last : forall P (f : list P -> bool) l h, l <> [] ->
    valid_from f h l = true -> f (h ++ l) = true.
  Proof.
    induction l as [|p l IH]; intros h Hne H; [congruence|]. simpl in H.
    apply andb_true_iff in H. destruct H as [H1 H2]. destruct l as [|p' l]; [exact H1|].
    specialize (IH (h ++ [p])). rewrite <- app_assoc in IH. apply IH; [discriminate|exact H2].
  Qed.

  Theorem DP_of_components : forall (f : list EP -> bool) (V : list (Cl * list Pair) -> Prop) E d, 0 <= E ->
    V [] -> (forall ps, f ps = true -> suitable 0 ps = true /\ V (instances ps)) ->
    (forall b qs T, exists G, parts_potential V E d b qs T G) ->
    DP (@eside _ _ _ side) f Ext E d.
  Proof.
    intros f V E d HE V0 Hf HG. apply (DP_of_potential (aeq := eaeq)); [exact HE|].
    intros b qs T. destruct (HG b (pairs_in qs) T) as [G [G0 [G1 [G2 G3]]]].
    assert (Good : forall ps, valid f ps = true -> suitable 0 ps = true /\ V (instances ps)).
    { intros ps Hv. destruct ps as [|p ps]; [split; [reflexivity|exact V0]|].
      apply Hf. apply (valid_last f (l := p :: ps) []); [discriminate|exact Hv]. }
    exists (fun h => if shape h then G (parts h) else 0). split; [exact G0|]. split.
    - intros h Hv Ha Hl. destruct (Good _ Hv) as [Hs HV]. rewrite !transcript_law by exact Hs.
      destruct (shape h) eqn:Hsh; [|lra]. rewrite instances_parts in HV by exact Hsh.
      apply G1; [exact HV|]. apply parts_bounded; assumption.
    - intros h e l Hv Ha He Hl Hn.
      assert (Hv0 : valid f (map fst h) = true).
      { unfold valid in *. rewrite valid_from_snoc in Hv. apply andb_true_iff in Hv. destruct Hv as [Hv _]. exact Hv. }
      destruct (Good _ Hv) as [Hs HV]. destruct (Good _ Hv0) as [Hs0 HV0].
      assert (Sh : forall ea, shape (h ++ [(e, ea)]) = shape h && shape1 (e, ea)).
      { intros ea. unfold shape. rewrite forallb_app. simpl. rewrite andb_true_r. reflexivity. }
      destruct (shape h) eqn:Hsh.
      2: { rewrite (Sum_ext l _ (fun _ => 0)); [rewrite Sum_zero; lra|]. intros ea. rewrite Sh. reflexivity. }
      assert (Bd : bounded (pairs_in qs) T (parts h)) by (apply parts_bounded; [assumption|lia]).
      rewrite instances_parts in HV0 by exact Hsh. destruct (G1 _ HV0 Bd) as [Gpos _].
      destruct e as [c|i p].
      + assert (K : G (parts h ++ [(c, [])]) <= G (parts h)).
        { apply G2; auto. rewrite <- parts_create by exact Hs0. rewrite <- instances_parts by (rewrite Sh; reflexivity).
          rewrite map_app. exact HV. }
        assert (Kpos : 0 <= G (parts h ++ [(c, [])])).
        { apply G1.
          - rewrite <- parts_create by exact Hs0. rewrite <- instances_parts by (rewrite Sh; reflexivity).
            rewrite map_app. exact HV.
          - apply Forall_app. split; [exact Bd|]. constructor; [|constructor]. split; [constructor|simpl; lia]. }
        rewrite (Sum_ext l _ (fun ea => match ea with Ack => G (parts h ++ [(c, [])]) | _ => 0 end)).
        * eapply Qle_trans; [apply (Sum_support eaeq [Ack])|simpl; lra].
          { exact Hn. }
          { intros [|a|]; lra. }
          { intros [|a|] Hi; try reflexivity. exfalso; apply Hi; left; reflexivity. }
        * intros ea. rewrite Sh. destruct ea; simpl; try reflexivity. rewrite parts_create by exact Hs0. reflexivity.
      + rewrite suitable_app in Hs. apply andb_true_iff in Hs. destruct Hs as [_ Hi]. simpl in Hi.
        rewrite andb_true_r in Hi. apply Nat.ltb_lt in Hi.
        destruct (parts_query h p Hi) as [l1 [c [hc [l2 [Hp Hq]]]]].
        rewrite (Sum_ext l _ (fun ea => match ea with Answer a => G (l1 ++ (c, hc ++ [(p, a)]) :: l2) | _ => 0 end)).
        2: { intros ea. rewrite Sh. destruct ea; simpl; try reflexivity. rewrite Hq. reflexivity. }
        rewrite Sum_answers. pose proof (answers_of_nodup Hn) as Hn'.
        destruct (answers_of l) as [|a0 l0] eqn:Hl0; [exact Gpos|]. rewrite <- Hl0 in *. rewrite Hp in *.
        apply G3; auto.
        * assert (X : pairs_only (l1 ++ (c, hc ++ [(p, a0)]) :: l2)
                      = pairs_only l1 ++ (c, map fst hc ++ [p]) :: pairs_only l2).
          { unfold pairs_only. rewrite map_app. simpl. rewrite map_app. reflexivity. }
          rewrite <- X, <- Hq, <- instances_parts by (rewrite Sh; reflexivity). rewrite map_app. exact HV.
        * eapply pairs_in_In; eauto.
        * assert (length hc <= length h)%nat; [|lia].
          assert (In (c, hc) (parts h)) by (rewrite Hp; apply in_or_app; right; left; reflexivity).
          assert (B : bounded (pairs_in qs) (length h) (parts h)) by (apply parts_bounded; auto).
          unfold bounded in B. rewrite Forall_forall in B. apply (B _ H).
  Qed.
End Components.
