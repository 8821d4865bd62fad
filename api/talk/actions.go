package talk

import (
	"context"

	"github.com/google/uuid"

	"reverie/api/rest"
	"reverie/memory"
)

// actionWait bounds the wait of an action for its workflow. What takes longer goes on, and its record shows how far it is.
const actionWait = "5s"

// Retry runs a quarantined extraction again, as the operation retry-extraction does.
func (s *Room) Retry(ctx context.Context, agent string, owner memory.Owner, extraction uuid.UUID) error {
	_, err := s.retryExtraction(ctx, &retryInput{
		ExtractionInput: ExtractionInput{rest.AgentParam{Agent: agent}, ExtractionParam{extraction.String()}, rest.PersonParams{Owner: string(owner)}},
		WaitParam:       rest.WaitParam{Wait: actionWait},
	})
	return err
}
