// Package view renders the pages of the Memory Browser. It has no access to anything: what a page shows is in its values.
package view

import (
	"time"
)

// Segments of addresses for owners without an id: the one that a key is pinned to, and nobody in particular.
const (
	Me     = "me"
	Shared = "shared"
)

// Frame holds the data around the content of every page.
type Frame struct {
	Title, Section        string
	KeyName, Role, Pinned string // who looks; empty: nobody has signed in
	CSRF                  string
	MayWrite              bool
	Agent, AgentName      string // whose memory; empty: of no agent
	Whom, Owner           string // segment of the address, and the owner key; no owner: shared memory
	Zone                  *time.Location
	Query                 string // of the search field
	Notice                string
	Cursor                string // behind which the page follows what changes; empty: it does not
}

// Notices are shown once, after something was done.
var Notices = map[string]string{
	"saved": "Saved as a new version.", "restored": "Restored: the old text is a new version.", "deleted": "Deleted. Its versions stay, and can be brought back.",
	"undone": "The dream is undone: its lines are gone from the documents.", "retried": "The extraction was started again.",
	"revoked":  "Revoked: whoever uses the key is refused from now on.",
	"judged":   "Thank you: trust in this fact has changed.",
	"accepted": "Accepted: it is in MEMORY.md now.", "refused": "Refused for good.",
}

// Author names the writer of a text.
type Author struct{ Kind, Name string }

// Entry is a document in a list.
type Entry struct {
	Path, Scope            string
	Version, Bytes, Tokens int
	At                     time.Time
	By                     Author
}

// Memory lists documents.
type Memory struct {
	Injected, Others, Deleted []Entry
	Tokens, Total, More       int
}

// Document is a document with its origins, rendered by block or as lines of its source.
type Document struct {
	Entry
	Enabled, Editable bool
	Rows              []Row
	Source            []Row
}

// Origin says where a line comes from.
type Origin struct {
	Version      int
	By           Author
	At           time.Time
	Reason       string
	Said         bool   // it came from messages
	Conversation string // id of the conversation, where the reader may see it
	From, To     int64
	Messages     []int64
}

// Version is an entry of a history.
type Version struct {
	Number, Added, Removed int
	By                     Author
	At                     time.Time
	Reason                 string
	Merged, Deleted        bool
	Newest, Said           bool
	From, To               int64
}

// History lists versions.
type History struct {
	Path, Scope string
	Versions    []Version
	Next        int
	Editable    bool
}

// Compare shows two versions side by side.
type Compare struct {
	Path, Scope              string
	From, To, Added, Removed int
	Rows                     []DiffRow
}

// Edit is a form for a document.
type Edit struct {
	Path, Scope, Content, Reason, Problem string
	Base                                  int
}

// Conflict is an edit of lines that others have changed meanwhile.
type Conflict struct {
	Edit
	Head  int
	Sides []Sides
}

// Sides are the three texts of a conflict.
type Sides struct{ Base, Yours, Theirs string }

// Owner is somebody whose memory may be looked at.
type Owner struct {
	Key, ID string
	Latest  time.Time
}

// People chooses whose memory to look at.
type People struct {
	Agent, AgentName, Problem string
	Listed                    bool
	Owners                    []Owner
}

// Search is a question with what was found.
type Search struct {
	Query   string
	Groups  []Found
	Skipped int
}

// Found holds the results of one memory.
type Found struct {
	Agent, AgentName, Whom, Problem string
	Off                             bool
	Candidates                      int
	Hits                            []Hit
}

// Hit is a result.
type Hit struct {
	Path, Scope, Talk, Role, Name string
	From, To                      int
	At                            time.Time
	Score                         float64
	Pieces                        []Piece
	Said, Outdated                bool
	Why                           []Why
}

// Piece is a part of a snippet.
type Piece struct {
	Text   string
	Marked bool
}

// Why is a reason for which something was found.
type Why struct {
	Name, Doc string
	Amount    float64
}

// Talk is a conversation in a list.
type Talk struct {
	ID, Name, Owner, Source string
	Messages, Kept, Pending int64
	At                      time.Time
}

// Conversations lists conversations.
type Conversations struct {
	Items       []Talk
	Next        string
	All, Closed bool
}

// Conversation is a conversation with what was kept.
type Conversation struct {
	Talk
	After, Next int64
	Lines       []Message
	Runs        []Run
}

// Message is something that was said.
type Message struct {
	Seq              int64
	Role, Name, Text string
	At               time.Time
	Calls            int
	Kept             []Kept
}

// Kept is a line of a document that came from a message.
type Kept struct {
	Path, Scope, Text string
	Line              int
}

// Run is an extraction.
type Run struct {
	ID, Conversation, Owner, Outcome, Code, Reason, Raw, Model string
	From, To                                                   int64
	At                                                         time.Time
	Ended, Until                                               *time.Time
	Violations                                                 []string
	Changes                                                    []Change
	Tokens                                                     int
	Cost                                                       int64
}

// Change is a version that something made.
type Change struct {
	Path, Scope             string
	Version, Added, Removed int
}

// Timeline is a stream of what changed a memory.
type Timeline struct {
	Kind        string
	Events      []Event
	Until       time.Time // the oldest of what is shown, when there is more
	Older       bool      // older entries than the newest are shown
	All, Closed bool
}

// Event is an entry of a timeline.
type Event struct {
	Kind, Owner, Outcome, Code, Reason string
	At                                 time.Time
	Changes                            []Change
	Run                                *Run
	Dream                              *Dream
	// Of a change of one document.
	What, Path, Scope       string
	By                      Author
	Version, Added, Removed int
	From, To                int64 // messages of a flush
}

// Dream is the record of a dream.
type Dream struct {
	ID, Owner, Mode, Trigger, Topic, Phase, Outcome, Code, Reason, Model, Raw string
	AgainOf, AgainAs                                                          string
	DryRun, Undone, Open                                                      bool
	At, UndoneAt                                                              time.Time
	Ended                                                                     *time.Time
	Candidates, Promoted, Kept, Rejected, Tokens                              int
	Cost                                                                      int64
	Changes                                                                   []Change
}

// DreamReport is a dream with what it weighed.
type DreamReport struct {
	Dream
	Link               string
	Diff               []DiffRow
	Candidates         []Candidate
	More, Undoable     bool
	Themes, Violations []string
	Contradictions     []Contradiction
}

// Candidate is a statement that a dream weighed.
type Candidate struct {
	Text, Verdict, Reason, Code, Line string
	Score                             float64
	Person                            bool
	Parts                             []Part
	Gates                             []Gate
	Places                            []Place
}

// Part is a component of a score: its value from 0 to 1, and what it adds to the score.
type Part struct {
	Name         string
	Value, Share float64
}

// Gate is a condition of promotion.
type Gate struct {
	Name        string
	Value, Need float64
	Passed      bool
}

// Place names the source of a statement.
type Place struct {
	Day, Path, Talk string
	Line            int
	Message         int64
}

// Contradiction is a pair of statements that cannot both hold.
type Contradiction struct {
	Older, Newer, Why string
	Settled           bool
}

// Held is a statement that waits for a person.
type Held struct {
	Entry, Text, Rule string
	Since, Last       time.Time
}

// Overview shows agents with their health.
type Overview struct {
	State, Version, Model string
	Degraded              []string
	Backlog               *Backlog
	Today                 *Spent
	Agents, Others        []Agent
	Person                bool
}

// Backlog counts what waits.
type Backlog struct{ Conversations, Messages, Waiting, Quarantined, Writes int }

// Spent holds today's costs of models; a maximum of 0: there is no budget.
type Spent struct {
	Calls, Tokens            int
	Cost, MaxTokens, MaxCost int64
}

// Agent is an agent with its health.
type Agent struct {
	ID, Name, Zone, Whom string
	Chooses              bool // whose memory to look at
	Extracted, Dreamt    *Last
	Now                  time.Time
	Today                []Event
	TodayMore            bool
}

// Last is the last run of a kind.
type Last struct {
	At            time.Time
	Outcome, Code string
}

// Facts is a list of facts.
type Facts struct {
	Kind, Keyword, Next string
	Items               []Fact
	Behind, More        bool
}

// Fact is a statement of a document.
type Fact struct {
	ID, Text, Path, Scope, Heading, Subject, Attribute, Value, Kind, Source string
	Line, Days, Used                                                        int
	Trust                                                                   float64
	LastUsed, At, Ended, From, To                                           time.Time
}

// KnownFact is a fact with the terms of its trust, its story and feedback.
type KnownFact struct {
	Fact
	Terms    []Term
	Story    []FactEvent
	Feedback []Opinion
}

// Term is a term of trust.
type Term struct {
	Name, Why string
	Value     float64
}

// FactEvent is an event in the story of a fact.
type FactEvent struct {
	Kind, Text, Path, Scope, Reason, Conversation string
	Version                                       int
	Message                                       int64
	At                                            time.Time
	By                                            Author
}

// Opinion is feedback about a fact.
type Opinion struct {
	ID, Reason      string
	Helpful, Undone bool
	Weight          float64
	At              time.Time
	By              Author
}

// Keys is the list of keys, with the form for a new one. Secret is shown once.
type Keys struct {
	Items, Ended              []Key
	Form                      KeyForm
	Problem, Secret, SecretOf string
}

// KeyForm is what a form for a new key contains.
type KeyForm struct{ Name, Role, Agents, Owner, Days string }

// Key is an API key without its secret.
type Key struct {
	ID, Name, Role, Owner  string
	Agents                 []string // nil: all
	Created, Used, Expires time.Time
	Ended, Own, Replaced   bool
}

// Usage is the use of models by day, latest first.
type Usage struct {
	Days               []UsageDay
	Tokens, Cost       int64 // Cost in millionths of a dollar
	MaxTokens, MaxCost int64 // budget of a day; 0: none
	Renewal            time.Time
}

// busiest returns the tokens of the day with most, at least 1.
func (u Usage) busiest() int64 {
	most := int64(1)
	for _, d := range u.Days {
		most = max(most, d.Tokens)
	}
	return most
}

// UsageDay is the use of models on a day in UTC.
type UsageDay struct {
	Day          time.Time
	Calls        int
	Tokens, Cost int64
	Models       []ModelUsage
}

// ModelUsage is the use of one model.
type ModelUsage struct {
	Model               string
	Calls               int
	Input, Output, Cost int64
}

// Examination is what the doctor found and repaired.
type Examination struct {
	Agent     string
	Healthy   bool
	Findings  []Finding
	Fixed     []Finding
	Unchecked []string
}

// Finding is a kind of damage.
type Finding struct {
	Code, Means, Fix string
	Count            int
	Examples         []string
}
