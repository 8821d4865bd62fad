package llmtest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"reverie/memory"
)

// Request is a request as the server read it.
type Request struct {
	Number  int // in order of arrival, from 1
	Key     string
	Attempt int // how many requests with this key have come, this one included
	At      time.Time

	Path   string
	Header http.Header
	Body   []byte // as it came

	Model       string
	System      string
	User        string
	MaxTokens   int
	Temperature *float64 // nil: not sent
	// Format is how the answer is bound: "json_schema", "json_object" or "" for not at all.
	Format      string
	InputTokens int // as the answer counts them

	// Messages are all of the request's, the system's first, and each tool's as one of its own, whatever the protocol; User and
	// System are the texts of two roles.
	Messages []Message
	Tools    []Tool
	NoCalls  bool // the tools must not be called
	Stream   bool

	// Of a request for embeddings; User has its texts as lines.
	Texts      []string
	Dimensions int    // asked for; 0: not said
	InputType  string // the provider's word for questions or documents; "": not said

	usage   bool // counts are asked for in a stream too
	longest int  // tokens of the longest text that has to fit into the context by itself
}

// Message is one message of a request.
type Message struct {
	Role       string // system, user, assistant or tool
	Content    string
	ToolCalls  []memory.ToolCall
	ToolCallID string // of a tool's message: what it answers
}

// Tool is a tool that a request offers.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Last is the last message.
func (r Request) Last() Message {
	if len(r.Messages) == 0 {
		return Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// Results are the answers of tools since somebody else spoke last, in order.
func (r Request) Results() []string {
	var results []string
	for _, m := range r.Messages {
		if m.Role != memory.RoleOfTool {
			results = nil
			continue
		}
		results = append(results, m.Content)
	}
	return results
}

// Offers reports whether the request offers a tool that may be called.
func (r Request) Offers(tool string) bool {
	return !r.NoCalls && slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == tool })
}

// read fills in what follows from messages and tools.
func (r *Request) read() {
	var said strings.Builder
	for _, m := range r.Messages {
		switch m.Role {
		case memory.RoleOfSystem:
			r.System += m.Content
		case memory.RoleOfUser:
			r.User += m.Content
		}
		said.WriteString(m.Content)
		for _, c := range m.ToolCalls {
			said.WriteString(c.Name + c.Arguments)
		}
	}
	for _, t := range r.Tools {
		said.WriteString(t.Name + t.Description + string(t.Parameters))
	}
	r.InputTokens = Tokens(said.String())
}

// rows reports whether two messages of the user stand one behind the other.
func (r *Request) rows() bool {
	for i := 1; i < len(r.Messages); i++ {
		if r.Messages[i-1].Role == memory.RoleOfUser && r.Messages[i].Role == memory.RoleOfUser {
			return true
		}
	}
	return false
}

// Tokens is how many tokens a text counts for: one per four bytes, begun ones whole.
func Tokens(s string) int { return (len(s) + 3) / 4 }

// KeyPattern finds keys for Options.Key: the first group of the pattern's first match, or the match if it has no group.
// A text without a match has the key "".
func KeyPattern(pattern string) func(prompt string) string {
	re := regexp.MustCompile(pattern)
	return func(prompt string) string {
		found := re.FindStringSubmatch(prompt)
		if found == nil {
			return ""
		}
		return found[min(1, len(found)-1)]
	}
}

// unknownField is the first field of a body that is not among the known ones; "" if there is none.
func unknownField(body map[string]any, known ...string) string {
	for field := range body {
		found := false
		for _, k := range known {
			found = found || k == field
		}
		if !found {
			return field
		}
	}
	return ""
}

// declined reports whether the server does not take something.
func (o Options) declined(what string) bool {
	return slices.Contains(o.Declines, what)
}

func itoa(n int) string { return strconv.Itoa(n) }
