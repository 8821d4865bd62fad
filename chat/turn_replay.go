package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"reverie/memory"
	"reverie/toolbox"
)

// answerID is the id of a message of the assistant or of a tool, from 0. It derives from the id of the user's message, so that the
// same turn is never stored twice: a second answer has the id of the first one, and other words.
func (t *turning) answerID(i int) string { return answerID(t.request.MessageID, i) }

// answerID is the id of the i-th message that answers the one with a given id.
func answerID(messageID string, i int) string { return fmt.Sprintf("%s%d", answerPrefix(messageID), i) }

// answerPrefix is how the ids of the messages that answer one begin.
func answerPrefix(messageID string) string {
	sum := sha256.Sum256([]byte(messageID))
	return "answer-" + hex.EncodeToString(sum[:16]) + "-"
}

// replay looks for the stored answer of a message that is stored already, and makes it the turn's. It reports false when the turn
// broke off before: then the answer is still to be found.
func (t *turning) replay(ctx context.Context) (bool, error) {
	known, err := t.Store.MessagesByID(ctx, t.id, t.request.Conversation, []string{t.request.MessageID, t.answerID(0)})
	if err != nil {
		return false, err
	}
	var first int64
	for _, m := range known {
		if m.ID == t.request.MessageID {
			t.user = m
		} else {
			first = m.Seq
		}
	}
	if first == 0 {
		return false, nil
	}
	messages, err := t.Store.Messages(ctx, t.id, t.request.Conversation, first-1, memory.MaxBatchMessages)
	if err != nil {
		return false, err
	}
	turn := Turn{
		Conversation: t.turn.Conversation, MessageID: t.turn.MessageID, Context: t.turn.Context, Stored: t.turn.Stored, Replayed: true,
	}
	calls := map[string]memory.ToolCall{}
	for _, m := range messages { // a turn is stored in one piece: the messages of others stand before it or behind it
		if !strings.HasPrefix(m.ID, answerPrefix(t.request.MessageID)) {
			break
		}
		switch m.Role {
		case memory.RoleOfTool:
			turn.Calls = append(turn.Calls, ToolUse{Call: calls[m.ToolCallID], Result: toolbox.Result{Content: m.Content}})
		case memory.RoleOfAssistant:
			for _, call := range m.ToolCalls {
				calls[call.ID] = call
			}
			turn.Answer, turn.AnswerID, turn.Model, turn.Finish = m.Content, m.ID, m.Name, cmp.Or(m.FinishReason, finishStop)
		}
	}
	t.turn = turn
	return true, nil
}
