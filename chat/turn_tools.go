package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/memory"
	"reverie/toolbox"
	"reverie/window"
)

const (
	// maxCalls bounds the tools that a model may call at once; further calls are neither run nor sent back.
	maxCalls = 16
	// maxArguments bounds the arguments of one call, in bytes.
	maxArguments = memory.MaxToolCallBytes / 2
	// shownShare bounds one tool result to a share of the window: a fourth.
	shownShare = 4
	// keptEnds is the length kept at both ends of a result that has to be shortened, in characters.
	keptEnds = 200
)

// use runs the tools that the model calls, in order, because they may write.
func (t *turning) use(ctx context.Context, text string, calls []memory.ToolCall) error {
	calls = t.tidied(calls[:min(len(calls), maxCalls)])
	t.said = append(t.said, saying{Message: memory.Message{Role: memory.RoleOfAssistant, Content: text, ToolCalls: calls}, shown: text})
	for _, call := range calls {
		if err := t.emit(Event{Call: &call}); err != nil {
			return err
		}
		began := time.Now()
		result, err := t.call(ctx, call)
		if err != nil {
			return fmt.Errorf("turn: %s: %w", call.Name, err)
		}
		used := ToolUse{Call: call, Result: result, Took: time.Since(began)}
		t.turn.Calls = append(t.turn.Calls, used)
		content := cut(storable(result.Content), memory.MaxMessageBytes)
		t.said = append(t.said, saying{
			Message: memory.Message{Role: memory.RoleOfTool, Name: call.Name, Content: content, ToolCallID: call.ID},
			shown:   t.shorten(window.Defuse(content), t.settings.MaxTokens/shownShare),
		})
		if err := t.emit(Event{Result: &used}); err != nil {
			return err
		}
	}
	return nil
}

// call calls a tool of a provider, or of memory.
func (t *turning) call(ctx context.Context, call memory.ToolCall) (toolbox.Result, error) {
	arguments := json.RawMessage(call.Arguments)
	result, known, err := t.Providers.UseTool(ctx, t.id, t.agent.Settings, t.request.Conversation, call.Name, arguments)
	if known || err != nil {
		return result, err
	}
	return t.Tools.Call(ctx, t.caller("tool", call.Name, call.Arguments), call.Name, arguments)
}

// tidied returns the calls in a form that can be stored and answered: each with a unique id within the turn.
func (t *turning) tidied(calls []memory.ToolCall) []memory.ToolCall {
	taken := map[string]bool{}
	for _, used := range t.turn.Calls {
		taken[used.Call.ID] = true
	}
	tidied := make([]memory.ToolCall, len(calls))
	for i, call := range calls {
		call.Name, call.Arguments = storable(call.Name), storable(call.Arguments)
		if len(call.Arguments) > maxArguments || strings.TrimSpace(call.Arguments) == "" {
			call.Arguments = "{}" // the tool reports what is missing
		}
		if call.ID = storable(call.ID); call.ID == "" || len(call.ID) > memory.MaxMessageID || taken[call.ID] {
			call.ID = fmt.Sprintf("call_%d_%d", t.turn.Rounds, i)
		}
		taken[call.ID] = true
		tidied[i] = call
	}
	return tidied
}

// caller returns the caller for a tool's write. Its key is the same when an interrupted turn is repeated and the
// model makes the same call; a second identical call in one turn is another write.
func (t *turning) caller(kind string, what ...string) toolbox.Caller {
	h := sha256.New()
	for _, part := range append([]string{t.turn.Stored.ConversationUID.String(), t.request.MessageID, kind}, what...) {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	times := 0
	for _, used := range t.turn.Calls {
		if len(what) == 2 && used.Call.Name == what[0] && used.Call.Arguments == what[1] {
			times++
		}
	}
	return toolbox.Caller{
		Identity: t.id, Agent: t.agent, Key: fmt.Sprintf("chat/%s/%d", hex.EncodeToString(h.Sum(nil)[:16]), times),
		Speaker: t.request.Speaker, Name: t.user.Name, Conversation: t.request.Conversation, Message: t.user.Seq,
	}
}

// makeRoom rebuilds the window when the messages of this turn do not fit after it. Results of earlier rounds are
// shortened if that is not enough.
func (t *turning) makeRoom(ctx context.Context) error {
	for {
		t.reserved = t.tokensSaid()
		if t.hasRoom() {
			return nil
		}
		err := t.remake(ctx)
		if _, tooLarge := errors.AsType[*window.TooLargeError](err); err != nil && !tooLarge {
			return err
		}
		if err == nil && t.hasRoom() || !t.shortenOldest() {
			return err
		}
	}
}

// hasRoom reports whether the messages of this turn fit after the window.
func (t *turning) hasRoom() bool {
	return t.roomFor(t.turn.Context.Ledger.Used+t.reserved) <= t.room()>>max(0, t.emergency-1)
}

func (t *turning) tokensSaid() (n int) {
	for _, s := range t.said {
		n += memory.MessageTokens(s.shown, s.ToolCalls, t.counter.Count)
	}
	return n
}

// shortenOldest shortens the oldest long tool result to its ends, and reports whether there was one.
func (t *turning) shortenOldest() bool {
	for i, s := range t.said {
		if s.Role != memory.RoleOfTool {
			continue
		}
		if short := ends(window.Defuse(s.Content), keptEnds); len(short) < len(s.shown) {
			t.said[i].shown = short
			return true
		}
	}
	return false
}

// shortenAll shortens all tool results to their ends.
func (t *turning) shortenAll() {
	shorter := true
	for shorter {
		shorter = t.shortenOldest()
	}
}

// shorten cuts a text in the middle to at most the given number of tokens.
func (t *turning) shorten(text string, tokens int) string {
	short := text
	for keep := utf8.RuneCountInString(text) / 2; t.counter.Count(short) > tokens && keep > keptEnds; keep = keep * 2 / 3 {
		short = ends(text, keep)
	}
	return short
}

// ends returns both ends of a text with a note on the omitted part, or the whole text if it is not much longer.
func ends(text string, keep int) string {
	const note = "\n[… %d characters of this result are left out; ask for a part of it …]\n"
	runes := []rune(text)
	if len(runes) <= 2*keep+len(note) {
		return text
	}
	return string(runes[:keep]) + fmt.Sprintf(note, len(runes)-2*keep) + string(runes[len(runes)-keep:])
}

// storable returns text of a model in a form that can be stored: valid UTF-8 without NUL.
func storable(text string) string {
	return cut(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"), memory.MaxMessageBytes)
}

// cut returns the beginning of a text, of at most limit bytes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}
