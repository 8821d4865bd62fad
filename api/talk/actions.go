package talk

import (
	"context"

	"github.com/google/uuid"

	"reverie/api/rest"
	"reverie/memory"
)

// Retry runs a quarantined extraction again, as the operation retry-extraction does.
func (s *Handlers) Retry(ctx context.Context, agent string, owner memory.Owner, extraction uuid.UUID) error {
	_, err := s.retryExtraction(ctx, &retryInput{
		ExtractionInput: ExtractionInput{rest.AgentParam{Agent: agent}, ExtractionParam{extraction.String()}, rest.PersonParams{Owner: string(owner)}},
		WaitParam:       rest.WaitParam{Wait: rest.ActionWait},
	})
	return err
}
