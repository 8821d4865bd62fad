package crash

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"reverie/llm/llmtest"
	"reverie/test/deployment"
)

// system is a deployment and the conversations that are posted to it.
type system struct {
	*deployment.System
	work []talk
}

// start brings a deployment up whose model fails as the script says.
func start(ctx context.Context, t *testing.T, work []talk, faults llmtest.Script) *system {
	t.Helper()
	model := scriptedModel(faults)
	return &system{work: work, System: deployment.StartSystem(ctx, t, deployment.Options{
		Model: &model,
		// The scripted memory grows by a line for each message of a user and must not meet its ceiling.
		Env: []string{"REVERIE_MEMORY_MAX_CHARS=1000000"},
	})}
}

// post sends every conversation; those of one owner one after the other, as one person has them. A request that meets a
// killed server is sent again.
func (s *system) post(ctx context.Context, t *testing.T) {
	t.Helper()
	byOwner := map[string][]talk{}
	for _, one := range s.work {
		byOwner[one.owner] = append(byOwner[one.owner], one)
	}
	var group sync.WaitGroup
	for _, talks := range byOwner {
		group.Go(func() {
			for _, one := range talks {
				path := fmt.Sprintf("/api/v1/agents/%s/conversations/%s/messages", deployment.Agent, one.id)
				batch := deployment.Batch{EndUserID: one.owner, TriggerSource: "api", TurnComplete: true, Messages: one.messages}
				if err := s.API.Insist(ctx, http.MethodPost, path, batch, nil); err != nil {
					t.Errorf("post %s: %v", one.id, err)
					return
				}
			}
		})
	}
	group.Wait()
}
