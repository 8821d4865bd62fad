// Package toolbox is the tools with which an agent uses its own memory: their definitions, as a model is given them, and what
// they do. Whose memory it is comes from the caller, never from an argument.
package toolbox

import (
	"encoding/json"

	"reverie/memory"
	"reverie/recall"
	"reverie/store"
)

// Names of the tools.
const (
	MemorySearch = "memory_search"
	MemoryGet    = "memory_get"
	ListFiles    = "list_workspace_memory_files"
	ReadFile     = "read_workspace_memory_file"
	WriteFile    = "write_workspace_memory_file"
	EditFile     = "edit_workspace_memory_file"
	SearchFiles  = "search_workspace_memory"
	Remember     = "remember"
)

// Definition is a tool as a model is given it.
type Definition struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema of an object
	Writes      bool            // it changes memory
}

// Caller is on whose behalf a tool is called.
type Caller struct {
	Identity memory.Identity // of an agent and an owner
	Agent    store.Agent
	// Key makes what a call writes happen once: the same call again, with the same arguments, gives the first receipt.
	Key string
	// Speaker is the person who speaks where the owner is a group, such as feishu:ou_1, as memory.ParsePerson reads it: MEMORY.md
	// is then written in that person's section only. Empty: the owner is one person.
	Speaker memory.Owner
	// Conversation and Message are where a write comes from; may be empty.
	Conversation string
	Message      int64
}

// Result is what a tool answers.
type Result struct {
	Content string // JSON, as the model is shown it
	IsError bool
	// Found are passages that the call showed; Written the receipt of a write; for whoever shows memory at work.
	Found   []recall.Hit
	Written *memory.Receipt
}

// Box runs the tools. It is safe for concurrent use.
type Box struct {
	Store  *store.Store
	Search *recall.Searcher
	// Extract are the server's settings, of which the agent's may differ; the zero value stands for the documented defaults.
	Extract memory.ExtractSettings
	// Changed is told of every document that a call has changed, so that it is embedded soon; may be nil.
	Changed func(id memory.Identity, scope memory.Scope)
}

// enabled reports whether an agent's memory is switched on. When it is off, nothing is read, searched or
// written: people reach the files through the API.
func (b *Box) enabled(a store.Agent) bool {
	return b.settings(a).MemoryEnabled && (b.Search == nil || b.Search.Defaults.With(a.Settings).Enabled)
}

func (b *Box) settings(a store.Agent) memory.ExtractSettings {
	s := b.Extract
	if s == (memory.ExtractSettings{}) {
		s = memory.DefaultExtractSettings()
	}
	return s.With(a.Settings)
}

// scope is where a caller's writes go: what is the owner's own, unless the agent keeps one memory for everybody.
func (b *Box) scope(c Caller) memory.Scope {
	if !b.settings(c.Agent).OwnerIsolation || c.Identity.Owner == memory.NoOwner || c.Identity.Owner == memory.SystemOwner {
		return memory.ScopeTeam
	}
	return memory.ScopePersonal
}

// changed tells of what a receipt has changed.
func (b *Box) changed(id memory.Identity, r memory.Receipt) {
	if b.Changed == nil || r.Replayed {
		return
	}
	for _, c := range r.Changes {
		if c.Changed {
			b.Changed(id, c.Scope)
		}
	}
}
