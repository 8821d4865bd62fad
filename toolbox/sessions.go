package toolbox

import (
	"context"
	"errors"
	"strings"
	"time"

	"reverie/recall"
	"reverie/scan"
	"reverie/search"
	"reverie/store"
)

const (
	sessionsRecent, sessionsSearch = "recent", "search"
	defaultSessions                = 10
	maxSessions                    = 50
	maxSnippet                     = 200 // characters
)

// sessionTool is session_search.
func sessionTool() tool {
	return tool{
		name:  SessionSearch,
		title: "Find earlier conversations", result: sessions{},
		description: "List the user's other conversations: recent ones, or messages that a query finds.",
		params: []param{
			{
				name: "mode", kind: text, required: true, values: []string{sessionsRecent, sessionsSearch},
				doc: "recent, or search by query.", models: nameOnly,
			},
			{name: "query", kind: text, max: maxQuery, doc: "Of search."},
			{name: "limit", kind: integer, min: 1, max: maxSessions, doc: "Maximum number of results. Default: 10.", models: nothing},
		},
		run: (*call).sessions,
	}
}

// sessions is the result of session_search.
type sessions struct {
	Mode    string         `json:"mode"`
	Count   int            `json:"count"`
	Results []sessionFound `json:"results"`
	Hint    string         `json:"hint,omitempty"`
}

type sessionFound struct {
	Conversation string `json:"conversation"`
	Path         string `json:"path"` // for memory_get
	At           string `json:"at"`
	Message      int64  `json:"message,omitempty"` // number of the message that the snippet is from
	Role         string `json:"role,omitempty"`
	Snippet      string `json:"snippet"`
}

// sessions implements session_search.
func (k *call) sessions(ctx context.Context) (any, error) {
	out := sessions{Mode: given(k.args, "mode", ""), Results: []sessionFound{}}
	limit := given(k.args, "limit", defaultSessions)
	query := strings.TrimSpace(given(k.args, "query", ""))
	var err error
	switch {
	case out.Mode == sessionsRecent:
		out.Results, err = k.recentSessions(ctx, limit)
	case query == "":
		return nil, faultf("query is missing: %s finds messages by it", sessionsSearch)
	default:
		out.Results, err = k.foundSessions(ctx, query, limit)
	}
	if err != nil {
		return nil, err
	}
	if out.Count = len(out.Results); out.Count == 0 {
		out.Hint = "Nothing was found."
	}
	return out, nil
}

// recentSessions returns the latest conversations with their last message.
func (k *call) recentSessions(ctx context.Context, limit int) ([]sessionFound, error) {
	out := []sessionFound{}
	listed, err := k.Store.Conversations(ctx, k.Identity, store.Page{Limit: limit + maxSessions})
	if err != nil {
		return nil, err
	}
	for _, c := range listed.Items {
		if len(out) == limit {
			break
		}
		if c.ID == k.Conversation || c.Last != c.Complete || c.Owner != k.Identity.Owner {
			continue
		}
		messages, err := k.Store.Messages(ctx, k.Identity, c.ID, c.Last-1, 1)
		if err != nil {
			return nil, err
		}
		found := sessionFound{Conversation: c.ID, Path: recall.SessionsFolder + c.ID, At: c.UpdatedAt.UTC().Format(time.RFC3339)}
		if len(messages) > 0 {
			m := messages[0]
			found.Message, found.Role, found.Snippet = m.Seq, m.Role, clip(scan.Redacted(m.Content), maxSnippet)
		}
		out = append(out, found)
	}
	return out, nil
}

// foundSessions returns messages that a search finds.
func (k *call) foundSessions(ctx context.Context, query string, limit int) ([]sessionFound, error) {
	out := []sessionFound{}
	most := min(limit, recall.MaxResults)
	answer, err := k.Search.Search(ctx, k.Identity, recall.Request{
		Query: query, Corpus: search.Sessions, MaxResults: &most, Agent: k.Agent.Settings, Zone: time.UTC,
	})
	if bad, is := errors.AsType[*recall.InvalidError](err); is {
		return nil, faultf("%s", bad)
	}
	if err != nil {
		return nil, err
	}
	running := map[string]bool{k.Conversation: true}
	for _, h := range answer.Results {
		conversation := strings.TrimPrefix(h.Path, recall.SessionsFolder)
		if _, known := running[conversation]; !known {
			c, err := k.Store.Conversation(ctx, k.Identity, conversation)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			running[conversation] = err != nil || c.Last != c.Complete
		}
		if running[conversation] {
			continue
		}
		out = append(out, sessionFound{
			Conversation: conversation, Path: h.Path, At: h.At.UTC().Format(time.RFC3339), Message: int64(h.FromLine), Role: h.Message.Role,
			Snippet: clip(h.Snippet, maxSnippet),
		})
		k.result.Found = append(k.result.Found, h)
	}
	return out, nil
}
