package imports

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"reverie/memory"
)

// mem0Containers are the arrays in which get_all, exports and scripts put memories.
var mem0Containers = []string{"results", "memories", "data"}

// mem0Record is one memory.
type mem0Record struct {
	ID         word       `json:"id"`
	Memory     word       `json:"memory"`
	User       word       `json:"user_id"`
	Agent      word       `json:"agent_id"`
	Run        word       `json:"run_id"`
	Created    moment     `json:"created_at"`
	Updated    moment     `json:"updated_at"`
	Categories list[word] `json:"categories"`
	Metadata   struct {
		User word `json:"user_id"`
	} `json:"metadata"`
}

const reasonGraph = "relations of its graph: they derive from the memories, which are imported"

// readMem0 reads memories as lines of notes, in the note of the day they were created. A user's memory becomes that
// person's; memory of only an agent becomes shared.
func readMem0(r *reading) error {
	notes := r.notes()
	var agents []string
	err := r.records(mem0Containers, isJSON, func(_ file, found record) (string, error) {
		var m mem0Record
		if !decoded(found.raw, &m) {
			return reasonUnread, nil
		}
		if m.Memory == "" {
			if strings.Contains(string(found.raw), `"relations"`) {
				return reasonGraph, nil
			}
			return reasonUnread, nil
		}
		if r.options.Agent != "" {
			if why, err := r.agent(&agents, string(m.Agent)); why != "" || err != nil {
				return why, err
			}
		}
		user := string(m.User)
		if user == "" {
			user = string(m.Metadata.User)
		}
		owner, known := r.options.Owners.of("api", user)
		if !known {
			return reasonOwner, nil
		}
		scope := memory.ScopePersonal
		if user == "" && m.Agent != "" && m.Run == "" {
			scope, owner = memory.ScopeTeam, memory.NoOwner
		}
		at := m.Created.Time
		if at.IsZero() {
			at = m.Updated.Time
		}
		text := string(m.Memory)
		if len(m.Categories) > 0 {
			text += " (" + joined(m.Categories) + ")"
		}
		return notes.add(owner, scope, statement{id: string(m.ID), text: text, at: at}), nil
	})
	if err != nil {
		return err
	}
	return notes.emit(r, string(Mem0))
}

func joined(words []word) string {
	texts := make([]string, 0, len(words))
	for _, w := range words {
		texts = append(texts, strings.Join(strings.Fields(string(w)), " "))
	}
	return strings.Join(texts, ", ")
}

// zepContainers are the arrays that contain sessions and users.
var zepContainers = []string{"sessions", "users", "edges"}

// zepSession is a session with Zep's data about it: the responses of GET sessions/{id}, sessions/{id}/memory and
// sessions/{id}/messages, in one object or in several with the same session_id.
type zepSession struct {
	SessionID word             `json:"session_id"`
	UserID    word             `json:"user_id"`
	Created   moment           `json:"created_at"`
	Messages  list[zepMessage] `json:"messages"`
	Facts     list[zepFact]    `json:"facts"`
	Relevant  list[zepFact]    `json:"relevant_facts"`
	Summary   zepSummary       `json:"summary"`
	// Set if the record is a separate fact or graph edge.
	UUID    word   `json:"uuid"`
	Fact    word   `json:"fact"`
	Valid   moment `json:"valid_at"`
	Invalid moment `json:"invalid_at"`
	// Set if the record is a separate message.
	RoleType word `json:"role_type"`
}

// zepMessage is a message. role is free text, role_type one of a fixed list; older releases have only role.
type zepMessage struct {
	UUID     word   `json:"uuid"`
	OldUUID  word   `json:"uuid_"`
	Role     word   `json:"role"`
	RoleType word   `json:"role_type"`
	Name     word   `json:"name"`
	Content  word   `json:"content"`
	Created  moment `json:"created_at"`
}

// zepFact is a fact: only a text, or with the period for which it is valid.
type zepFact struct {
	UUID    word   `json:"uuid"`
	Fact    word   `json:"fact"`
	Made    moment `json:"created_at"`
	Valid   moment `json:"valid_at"`
	Invalid moment `json:"invalid_at"`
}

// UnmarshalJSON also accepts a plain text.
func (f *zepFact) UnmarshalJSON(raw []byte) error {
	if isText(raw) {
		return f.Fact.UnmarshalJSON(raw)
	}
	type plain zepFact
	return json.Unmarshal(raw, (*plain)(f))
}

// zepSummary is Zep's summary of a session.
type zepSummary struct {
	Content word   `json:"content"`
	Created moment `json:"created_at"`
}

// UnmarshalJSON also accepts a plain text.
func (s *zepSummary) UnmarshalJSON(raw []byte) error {
	if isObject(raw) {
		type plain zepSummary
		return json.Unmarshal(raw, (*plain)(s))
	}
	return s.Content.UnmarshalJSON(raw)
}

const (
	reasonSessionOnly = "a session without messages, facts or a summary: export its memory as well"
	reasonLooseWord   = "a message outside of a session: export sessions with their messages"
)

// readZep reads sessions as conversations, and Zep's facts and summaries as lines of notes of their days.
func readZep(r *reading) error {
	z := zepReading{reading: r, notes: r.notes(), users: map[string]string{}}
	if err := r.records(zepContainers, isJSON, z.record); err != nil {
		return err
	}
	return z.notes.emit(r, string(Zep))
}

// zepReading is one pass over an export of Zep.
type zepReading struct {
	*reading
	notes *notes
	users map[string]string // by session
}

func (z *zepReading) record(f file, found record) (string, error) {
	var s zepSession
	if !decoded(found.raw, &s) {
		return reasonUnread, nil
	}
	user := string(s.UserID)
	if id := string(s.SessionID); id != "" && user == "" {
		user = z.users[id]
	} else if id != "" {
		z.users[id] = user
	}
	owner, known := z.options.Owners.of("api", user)
	switch {
	case !known:
		return reasonOwner, nil
	case s.Fact != "":
		return z.fact(owner, zepFact{UUID: s.UUID, Fact: s.Fact, Made: s.Created, Valid: s.Valid, Invalid: s.Invalid}, time.Time{}), nil
	case s.RoleType != "":
		return reasonLooseWord, nil
	case len(s.Messages) == 0 && len(s.Facts) == 0 && len(s.Relevant) == 0 && s.Summary.Content == "":
		return reasonSessionOnly, nil
	}
	return z.session(f, s, owner)
}

func (z *zepReading) session(f file, s zepSession, owner memory.Owner) (why string, err error) {
	last := s.Created.Time
	t := talk{id: string(s.SessionID), owner: owner, began: s.Created.Time}
	if t.id == "" {
		t.id = strings.TrimSuffix(path.Base(f.path), path.Ext(f.path))
	}
	t.source = "session " + t.id
	others := 0
	for _, m := range s.Messages {
		role := zepRole(string(m.RoleType), string(m.Role))
		if role == "" {
			others++
			continue
		}
		said := memory.Message{
			ID: string(m.UUID + m.OldUUID), Role: role, Name: string(m.Name), Content: string(m.Content),
			CreatedAt: m.Created.Time,
		}
		if said.Name == "" && role == memory.RoleOfUser && zepRole("", string(m.Role)) == "" {
			said.Name = string(m.Role) // the free text names the speaker
		}
		t.messages = append(t.messages, said)
		if m.Created.After(last) {
			last = m.Created.Time
		}
	}
	if others > 0 {
		z.skipped(Skipped{Source: t.source, Reason: reasonMachinery, Count: others})
	}
	for _, fact := range append(s.Facts, s.Relevant...) {
		if why := z.fact(owner, fact, last); why != "" {
			z.skip(t.source, why)
		}
	}
	if text := strings.TrimSpace(string(s.Summary.Content)); text != "" {
		at := s.Summary.Created.Time
		if at.IsZero() {
			at = last
		}
		if why := z.notes.add(owner, memory.ScopePersonal, statement{id: t.id, text: "Summary of a conversation: " + text, at: at}); why != "" {
			z.skip(t.source, why)
		}
	}
	if len(s.Messages) == 0 {
		return "", nil
	}
	return "", z.talk(t, f)
}

// fact adds a fact to the note of the day from which it is valid.
func (z *zepReading) fact(owner memory.Owner, f zepFact, otherwise time.Time) (why string) {
	at := otherwise
	for _, t := range []time.Time{f.Made.Time, f.Valid.Time} {
		if !t.IsZero() {
			at = t
		}
	}
	text := strings.TrimSpace(string(f.Fact))
	if text != "" && !f.Invalid.IsZero() {
		text += " (until " + f.Invalid.In(z.options.Zone).Format(time.DateOnly) + ")"
	}
	return z.notes.add(owner, memory.ScopePersonal, statement{id: string(f.UUID), text: text, at: at})
}

// reasonMachinery is the reason for skipping everything but messages of people and the agent.
const reasonMachinery = "unreadable messages, or messages of the system and of tools: only those of people and the agent are imported"

// zepRole returns the role of a message; empty if neither a person nor the agent wrote it.
func zepRole(roleType, role string) string {
	switch strings.ToLower(roleType) {
	case "user", "human", "norole":
		return memory.RoleOfUser
	case "assistant", "ai":
		return memory.RoleOfAssistant
	case "":
		if role != "" {
			return zepRole(role, "")
		}
	}
	return ""
}

// rowContainers are the arrays that may contain rows.
var rowContainers = []string{"documents", "memory_documents", "rows", "data", "items"}

// goclawRow is a row of memory_documents.
type goclawRow struct {
	Agent   word   `json:"agent_id"`
	User    word   `json:"user_id"`
	Path    word   `json:"path"`
	Content *word  `json:"content"`
	Updated moment `json:"updated_at"`
	Created moment `json:"created_at"`
}

// readGoClaw reads rows of memory_documents: with a user they become that person's, without one shared.
func readGoClaw(r *reading) error {
	var agents []string
	return r.records(rowContainers, isJSON, func(f file, found record) (string, error) {
		var row goclawRow
		if !decoded(found.raw, &row) || row.Path == "" || row.Content == nil {
			return reasonUnread, nil
		}
		if why, err := r.agent(&agents, string(row.Agent)); why != "" || err != nil {
			return why, err
		}
		scope, owner := memory.ScopeTeam, memory.NoOwner
		if row.User != "" {
			var known bool
			if owner, known = r.options.Owners.of("user", string(row.User)); !known {
				return reasonOwner, nil
			}
			scope = memory.ScopePersonal
		}
		at := row.Updated.Time
		if at.IsZero() {
			at = row.Created.Time
		}
		to, why := placeGoClaw(string(row.Path))
		if why != "" {
			return why, nil
		}
		return "", r.document(document{
			Document: Document{Path: to, Source: string(row.Path), Scope: scope, Owner: owner, Content: string(*row.Content), At: at},
			id:       []string{string(row.Agent), string(row.User)},
		})
	})
}

const reasonOtherAgent = "belongs to an agent other than the chosen one"

// agent skips items of agents other than the chosen one; without a choice, the source may have only one.
func (r *reading) agent(seen *[]string, id string) (why string, err error) {
	if r.options.Agent != "" {
		if id != r.options.Agent {
			return reasonOtherAgent, nil
		}
		return "", nil
	}
	if id != "" && !slices.Contains(*seen, id) {
		if *seen = append(*seen, id); len(*seen) > 1 {
			return "", &SeveralAgentsError{Agents: *seen}
		}
	}
	return "", nil
}

// consolidated matches the output of GoClaw's dreams: _system/dreaming/20260131-consolidated.md.
var consolidated = regexp.MustCompile(`^_system/dreaming/(\d{4})(\d{2})(\d{2})-consolidated\.md$`)

func placeGoClaw(name string) (to, why string) {
	name = path.Clean(strings.TrimPrefix(name, "./"))
	if m := consolidated.FindStringSubmatch(name); m != nil {
		return fmt.Sprintf("memory/%s-%s-%s-consolidated.md", m[1], m[2], m[3]), ""
	}
	switch {
	case name == "memory.md":
		return memory.MemoryPath, ""
	case !isMarkdown(name):
		return "", reasonNoMemory
	}
	return withMD(name), ""
}
