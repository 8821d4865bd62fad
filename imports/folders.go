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

// readMarkdown reads any folder of Markdown. Files keep their paths, except that .markdown becomes .md.
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

// withMD returns the path with the extension .md.
func withMD(name string) string {
	return strings.TrimSuffix(name, path.Ext(name)) + ".md"
}

// hidden reports hidden files as skipped; no format reads them.
func (r *reading) hidden(reason func(name string) string) {
	for _, name := range r.tree.hidden {
		r.skip(name, reason(name))
	}
}

const (
	reasonDreamsState = "counts of its dreams; dreams start from zero here"
	reasonRitual      = "instructions for the other program, not memory"
	reasonNotIndexed  = "not part of its memory: use the format markdown to import it"
	reasonLegacy      = "replaced by MEMORY.md, which is imported"
)

// readOpenClaw reads an OpenClaw workspace. Files on how the agent works (AGENTS, SOUL, IDENTITY, TOOLS) become
// shared, files about its person (USER, MEMORY, memory/, DREAMS) become that person's. USER.md becomes PROFILE.md.
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

// Places in a snapshot of its description and of a person's documents.
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

// readMateClaw reads a snapshot of MateClaw or of Reverie: its documents become shared, those under personal/ one
// person's.
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
			r.skip(f.path, "describes the snapshot; nothing to import")
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

// readMicroClaw reads MicroClaw's groups, where AGENTS.md is memory: the global one becomes the agent's MEMORY.md, a
// channel's a separate document, and a chat's the MEMORY.md of <channel>:<chat>, with its Person sections unchanged.
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

// placeMicroClaw returns the path for a file; chat is <channel>/<chat> if the file belongs to that chat.
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

// chatOwner returns the owner of a chat's memory, named by channel and sender.
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

// keptFolder is the state that Reverie stores in an exported or synced folder, as far as it names owners.
type keptFolder struct {
	Agent    string `json:"agent"`
	Owner    string `json:"owner"`
	Asked    string `json:"asked"`    // how the owner was named in the request, if the owner had no documents yet
	Personal bool   `json:"personal"` // the root contains an owner's documents, and team/ the shared ones
}

const stateFolder = ".reverie"

// kept reads the state that a folder contains; nil if Reverie did not write it. If an export was synced later, the
// sync's state applies.
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

// named sets the owner from the name used in the request.
func (k *keptFolder) named() {
	asked, err := url.ParseQuery(k.Asked)
	if err != nil || k.Owner != "" {
		return
	}
	if owner, err := memory.OwnerOf(asked.Get("owner"), asked.Get("channel"), asked.Get("sender"), asked.Get("endUserId")); err == nil {
		k.Owner = string(owner)
	}
}

// isConflict matches files that a sync has saved next to documents.
var isConflict = regexp.MustCompile(`(?i)\.conflict-\d{8}-\d{6}(-\d+)?\.md$`)

const (
	reasonGlobal   = "a document of the workspace, not of this agent"
	reasonConflict = "a saved conflict: merge it into the document"
	reasonKept     = "Reverie's own state of the folder"
)

// readReverie reads a folder written by `memory export` or `memory sync`. Owners and scopes are preserved. If the
// folder does not name the owner of its root, an owner given in the options applies.
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

// placeReverie returns the document for a file of such a folder: the inverse of the layout of exports.
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
	case nested && first == "own": // escapes names that would collide with the other folders
		return rest, root, ""
	case nested && first == "global":
		return "", "", reasonGlobal
	case nested && first == "team" && personal:
		return rest, memory.ScopeTeam, ""
	}
	return name, root, ""
}
