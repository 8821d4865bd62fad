package imports

import (
	"strings"

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

const reasonGraph = "relations of its graph; what they were made from are the memories, which are moved"

// readMem0 reads memories as lines of notes, each in the note of the day on which it was made. A memory of a user is that
// person's; one of an agent only is everybody's.
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
