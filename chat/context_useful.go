package chat

import (
	"context"
	"slices"

	"reverie/memory"
	"reverie/recall"
	"reverie/remember"
)

// useful are the results without requests to remember that were answered without a model: what they say is a document's by now,
// or was corrected or forgotten since, and the words of the request would bring it back.
func (a *assembly) useful(ctx context.Context, hits []recall.Hit) []recall.Hit {
	asked := map[string][]string{} // ids of the answers to what may be requests, by conversation
	for _, hit := range hits {
		if mayBeRequest(hit) {
			asked[hit.Source.Conversation] = append(asked[hit.Source.Conversation], answerID(hit.Message.ID, 0))
		}
	}
	for conversation, ids := range asked {
		answers, err := a.Store.MessagesByID(ctx, a.id, conversation, ids)
		if err != nil {
			a.Log.WarnContext(ctx, "What was asked to remember is recalled as it was said", "error", err, "agent", a.agent.ID)
			continue
		}
		hits = slices.DeleteFunc(hits, func(hit recall.Hit) bool {
			return hit.Source.Conversation == conversation && mayBeRequest(hit) && slices.ContainsFunc(answers, func(m memory.Message) bool {
				return m.Name == builtinRemember && m.ID == answerID(hit.Message.ID, 0)
			})
		})
	}
	return hits
}

// mayBeRequest reports whether a result is a message that asks to remember something.
func mayBeRequest(hit recall.Hit) bool {
	if hit.Message.Role != memory.RoleOfUser || hit.Message.ID == "" {
		return false
	}
	_, is := remember.Parse(hit.Text)
	return is
}
