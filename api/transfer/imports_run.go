package transfer

import (
	"context"
	"fmt"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

func (s *transferRoom) startImport(ctx context.Context, in *importInput) (*rest.Reply[importView], error) {
	id, _, err := s.onImport(ctx, *in)
	if err != nil {
		return nil, err
	}
	started, err := s.Store.StartImport(ctx, id, in.Import)
	if err != nil {
		return nil, err
	}
	if started.State == store.ImportRunning {
		if err := s.startImportWorkflow(ctx, id, started); err != nil {
			return nil, err
		}
	}
	return rest.Accepted(s.viewImport(id, started)), nil
}

func (s *transferRoom) cancelImport(ctx context.Context, in *importInput) (*rest.Reply[importView], error) {
	id, found, err := s.onImport(ctx, *in)
	if err != nil {
		return nil, err
	}
	if found.State != store.ImportDone {
		// A workflow that runs finds it cancelled at its next step, also when it cannot be told now.
		if found, err = s.Store.CancelImport(ctx, id, in.Import); err != nil {
			return nil, err
		}
		running := false
		if found.StartedAt != nil {
			if running, err = s.cancelImportWorkflow(ctx, id, found); err != nil {
				return nil, err
			}
		}
		if !running {
			if found, err = s.Store.LeaveImport(ctx, id, in.Import); err != nil {
				return nil, err
			}
		}
	}
	return rest.Accepted(s.viewImport(id, found)), nil
}

// startImportWorkflow starts the workflow of an import, or finds it running.
func (s *transferRoom) startImportWorkflow(ctx context.Context, id memory.Identity, i store.Import) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.AcceptTimeout)
	defer cancel()
	err := workflows.StartImport(ctx, s.Temporal, workflows.ImportInput{
		AgentRef: store.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, Import: i.ID, Format: i.Format,
	})
	if err != nil && rest.TemporalAway(err) {
		return fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	return err
}

// cancelImportWorkflow cancels the workflow of an import. It reports false when none is running.
func (s *transferRoom) cancelImportWorkflow(ctx context.Context, id memory.Identity, i store.Import) (running bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.AcceptTimeout)
	defer cancel()
	running, err = workflows.CancelImport(ctx, s.Temporal, workflows.ImportID(id.Workspace, id.Agent, i.ID))
	if err != nil && rest.TemporalAway(err) {
		return false, fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	return running, err
}
