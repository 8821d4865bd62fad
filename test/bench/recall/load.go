package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"reverie/memory"
)

// owner is whose conversations they are, of every agent.
const owner = memory.Owner("user:bench")

// agentOf is the agent that the dialogue with the given number, from 0, belongs to. Each has one of its own, so that no
// dialogue is found in another one's.
func agentOf(dialogue int) string { return fmt.Sprintf("dialogue-%d", dialogue+1) }

type newAgent struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	TimeZone string `json:"timeZone"`
}

// batch is the body of a post of messages. Without turnComplete nothing is extracted.
type batch struct {
	Owner    memory.Owner `json:"owner"`
	Messages []message    `json:"messages"`
}

type message struct {
	ID        string     `json:"id"`
	Role      string     `json:"role"`
	Name      string     `json:"name"`
	Content   string     `json:"content"`
	CreatedAt *time.Time `json:"createdAt,omitempty"`
}

// load makes the agent and posts every session of the dialogue as a conversation whose id is the session's number.
func (b *bench) load(ctx context.Context, agent string, d dialogue) error {
	if err := b.api.Call(ctx, http.MethodPost, "/api/v1/agents", newAgent{ID: agent, Name: agent, TimeZone: "UTC"}, nil); err != nil {
		return fmt.Errorf("make the agent: %w", err)
	}
	for _, s := range d.sessions {
		path := "/api/v1/agents/" + agent + "/conversations/" + strconv.Itoa(s.number) + "/messages"
		for part := range slices.Chunk(messagesOf(s), memory.MaxBatchMessages) {
			if err := b.api.Call(ctx, http.MethodPost, path, batch{Owner: owner, Messages: part}, nil); err != nil {
				return fmt.Errorf("session %d: %w", s.number, err)
			}
		}
	}
	return nil
}

// messagesOf are the turns of a session as messages: ids are those of the turns, and each is said a second after the one
// before. Turns without words are left out.
func messagesOf(s session) []message {
	var messages []message
	for i, t := range s.turns {
		if strings.TrimSpace(t.text) == "" {
			continue
		}
		m := message{ID: t.id, Role: string(memory.RoleOfAssistant), Name: t.speaker, Content: t.text}
		if t.first {
			m.Role = string(memory.RoleOfUser)
		}
		if !s.at.IsZero() {
			at := s.at.Add(time.Duration(i) * time.Second)
			m.CreatedAt = &at
		}
		messages = append(messages, m)
	}
	return messages
}
