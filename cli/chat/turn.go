package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
	"reverie/search"
	"reverie/window"
)

// chatAnswer is what the API answers to a message.
type chatAnswer struct {
	Conversation string       `json:"conversationId"`
	Answer       string       `json:"answer"`
	Model        string       `json:"model"`
	Finish       string       `json:"finish"`
	Usage        memory.Usage `json:"usage"`
	Replayed     bool         `json:"replayed"`
	Context      chatContext  `json:"context"`
	Quoted       []usedMemory `json:"quoted"`
	ToolCalls    []chatTool   `json:"toolCalls"`
}

// withoutModel reports whether Reverie itself answered.
func (a chatAnswer) withoutModel() bool { return strings.HasPrefix(a.Model, "builtin/") }

// chatContext is how the context of an answer was made.
type chatContext struct {
	Ledger   window.Ledger `json:"ledger"`
	Model    string        `json:"model"`
	Recalled []usedMemory  `json:"recalled"`
	Skipped  string        `json:"skipped"`
	Flushing bool          `json:"flushing"`
	Counter  struct {
		Name  string `json:"name"`
		Exact bool   `json:"exact"`
	} `json:"counter"`
	Summary *struct {
		To     int64  `json:"to"`
		Tokens int    `json:"tokens"`
		Model  string `json:"model"`
	} `json:"summary"`
}

// usedMemory is a passage that an answer was made with.
type usedMemory struct {
	Corpus    search.Corpus `json:"corpus"`
	Path      string        `json:"path"`
	StartLine int           `json:"startLine"`
	EndLine   int           `json:"endLine"`
	Scope     memory.Scope  `json:"scope"`
	Role      string        `json:"role"`
	Text      string        `json:"text"`
	Score     float64       `json:"score"`
	At        *time.Time    `json:"at"`
	Tokens    int           `json:"tokens"`

	question string // with which a tool found it; empty: the message's
}

// place is where it stands.
func (u usedMemory) place() string { return output.Place(u.Path, u.StartLine, u.EndLine) }

// chatTool is a tool that was used in an answer.
type chatTool struct {
	Name      string       `json:"name"`
	Arguments string       `json:"arguments"`
	Content   string       `json:"content"` // JSON, as the model was shown it
	IsError   bool         `json:"isError"`
	Found     []usedMemory `json:"found"`
	Took      float64      `json:"tookMs"`
	Written   *struct {
		Changes []memory.ChangeReceipt `json:"changes"`
	} `json:"written"`
}

// lastTurn is what commands are about: the last message and what its answer was made with.
type lastTurn struct {
	message string
	answer  chatAnswer
	used    []usedMemory // what was quoted; or what was recalled, and behind it what tools found
}

// chatRequest is the body of a message.
type chatRequest struct {
	session.Person
	AgentID        string `json:"agentId"`
	ConversationID string `json:"conversationId"`
	MessageID      string `json:"messageId"`
	Message        string `json:"message"`
	Speaker        string `json:"speaker,omitempty"`
	Model          string `json:"model,omitempty"`
}

// say sends a message and shows the answer while it comes.
func (t *talk) say(ctx context.Context, message string) error {
	turn := shownTurn{talk: t}
	err := t.client.Stream(ctx, func(ctx context.Context) (*http.Response, error) {
		return t.client.Call(ctx, session.Request{Method: "POST", Path: "/api/v1/chat/stream", Body: chatRequest{
			Person: t.Body(), AgentID: t.Agent, ConversationID: t.conversation, MessageID: uuid.NewString(), Message: message, Speaker: t.speaker, Model: t.model,
		}})
	}, turn.take)
	if turn.begun {
		fmt.Fprintln(t.out)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("the answer broke off, and nothing of it is kept: %w", err)
		}
		turn.begun = false
	}
	if err != nil {
		return err
	}
	t.talked = true
	t.last = lastTurn{message: message, answer: turn.answer, used: usedIn(turn.answer)}
	if t.JSON {
		return t.line(turn.raw)
	}
	if reason := unfinished[turn.answer.Finish]; reason != "" {
		turn.aside(reason)
	}
	t.showUsed()
	return nil
}

// unfinished says why an answer ends before the model was done.
var unfinished = map[string]string{
	"length":     "the answer is cut: it reached the longest that the server allows (REVERIE_CHAT_MAX_TOKENS)",
	"tool_limit": "the model wanted to use more tools than a turn may (maxToolRounds)",
}

// line writes JSON on one line, for programs that read answer after answer.
func (t *talk) line(data json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := b.WriteTo(t.out)
	return err
}

// shownTurn is an answer while it is shown.
type shownTurn struct {
	*talk
	begun  bool // the answer has begun to stand there
	answer chatAnswer
	raw    json.RawMessage
}

// take shows an event.
func (s *shownTurn) take(event string, data json.RawMessage) error {
	var told struct {
		Text string `json:"text"`
		chatTool
	}
	switch event {
	case "done":
		s.raw = data
		if err := json.Unmarshal(data, &s.answer); err != nil {
			return err
		}
		if !s.begun {
			return s.text(s.answer.Answer)
		}
		return nil
	case "text", "tool_call", "tool_result":
		if err := json.Unmarshal(data, &told); err != nil {
			return err
		}
	}
	switch event {
	case "text":
		return s.text(told.Text)
	case "reset":
		s.aside("the context was too long for the model: it is made smaller, and the model is asked again")
	case "tool_call":
		s.aside(toolCall(told.Name, told.Arguments))
	case "tool_result":
		s.aside("  " + told.outcome())
	}
	return nil
}

func (s *shownTurn) text(text string) error {
	if s.JSON || text == "" {
		return nil
	}
	s.begun = true
	_, err := fmt.Fprint(s.out, output.Shown(s.out, text))
	return err
}

// aside tells something that is no part of the answer.
func (s *shownTurn) aside(text string) {
	if s.JSON {
		return
	}
	if s.begun {
		fmt.Fprintln(s.out)
		s.begun = false
	}
	fmt.Fprintln(s.notes, output.Emphasised(s.notes, "· "+text))
}

func toolCall(name, arguments string) string { return name + " " + output.OneLine(arguments, 100) }

// outcome is what came of a tool in one line.
func (u chatTool) outcome() string {
	switch {
	case u.IsError:
		return "refused" + u.refusal()
	case u.Written != nil:
		var paths []string
		for _, change := range u.Written.Changes {
			if change.Changed {
				paths = append(paths, fmt.Sprintf("%s version %d", output.OneLine(change.Path, 80), change.Version))
			}
		}
		if paths == nil {
			return "changed nothing"
		}
		return "wrote " + strings.Join(paths, ", ")
	case len(u.Found) > 0:
		return "found " + output.Count(len(u.Found), "passage")
	case u.Name == "memory_search", u.Name == "memory_get":
		return "found nothing"
	}
	return "done"
}

// refusal is what the model was told about a call that was not done.
func (u chatTool) refusal() string {
	var told struct {
		Message string `json:"message"`
		Warning string `json:"warning"`
	}
	if err := json.Unmarshal([]byte(u.Content), &told); err != nil {
		return ""
	}
	if text := cmp.Or(told.Message, told.Warning); text != "" {
		return ": " + output.OneLine(text, 200)
	}
	return ""
}

// question is what a tool was asked for; empty when it searched for nothing.
func (u chatTool) question() string {
	var asked struct {
		Query string `json:"query"`
	}
	if err := json.Unmarshal([]byte(u.Arguments), &asked); err != nil {
		return ""
	}
	return asked.Query
}

// usedIn are the memories that an answer was made with, each once: what was recalled first.
func usedIn(a chatAnswer) []usedMemory {
	type spot struct {
		scope    memory.Scope
		path     string
		from, to int
	}
	known := map[spot]bool{}
	var used []usedMemory
	add := func(all []usedMemory, question string) {
		for _, u := range all {
			at := spot{u.Scope, u.Path, u.StartLine, u.EndLine}
			if !known[at] {
				known[at] = true
				u.question = question
				used = append(used, u)
			}
		}
	}
	if a.withoutModel() { // nobody saw what was recalled
		add(a.Quoted, "")
		return used
	}
	add(a.Context.Recalled, "")
	for _, tool := range a.ToolCalls {
		add(tool.Found, tool.question())
	}
	return used
}

// showUsed tells which memories were used, with the numbers that /why and /forget know them by.
func (t *talk) showUsed() {
	if len(t.last.used) == 0 {
		return
	}
	var places []string
	for i, u := range t.last.used {
		places = append(places, fmt.Sprintf("[%d] %s", i+1, u.place()))
	}
	fmt.Fprintln(t.out, output.Emphasised(t.out, "memory: "+strings.Join(places, "  ")))
}
