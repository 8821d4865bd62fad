package chat

import (
	"context"
	"slices"
	"strings"

	"reverie/memory"
	"reverie/recall"
	"reverie/remember"
)

// useful are the results that are memory of their own. What this program said without a model only repeats others. A request to
// remember that it answered is a document's by now: what was said is there, or was corrected or forgotten since, and the words of
// the request would bring it back.
func (a *assembly) useful(ctx context.Context, hits []recall.Hit) []recall.Hit {
	asked := map[string][]string{} // ids of the answers to what may be requests, by conversation
	kept := make([]recall.Hit, 0, len(hits))
	for _, hit := range hits {
		if isBuiltin(hit.Message) {
			continue
		}
		if mayBeRequest(hit) {
			asked[hit.Source.Conversation] = append(asked[hit.Source.Conversation], answerID(hit.Message.ID, 0))
		}
		kept = append(kept, hit)
	}
	for conversation, ids := range asked {
		answers, err := a.Store.MessagesByID(ctx, a.id, conversation, ids)
		if err != nil {
			a.Log.WarnContext(ctx, "What was asked to remember is recalled as it was said", "error", err, "agent", a.agent.ID)
			continue
		}
		kept = slices.DeleteFunc(kept, func(hit recall.Hit) bool {
			return hit.Source.Conversation == conversation && mayBeRequest(hit) && slices.ContainsFunc(answers, func(m memory.Message) bool {
				return m.Name == builtinRemember && m.ID == answerID(hit.Message.ID, 0)
			})
		})
	}
	return kept
}

// isBuiltin reports whether this program said something without a model.
func isBuiltin(m memory.Message) bool {
	return m.Role == memory.RoleOfAssistant && strings.HasPrefix(m.Name, "builtin/")
}

// mayBeRequest reports whether a result is a message that asks to remember something.
func mayBeRequest(hit recall.Hit) bool {
	if hit.Message.Role != memory.RoleOfUser || hit.Message.ID == "" {
		return false
	}
	_, is := remember.Parse(hit.Text)
	return is
}
