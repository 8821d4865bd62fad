package store

import (
	"regexp"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
)

// noteVersion is one version of a document that a dream looks at, up to the wanted one.
type noteVersion struct {
	document memory.Document // without what its version says
	wanted   int
	version  memory.Version
}

func scanNoteVersion(row pgx.CollectableRow) (n noteVersion, err error) {
	var sha []byte
	d, v := &n.document, &n.version
	err = row.Scan(&d.ID, &d.Scope, &d.Owner, &d.Path, &d.Enabled, &d.SortOrder, &n.wanted, &v.Number, &v.BaseVersion, &v.Merged,
		&v.Deleted, &sha, &v.Author.Kind, &v.Author.ID, &v.Author.WorkflowID, &v.Author.RunID, &v.Reason, &v.Sources,
		&v.Added, &v.Removed, &v.CreatedAt, &v.Content)
	copy(v.SHA256[:], sha)
	return n, err
}

// documentHistory is a document at a version, with what is known of its history up to then.
type documentHistory struct {
	memory.Document
	history []memory.Version // oldest first
}

// historiesOf puts versions together that came in the order of paths and numbers.
func historiesOf(rows []noteVersion) []documentHistory {
	var out []documentHistory
	for _, row := range rows {
		if len(out) == 0 || out[len(out)-1].ID != row.document.ID {
			out = append(out, documentHistory{Document: row.document})
		}
		h := &out[len(out)-1]
		v := row.version
		h.history = append(h.history, v)
		if v.Number == row.wanted {
			h.Version, h.Deleted, h.Content, h.SHA256, h.UpdatedAt, h.UpdatedBy = v.Number, v.Deleted, v.Content, v.SHA256, v.CreatedAt, v.Author
		}
	}
	return out
}

// blame tells where the lines come from. What came in before the history that is known has no author.
func (h documentHistory) blame() []memory.BlameLine {
	live := slices.DeleteFunc(slices.Clone(h.history), func(v memory.Version) bool { return v.Deleted })
	if len(live) > 0 && h.history[0].Number > 1 {
		live[0].Author, live[0].Reason, live[0].Sources = memory.Author{}, "", memory.Sources{}
	}
	return memory.Blame(live)
}

// notesOf are the daily notes among documents, each with its lines.
func notesOf(rows []noteVersion) []DreamNote {
	var notes []DreamNote
	for _, h := range historiesOf(rows) {
		if day, ok := noteDay(h.Path); ok && !h.Deleted {
			notes = append(notes, DreamNote{Document: h.Document, Day: day, Lines: h.blame()})
		}
	}
	return notes
}

var notePath = regexp.MustCompile(`^memory/(\d{4}-\d{2}-\d{2})(?:-[^/]+)?\.md$`)

// noteDay is the day of a daily note.
func noteDay(path string) (dream.Day, bool) {
	m := notePath.FindStringSubmatch(path)
	if m == nil {
		return "", false
	}
	return dream.Day(m[1]), true
}

// dayPaths are what the paths of the daily notes of days begin with.
func dayPaths(days []dream.Day) []string {
	paths := make([]string, len(days))
	for i, day := range days {
		paths[i] = "memory/" + string(day)
	}
	return paths
}

// pinnedNotes are the daily notes among what was pinned.
func pinnedNotes(pins dream.Pins) (documents []uuid.UUID, versions []int) {
	for _, p := range pins.Documents {
		if _, ok := noteDay(p.Path); ok && p.Version > 0 {
			documents, versions = append(documents, p.Document), append(versions, p.Version)
		}
	}
	return documents, versions
}

// saidMessage is a message of a conversation that a dream looks at.
type saidMessage struct {
	DreamSession
	message memory.Message
}

func scanSaid(row pgx.CollectableRow) (s saidMessage, err error) {
	m := &s.message
	err = row.Scan(&s.Conversation, &s.ConversationUID, &m.Seq, &m.ID, &m.Role, &m.Name, &m.Content, &m.FinishReason, &m.CreatedAt)
	return s, err
}

// sessionsOf puts messages together that came in the order of conversations and numbers.
func sessionsOf(rows []saidMessage) []DreamSession {
	var out []DreamSession
	for _, row := range rows {
		if len(out) == 0 || out[len(out)-1].ConversationUID != row.ConversationUID {
			out = append(out, row.DreamSession)
		}
		s := &out[len(out)-1]
		s.Messages = append(s.Messages, row.message)
	}
	return out
}

// oldestFirst turns around what was read from the newest on.
func oldestFirst(recalls []Recalled) []Recalled {
	slices.Reverse(recalls)
	return recalls
}
