package activities

import (
	"context"
	"errors"
	"time"

	"reverie/llm"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store"
	stored "reverie/store/facts"
)

// PairJudge decides whether pairs of statements contradict one another, with a model.
type PairJudge interface {
	JudgePairs(ctx context.Context, in proposals.PairsInput) (proposals.Answer, error)
}

const (
	// pairsAtOnce is the number of pairs in one request to the model.
	pairsAtOnce = 20
	// judgeFor bounds one request.
	judgeFor = time.Minute
)

// judgePairs lets a model decide pairs of statements that rules cannot, with one request per owner. After a failure, while the budget is
// spent, or without a model, the pairs wait for the next run.
func (a *Activities) judgePairs(ctx context.Context, ref AgentRef) error {
	if ref.Agent == "" || a.PairJudge == nil {
		return nil
	}
	people, err := a.Store.InDoubt(ctx, tender(ctx, ref), a.Now())
	if errors.Is(err, store.ErrFactsOff) || len(people) == 0 {
		return nil
	}
	if err != nil {
		return storeError(err)
	}
	for _, p := range people {
		why, err := a.halted(ctx, tender(ctx, ref), a.Budget)
		if err != nil || why != (setting.Halt{}) {
			return err
		}
		if answered, err := a.judgePairsOf(ctx, a.identityOf(ctx, ref, p), p.Scope); err != nil || !answered {
			return err
		}
	}
	return nil
}

// identityOf returns the identity that maintains the memory of people with an agent.
func (a *Activities) identityOf(ctx context.Context, ref AgentRef, p stored.People) memory.Identity {
	id := tender(ctx, ref)
	id.AnyOwner, id.Owner = false, p.Owner
	if p.Scope != memory.ScopePersonal {
		id.Owner = memory.SystemOwner
	}
	return id
}

// judgePairsOf decides the pairs of one owner. answered is false if the model did not answer.
func (a *Activities) judgePairsOf(ctx context.Context, id memory.Identity, scope memory.Scope) (answered bool, err error) {
	listed, err := a.Store.Contradictions(ctx, id, stored.StateDoubtful, store.Page{Limit: pairsAtOnce})
	if err != nil {
		return false, storeError(err)
	}
	var in proposals.PairsInput
	var pairs []stored.Contradiction
	for _, c := range listed.Items {
		if c.Scope == scope {
			in.Pairs, pairs = append(in.Pairs, [2]string{c.A.Text, c.B.Text}), append(pairs, c)
		}
	}
	if len(pairs) == 0 {
		return true, nil
	}
	bounded, cancel := context.WithTimeout(ctx, judgeFor)
	defer cancel()
	answer, err := callEngine(bounded, a, engineUse{id: id, model: true}, func() (proposals.Answer, error) {
		return a.PairJudge.JudgePairs(bounded, in)
	})
	if answer.Usage != (memory.Usage{}) {
		if err := a.Store.AddUsage(ctx, id, answer.Model, answer.Usage); err != nil {
			return false, storeError(err)
		}
	}
	if err != nil {
		if _, ofModel := errors.AsType[*llm.Error](err); !ofModel && !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return false, err
		}
		a.Log.Warn("Contradictions were not judged", "error", err)
		return false, nil
	}
	verdicts, err := proposals.ParsePairs(answer.Raw, len(pairs))
	if err != nil { // asked again, the same model would cost the same again
		a.Log.Warn("The judgement of contradictions is not usable: the pairs count as compatible", "error", err)
		return true, storeError(a.Store.SettleDoubtful(ctx, id, pairs, stored.Compatible))
	}
	settled := map[stored.Resolution][]stored.Contradiction{}
	for i, c := range pairs {
		r := map[proposals.PairVerdict]stored.Resolution{
			proposals.PairCompatible: stored.Compatible, proposals.PairContradicts: stored.Open, proposals.PairCorrects: c.Corrected(),
		}[verdicts[i]]
		settled[r] = append(settled[r], c)
	}
	for r, decided := range settled {
		if err := a.Store.SettleDoubtful(ctx, id, decided, r); err != nil {
			return false, storeError(err)
		}
	}
	return true, nil
}
