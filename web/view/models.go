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
	Page                  string // path after that of the memory
	KeyName, Role, Pinned string // who looks; empty: nobody has signed in
	CSRF                  string
	MayWrite              bool
	Agent, AgentName      string // whose memory; empty: of no agent
	Whom, Owner           string // segment of the address, and the owner key; no owner: shared memory
	Zone                  *time.Location
	Query                 string // of the search field
	Notice                string
	Charts                bool   // the page has some
	Cursor                string // after which the page follows what changes; empty: it does not
}

// Notices are shown once, after something was done.
var Notices = map[string]string{
	"saved": "Saved as a new version.", "unchanged": "Nothing was changed, so there is no new version.",
	"restored": "Restored: the old text is a new version.", "deleted": "Deleted. Its versions stay, and can be brought back.",
	"undone": "The dream is undone: its lines are gone from the documents.", "retried": "The extraction was started again.",
	"revoked":  "Revoked: whoever uses the key is refused from now on.",
	"deleting": "The deletion is requested. Until it starts it can be cancelled here.", "kept": "Cancelled: nothing was deleted.",
	"taken-back": "What depends only on it is being removed, and is not learned again.",
	"seen":       "Seen. The next card comes after the next dream that changes something.",
	"confirmed":  "Confirmed: no dream changes it.", "edited": "Changed to your wording.",
	"forgotten": "Forgotten, and not learned again.",
	"back":      "Restored: it is in its document again, and is not archived again.",
	"moved":     "The system prompt has changed.",
	"pause":     "Paused: no model is asked for this agent. Its work waits until you resume it.",
	"resume":    "Resumed: work that waits continues within ten minutes.",
	"budget":    "The budget of the agent has changed.",
	"resolved":  "Decided. What was removed is not learned again.",
	"judged":    "Thank you: trust in this fact has changed.",
	"approved":  "Approved: it is in memory now.", "changed": "Approved in your words.", "declined": "Refused. It stays in this list, and is not proposed again.",
	"accepted": "Accepted: it is in MEMORY.md now.", "refused": "Refused permanently.",
}

// Author names the writer of a text.
type Author struct{ Kind, Name string }

// Entry is a document in a list.
type Entry struct {
	Path, Scope            string
	Version, Bytes, Tokens int
	At                     time.Time
	By                     Author
	Editable               bool
}

// Memory lists documents.
type Memory struct {
	Injected, Others, Deleted []Entry
	Tokens, Total             int
	From, More, MoreDeleted   int // Others begins with this one; how many follow, and how many deleted ones are not listed
}

// Document is a document with its origins, rendered by block or as lines of its source.
type Document struct {
	Entry
	Enabled bool
	Rows    []Row
	Source  []Row
}

// Origin is the source of a line.
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

// Conflict is an edit of lines that others have changed concurrently.
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

// Revocation is a preview of what was learned only from a conversation or another source.
type Revocation struct {
	Talk
	Kind, Source, Since, Until string // of another source than a conversation
	Goes, Stays                []Taught
	Dreams                     int
	More                       bool // owners that are not shown
}

// Deletions lists deletions, and what one of all memory of a person would delete.
type Deletions struct {
	Planned *Deletion // nil: there is nothing, or the caller may not delete it
	Items   []Deletion
	Next    string
}

// Deletion is a deletion, or what one would delete.
type Deletion struct {
	ID, Kind, Owner, Conversation, State string
	At, Due                              time.Time
	Ended                                *time.Time
	Grace                                time.Duration // of one that is planned
	Rows                                 []TableRows
	Revoked, Tables                      int
	NotReached                           []string
	MayCancel                            bool
}

// TableRows is the number of rows of a table.
type TableRows struct {
	Table string
	Rows  int64
}

// Taught is a statement that came from a conversation.
type Taught struct {
	Owner, Path, Scope, Text string
	Line                     int
	Why, In                  string // why it stays
}

// Conversation is a conversation with what was kept.
type Conversation struct {
	Talk
	After, Next int64
	Lines       []Message
	Runs        []Run
	MayRevoke   bool
}

// Message is something that was said.
type Message struct {
	Seq              int64
	Role, Name, Text string
	At               time.Time
	Calls            int
	Injection        string // of the context that it answers
	Explained        bool   // Used has what the context contained
	Used             []Choice
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
	Waiting                 int   // lines that wait for approval
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
	Replayable         bool
	ReplayOf           string
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

// Contradictions lists pairs of facts that contradict one another. Failed is the pair about whose decision Problem is.
type Contradictions struct {
	State, Next           string
	Pairs                 []Pair
	Failed, Text, Problem string
}

// Pair is a contradiction: the older fact and the newer one.
type Pair struct {
	ID, Why, Resolution string
	FoundAt, ResolvedAt time.Time
	By                  Author
	Editable            bool
	Sides               [2]Side
}

// Side is a fact of a contradiction, with where it was said.
type Side struct {
	Fact
	Origin   Origin
	Editable bool
}

// Card is the morning card. Failed is the fact about whose text Problem is.
type Card struct {
	Dream, Reason, Topic     string
	At                       time.Time
	Promoted, Rejected, More int
	Facts                    []CardFact
	Diff                     []DiffRow
	Off, Shared, Editable    bool
	Failed, Text, Problem    string
}

// CardFact is a statement that a dream has promoted, with what was decided about it since.
type CardFact struct{ Entry, Text, Status string }

// Injections lists what was put into contexts.
type Injections struct {
	Items []Injection
	Next  string
}

// Injection counts what was put into a context.
type Injection struct {
	ID, Talk, TalkID, Skipped                     string
	At                                            time.Time
	Message                                       int64
	Budget, Tokens, Candidates, Selected, Omitted int
}

// InjectionDetail has the candidates of a context; About limits them.
type InjectionDetail struct {
	Injection
	About   string
	Choices []Choice
}

// Choice is a candidate for a context with its outcome.
type Choice struct {
	Outcome, Reason, Layer, Path, Scope, Text, Fact, Talk string
	Line, Tokens                                          int
	Score                                                 float64
	Said                                                  bool
}

// Context shows what a model would be sent with a message.
type Context struct {
	Message, Problem, Model, Counter, Skipped string
	Made, Exact, NoModel                      bool
	Omitted, Used, Max                        int
	Parts                                     []TokenPart
	Recalled                                  []Choice
	Messages                                  []Sent
}

// TokenPart is a part of a context.
type TokenPart struct {
	Name, Scope, Address string
	Tokens               int
}

// Sent is a message of a context.
type Sent struct {
	Kind, Role, Text string
	Tokens           int
}

// Transfer exports and imports archives. Done shows what an import did.
type Transfer struct {
	Choices       []string
	Writable      bool
	Problem, Link string
	Done, Running bool
	Applied       []string
	Skipped       []Imported
}

// Preview shows what an import would do.
type Preview struct {
	Archive, Documents, Token, Problem string
	Changes                            int
	Entries                            []Imported
}

// Imported is an entry of an archive.
type Imported struct {
	Name, Outcome string
	Notes         []string
	Bytes         int
	Diff          []DiffRow
}

// Chat is a conversation with the agent, and a form for the next message.
type Chat struct {
	Talk
	Lines                       []Message
	Message, MessageID, Problem string
	NoModel                     bool
}

// Replay is a form with the settings of a dream.
type Replay struct {
	Dream
	Problem         string
	Models, ByModel bool
	Knobs           []Knob
}

// Knob is a number that can be set, from 0 to Most.
type Knob struct {
	Name, Label, Value string
	Most               float64
	Whole              bool
}

// Difference is a replay beside its original.
type Difference struct {
	Dream
	Original                 string
	Was, Is                  Dream
	SameMaterial, SameMemory bool
	Settings, Ended          []ChangedValue
	WasDiff, IsDiff          []DiffRow
	Candidates               []Rejudged
	More                     int
}

// ChangedValue is a value that differs.
type ChangedValue struct{ Name, Was, Is string }

// Rejudged is a candidate that was judged differently; nil: it was none.
type Rejudged struct {
	Text    string
	Was, Is *Judgement
}

// Judgement is a decision about a candidate.
type Judgement struct {
	Verdict, Code string
	Score         float64
}

// Schedules lists when agents dream next.
type Schedules struct {
	Items []Schedule
	More  int
}

// Schedule is the time of an agent's next dream. Local is Next in the agent's zone.
type Schedule struct {
	Agent, Name, State, Cron, Zone, Local string
	Next                                  time.Time
}

// Held is a statement that waits for a person's decision.
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
	Approvals            int // lines that wait for the caller
	Paused               bool
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
	Archived                                                                bool
}

// Archive lists facts that were archived.
type Archive struct {
	Keyword, Next string
	Items         []ArchivedFact
	More          bool
}

// ArchivedFact is a fact in the archive of its document, with who put it there, and why.
type ArchivedFact struct {
	Fact
	By       Author
	Reason   string
	Editable bool
}

// KnownFact is a fact with the terms of its trust, its story and feedback. Problem is about Text, which was to take its place.
type KnownFact struct {
	Fact
	Editable      bool
	Text, Problem string
	Terms         []Term
	Story         []FactEvent
	Feedback      []Opinion
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

// KeyForm holds the values of a form for a new key.
type KeyForm struct{ Name, Role, Agents, Owner, Days string }

// Key is an API key without its secret.
type Key struct {
	ID, Name, Role, Owner  string
	Agents                 []string // nil: all
	Created, Used, Expires time.Time
	Ended, Own, Replaced   bool
}

// Webhooks are the webhooks of an agent, with the result of a form.
type Webhooks struct {
	Agent, Problem   string
	Secret, SecretOf string // of a new one
	Ping             *Ping  // nil: none was sent
	Form             WebhookForm
	Items            []Webhook
}

// WebhookForm is the form of a new webhook.
type WebhookForm struct{ URL, Kinds, Owner string }

// Ping is the outcome of a test event.
type Ping struct {
	Delivered bool
	Status    int
	Reason    string
	Millis    int64
}

// Webhook is an endpoint without its secret.
type Webhook struct {
	ID, URL, Owner      string
	Kinds               []string // empty: all
	Paused              bool
	Why                 string // it is paused
	Delivered           int64
	Failures, Status    int
	Reason              string // why the latest attempt failed
	Created, Last, Next time.Time
}

// Usage is the use of models by day, latest first.
type Usage struct {
	Days               []UsageDay
	Backlog            *Backlog
	Tokens, Cost       int64 // Cost in millionths of a dollar
	MaxTokens, MaxCost int64 // budget of a day; 0: none
	Renewal            time.Time
	Agents             []AgentUsage
}

// AgentUsage is the use of models by an agent today, and its budget of a day; 0: none.
type AgentUsage struct {
	ID, Name           string
	Calls              int
	Tokens, Cost       int64
	MaxTokens, MaxCost int64
	Paused, Spent      bool
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

// Queues shows how much waited over time.
type Queues struct {
	Days     int
	From, To time.Time
	Groups   []QueueGroup
}

// QueueGroup are queues in one chart. ID names its table.
type QueueGroup struct {
	ID, Title string
	Names     []string
	Rows      []QueueRow // the first one first
}

// QueueRow has the depth of each queue of a group at a time; -1: unknown.
type QueueRow struct {
	At     time.Time
	Depths []int64
}

// Examination lists the findings and repairs of the doctor.
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
