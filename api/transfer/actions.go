package transfer

import (
	"context"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/snapshot"
)

// uploaded is an archive that a page was sent for an owner it knows already.
func uploaded(agent string, owner memory.Owner, choice snapshot.Choice, data []byte) SnapshotUpload {
	return SnapshotUpload{
		SnapshotParams: SnapshotParams{
			AgentParam: rest.AgentParam{Agent: agent}, PersonParams: rest.PersonParams{Owner: string(owner)}, Scope: choice,
		},
		ContentType: zipType, RawBody: data,
	}
}

// Preview returns what an import of an archive would do, as the operation preview-snapshot does.
func (s *Handlers) Preview(
	ctx context.Context, agent string, owner memory.Owner, choice snapshot.Choice, data []byte,
) (PreviewView, error) {
	in := uploaded(agent, owner, choice, data)
	out, err := s.previewSnapshot(ctx, &in)
	if err != nil {
		return PreviewView{}, err
	}
	return out.Body.Data, nil
}

// Import imports an archive if nothing has changed since the preview with a token, as the operation import-snapshot does.
func (s *Handlers) Import(
	ctx context.Context, agent string, owner memory.Owner, choice snapshot.Choice, data []byte, token string,
) (ImportedView, error) {
	out, err := s.importSnapshot(ctx, &importSnapshotInput{
		SnapshotUpload: uploaded(agent, owner, choice, data), WaitParam: rest.WaitParam{Wait: rest.ActionWait}, Token: token,
	})
	if err != nil {
		return ImportedView{}, err
	}
	return out.Body.Data, nil
}
