package proxy

import (
	"fmt"
	"net/http"

	"reverie/chat"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
)

const (
	// includeMemory asks for what memory added, in the field includeField of the answer.
	includeMemory = "memory"
	includeField  = "reverie"
)

// describe sets the headers that say what memory added, without contents.
func (t *turn) describe(h http.Header) {
	if t.conversation != "" {
		h.Set(conversationHeader, t.conversation)
	}
	text := fmt.Sprintf("documents=%d; passages=%d; tokens=%d", len(t.added.Documents), len(t.added.Recalled), t.added.Tokens)
	if t.added.Skipped != "" {
		text += "; skipped=" + t.added.Skipped
	}
	h.Set(memoryHeader, text)
}

// addedView reports the additions from memory to a request.
type addedView struct {
	Conversation string         `json:"conversation,omitempty"`
	Agent        string         `json:"agent"`
	Documents    []documentView `json:"documents"`
	Passages     []passageView  `json:"passages"`
	Skipped      string         `json:"skipped,omitempty"` // why nothing was recalled
	Tokens       int            `json:"tokens"`
}

type documentView struct {
	Path    string       `json:"path"`
	Scope   memory.Scope `json:"scope"`
	Version int          `json:"version"`
}

type passageView struct {
	Citation string        `json:"citation"`
	Corpus   search.Corpus `json:"corpus"`
	Scope    memory.Scope  `json:"scope"`
	Text     string        `json:"text"` // as the model is shown it
	Score    float64       `json:"score"`
	Tokens   int           `json:"tokens"`
}

func (t *turn) view() addedView {
	v := addedView{
		Conversation: t.conversation, Agent: t.agent.ID, Documents: []documentView{}, Passages: []passageView{}, Skipped: t.added.Skipped,
		Tokens: t.added.Tokens,
	}
	for _, d := range t.added.Documents {
		v.Documents = append(v.Documents, documentView{d.Path, d.Scope, d.Version})
	}
	for _, r := range t.added.Recalled {
		v.Passages = append(v.Passages, viewPassage(r))
	}
	return v
}

func viewPassage(r chat.Recalled) passageView {
	return passageView{
		Citation: recall.Citation(r.Path, r.Line, max(r.Line, r.ToLine)), Corpus: r.Corpus, Scope: r.Source.Scope, Text: r.Snippet, Score: r.Score,
		Tokens: r.Tokens,
	}
}
