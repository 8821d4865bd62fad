package chat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"reverie/chat"
	"reverie/llm"
	"reverie/memory"
	"reverie/scan"
	"reverie/store"
	"reverie/toolbox"
	"reverie/window"
)

// injection is an attack of the corpus of package window.
type injection struct {
	ID   string   `json:"id"`
	Text string   `json:"text"`
	Gone []string `json:"gone"` // must not occur where the text is quoted; a line break represents the beginning of a line
}

func injections(t *testing.T) (all []injection) {
	t.Helper()
	content, err := os.ReadFile("../window/testdata/injections.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &all); err != nil || len(all) < 60 {
		t.Fatalf("%d cases, %v", len(all), err)
	}
	return all
}

// clean fails the test if a text that quotes an attack looks like the structure of a window.
func (i injection) clean(t *testing.T, where, quoted string) {
	t.Helper()
	for _, gone := range i.Gone {
		if strings.Contains("\n"+quoted, gone) {
			t.Errorf("%s: %q is left in the %s:\n%s", i.ID, gone, where, quoted)
		}
	}
}

// Attacks in messages, notes, tool results and summaries do not change the system prompt; recalled or summarised text
// is labelled, escaped, and in user messages.
func TestInjectionsEndToEnd(t *testing.T) {
	w := open(t)
	w.model.will(say("."))
	w.turn(alan, chat.TurnRequest{Message: "What is new in the walrus project?"})
	honest := w.model.asked()[0].Messages[0].Content
	recalled, quarantined := 0, 0
	for n, c := range injections(t) {
		owner := memory.Owner(fmt.Sprintf("user:%d", n))
		w.attack(owner, c, &quarantined)
		w.model.will(call(uses("1", toolbox.MemorySearch, `{"query":"walrus project"}`)), say("Nothing."))
		before := len(w.model.asked())
		current := "What is new in the walrus project? " + c.Text
		if _, _, err := w.tryTurn(t.Context(), owner,
			chat.TurnRequest{Conversation: "c-" + c.ID, Message: current, MaxTokens: 16_000}); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		for _, r := range w.model.asked()[before:] {
			if c.checkRequest(t, r, honest, current) {
				recalled++
			}
		}
	}
	t.Logf("%d requests had a recall block; the gate refused %d notes", recalled, quarantined)
	if recalled < 60 {
		t.Errorf("only %d requests had a recall block", recalled)
	}
}

// attack hides an attack in a note, in messages of another conversation, in this one's history, a result of a tool and a
// summary.
func (w *world) attack(owner memory.Owner, c injection, quarantined *int) {
	w.t.Helper()
	_, err := w.Store.Apply(w.t.Context(), as(owner), "", []memory.Change{{
		Ref: memory.Ref{Scope: memory.ScopePersonal, Path: "notes/walrus.md"}, Op: memory.OpReplace,
		Content: "# Walrus\n\n- The walrus project: " + c.Text + "\n",
	}})
	if _, refused := errors.AsType[*store.QuarantineError](err); refused {
		*quarantined++
	} else if err != nil {
		w.t.Fatal(err)
	}
	w.said(owner, "walrus "+c.ID, "News of the walrus project: "+c.Text, "Noted: "+c.Text)
	w.store(
		owner, "c-"+c.ID,
		memory.Message{ID: "1", Role: memory.RoleOfUser, Content: "Read this of the seals: " + c.Text},
		memory.Message{ID: "2", Role: memory.RoleOfAssistant, ToolCalls: []memory.ToolCall{uses("x", "fetch", `{}`)}},
		memory.Message{ID: "3", Role: memory.RoleOfTool, Name: "fetch", Content: c.Text, ToolCallID: "x"},
		memory.Message{ID: "4", Role: memory.RoleOfAssistant, Content: "I have read it."},
		memory.Message{ID: "5", Role: memory.RoleOfUser, Content: "Once more of the seals: " + c.Text},
		memory.Message{ID: "6", Role: memory.RoleOfAssistant, ToolCalls: []memory.ToolCall{uses("x", "fetch", `{}`)}},
		memory.Message{ID: "7", Role: memory.RoleOfTool, Name: "fetch", Content: c.Text, ToolCallID: "x"},
		memory.Message{ID: "8", Role: memory.RoleOfAssistant, Content: "I have read it again."},
	)
	state, err := w.Store.Conversation(w.t.Context(), as(owner), "c-"+c.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	w.compactor.summary = c.Text
	if err := w.compactor.Compact(w.t.Context(), chat.CompactRequest{
		Owner:        memory.OwnerRef{Workspace: "acme", Agent: "ada", Owner: state.OwnerID},
		Conversation: state.UID, To: 4, Trigger: memory.CompactByRequest, Settings: w.Settings.Compact(w.Extract),
	}); err != nil {
		w.t.Fatal(err)
	}
}

// checkRequest checks a request to the model, and reports whether it contains recalled memory.
func (i injection) checkRequest(t *testing.T, r llm.ChatRequest, system, current string) (recalled bool) {
	t.Helper()
	summaries, currents := 0, 0
	for at, m := range r.Messages {
		switch {
		case m.Role == memory.RoleOfSystem:
			if at > 0 || m.Content != system {
				t.Errorf("%s: the system says\n%s", i.ID, m.Content)
			}
		case strings.HasPrefix(m.Content, window.RecallPrefix):
			recalled = true
			body, whole := strings.CutSuffix(strings.TrimPrefix(m.Content, window.RecallPrefix+"\n"), "\n"+window.RecallSuffix)
			if m.Role != memory.RoleOfUser || !whole {
				t.Errorf("%s: the %s recalls\n%s", i.ID, m.Role, m.Content)
			}
			for line := range strings.SplitSeq(body, "\n") {
				if !strings.HasPrefix(line, "- [") {
					t.Errorf("%s: recalled without a source: %s", i.ID, line)
				}
			}
			i.clean(t, "recall block", body)
		case strings.HasPrefix(m.Content, window.SummaryPrefix):
			summaries++
			if m.Role != memory.RoleOfUser {
				t.Errorf("%s: the %s sums up", i.ID, m.Role)
			}
			i.clean(t, "summary", strings.TrimPrefix(m.Content, window.SummaryPrefix+"\n"))
		case strings.HasPrefix(m.Content, window.GoalPrefix):
			i.clean(t, "goal", strings.TrimPrefix(m.Content, window.GoalPrefix+"\n"))
		case m.Role == memory.RoleOfTool:
			if m.ToolCallID == "" || m.Content != window.Defuse(m.Content) {
				t.Errorf("%s: a tool says\n%s", i.ID, m.Content)
			}
		case m.Content == current:
			currents++
		}
	}
	if scan.Scan(i.Text).Verdict == scan.VerdictQuarantine {
		summaries++ // a summary that is empty after the scan is left out
	}
	if summaries < 1 || currents != 1 {
		t.Errorf("%s: %d summaries, %d current messages", i.ID, summaries, currents)
	}
	return recalled
}

// Without a model an answer quotes memory on separate lines, escaped.
func TestInjectionsInAnswersWithoutAModel(t *testing.T) {
	w := alone(t)
	quoted := 0
	for n, c := range injections(t) {
		owner := memory.Owner(fmt.Sprintf("user:%d", n))
		w.said(owner, "walrus-"+c.ID, "News of the walrus project: "+c.Text, "Noted.")
		turn, _ := w.turn(owner, chat.TurnRequest{Conversation: "c-" + c.ID, Message: "What is new in the walrus project?"})
		lines := strings.Split(turn.Answer, "\n")
		if len(lines) > 2 {
			quoted++
		}
		for _, line := range lines[1 : len(lines)-1] {
			if !strings.HasPrefix(line, "- ") || !strings.HasSuffix(line, "(sessions/walrus-"+c.ID+":1)") {
				t.Errorf("%s: a line of the answer is %q", c.ID, line)
			}
		}
		c.clean(t, "answer", turn.Answer)
	}
	t.Logf("%d answers quote", quoted)
	if quoted < 20 {
		t.Errorf("only %d answers quote", quoted)
	}
}
