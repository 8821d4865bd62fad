package chat

import (
	"context"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store/gate"
)

// Preview builds the context in which a message would begin a new conversation now, for people to look at. Nothing is recorded, and it
// does not count as use.
func (s *Service) Preview(ctx context.Context, id memory.Identity, agent gate.Agent, message string) (Context, error) {
	a, err := s.newAssembly(id, agent, ContextRequest{Message: message}, memory.Message{Role: memory.RoleOfUser, Content: message})
	if err != nil {
		return Context{}, err
	}
	a.synthetic = true
	if err := a.read(ctx); err != nil {
		return Context{}, err
	}
	if err := a.fit(); err != nil {
		return Context{}, err
	}
	made := a.made()
	made.Injection = uuid.Nil
	return made, nil
}
