package api

import (
	"context"
	"encoding/hex"

	"reverie/store"
	"reverie/workflows"
)

// stagedCodes are the findings of work that waits for a workflow.
var stagedCodes = map[string]string{store.StagedWrite: ailWrite, store.StagedImport: ailImport, store.StagedSnapshot: ailSnapshot}

// lookAtStaged keeps what waits and has no workflow.
func (p *patient) lookAtStaged(ctx context.Context) error {
	for _, x := range p.known.Staged {
		running, err := p.workflows.runs(ctx, p.workflowOf(x), "")
		if err != nil {
			return err
		}
		if !running {
			p.staged = append(p.staged, x)
		}
	}
	return nil
}

// stagedFor is what waits that a finding is about.
func (p *patient) stagedFor(code string) (found []store.StagedWork) {
	for _, x := range p.staged {
		if stagedCodes[x.Kind] == code {
			found = append(found, x)
		}
	}
	return found
}

// workflowOf is the id of the workflow that would be at it.
func (p *patient) workflowOf(x store.StagedWork) string {
	switch x.Kind {
	case store.StagedWrite:
		return workflows.WriteMemoryID(p.writeRef(x))
	case store.StagedImport:
		return workflows.ImportID(p.id.Workspace, p.id.Agent, x.ID)
	default:
		return p.snapshotInput(x).ID()
	}
}

func (p *patient) writeRef(x store.StagedWork) store.WriteRef {
	return store.WriteRef{Workspace: p.id.Workspace, Agent: p.id.Agent, Write: x.ID, RequestID: x.RequestID}
}

func (p *patient) agentRef() store.AgentRef {
	return store.AgentRef{Workspace: p.id.Workspace, Agent: p.id.Agent}
}

func (p *patient) snapshotInput(x store.StagedWork) workflows.ImportSnapshotInput {
	return workflows.ImportSnapshotInput{AgentRef: p.agentRef(), Import: x.ID, Archive: hex.EncodeToString(x.Archive[:]), Particular: x.Particular}
}

// resume starts the workflows of what waits. What is left of a cancelled import is left out.
func (p *patient) resume(ctx context.Context, staged []store.StagedWork) (n int, err error) {
	for _, x := range staged {
		switch {
		case x.Cancelled:
			if _, err := p.Store.LeaveImport(ctx, p.as(x.Owner), x.ID); err != nil {
				return n, err
			}
		case x.Kind == store.StagedWrite:
			_, err = workflows.StartWrite(ctx, p.Temporal, p.writeRef(x))
		case x.Kind == store.StagedImport:
			err = workflows.StartImport(ctx, p.Temporal, workflows.ImportInput{AgentRef: p.agentRef(), Import: x.ID, Format: x.Format})
		default:
			_, err = workflows.StartImportSnapshot(ctx, p.Temporal, p.snapshotInput(x))
		}
		if err != nil {
			return n, workflowsAway("try again later")
		}
		n++
	}
	return n, nil
}
