package window

import (
	"encoding/json"
	"fmt"
	"strings"

	"reverie/memory"
)

// piece is one message as it may be sent, with its source.
type piece struct {
	Message

	source *memory.Message // nil: generated, such as an answer to a call that has none
	tool   string          // of a tool's result: the tool's name
	label  string          // precedes the content when it is shown as data
	whole  int             // tokens of the full content; 0 until counted
}

// unit is the smallest part that enters or leaves a window: an assistant's calls with their results, or any other
// single message.
type unit struct {
	from, to int   // pieces
	first    int64 // sequence number of the first message
	last     int64 // and of the last one
	turn     bool  // it begins with a user's message
	tokens   int   // current tokens of its pieces; 0 until counted
}

// unknownTool is the name of an unnamed tool.
const unknownTool = "tool"

// pair converts the messages of a conversation into a form that every provider accepts: an assistant's calls are
// directly followed by all their results.
//
// A result without a matching call becomes a labelled user message, a call without a result gets NoResult, and a
// system message becomes a labelled note: none of them may speak as the system. Empty messages are dropped. The order
// never changes.
func pair(history []memory.Message) ([]piece, []unit) {
	p := pairing{pieces: make([]piece, 0, len(history)+8), units: make([]unit, 0, len(history)), ids: map[string]bool{}}
	for i := 0; i < len(history); {
		m := &history[i]
		u := unit{from: len(p.pieces), first: m.Seq, turn: m.Role == memory.RoleOfUser && said(m)}
		i++
		if m.Role == memory.RoleOfAssistant && len(m.ToolCalls) > 0 {
			i += p.calls(m, history[i:])
		} else if said(m) {
			p.alone(m)
		}
		u.to, u.last = len(p.pieces), history[i-1].Seq
		p.units = append(p.units, u)
	}
	return p.pieces, p.units
}

// said reports whether a message has content. A tool result always has: it may be empty.
func said(m *memory.Message) bool {
	return m.Role == memory.RoleOfTool || strings.TrimSpace(m.Content) != ""
}

// pairing is the state of pair.
type pairing struct {
	pieces []piece
	units  []unit
	ids    map[string]bool // ids of the calls so far: providers require them to be unique
}

func (p *pairing) add(m *memory.Message, role, content string) *piece {
	p.pieces = append(p.pieces, piece{
		Message: Message{Kind: KindHistory, Role: role, Name: m.Name, Content: content, Seq: m.Seq},
		source:  m,
	})
	return &p.pieces[len(p.pieces)-1]
}

// alone adds a message that belongs to no pair.
func (p *pairing) alone(m *memory.Message) {
	switch m.Role {
	case memory.RoleOfUser, memory.RoleOfAssistant:
		p.add(m, m.Role, m.Content)
	case memory.RoleOfTool:
		added := p.add(m, memory.RoleOfUser, "")
		added.tool, added.Name = toolName(m.Name), ""
		added.label = ToolPrefix + "\n" + added.tool + ": "
	default:
		added := p.add(m, memory.RoleOfUser, "")
		added.label, added.Name = NotePrefix+"\n", ""
	}
}

// calls adds an assistant's message and those of the following messages that answer its calls; it returns how many it
// took.
func (p *pairing) calls(m *memory.Message, behind []memory.Message) (taken int) {
	asking := p.add(m, m.Role, m.Content)
	asking.ToolCalls = make([]memory.ToolCall, len(m.ToolCalls))
	for i, c := range m.ToolCalls {
		asking.ToolCalls[i] = memory.ToolCall{ID: p.id(c.ID, m.Seq, i), Name: toolName(c.Name), Arguments: object(c.Arguments)}
	}
	calls := asking.ToolCalls // the slice of pieces may be reallocated
	answered := make([]bool, len(calls))
	for taken < len(behind) && behind[taken].Role == memory.RoleOfTool {
		result := &behind[taken]
		i := answers(m.ToolCalls, answered, result)
		if i < 0 {
			break
		}
		answered[i] = true
		added := p.add(result, memory.RoleOfTool, "")
		added.tool, added.Name, added.ToolCallID = calls[i].Name, calls[i].Name, calls[i].ID
		taken++
	}
	for i, c := range calls {
		if !answered[i] {
			p.pieces = append(p.pieces, piece{Message: Message{
				Kind: KindHistory, Role: memory.RoleOfTool, Name: c.Name, Content: NoResult, ToolCallID: c.ID,
			}})
		}
	}
	return taken
}

// answers returns the index of the call that a result answers: the one with its id, or if the client gives none, the
// first open one with the tool's name, or the first open one; -1 if there is none.
func answers(calls []memory.ToolCall, answered []bool, result *memory.Message) int {
	first := -1
	for i, c := range calls {
		switch {
		case answered[i]:
		case result.ToolCallID != "":
			if c.ID == result.ToolCallID {
				return i
			}
		case result.Name != "" && c.Name == result.Name:
			return i
		case first < 0:
			first = i
		}
	}
	return first
}

// render sets the content of a piece that is not shown verbatim: a tool's result, or a labelled message. Because
// escaping is expensive, it is called only for pieces that may be in the window.
func (p *piece) render() {
	switch {
	case p.label == "" && p.tool == "":
	case p.Role == memory.RoleOfTool && strings.TrimSpace(p.source.Content) == "":
		p.Content = EmptyResult
	default:
		p.Content = p.label + p.clean(p.source.Content)
	}
}

// clean makes a part of a content safe for its position. Texts of user and assistant are unchanged.
func (p *piece) clean(text string) string {
	switch {
	case p.label != "":
		return Escape(text)
	case p.Role == memory.RoleOfTool:
		return Defuse(text)
	}
	return text
}

const (
	maxCallID   = 40 // characters; the smallest limit of all providers
	maxToolName = 64
)

// id returns the id of a call: its own, or one made from its position if that is missing, unacceptable to some
// provider, or not unique.
func (p *pairing) id(own string, seq int64, i int) string {
	for n := 0; own == "" || len(own) > maxCallID || p.ids[own] || strings.ContainsFunc(own, notName); n++ {
		own = fmt.Sprintf("call_%d_%d", seq, i)
		if n > 0 {
			own = fmt.Sprintf("%s_%d", own, n)
		}
	}
	p.ids[own] = true
	return own
}

// notName reports whether providers reject a character in names and ids.
func notName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// toolName returns a tool's name in a form that providers accept.
func toolName(name string) string {
	name = strings.Map(func(r rune) rune {
		if notName(r) {
			return '_'
		}
		return r
	}, name)
	if name == "" {
		return unknownTool
	}
	return name[:min(len(name), maxToolName)]
}

// object returns a call's arguments as a JSON object; anything else becomes the value of one.
func object(arguments string) string {
	trimmed := strings.TrimSpace(arguments)
	switch {
	case trimmed == "":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return arguments
	}
	wrapped, err := json.Marshal(map[string]string{"arguments": arguments})
	if err != nil { // a map of strings can always be encoded
		return "{}"
	}
	return string(wrapped)
}
