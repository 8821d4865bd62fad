package imports

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"reverie/memory"
)

// rowContainers are the arrays in which rows may stand.
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

// readGoClaw reads rows of memory_documents: with a user they are that person's, without one everybody's.
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

const reasonOtherAgent = "belongs to another agent than the one that was chosen"

// agent refuses things of another agent than the chosen one; without a choice, the source may have one only.
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

// consolidated is where GoClaw's dreams write: _system/dreaming/20260131-consolidated.md.
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
