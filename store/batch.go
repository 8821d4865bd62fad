package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// maxStatementBytes bounds the contents that one statement carries, so that the largest batch (256 MB) does not make the
// server hold all of it several times.
const maxStatementBytes = 8 << 20

// maxFinishReason bounds a finish reason, in bytes.
const maxFinishReason = 64

// validate checks a batch and returns its messages without repetitions, with the time of receipt where they have none.
func (b Batch) validate(now time.Time) ([]memory.Message, error) {
	if !b.Trigger.Valid() {
		return nil, &InvalidError{Field: "triggerSource", Problem: "use web, channel, api or cron"}
	}
	switch n := len(b.Messages); {
	case n == 0:
		return nil, &InvalidError{Field: "messages", Problem: "give at least one message"}
	case n > memory.MaxBatchMessages:
		return nil, &InvalidError{Field: "messages", Problem: fmt.Sprintf("there are %d, at most %d are allowed: send several batches", n, memory.MaxBatchMessages)}
	}
	messages := make([]memory.Message, 0, len(b.Messages))
	seen := make(map[string]memory.Message, len(b.Messages))
	for i, m := range b.Messages {
		if err := validMessage(fmt.Sprintf("messages[%d].", i), m); err != nil {
			return nil, err
		}
		if before, ok := seen[m.ID]; ok {
			if !sameMessage(before, m) {
				return nil, reusedID(m.ID)
			}
			continue
		}
		seen[m.ID] = m
		if m.CreatedAt.IsZero() {
			m.CreatedAt = now
		}
		messages = append(messages, m)
	}
	return messages, nil
}

// sameMessage reports whether two messages of one id say the same.
func sameMessage(a, b memory.Message) bool {
	return a.Role == b.Role && a.Name == b.Name && a.Content == b.Content && a.ToolCallID == b.ToolCallID &&
		slices.Equal(a.ToolCalls, b.ToolCalls)
}

func validMessage(at string, m memory.Message) error {
	switch m.Role {
	case memory.RoleOfUser, memory.RoleOfAssistant, memory.RoleOfTool, memory.RoleOfSystem:
	default:
		return &InvalidError{Field: at + "role", Problem: "use user, assistant, tool or system"}
	}
	if m.ID == "" {
		return &InvalidError{Field: at + "id", Problem: "give every message an id that stays the same when it is sent again"}
	}
	for _, text := range []struct {
		field, value string
		limit        int
	}{
		{"id", m.ID, memory.MaxMessageID},
		{"name", m.Name, maxName},
		{"finishReason", m.FinishReason, maxFinishReason},
		{"content", m.Content, memory.MaxMessageBytes},
	} {
		if err := validText(at+text.field, text.value, text.limit); err != nil {
			return err
		}
	}
	return validCalls(at, m)
}

// parts cuts messages into runs of at most maxStatementBytes.
func parts(messages []memory.Message) [][]memory.Message {
	var cut [][]memory.Message
	start, size := 0, 0
	for i, m := range messages {
		if size += sizeOf(m); size > maxStatementBytes && i > start {
			cut = append(cut, messages[start:i])
			start, size = i, sizeOf(m)
		}
	}
	return append(cut, messages[start:])
}

// columnsOf adds messages to args, one array for each column.
func columnsOf(messages []memory.Message, args pgx.NamedArgs) (pgx.NamedArgs, error) {
	n := len(messages)
	ids, roles, names := make([]string, n), make([]string, n), make([]string, n)
	contents, finish, said := make([]string, n), make([]string, n), make([]time.Time, n)
	calls, answered := make([]string, n), make([]string, n)
	for i, m := range messages {
		ids[i], roles[i], names[i] = m.ID, m.Role, m.Name
		contents[i], finish[i], said[i] = m.Content, m.FinishReason, m.CreatedAt
		column, err := callsColumn(m.ToolCalls)
		if err != nil {
			return nil, err
		}
		calls[i], answered[i] = column, m.ToolCallID
	}
	args["ids"], args["roles"], args["names"] = ids, roles, names
	args["contents"], args["finish_reasons"], args["said_at"] = contents, finish, said
	args["tool_calls"], args["tool_call_ids"] = calls, answered
	return args, nil
}
