package dream

import (
	"time"

	"github.com/google/uuid"

	"reverie/language/claim"
	"reverie/memory"
	"reverie/memory/markdown"
)

// Status is the state of a statement after all dreams so far.
type Status string

// Statuses of statements.
const (
	Open      Status = "open"      // judged again each night
	Promoted  Status = "promoted"  // written to MEMORY.md
	Confirmed Status = "confirmed" // confirmed by a person
	Edited    Status = "edited"    // reworded by a person
	Forgotten Status = "forgotten" // removed by a person: never returns, in any wording
	Held      Status = "held"      // an instruction to the assistant: waits for a person, in no document
	Rejected  Status = "rejected"  // corrected or removed, or its promotion was undone: returns only when said again
)

// State holds what earlier dreams recorded about a statement. It is stored per owner, under the identity of the statement.
type State struct {
	ID          markdown.EntryID   `json:"id"`
	Text        string             `json:"text"`              // empty: Forgotten
	Sketch      *claim.Sketch      `json:"sketch,omitempty"`  // of a Forgotten one, in place of the text
	Aliases     []markdown.EntryID `json:"aliases,omitempty"` // other wordings
	Status      Status             `json:"status"`
	ReasonCode  string             `json:"reasonCode,omitempty"`
	MentionDays []Day              `json:"mentionDays,omitempty"` // ascending, the last MaxDays
	Asked       bool               `json:"asked,omitempty"`
	LightHits   int                `json:"lightHits,omitempty"` // days with a dream that staged it
	LightAt     time.Time          `json:"lightAt,omitzero"`    // of the last one
	REMHits     int                `json:"remHits,omitempty"`   // days with a dream that found it a likely truth
	REMAt       time.Time          `json:"remAt,omitzero"`
	FirstSeen   time.Time          `json:"firstSeen,omitzero"`
	LastSeen    time.Time          `json:"lastSeen,omitzero"`
	Dream       uuid.UUID          `json:"dream,omitzero"` // the dream that promoted or rejected it
}

// MaxDays bounds the mention days stored for a statement.
const MaxDays = 64

// Signals holds the evidence for a statement. Each sighting counts once, however many dreams see it.
type Signals struct {
	Recalls      int       `json:"recalls"`              // organic uses as a search result
	RecallScore  float64   `json:"recallScore"`          // sum of the scores of the recalls
	Queries      int       `json:"queries"`              // distinct questions among the recalls
	RecallDays   []Day     `json:"recallDays,omitempty"` // ascending
	LastRecalled time.Time `json:"lastRecalled,omitzero"`
	MentionDays  []Day     `json:"mentionDays,omitempty"` // days on which it was noted or said, ascending
	Asked        bool      `json:"asked,omitempty"`       // a person asked for it to be remembered
	LastSeen     time.Time `json:"lastSeen,omitzero"`
}

// Components holds the parts of a score, each 0 to 1 before its weight. Boosts are added as they are.
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

// Verdict is the decision of a dream about a candidate.
type Verdict string

// Verdicts.
const (
	VerdictPromoted Verdict = "promoted"
	VerdictKept     Verdict = "kept"     // judged again in the next dream
	VerdictRejected Verdict = "rejected" // not judged again unless said again
)

// Reasons of verdicts.
const (
	ReasonPassed        = "passed"
	ReasonLowScore      = "low_score"
	ReasonOneOff        = "one_off"       // too few signals
	ReasonOneContext    = "one_context"   // too few distinct questions or days
	ReasonNightFull     = "night_full"    // the dream reached its limit of promotions
	ReasonCeiling       = "ceiling"       // it does not fit into MEMORY.md
	ReasonLeftOut       = "left_out"      // the model left it out
	ReasonRefused       = "refused"       // the text that had it was refused
	ReasonSourceGone    = "source_gone"   // no live note or message says it
	ReasonKnown         = "known"         // already in MEMORY.md
	ReasonCorrected     = "corrected"     // a later statement corrects it
	ReasonContradiction = "contradiction" // contradicts another statement, and neither is known to hold
	ReasonForgotten     = "forgotten"     // a person removed it
	ReasonHeld          = "held"          // it instructs the assistant, and waits for a person
	ReasonUndone        = "undone"        // its promotion was undone
	ReasonRemoved       = "removed"       // somebody took it out of MEMORY.md or PROFILE.md
	ReasonUnfit         = "unfit"         // refused by the scan, or machine text
	ReasonOffTopic      = "off_topic"     // not about the topic of a focused dream
	ReasonModeREM       = "rem_only"      // the mode of the dream promotes nothing
)

// Candidate is a statement that a dream judges, with everything known about it. The report lists it.
type Candidate struct {
	ID         markdown.EntryID   `json:"id"`
	Text       string             `json:"text"`
	Heading    string             `json:"heading,omitempty"`
	Aliases    []markdown.EntryID `json:"aliases,omitempty"` // other wordings merged into it
	Places     []Place            `json:"places"`            // newest first, at most MaxPlaces
	Signals    Signals            `json:"signals"`
	Before     State              `json:"before"` // from earlier dreams; zero for a new one
	Tags       []string           `json:"tags,omitempty"`
	Person     bool               `json:"person,omitempty"` // a person wrote it
	Ends       bool               `json:"ends,omitempty"`
	Corrects   string             `json:"corrects,omitempty"`
	Truth      float64            `json:"truth,omitempty"` // REM's confidence; 0 unless it is a likely truth
	Components Components         `json:"components"`
	Score      float64            `json:"score"`
	Gates      []Gate             `json:"gates,omitempty"`
	Verdict    Verdict            `json:"verdict,omitempty"`
	ReasonCode string             `json:"reasonCode,omitempty"`
	Reason     string             `json:"reason,omitempty"` // in words; may quote contents
	With       markdown.EntryID   `json:"with,omitempty"`   // the other statement of a correction or contradiction
	Line       string             `json:"line,omitempty"`   // its line in MEMORY.md, once promoted
	Edited     string             `json:"edited,omitempty"` // the words that a person put in its place
}

// MaxPlaces bounds the places that a report lists for one candidate.
const MaxPlaces = 16

// Recall is one organic use of statements as a search result.
type Recall struct {
	Entries []markdown.EntryID
	Query   string // hash
	Day     Day
	Score   float64
	At      time.Time
}

// Material is the input of a dream.
type Material struct {
	AsOf  time.Time // the end of the window, in the owner's zone
	From  Day       // its first day; empty for no limit
	Topic string    // of a focused dream
	// Statements are those of the window, and of older notes that were recalled: these are sources of what is known.
	Statements []Statement
	Recalls    []Recall
	States     []State
}

// Theme is a concept that statements of several days have in common.
type Theme struct {
	Tag        string             `json:"tag"`
	Strength   float64            `json:"strength"` // 0 to 1
	Days       []Day              `json:"days"`
	Candidates []markdown.EntryID `json:"candidates"` // at most MaxEvidence, the strongest first
}

// MaxEvidence bounds the evidence of one theme.
const MaxEvidence = 3

// Truth is a statement that is probably of lasting value.
type Truth struct {
	Candidate  markdown.EntryID `json:"candidate"`
	Confidence float64          `json:"confidence"` // 0 to 1
}

// Reflection is the result of REM.
type Reflection struct {
	Themes []Theme `json:"themes"`
	Truths []Truth `json:"truths"`
}

// Contradiction is a pair of statements that cannot both hold. A dream never silently chooses one of them.
type Contradiction struct {
	Older markdown.EntryID `json:"older"`
	Newer markdown.EntryID `json:"newer"`
	// Settled is true when the newer statement ends the older one. The older one is then rejected, and a machine-made line
	// with it is retired when the newer one is promoted. Settled is false when such a line has to remain in MEMORY.md.
	Settled bool   `json:"settled"`
	Why     string `json:"why"`
	// OlderText and NewerText are the two statements; one of them may be a line of MEMORY.md instead of a candidate.
	OlderText string `json:"olderText,omitempty"`
	NewerText string `json:"newerText,omitempty"`
}

// Looked counts the input of a dream.
type Looked struct {
	Notes         int `json:"notes"`
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	Statements    int `json:"statements"`
	Recalls       int `json:"recalls"`
}

// MovedSection is text that moves from MEMORY.md to an archive: a machine-made section or machine-made lines, moved to make room,
// or machine-made lines that a later statement corrects, under a separate heading.
type MovedSection struct {
	Heading string `json:"heading"`
	Text    string `json:"text"` // with its heading
	Day     Day    `json:"day"`
	Path    string `json:"path"` // of the archive
	// Lines lists single lines that were moved to make room; it is empty for a whole section.
	Lines []string `json:"lines,omitempty"`
	// Replaced lists the corrected lines, and By is the line of MEMORY.md that corrects them. Both are empty for a section
	// that was moved to make room.
	Replaced []string `json:"replaced,omitempty"`
	By       string   `json:"by,omitempty"`
}

// ReasonsInWords maps reasons of verdicts to the wording of the diary.
var ReasonsInWords = map[string]string{
	ReasonLowScore:      "low score",
	ReasonOneOff:        "seen too rarely",
	ReasonOneContext:    "in one context only",
	ReasonNightFull:     "the night was full",
	ReasonCeiling:       "no room",
	ReasonLeftOut:       "left out",
	ReasonRefused:       "text refused",
	ReasonSourceGone:    "source gone",
	ReasonKnown:         "known already",
	ReasonCorrected:     "corrected since",
	ReasonContradiction: "contradicted",
	ReasonForgotten:     "forgotten before",
	ReasonHeld:          "waits for a person",
	ReasonUndone:        "undone before",
	ReasonRemoved:       "removed before",
	ReasonUnfit:         "unfit",
	ReasonOffTopic:      "off topic",
	ReasonModeREM:       "nothing was to be promoted",
}

// Judge sets the verdict and replaces any earlier one.
func (c *Candidate) Judge(v Verdict, code, reason string) {
	c.Verdict, c.ReasonCode, c.Reason = v, code, reason
	if v != VerdictPromoted {
		c.Line = ""
	}
}

// Day is a date in the owner's time zone, such as 2026-01-31. Days are compared as strings.
type Day string

// DayOf returns the date of t in t's own zone.
func DayOf(t time.Time) Day { return Day(t.Format(time.DateOnly)) }

// Origin is the kind of source of a statement.
type Origin string

// Origins of statements.
const (
	FromNote    Origin = "note"
	FromSession Origin = "session"
)

// Place locates a statement: lines of a note, messages of a conversation, or both when the source messages of the lines of a
// note are known.
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
	Asked           bool      `json:"asked,omitempty"`    // a person asked in them to remember it
}

// Statement is one fact that was noted or said, at one place.
type Statement struct {
	ID      markdown.EntryID
	Text    string // on one line; a nested item is prefixed with its parent
	Heading string // heading over it in its note; empty when it is only a time
	Place   Place
	At      time.Time // when it was noted or said, in the owner's zone; noon of the day when the note has no time
	Asked   bool      // a person asked for it to be remembered
	Person  bool      // a person wrote it
	Passing bool      // of its day only, unless it is said on other days too
	// Ends and Corrects describe its effect on an earlier statement: that it no longer holds, or has another value.
	Ends     bool
	Corrects string // the wrong value; empty when unknown
}

// DeepInput is the input of Deep.
type DeepInput struct {
	Material   Material // without its statements
	Candidates []Candidate
	Reflection Reflection
	Memory     string // the MEMORY.md that the dream updates
	Shared     string // the shared MEMORY.md when Memory is a personal one; its lines count as known
	Mode       memory.DreamMode
}

// Ranking lists every candidate with its verdict, best first. Candidates that passed are promoted unless MEMORY.md has no
// room.
type Ranking struct {
	Candidates     []Candidate     `json:"candidates"`
	Contradictions []Contradiction `json:"contradictions"`
}

// Pins references the inputs of a dream, so that the same dream can be replayed.
type Pins struct {
	Documents []PinnedDocument `json:"documents"`
	Sessions  []PinnedSession  `json:"sessions"`
	// RecallsUntil is the time up to which recalls counted.
	RecallsUntil time.Time `json:"recallsUntil,omitzero"`
	// Material is the SHA-256, in hex, of the whole input, and Candidates that of the candidates with their components. Two
	// runs with equal hashes have seen the same.
	Material   string `json:"material,omitempty"`
	Candidates string `json:"candidates,omitempty"`
	// News is the position up to which the owner's news was read.
	News   int64  `json:"news,omitempty"`
	Looked Looked `json:"looked"`
}

// PinnedDocument is a document at a version; version 0 means that it did not exist.
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
