package llmtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"reverie/memory"
)

// End is the reason why an answer ends, which each protocol names differently.
type End int

// Ends of an answer.
const (
	Whole      End = iota // the model was done
	CutAtLimit            // the token limit cut the answer
	Declined              // the model refused
	Withheld              // a content filter stopped the answer
)

// HangUp is the point at which the server closes the connection.
type HangUp int

// Hang-ups.
const (
	Never HangUp = iota
	BeforeAnswer
	MidBody
)

// Reply is the server's reaction to one request. The zero Reply is a valid answer.
type Reply struct {
	Name  string        // in Stats; "" means "honest"
	Delay time.Duration // before anything is sent
	// Text changes the valid answer, or the whole body of vectors; nil: nothing changes. With it the answer calls no tools.
	Text        func(honest string) string
	Vectors     func([]Vector) []Vector // changes the valid vectors; nil: nothing changes
	End         End
	Empty       bool   // nothing in the answer
	Raw         []byte // a body instead of the protocol's
	RawStatus   int    // HTTP status of Raw; 0: 200
	ContentType string // of Raw
	HangUp      HangUp

	// Of a streamed answer; ignored for others.
	Pace    time.Duration // pause before each event but the first, if longer than Options.Pace
	Stall   time.Duration // pause in the middle
	Garbage string        // sent in the middle, as it is
	Ends    bool          // it ends in the middle, without an error

	broken       *problem // an error in the middle
	problem      *problem
	outputTokens int
}

// problem is an error that the server answers with.
type problem struct {
	status     int
	kind       problemKind // "": by the status
	message    string      // "": the provider's usual message
	param      string      // the field that it is about
	retryAfter time.Duration
}

type problemKind string

const (
	quotaSpent    problemKind = "quota"
	contextLength problemKind = "context"
	invalidKey    problemKind = "key"
)

// Honest returns a valid answer.
func Honest() Reply { return Reply{} }

// Answer returns a valid answer with this text.
func Answer(text string) Reply {
	return Reply{Name: "answer", Text: func(string) string { return text }}
}

// Slow returns a valid answer after a delay.
func Slow(d time.Duration) Reply { return Reply{Name: "slow", Delay: d} }

// After returns the same reply after a further delay.
func (r Reply) After(d time.Duration) Reply {
	r.Delay += d
	return r
}

// Invalid returns the error of an invalid request, with this message.
func Invalid(message string) Reply { return StatusWith(http.StatusBadRequest, message) }

// StatusWith returns an error with an HTTP status and a message.
func StatusWith(status int, message string) Reply {
	return Reply{Name: itoa(status), problem: &problem{status: status, message: message}}
}

// Status returns an error with an HTTP status and the provider's usual message. retryAfter is the delay that it asks for.
func Status(status int, retryAfter ...time.Duration) Reply {
	p := problem{status: status}
	for _, d := range retryAfter {
		p.retryAfter += d
	}
	return Reply{Name: itoa(status), problem: &p}
}

// HangUpBeforeAnswer closes the connection instead of answering.
func HangUpBeforeAnswer() Reply { return Reply{Name: "hang-up", HangUp: BeforeAnswer} }

// HangUpMidBody closes the connection in the middle of a valid answer.
func HangUpMidBody() Reply { return Reply{Name: "hang-up mid-body", HangUp: MidBody} }

// TruncatedJSON returns an answer whose text ends in the middle, though the finish reason is a normal one.
func TruncatedJSON() Reply { return Reply{Name: "truncated JSON", Text: half} }

// WrongJSON returns an answer whose text is JSON that does not follow the schema.
func WrongJSON() Reply {
	return Reply{Name: "wrong JSON", Text: func(string) string {
		return `{"should_update":"maybe","daily_entry":["a","list"],"memory_update":{"facts":42}}`
	}}
}

// FinishLength returns an answer that the token limit cut, with that finish reason.
func FinishLength() Reply { return Reply{Name: "length", Text: half, End: CutAtLimit} }

// Refusal returns the answer of a model that declines.
func Refusal() Reply {
	return Reply{Name: "refusal", Text: func(string) string { return "I can't help with that." }, End: Declined}
}

// ContentFilter returns an answer that a filter stopped.
func ContentFilter() Reply {
	return Reply{Name: "content filter", Text: func(string) string { return "" }, End: Withheld}
}

// EmptyChoices returns an answer with nothing in it.
func EmptyChoices() Reply { return Reply{Name: "empty", Empty: true} }

// GarbageBody returns a proxy's page instead of an answer, with status 200.
func GarbageBody() Reply {
	return Reply{Name: "garbage", Raw: []byte("<!doctype html><title>Bad gateway</title><p>upstream is " +
		"gone"), ContentType: "text/html; charset=utf-8"}
}

// ContextTooLong returns the error for a request that is larger than the model's context.
func ContextTooLong() Reply {
	return Reply{Name: "context too long", problem: &problem{status: http.StatusBadRequest, kind: contextLength}}
}

// Unauthorized returns the error for a wrong key.
func Unauthorized() Reply {
	return Reply{Name: "unauthorized", problem: &problem{status: http.StatusUnauthorized, kind: invalidKey}}
}

// Quota returns the error for an account whose money is spent: 429 at OpenAI, 400 at Anthropic.
func Quota() Reply {
	return Reply{Name: "quota", problem: &problem{status: http.StatusTooManyRequests, kind: quotaSpent}}
}

// half cuts a text in the middle, between two characters.
func half(s string) string {
	runes := []rune(s)
	return string(runes[:len(runes)/2])
}

// Turn is a model's answer: a text, tool calls, or both.
type Turn struct {
	Text  string
	Calls []memory.ToolCall // those without an id get one, those without arguments get {}
	// Cached is the number of input tokens reported as read from a cache.
	Cached int
}

// Call returns a tool call whose arguments are encoded as JSON.
func Call(name string, arguments any) memory.ToolCall {
	b, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // the test's own value
	}
	return memory.ToolCall{Name: name, Arguments: string(b)}
}

// Say returns a turn with a text.
func Say(text string) Turn { return Turn{Text: text} }

// Use returns a turn with tool calls.
func Use(calls ...memory.ToolCall) Turn { return Turn{Calls: calls} }

// tokens returns the number of tokens of a turn.
func (t Turn) tokens() int {
	var said strings.Builder
	said.WriteString(t.Text)
	for _, c := range t.Calls {
		said.WriteString(c.Name + c.Arguments)
	}
	return Tokens(said.String())
}

// named returns the turn with an id for each call.
func (t Turn) named(prefix string, r Request) Turn {
	calls := make([]memory.ToolCall, len(t.Calls))
	for i, c := range t.Calls {
		if c.ID == "" {
			c.ID = prefix + itoa(r.Number) + "_" + itoa(i+1)
		}
		if c.Arguments == "" {
			c.Arguments = "{}"
		}
		calls[i] = c
	}
	t.Calls = calls
	return t
}

// pieceRunes is the maximum length of a streamed piece, in characters.
const pieceRunes = 4

// pieces splits a text into streamed pieces of at most pieceRunes characters, each ending after a space.
func pieces(text string) []string {
	var out []string
	var piece strings.Builder
	n := 0
	for _, r := range text {
		piece.WriteRune(r)
		if n++; n == pieceRunes || r == ' ' {
			out = append(out, piece.String())
			piece.Reset()
			n = 0
		}
	}
	if piece.Len() > 0 {
		out = append(out, piece.String())
	}
	return out
}
