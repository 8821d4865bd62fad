package dream

import (
	"time"

	"github.com/google/uuid"
)

// Pins are the inputs of a dream by reference, so that the same dream can be dreamed again.
type Pins struct {
	Documents []PinnedDocument `json:"documents"`
	Sessions  []PinnedSession  `json:"sessions"`
	// RecallsUntil is the moment up to which recalls counted.
	RecallsUntil time.Time `json:"recallsUntil,omitzero"`
	// Material is the SHA-256, in hex, of everything that was looked at, and Candidates that of the candidates with their
	// components: two runs that agree in them have seen the same.
	Material   string `json:"material,omitempty"`
	Candidates string `json:"candidates,omitempty"`
	// News is the mark up to which this owner's news were taken in.
	News   int64  `json:"news,omitempty"`
	Looked Looked `json:"looked"`
}

// PinnedDocument is a document at a version; version 0: there was none.
type PinnedDocument struct {
	Path     string    `json:"path"`
	Scope    string    `json:"scope"`
	Document uuid.UUID `json:"document,omitzero"`
	Version  int       `json:"version"`
	SHA256   string    `json:"sha256,omitempty"`
}

// PinnedSession is a range of messages of one conversation, both ends inclusive.
type PinnedSession struct {
	Conversation    string    `json:"conversation"`
	ConversationUID uuid.UUID `json:"conversationUid"`
	From            int64     `json:"from"`
	To              int64     `json:"to"`
}
