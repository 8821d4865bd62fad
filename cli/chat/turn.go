package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

// usedMemory is a passage used for an answer.
type usedMemory struct {
	wire.Recalled

	question string // of the tool that found it; empty: it was recalled for the message
}

// place formats its lines.
func (u usedMemory) place() string { return output.Place(u.Path, u.StartLine, u.EndLine) }

// withoutModel reports whether Reverie answered without a model.
func withoutModel(a wire.Turn) bool { return strings.HasPrefix(a.Model, "builtin/") }

// lastTurn is the last message and its answer, the subject of commands.
type lastTurn struct {
	message string
	answer  wire.Turn
	used    []usedMemory // quoted; or recalled, then found by tools
}

// say sends a message and shows the answer as it arrives.
func (t *talk) say(ctx context.Context, message string) error {
	turn := shownTurn{talk: t}
	err := turn.stream(ctx, wire.ChatBody{
		Owner: t.Owner, Channel: t.Channel, Sender: t.Sender, EndUserID: t.EndUser, AgentID: t.Agent, ConversationID: t.conversation,
		MessageID: uuid.NewString(), Message: message, Speaker: t.speaker, Model: t.model,
	})
	if turn.begun {
		fmt.Fprintln(t.out)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("the answer was interrupted and not stored: %w", err)
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

// unfinished explains why an answer ended early.
var unfinished = map[string]string{
	"length":     "the answer is cut at the server's limit (REVERIE_CHAT_MAX_TOKENS)",
	"tool_limit": "the model reached the limit of tool calls (maxToolRounds)",
}

// line writes JSON on one line, for programs that read several answers.
func (t *talk) line(data json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := b.WriteTo(t.out)
	return err
}

// shownTurn is the state of an answer being shown.
type shownTurn struct {
	*talk
	begun  bool // a part of the answer is printed
	answer wire.Turn
	raw    json.RawMessage
}

// stream sends a message and shows the events of its answer.
func (s *shownTurn) stream(ctx context.Context, body wire.ChatBody) error {
	events, err := s.client.ChatStream(ctx, body)
	if err != nil {
		return err
	}
	for e, err := range events.Events() {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("%s closed the connection", s.URL)
		case err != nil:
			return session.Explained(err)
		}
		if err := s.take(e.Name, e.Data); err != nil {
			return err
		}
	}
	return nil
}

// take shows an event.
func (s *shownTurn) take(event string, data json.RawMessage) error {
	var told struct {
		wire.ToolUse

		Text string `json:"text"`
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
		s.aside("the context was too long for the model: retrying with a shorter one")
	case "tool_call":
		s.aside(toolCall(told.Name, told.Arguments))
	case "tool_result":
		s.aside("  " + outcome(told.ToolUse))
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

// aside prints a note that is not part of the answer.
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

// outcome formats the result of a tool call.
func outcome(u wire.ToolUse) string {
	switch {
	case u.IsError:
		return "refused" + refusal(u)
	case u.Written.Key != "" || u.Written.Token != "" || u.Written.Changes != nil:
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

// refusal returns the message about a refused tool call.
func refusal(u wire.ToolUse) string {
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

// question returns the query of a tool call; empty: it has none.
func question(u wire.ToolUse) string {
	var asked struct {
		Query string `json:"query"`
	}
	if err := json.Unmarshal([]byte(u.Arguments), &asked); err != nil {
		return ""
	}
	return asked.Query
}

// usedIn returns the memories used for an answer, each once, recalled ones first.
func usedIn(a wire.Turn) []usedMemory {
	type spot struct {
		scope, path string
		from, to    int
	}
	known := map[spot]bool{}
	var used []usedMemory
	add := func(all []wire.Recalled, question string) {
		for _, u := range all {
			at := spot{u.Scope, u.Path, u.StartLine, u.EndLine}
			if !known[at] {
				known[at] = true
				used = append(used, usedMemory{u, question})
			}
		}
	}
	if withoutModel(a) { // nothing else was shown
		add(a.Quoted, "")
		return used
	}
	add(a.Context.Recalled, "")
	for _, tool := range a.ToolCalls {
		add(tool.Found, question(tool))
	}
	return used
}

// showUsed prints the memories that were used, with their numbers for /why and /forget.
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
