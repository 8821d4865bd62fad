package imports

import (
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"reverie/memory"
)

// readMarkdown reads any folder of Markdown: every file stands where it stood. Names that end in .markdown get .md.
func readMarkdown(r *reading) error {
	r.hidden(func(string) string { return reasonHidden })
	for _, f := range r.tree.files {
		if !isMarkdown(f.path) {
			r.skip(f.path, reasonNoMemory)
			continue
		}
		if err := r.file(f, withMD(f.path), memory.ScopePersonal, memory.NoOwner); err != nil {
			return err
		}
	}
	return nil
}

// withMD is a path that ends in .md as documents have it.
func withMD(name string) string {
	return strings.TrimSuffix(name, path.Ext(name)) + ".md"
}

// hidden tells of what lies hidden, which no format reads.
func (r *reading) hidden(reason func(name string) string) {
	for _, name := range r.tree.hidden {
		r.skip(name, reason(name))
	}
}

const (
	reasonDreamsState = "what its dreams count; dreams count anew here"
	reasonRitual      = "instructions for the program that keeps it, not memory"
	reasonNotIndexed  = "not a part of its memory: move it with the format markdown if you want it"
	reasonLegacy      = "it is replaced by MEMORY.md, which is moved"
)

// readOpenClaw reads an OpenClaw workspace. What says how the agent works (AGENTS, SOUL, IDENTITY, TOOLS) is everybody's, what
// it knows of its person (USER, MEMORY, memory/, DREAMS) is that person's. USER.md becomes PROFILE.md.
func readOpenClaw(r *reading) error {
	r.hidden(func(name string) string {
		if name == "memory/.dreams" {
			return reasonDreamsState
		}
		return reasonHidden
	})
	for _, f := range r.tree.files {
		to, scope, why := placeOpenClaw(r.tree, f.path)
		if why != "" {
			r.skip(f.path, why)
			continue
		}
		if err := r.file(f, to, scope, memory.NoOwner); err != nil {
			return err
		}
	}
	return nil
}

func placeOpenClaw(t *Tree, name string) (to string, scope memory.Scope, why string) {
	switch name {
	case "AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md":
		return name, memory.ScopeTeam, ""
	case "USER.md":
		return memory.ProfilePath, memory.ScopePersonal, ""
	case "MEMORY.md":
		return name, memory.ScopePersonal, ""
	case "memory.md":
		if t.has("MEMORY.md") {
			return "", "", reasonLegacy
		}
		return memory.MemoryPath, memory.ScopePersonal, ""
	case "HEARTBEAT.md", "BOOT.md", "BOOTSTRAP.md":
		return "", "", reasonRitual
	}
	switch {
	case strings.EqualFold(name, "DREAMS.md"):
		return "DREAMS.md", memory.ScopePersonal, ""
	case !isMarkdown(name):
		return "", "", reasonNoMemory
	case strings.HasPrefix(name, "memory/"):
		return withMD(name), memory.ScopePersonal, ""
	}
	return "", "", reasonNotIndexed
}

// Where a snapshot says what it is, and has what is one person's.
const (
	manifestPath   = "manifest.json"
	personalFolder = "personal/"
)

func (t *Tree) isSnapshot() bool {
	if !t.has(manifestPath) {
		return false
	}
	content, err := t.read(manifestPath, memory.MaxDocumentBytes)
	return err == nil && strings.Contains(string(content), `"agentId"`) && strings.Contains(string(content), `"exportedAt"`)
}

// readMateClaw reads a snapshot of MateClaw or of Reverie: its documents are everybody's, those below personal/ one person's.
func readMateClaw(r *reading) error {
	r.hidden(func(string) string { return reasonHidden })
	for _, f := range r.tree.files {
		name, personal := strings.CutPrefix(f.path, personalFolder)
		scope := memory.ScopeTeam
		if personal {
			scope = memory.ScopePersonal
		}
		switch {
		case f.path == manifestPath:
			r.skip(f.path, "says what the snapshot is; there is nothing to move")
			continue
		case !isMarkdown(name):
			r.skip(f.path, reasonNoMemory)
			continue
		case strings.Contains(name, "/") && !strings.HasPrefix(name, "memory/"):
			r.skip(f.path, reasonNotIndexed)
			continue
		}
		if err := r.file(f, name, scope, memory.NoOwner); err != nil {
			return err
		}
	}
	return nil
}

// readMicroClaw reads MicroClaw's groups. AGENTS.md is memory there: that of everyone becomes the agent's MEMORY.md, that of
// a channel a document of its own, that of a chat the MEMORY.md of <channel>:<chat>, with its Person sections as they are.
func readMicroClaw(r *reading) error {
	r.hidden(func(string) string { return reasonHidden })
	for _, f := range r.tree.files {
		to, chat, why := placeMicroClaw(f.path)
		owner, scope := memory.NoOwner, memory.ScopeTeam
		if chat != "" {
			if owner, why = r.chatOwner(chat); why == "" {
				scope = memory.ScopePersonal
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

// placeMicroClaw says where a file goes; chat is <channel>/<chat> when it is that chat's.
func placeMicroClaw(name string) (to, chat, why string) {
	folder, base := path.Split(name)
	folder = strings.TrimSuffix(folder, "/")
	depth := 0
	if folder != "" {
		depth = strings.Count(folder, "/") + 1
	}
	switch {
	case base == "AGENTS.md" && depth == 0:
		return memory.MemoryPath, "", ""
	case base == "AGENTS.md" && depth == 1:
		return "memory/microclaw/" + folder + ".md", "", ""
	case base == "AGENTS.md" && depth == 2:
		return memory.MemoryPath, folder, ""
	case base == "USER.md" && depth == 2:
		return memory.ProfilePath, folder, ""
	case isMarkdown(base):
		return "", "", reasonNotIndexed
	}
	return "", "", reasonNoMemory
}

// chatOwner is whose memory that of a chat is, as a channel and a sender name them.
func (r *reading) chatOwner(chat string) (owner memory.Owner, why string) {
	channel, id, _ := strings.Cut(chat, "/")
	owner, err := memory.OwnerOf("", channel, id, "")
	if err == nil {
		if to, known := r.options.Owners.of("", string(owner)); known {
			return to, ""
		}
	}
	return "", reasonOwner
}

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
