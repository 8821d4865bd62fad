package api

import (
	"cmp"
	"context"
	"fmt"

	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

// found is how many there are of a finding, and some by reference.
func (p *patient) found(code string) (n int, examples []string) {
	name := func(format string, args ...any) {
		if n++; len(examples) < maxExamples {
			examples = append(examples, fmt.Sprintf(format, args...))
		}
	}
	k := p.known
	switch code {
	case ailIndexMissing:
		for _, x := range k.Missing {
			name("%s %s (%s)", x.Scope, x.Path, x.UID)
		}
	case ailIndexSuperseded:
		for _, x := range k.Superseded {
			name("%s %s %s", x.Corpus, x.Scope, x.UID)
		}
	case ailIndexOrphans:
		n = k.Orphans
	case ailHash:
		for _, x := range k.Broken {
			name("%s %s, version %d (%s)", x.Scope, x.Path, x.Version, x.Document)
		}
	case ailWaiting:
		for _, x := range p.waiting {
			name("owner %s", x.OwnerID)
		}
	case ailOpen:
		for _, x := range p.abandoned {
			name("%s %s", x.Kind, x.ID)
		}
	case ailWrite, ailImport, ailSnapshot:
		for _, x := range p.stagedFor(code) {
			name("%s", cmp.Or(x.RequestID, x.ID.String()))
		}
	case ailSchedule:
		if p.schedule {
			name("%s", workflows.DreamScheduleID(store.AgentRef{Workspace: p.id.Workspace, Agent: p.id.Agent}))
		}
	case ailFed:
		for _, x := range k.Fed {
			name("candidate %s", x.Entry)
		}
	case ailFedNote:
		for _, x := range k.FedNotes {
			name("%s %s (%s)", x.Scope, x.Path, x.UID)
		}
	}
	return n, examples
}

func (p *patient) view(fixed []fixedView) examinationView {
	view := examinationView{Agent: p.agent.ID, Findings: []ailmentView{}, Unchecked: p.unchecked, Fixed: fixed}
	for _, a := range ailments {
		n, examples := p.found(a.code)
		if n == 0 {
			continue
		}
		if examples == nil {
			examples = []string{}
		}
		view.Findings = append(view.Findings, ailmentView{Code: a.code, Means: a.means, Fix: a.fix, Count: n, Examples: examples})
	}
	view.Healthy = len(view.Findings) == 0 && len(view.Unchecked) == 0
	return view
}

// treat puts right what was found and notes it in the journal.
func (p *patient) treat(ctx context.Context) ([]fixedView, error) {
	var fixed []fixedView
	for _, a := range ailments {
		if n, _ := p.found(a.code); n == 0 {
			continue
		}
		n, err := p.fix(ctx, a.code)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		if err := p.Store.NoteFixed(ctx, p.id, a.code, n); err != nil {
			return nil, err
		}
		fixed = append(fixed, fixedView{a.code, n})
	}
	return fixed, nil
}

// fix puts one kind right and returns how many.
func (p *patient) fix(ctx context.Context, code string) (n int, err error) {
	switch code {
	case ailIndexMissing:
		return p.mend(ctx, p.known.Missing)
	case ailIndexSuperseded:
		return p.mend(ctx, p.known.Superseded)
	case ailIndexOrphans:
		return p.Store.DropOrphans(ctx, p.id)
	case ailHash:
		return p.restore(ctx)
	case ailWaiting:
		for _, owner := range p.waiting {
			if err := p.workflows.turnCompleted(ctx, p.ref(owner), p.agent); err != nil {
				return n, workflowsAway("try again later")
			}
			n++
		}
	case ailOpen:
		for _, x := range p.abandoned {
			if err := p.takeOver(ctx, x); err != nil {
				return n, err
			}
			n++
		}
	case ailWrite, ailImport, ailSnapshot:
		return p.resume(ctx, p.stagedFor(code))
	case ailSchedule:
		ref := store.AgentRef{Workspace: p.id.Workspace, Agent: p.id.Agent}
		plan := func(ctx context.Context) (workflows.DreamPlan, error) { return p.dreamPlan(ctx, ref) }
		return 1, workflows.EnsureDreamSchedule(ctx, p.Temporal, plan, p.Now())
	case ailFed:
		for _, x := range p.known.Fed {
			if err := p.Store.RejectFed(ctx, p.as(x.Owner), x.Entry); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// as is the identity about one owner.
func (p *patient) as(owner memory.Owner) memory.Identity {
	id := p.id.For(p.id.Agent, owner)
	id.AnyOwner = false
	return id
}

func (p *patient) mend(ctx context.Context, sources []store.IndexSource) (n int, err error) {
	for _, x := range sources {
		if err := p.Store.MendIndex(ctx, p.id, x); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// restore takes the latest version whose hash holds, through the gate. Versions themselves are never rewritten: what the database had
// in between stays in the history, for people to compare.
func (p *patient) restore(ctx context.Context) (n int, err error) {
	for _, x := range p.known.Broken {
		if x.Proven == 0 {
			continue
		}
		_, err := p.Store.Apply(ctx, p.as(x.Owner), "", []memory.Change{{
			Ref: memory.Ref{Scope: x.Scope, Path: x.Path}, Op: memory.OpRestore, Restore: x.Proven, Base: x.Version,
			Reason: "the content of the version before is not what was written",
		}})
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// takeOver ends a record whose workflow is gone. An extraction whose messages wait is the Inbox's, which goes on with it.
func (p *patient) takeOver(ctx context.Context, x store.OpenRun) error {
	if x.Kind == "extraction" && x.Pending {
		if err := p.workflows.turnCompleted(ctx, p.ref(store.WaitingOwner{Owner: x.Owner, OwnerID: x.OwnerID}), p.agent); err != nil {
			return workflowsAway("try again later")
		}
		return nil
	}
	return p.Store.EndAbandoned(ctx, p.as(x.Owner), x)
}
