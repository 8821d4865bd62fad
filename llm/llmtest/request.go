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

// Request is a request that the server received.
type Request struct {
	Number  int // in order of arrival, from 1
	Key     string
	Attempt int // number of requests with this key, including this one
	At      time.Time

	Path   string
	Header http.Header
	Body   []byte // as received

	Model       string
	System      string
	User        string
	MaxTokens   int
	Temperature *float64 // nil: not sent
	// Format is "json_schema", "json_object" or "" for an unbound answer.
	Format      string
	InputTokens int // as counted in the answer

	// Messages are all messages in one form for both protocols, the system's first, and each tool's separate; User and System are the
	// texts of two roles.
	Messages []Message
	Tools    []Tool
	NoCalls  bool // tool calls are not allowed
	Stream   bool

	// Of a request for embeddings; its texts are the lines of User.
	Texts      []string
	Dimensions int    // requested; 0: not set
	InputType  string // the provider's word for questions or documents; "": not set

	usage   bool // counts are requested in a stream too
	longest int  // tokens of the longest text that has to fit into the context
}

// Message is one message of a request.
type Message struct {
	Role       string // system, user, assistant or tool
	Content    string
	ToolCalls  []memory.ToolCall
	ToolCallID string // of a tool's message: the call that it answers
}

// Tool is a tool that a request offers.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Last returns the last message.
func (r Request) Last() Message {
	if len(r.Messages) == 0 {
		return Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// Results returns the tools' messages at the end of the conversation, in order.
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

// Offers reports whether the request offers a tool and allows calls.
func (r Request) Offers(tool string) bool {
	return !r.NoCalls && slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == tool })
}

// read fills in the fields derived from messages and tools.
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

// rows reports whether there are consecutive messages of the user.
func (r *Request) rows() bool {
	for i := 1; i < len(r.Messages); i++ {
		if r.Messages[i-1].Role == memory.RoleOfUser && r.Messages[i].Role == memory.RoleOfUser {
			return true
		}
	}
	return false
}

// Tokens returns the number of tokens of a text: one per four bytes, rounded up.
func Tokens(s string) int { return (len(s) + 3) / 4 }

// KeyPattern returns a function for Options.Key: the first group of the pattern's first match, or the match if it has no group.
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

// unknownField returns the first unknown field of a body; "" if there is none.
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

// declined reports whether the server declines a feature.
func (o Options) declined(what string) bool {
	return slices.Contains(o.Declines, what)
}

func itoa(n int) string { return strconv.Itoa(n) }
