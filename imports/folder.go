package imports

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"reverie/memory"
)

// keptFolder is what Reverie keeps in a folder that it has exported or that is synced, as far as it says whose what is.
type keptFolder struct {
	Agent    string `json:"agent"`
	Owner    string `json:"owner"`
	Asked    string `json:"asked"`    // how the owner was named, as a query: the owner had no documents yet
	Personal bool   `json:"personal"` // the root holds an owner's documents, and team/ the shared ones
}

const stateFolder = ".reverie"

// kept reads what a folder says of itself; nil when Reverie has not made it. Where an export was synced later, the sync is
// what the folder has followed since.
func (t *Tree) kept() *keptFolder {
	if !slices.Contains(t.hidden, stateFolder) {
		return nil
	}
	for _, name := range []string{"/sync/folder.json", "/export.json"} {
		content, err := t.read(stateFolder+name, MaxRecordBytes) // it lists the files of an export
		var found keptFolder
		if err == nil && json.Unmarshal(content, &found) == nil && found.Agent != "" {
			found.named()
			return &found
		}
	}
	return nil
}

// named takes the owner from how it was named.
func (k *keptFolder) named() {
	asked, err := url.ParseQuery(k.Asked)
	if err != nil || k.Owner != "" {
		return
	}
	if owner, err := memory.OwnerOf(asked.Get("owner"), asked.Get("channel"), asked.Get("sender"), asked.Get("endUserId")); err == nil {
		k.Owner = string(owner)
	}
}

// isConflict finds the files that a sync has kept beside documents.
var isConflict = regexp.MustCompile(`(?i)\.conflict-\d{8}-\d{6}(-\d+)?\.md$`)

const (
	reasonGlobal   = "a document of the workspace, not of this agent"
	reasonConflict = "a kept conflict: bring what it holds into the document"
	reasonKept     = "what Reverie keeps of the folder"
)

// readReverie reads a folder that `memory export` has written, or that `memory sync` keeps. What was somebody's is that
// owner's, what was shared is shared. A folder that does not say whose its root is has the owner's there when one is named.
func readReverie(r *reading) error {
	r.hidden(func(name string) string {
		if name == stateFolder {
			return reasonKept
		}
		return reasonHidden
	})
	kept := r.tree.kept()
	if kept == nil {
		kept = &keptFolder{Personal: r.options.Owners.Default != memory.NoOwner}
	}
	person, known := r.options.Owners.of("user", kept.Owner)
	for _, f := range r.tree.files {
		to, scope, why := placeReverie(f.path, kept.Personal)
		owner := memory.NoOwner
		if scope == memory.ScopePersonal {
			if owner = person; !known {
				why = reasonOwner
			}
		}
		if why != "" {
			r.skip(f.path, why)
			continue
		}
		if err := r.file(f, to, scope, owner); err != nil {
			return err
		}
	}
	return nil
}

// placeReverie is the document that a file of such a folder is: the counterpart of how it was laid out.
func placeReverie(name string, personal bool) (to string, scope memory.Scope, why string) {
	root := memory.ScopeTeam
	if personal {
		root = memory.ScopePersonal
	}
	switch {
	case !strings.HasSuffix(name, ".md"):
		return "", "", reasonNoMemory
	case isConflict.MatchString(name):
		return "", "", reasonConflict
	}
	switch first, rest, nested := strings.Cut(name, "/"); {
	case nested && first == "own": // what would be taken for one of the other folders
		return rest, root, ""
	case nested && first == "global":
		return "", "", reasonGlobal
	case nested && first == "team" && personal:
		return rest, memory.ScopeTeam, ""
	}
	return name, root, ""
}
