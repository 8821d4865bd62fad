// Package toolbox is the tools with which an agent uses its own memory: their definitions, as a model is given them, and what
// they do. Whose memory it is comes from the caller, never from an argument.
package toolbox

import (
	"context"
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
	Remember     = "remember"
)

// Definition is a tool as a model is given it.
type Definition struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema of an object
}

// Definitions are all tools, in a fixed order.
func Definitions() []Definition { return nil }

// Caller is on whose behalf a tool is called.
type Caller struct {
	Identity memory.Identity // of an agent and an owner
	Agent    store.Agent
	// Key makes what a call writes happen once: the same call again gives the first receipt.
	Key string
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
}

// Call runs one tool. A wrong name or argument, a refusal and a conflict are results (IsError) that tell the model what to do;
// an error is returned only when ctx is done or the store is away.
func (b *Box) Call(ctx context.Context, c Caller, name string, arguments json.RawMessage) (Result, error) {
	return Result{}, nil
}

// Saved is what became of a request to remember.
type Saved struct {
	Kind    string // as remember.Kind
	Line    string
	Old     string // of a correction
	Path    string
	Receipt memory.Receipt // of a write, or of the write that saved it first
}

// Remember saves a statement that the user asked for, through the gate, as the user's own words.
func (b *Box) Remember(ctx context.Context, c Caller, text string) (Saved, error) {
	return Saved{}, nil
}
