package providers

import (
	"context"
	"slices"

	"reverie/memory/structured"
	"reverie/recall"
	"reverie/search"
	"reverie/toolbox"
)

// Ids of the built-in sources.
const (
	Files         = "files"          // documents, except the structured ones
	Structured    = "structured"     // documents with keys
	SessionSearch = "session_search" // earlier conversations
	Facts         = "facts"          // facts by trust
)

// Orders of sources. Those of other programs are between sessions and facts.
const (
	orderFiles      = 0
	orderStructured = 10
	orderSessions   = 20
	DefaultOrder    = 50
	orderFacts      = 200
)

// builtin is a source of this server. It recalls its part of what the server has read for a turn, so that several cost no more than one.
type builtin struct {
	id        string
	order     int
	documents func(path string) bool
	hits      func(recall.Hit) bool
	facts     bool
	tools     []string // by which models use it alone
}

// ID implements Provider.
func (b builtin) ID() string { return b.id }

// Order implements Provider.
func (b builtin) Order() int { return b.order }

// Recall implements Recaller.
func (b builtin) Recall(_ context.Context, t Turn) (Recollection, error) {
	return recalled([]builtin{b}, t.Own), nil
}

// recalled returns what is of one of the sources, in the order in which it was read.
func recalled(sources []builtin, read Recollection) Recollection {
	var r Recollection
	for _, d := range read.Documents {
		if slices.ContainsFunc(sources, func(b builtin) bool { return b.documents(d.Path) }) {
			r.Documents = append(r.Documents, d)
		}
	}
	for _, h := range read.Hits {
		if slices.ContainsFunc(sources, func(b builtin) bool { return b.hits(h) }) {
			r.Hits = append(r.Hits, h)
		}
	}
	if slices.ContainsFunc(sources, func(b builtin) bool { return b.facts }) {
		r.Standing = read.Standing
	}
	return r
}

func isStructured(path string) bool {
	_, is := structured.TypeOf(path)
	return is
}

func nothing(string) bool { return false }

// builtins returns the sources of this server, in their order. Each document and each hit is of exactly one of them.
func builtins() []builtin {
	return []builtin{
		{
			id: Files, order: orderFiles, documents: func(path string) bool { return !isStructured(path) },
			hits: func(h recall.Hit) bool { return h.Corpus != search.Sessions && !isStructured(h.Path) },
		},
		{
			id: Structured, order: orderStructured, documents: isStructured,
			hits:  func(h recall.Hit) bool { return h.Corpus == search.Memory && isStructured(h.Path) },
			tools: []string{toolbox.RememberStructured, toolbox.RecallStructured, toolbox.ForgetStructured},
		},
		{
			id: SessionSearch, order: orderSessions, documents: nothing,
			hits:  func(h recall.Hit) bool { return h.Corpus == search.Sessions },
			tools: []string{toolbox.SessionSearch},
		},
		{
			id: Facts, order: orderFacts, documents: nothing, hits: func(recall.Hit) bool { return false }, facts: true,
			tools: []string{toolbox.FactProbe, toolbox.MemoryFeedback},
		},
	}
}

// Own returns what the built-in sources of an agent recall of what this server has read, in the order in which it was read.
func Own(disabled []string, read Recollection) Recollection {
	if !slices.ContainsFunc(disabled, isBuiltin) {
		return read
	}
	return recalled(slices.DeleteFunc(builtins(), func(b builtin) bool { return slices.Contains(disabled, b.id) }), read)
}

// Tools returns the memory tools that the models of an agent's chats have.
func Tools(disabled []string) []toolbox.Definition {
	all := toolbox.Definitions()
	for _, b := range builtins() {
		if slices.Contains(disabled, b.id) {
			all = slices.DeleteFunc(all, func(d toolbox.Definition) bool { return slices.Contains(b.tools, d.Name) })
		}
	}
	return all
}

func isBuiltin(id string) bool {
	return slices.ContainsFunc(builtins(), func(b builtin) bool { return b.id == id })
}
