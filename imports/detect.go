package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Formats lists every format that can be read, in the order in which they are documented.
func Formats() []Format {
	return []Format{OpenClaw, MateClaw, Reverie, GoClaw, MicroClaw, Mem0, Zep, ChatGPT, Claude, Markdown, LoCoMo}
}

// ErrUnknownFormat is returned for a source that nothing is known about.
var ErrUnknownFormat = errors.New("it has neither Markdown nor an export that is known: name its format")

// WrongFormatError is a format that does not exist.
type WrongFormatError struct{ Format Format }

// Error names those that do.
func (e *WrongFormatError) Error() string {
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return fmt.Sprintf("there is no format %q: use %s", cutTo(string(e.Format), 40), strings.Join(names, ", "))
}

// detect finds the format of a tree, and where in it the source begins: an archiver puts everything into one folder, and
// MicroClaw's groups lie some folders deep. With a format given, only the place is looked for.
func detect(t *Tree, given Format) (Format, *Tree, error) {
	at := t
	for range 4 {
		format, err := formatOf(at)
		if err != nil {
			return "", nil, err
		}
		if format == MicroClaw || given == MicroClaw {
			if root := groupsRoot(at); root != "" {
				at = at.below(root)
				continue
			}
		}
		switch wrapper := at.wrapper(); {
		case given != "" && (wrapper == "" || wrapper == "memory" || format == given || given == MicroClaw || given == Markdown):
			return given, at, nil
		case format != "" && (wrapper == "" || wrapper == "conversations" || format != Markdown && format != ChatGPT && format != Claude):
			return format, at, nil
		case wrapper == "" || wrapper == "memory":
			at = t // nothing better was found inside
			if format, err = formatOf(at); format != "" {
				return format, at, err
			}
			return "", nil, errors.Join(err, ErrUnknownFormat)
		default:
			at = at.below(wrapper)
		}
	}
	if format, err := formatOf(t); format != "" || err != nil {
		return format, t, err
	}
	return "", nil, ErrUnknownFormat
}

// formatOf finds the format of a tree that begins here; empty: unknown.
func formatOf(t *Tree) (Format, error) {
	markdown := t.named(isMarkdown)
	switch {
	case t.kept() != nil:
		return Reverie, nil
	case t.isSnapshot():
		return MateClaw, nil
	case hasOpenClawState(t), slices.ContainsFunc([]string{"USER.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"}, t.has):
		return OpenClaw, nil
	}
	exports := t.named(func(name string) bool {
		return isJSON(name) && (!strings.Contains(name, "/") || isExport(name) || isChats(name))
	})
	for _, f := range exports {
		if format, err := t.sniff(f.path); format != "" || err != nil {
			return format, err
		}
	}
	switch {
	case len(markdown) == 0:
		return "", nil
	case slices.ContainsFunc([]string{"PROFILE.md", "KNOWLEDGE.md"}, t.has):
		return MateClaw, nil
	case isGroups(markdown):
		return MicroClaw, nil
	case t.has("SOUL.md"), t.has("MEMORY.md") && t.hasFolder("memory"), t.has("AGENTS.md") && t.hasFolder("memory"):
		return OpenClaw, nil
	}
	return Markdown, nil
}

func hasOpenClawState(t *Tree) bool {
	return slices.ContainsFunc(t.hidden, func(name string) bool {
		return name == "memory/.dreams" || strings.HasPrefix(path.Base(name), ".openclaw")
	})
}

// isGroups finds MicroClaw's tree: AGENTS.md of everyone, of channels and of chats, and USER.md of chats.
func isGroups(markdown []file) bool {
	deep := false
	for _, f := range markdown {
		switch path.Base(f.path) {
		case "AGENTS.md":
			deep = deep || strings.Contains(f.path, "/")
		case "USER.md":
			if strings.Count(f.path, "/") < 2 {
				return false
			}
		default:
			return false
		}
	}
	return deep
}

// groupsRoot is the folder in which MicroClaw's groups lie, when that is not the beginning of the tree.
func groupsRoot(t *Tree) string {
	for _, folder := range []string{"runtime/groups", "groups"} {
		if t.hasFolder(folder) {
			return folder
		}
	}
	wrapper := t.wrapper()
	if wrapper == "" {
		return ""
	}
	for _, f := range t.named(isMarkdown) {
		if strings.Count(f.path, "/") == 3 {
			return wrapper // one folder more than channel and chat
		}
	}
	return ""
}

// sniffed is what the first records of an export may have.
type sniffed struct {
	Mapping      json.RawMessage `json:"mapping"`
	ChatMessages json.RawMessage `json:"chat_messages"`
	Conversation json.RawMessage `json:"conversation"`
	SpeakerA     json.RawMessage `json:"speaker_a"`
	Path         json.RawMessage `json:"path"`
	Content      json.RawMessage `json:"content"`
	Memory       json.RawMessage `json:"memory"`
	SessionID    json.RawMessage `json:"session_id"`
	Messages     json.RawMessage `json:"messages"`
	Facts        json.RawMessage `json:"facts"`
	Fact         json.RawMessage `json:"fact"`
	RoleType     json.RawMessage `json:"role_type"`
	Relevant     json.RawMessage `json:"relevant_facts"`
}

// format is the one whose records look like this; empty: none.
func (s sniffed) format() Format {
	switch {
	case isObject(s.Mapping):
		return ChatGPT
	case isArray(s.ChatMessages):
		return Claude
	case isObject(s.Conversation), isText(s.SpeakerA):
		return LoCoMo
	case isText(s.Path) && isText(s.Content):
		return GoClaw
	case isText(s.Memory):
		return Mem0
	case isText(s.RoleType), isText(s.Fact), isText(s.SessionID) && (isArray(s.Messages) || isArray(s.Facts) || s.Messages == nil),
		isArray(s.Messages) && (isArray(s.Facts) || isArray(s.Relevant)):
		return Zep
	}
	return ""
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
func isArray(raw json.RawMessage) bool  { return len(raw) > 0 && raw[0] == '[' }
func isText(raw json.RawMessage) bool   { return len(raw) > 0 && raw[0] == '"' }

// sniffedRecords is how many records are looked at before a file counts as unknown.
const sniffedRecords = 20

// sniff finds the format of a JSON file by its first records. A file that is damaged in front of them is no export.
func (t *Tree) sniff(name string) (Format, error) {
	r, err := t.tryOpen(name)
	if err != nil {
		return "", nil
	}
	defer r.Close()
	var format Format
	containers := slices.Concat(chatContainers, rowContainers, mem0Containers, zepContainers)
	err = records(name, r, containers, func(found record) error {
		var s sniffed
		if found.raw == nil || !decoded(found.raw, &s) {
			return nil
		}
		if format = s.format(); format != "" || found.number >= sniffedRecords {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, ErrDamagedArchive) {
		return "", err
	}
	return format, nil
}
