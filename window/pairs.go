package window

import (
	"encoding/json"
	"fmt"
	"strings"

	"reverie/memory"
)

// piece is one message as it may be sent, and what it is made of.
type piece struct {
	Message

	source *memory.Message // nil: made up, as an answer of a call that has none
	tool   string          // of a tool's result: which tool, else empty
	label  string          // what stands before the content, where it is shown as data
	whole  int             // tokens of all of it; 0 until counted
}

// unit is what enters and leaves a window as a whole: an assistant's calls with their results, or any other single message.
type unit struct {
	from, to int   // pieces
	first    int64 // sequence number of the first message
	last     int64 // and of the last one
	turn     bool  // a turn begins here: the user speaks
	tokens   int   // of its pieces as they are now; 0 until counted
}

// unknownTool is the name of a tool that nobody named.
const unknownTool = "tool"

// pair makes pieces of the messages of a conversation, in a form that every provider accepts: behind an assistant's calls come
// their results, all of them and at once.
//
// A result that answers no call of the message before it becomes a labelled message of the user's, a call without a result is
// given NoResult, and a message of the system's becomes a labelled note: none of them may speak as the system. Messages that say
// nothing are left out. The order never changes.
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

// said reports whether a message says something. A result without text says that there is none.
func said(m *memory.Message) bool {
	return m.Role == memory.RoleOfTool || strings.TrimSpace(m.Content) != ""
}

// pairing is pair under way.
type pairing struct {
	pieces []piece
	units  []unit
	ids    map[string]bool // of calls so far: a provider wants them to differ
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

// calls adds an assistant's message and those of the messages behind it that answer its calls; it returns how many they are.
func (p *pairing) calls(m *memory.Message, behind []memory.Message) (taken int) {
	asking := p.add(m, m.Role, m.Content)
	asking.ToolCalls = make([]memory.ToolCall, len(m.ToolCalls))
	for i, c := range m.ToolCalls {
		asking.ToolCalls[i] = memory.ToolCall{ID: p.id(c.ID, m.Seq, i), Name: toolName(c.Name), Arguments: object(c.Arguments)}
	}
	calls := asking.ToolCalls // the pieces may move
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

// answers finds the call that a result answers: the one with its id or, when the client does not say, the first open one with
// the tool's name, or the first open one. -1: none.
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

// render sets the content of a piece that is not shown as somebody said it: a tool's result, or a labelled message. It costs
// what escaping costs, and is done for those alone that may be in the window.
func (p *piece) render() {
	switch {
	case p.label == "" && p.tool == "":
	case p.Role == memory.RoleOfTool && strings.TrimSpace(p.source.Content) == "":
		p.Content = EmptyResult
	default:
		p.Content = p.label + p.clean(p.source.Content)
	}
}

// clean makes a part of a content safe for where it stands. What user and assistant said stays as it is.
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
	maxCallID   = 40 // characters; the least that a provider allows
	maxToolName = 64
)

// id is the id of a call: its own, or one made of its place when it has none that every provider takes, or one that was there
// before.
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

// notName reports whether providers refuse a character in names and ids.
func notName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// toolName is a tool's name as providers take it.
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

// object is a call's arguments as a JSON object; what is none becomes the value of one.
func object(arguments string) string {
	trimmed := strings.TrimSpace(arguments)
	switch {
	case trimmed == "":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return arguments
	}
	wrapped, err := json.Marshal(map[string]string{"arguments": arguments})
	if err != nil { // a map of strings always becomes JSON
		return "{}"
	}
	return string(wrapped)
}
