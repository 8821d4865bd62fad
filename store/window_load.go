package store

import (
	"context"

	"reverie/memory"
)

// WindowRequest says which conversation is to be sent, and to how large a window.
type WindowRequest struct {
	Conversation string // the client's id; empty: there is none yet
	Window       int    // tokens
	// MaxBytes bounds the messages that are loaded, newest first: older ones could not fit.
	MaxBytes int
}

// WindowLoad is what a context window is made of.
type WindowLoad struct {
	Documents    []memory.Document // of the system prompt, as PromptDocuments
	Found        bool              // the conversation exists
	Conversation Conversation
	// Compaction is the latest finished one that serves the window: made for it or a larger one. Zero ID: none.
	Compaction Compaction
	Messages   []memory.Message // behind Compaction.To, oldest first
	// Older is the last message behind Compaction.To that was not loaded, because of MaxBytes; 0: all were.
	Older     int64
	Goal      memory.Message // the first user message of the conversation; zero: none
	Unflushed int            // messages that no flush and no extraction has accounted for
	// UnflushedBytes are the bytes of their contents.
	UnflushedBytes int64
}

// LoadWindow reads it, in two round trips.
func (s *Store) LoadWindow(ctx context.Context, id memory.Identity, r WindowRequest) (WindowLoad, error) {
	return WindowLoad{}, nil
}
