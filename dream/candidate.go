package dream

import (
	"time"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/memory/markdown"
)

// Status is what became of a statement in all dreams so far.
type Status string

// Statuses of statements.
const (
	Open      Status = "open"      // weighed each night
	Promoted  Status = "promoted"  // it went into MEMORY.md
	Confirmed Status = "confirmed" // a person said that it is right
	Edited    Status = "edited"    // a person put other words in its place
	Forgotten Status = "forgotten" // a person wants it gone: it never comes back, in no words
	Rejected  Status = "rejected"  // corrected later, or its promotion was undone: it does not come back by itself
)

// State is what is known of a statement from earlier dreams, kept for each owner under its identity.
type State struct {
	ID          markdown.EntryID   `json:"id"`
	Text        string             `json:"text"`
	Aliases     []markdown.EntryID `json:"aliases,omitempty"` // other wordings of the same
	Status      Status             `json:"status"`
	ReasonCode  string             `json:"reasonCode,omitempty"`
	MentionDays []Day              `json:"mentionDays,omitempty"` // ascending, the last MaxDays
	Asked       bool               `json:"asked,omitempty"`
	LightHits   int                `json:"lightHits,omitempty"` // dreams' days on which it was staged
	LightAt     time.Time          `json:"lightAt,omitzero"`    // the last one
	REMHits     int                `json:"remHits,omitempty"`   // on which it was a likely truth
	REMAt       time.Time          `json:"remAt,omitzero"`
	FirstSeen   time.Time          `json:"firstSeen,omitzero"`
	LastSeen    time.Time          `json:"lastSeen,omitzero"`
	Dream       uuid.UUID          `json:"dream,omitzero"` // that promoted or rejected it
}

// MaxDays bounds how many days of mentions are remembered of a statement.
const MaxDays = 64

// Signals are what speaks for a statement. A sighting counts once, in however many nights it is looked at.
type Signals struct {
	Recalls      int       `json:"recalls"`              // organic uses of it as a search result
	RecallScore  float64   `json:"recallScore"`          // sum of their scores
	Queries      int       `json:"queries"`              // distinct questions among them
	RecallDays   []Day     `json:"recallDays,omitempty"` // ascending
	LastRecalled time.Time `json:"lastRecalled,omitzero"`
	MentionDays  []Day     `json:"mentionDays,omitempty"` // on which it was noted or said, ascending
	Asked        bool      `json:"asked,omitempty"`       // a person asked for it to be remembered
	LastSeen     time.Time `json:"lastSeen,omitzero"`
}

// Components are what a score is made of, each 0 to 1 before its weight; the boosts as they are added.
type Components struct {
	Frequency     float64 `json:"frequency"`
	Relevance     float64 `json:"relevance"`
	Diversity     float64 `json:"diversity"`
	Recency       float64 `json:"recency"`
	Consolidation float64 `json:"consolidation"`
	Conceptual    float64 `json:"conceptual"`
	LightBoost    float64 `json:"lightBoost"`
	REMBoost      float64 `json:"remBoost"`
}

// Gate is one condition of promotion.
type Gate struct {
	Name   string  `json:"name"` // score, signals, diversity
	Value  float64 `json:"value"`
	Need   float64 `json:"need"`
	Passed bool    `json:"passed"`
}

// Verdict is what a dream decided about a candidate.
type Verdict string

// Verdicts.
const (
	VerdictPromoted Verdict = "promoted"
	VerdictKept     Verdict = "kept"     // it is weighed again
	VerdictRejected Verdict = "rejected" // it is not, unless it is said anew
)

// Reasons of verdicts.
const (
	ReasonPassed        = "passed"
	ReasonLowScore      = "low_score"
	ReasonOneOff        = "one_off"       // too few signals
	ReasonOneContext    = "one_context"   // too few distinct questions or days
	ReasonNightFull     = "night_full"    // the promotions of this night were used up
	ReasonCeiling       = "ceiling"       // MEMORY.md has no room for it
	ReasonLeftOut       = "left_out"      // the model did not take it
	ReasonKnown         = "known"         // MEMORY.md says it already
	ReasonCorrected     = "corrected"     // a later statement says otherwise
	ReasonContradiction = "contradiction" // another one says otherwise, and it is not clear which holds
	ReasonForgotten     = "forgotten"     // a person wanted it gone
	ReasonUndone        = "undone"        // its promotion was undone
	ReasonUnfit         = "unfit"         // the scan refuses it, or it is machine text
	ReasonOffTopic      = "off_topic"     // a focused dream looked elsewhere
	ReasonModeREM       = "rem_only"      // the dream promotes nothing
)

// Candidate is a statement that a dream weighs, with everything that is known about it. It stands in the report.
type Candidate struct {
	ID         markdown.EntryID   `json:"id"`
	Text       string             `json:"text"`
	Heading    string             `json:"heading,omitempty"`
	Aliases    []markdown.EntryID `json:"aliases,omitempty"` // other wordings that were merged into it
	Places     []Place            `json:"places"`            // newest first, at most MaxPlaces
	Signals    Signals            `json:"signals"`
	Before     State              `json:"before"` // of earlier dreams; zero when it is new
	Tags       []string           `json:"tags,omitempty"`
	Person     bool               `json:"person,omitempty"` // a person wrote it
	Ends       bool               `json:"ends,omitempty"`
	Corrects   string             `json:"corrects,omitempty"`
	Truth      float64            `json:"truth,omitempty"` // REM's confidence, of a likely truth
	Components Components         `json:"components"`
	Score      float64            `json:"score"`
	Gates      []Gate             `json:"gates,omitempty"`
	Verdict    Verdict            `json:"verdict,omitempty"`
	ReasonCode string             `json:"reasonCode,omitempty"`
	Reason     string             `json:"reason,omitempty"` // in words; may speak of contents
	With       markdown.EntryID   `json:"with,omitempty"`   // the other statement of a correction or contradiction
	Line       string             `json:"line,omitempty"`   // of MEMORY.md that says it, once promoted
}

// MaxPlaces bounds how many places of one candidate a report names.
const MaxPlaces = 16

// Recall is one organic use of statements as a search result.
type Recall struct {
	Entries []markdown.EntryID
	Query   string // hash
	Day     Day
	Score   float64
	At      time.Time
}

// Material is all that a dream looks at.
type Material struct {
	AsOf       time.Time // the end of the window, in the owner's zone
	Topic      string    // of a focused dream
	Statements []Statement
	Recalls    []Recall
	States     []State
}

// Theme is something that statements of several days have in common.
type Theme struct {
	Tag        string             `json:"tag"`
	Strength   float64            `json:"strength"` // 0 to 1
	Days       []Day              `json:"days"`
	Candidates []markdown.EntryID `json:"candidates"` // at most MaxEvidence, the strongest first
}

// MaxEvidence bounds the evidence of one theme.
const MaxEvidence = 3

// Truth is a statement that is probably lasting.
type Truth struct {
	Candidate  markdown.EntryID `json:"candidate"`
	Confidence float64          `json:"confidence"` // 0 to 1
}

// Reflection is what REM found.
type Reflection struct {
	Themes []Theme `json:"themes"`
	Truths []Truth `json:"truths"`
}

// Contradiction is a pair of statements that cannot both hold. Neither is chosen silently.
type Contradiction struct {
	Older markdown.EntryID `json:"older"`
	Newer markdown.EntryID `json:"newer"`
	// Settled is true when the newer one says that the older one is over; then the older one is rejected, and a machine-made
	// line that says it is retired when the newer one is promoted. False also when such a line stays beside it.
	Settled bool   `json:"settled"`
	Why     string `json:"why"`
	// OlderText and NewerText are what they say: one of them may be a line of MEMORY.md, and no candidate.
	OlderText string `json:"olderText,omitempty"`
	NewerText string `json:"newerText,omitempty"`
}

// Looked counts what a dream looked at.
type Looked struct {
	Notes         int `json:"notes"`
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	Statements    int `json:"statements"`
	Recalls       int `json:"recalls"`
}

// MovedSection is what moves from MEMORY.md to an archive: a machine-made section that makes room, or machine-made lines that a
// later statement corrects, under a heading that says so.
type MovedSection struct {
	Heading string `json:"heading"`
	Text    string `json:"text"` // with its heading
	Day     Day    `json:"day"`
	Path    string `json:"path"` // of the archive
	// Replaced are the lines of the latter, and By is the line of MEMORY.md that corrects them.
	Replaced []string `json:"replaced,omitempty"`
	By       string   `json:"by,omitempty"`
}

// ReasonsInWords are the reasons of verdicts as the diary says them.
var ReasonsInWords = map[string]string{
	ReasonLowScore: "low score", ReasonOneOff: "seen too rarely", ReasonOneContext: "in one context only", ReasonNightFull: "the night was full",
	ReasonCeiling: "no room", ReasonLeftOut: "left out", ReasonKnown: "known already", ReasonCorrected: "corrected since",
	ReasonContradiction: "contradicted", ReasonForgotten: "forgotten before", ReasonUndone: "undone before", ReasonUnfit: "unfit",
	ReasonOffTopic: "off topic", ReasonModeREM: "nothing was to be promoted",
}

// Judge gives a verdict in place of an earlier one.
func (c *Candidate) Judge(v Verdict, code, reason string) {
	c.Verdict, c.ReasonCode, c.Reason = v, code, reason
	if v != VerdictPromoted {
		c.Line = ""
	}
}

// Day is a date as 2026-01-31, in the owner's time zone. Days are compared as texts.
type Day string

// DayOf is the date of t in t's own zone.
func DayOf(t time.Time) Day { return Day(t.Format(time.DateOnly)) }

// Origin is what a statement was read from.
type Origin string

// Origins of statements.
const (
	FromNote    Origin = "note"
	FromSession Origin = "session"
)

// Place is where a statement was seen: lines of a note, messages of a conversation, or both when it is known which messages
// the lines of a note come from.
type Place struct {
	Origin          Origin    `json:"origin"`
	Day             Day       `json:"day"`
	Path            string    `json:"path,omitempty"`
	Document        uuid.UUID `json:"document,omitzero"`
	Version         int       `json:"version,omitempty"`
	FromLine        int       `json:"fromLine,omitempty"` // 1-based, inclusive
	ToLine          int       `json:"toLine,omitempty"`
	Conversation    string    `json:"conversation,omitempty"` // the client's id
	ConversationUID uuid.UUID `json:"conversationUid,omitzero"`
	Messages        []int64   `json:"messages,omitempty"` // sequence numbers in the conversation
}

// Statement is one thing that was noted or said, at one place.
type Statement struct {
	ID      markdown.EntryID
	Text    string // on one line; that of a nested item begins with what it stands under
	Heading string // over it in its note; empty when it says nothing but a time
	Place   Place
	At      time.Time // when it was noted or said, in the owner's zone; of a note without a time the noon of its day
	Asked   bool      // a person asked for it to be remembered
	Person  bool      // a person wrote it
	// Ends and Corrects tell what it says about an earlier statement: that it no longer holds, or another value.
	Ends     bool
	Corrects string // the value that is wrong; empty: not known
}

// DeepInput is what deep sleep ranks.
type DeepInput struct {
	Material   Material // without its statements
	Candidates []Candidate
	Reflection Reflection
	Memory     string // MEMORY.md that is dreamed of
	Shared     string // the shared MEMORY.md when that is a personal one: it is known already
	Mode       memory.DreamMode
}

// Ranking is every candidate with its verdict, best first. What passed is promoted, unless writing finds no room.
type Ranking struct {
	Candidates     []Candidate     `json:"candidates"`
	Contradictions []Contradiction `json:"contradictions"`
}

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
