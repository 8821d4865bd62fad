package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"reverie/window"
)

// skipped says why nothing was recalled.
var skipped = map[string]string{
	"trivial":     "the message needs no memory",
	"off":         "recalling by itself is switched off for this agent (autoInject)",
	"disabled":    "memory is switched off for this agent",
	"nothing":     "nothing that fits was found",
	"unavailable": "memory could not be searched in time",
}

// why tells which memories the last answer was made with, and what made their scores.
func (t *talk) why(ctx context.Context) error {
	if t.last.message == "" {
		return fmt.Errorf("there is no answer yet")
	}
	if len(t.last.used) == 0 {
		reason := "nothing that fits was found"
		switch {
		case t.last.answer.Model == "builtin/remember":
			reason = "what you asked to remember was saved without looking anything up"
		case skipped[t.last.answer.Context.Skipped] != "":
			reason = skipped[t.last.answer.Context.Skipped]
		}
		fmt.Fprintln(t.out, "no memory was used: "+reason)
		return nil
	}
	explained := map[string]searchAnswer{} // by the question that found it
	for i, u := range t.last.used {
		question := cmp.Or(u.question, t.last.message)
		if _, is := explained[question]; !is {
			found, err := t.explained(ctx, question)
			if err != nil {
				return err
			}
			explained[question] = found
		}
		about := []string{string(u.Scope), fmt.Sprintf("score %.2f", u.Score)}
		if u.At != nil {
			about = append(about, ago(time.Now(), *u.At))
		}
		switch {
		case u.Tokens > 0:
			about = append(about, count(u.Tokens, "token"))
		case !t.last.answer.withoutModel():
			about = append(about, "found by a tool"+askedFor(u.question))
		}
		fmt.Fprintf(t.out, "[%d] %s  %s\n", i+1, emphasised(t.out, u.place()), strings.Join(about, ", "))
		for line := range strings.Lines(strings.TrimRight(u.Text, "\n")) {
			fmt.Fprintln(t.out, strings.TrimRight("      "+shown(t.out, line), " \n"))
		}
		for _, result := range explained[question].Results {
			if result.Explain != nil && result.Scope == u.Scope && result.Path == u.Path && result.StartLine <= u.StartLine && result.EndLine >= u.EndLine {
				explainResult(t.out, *result.Explain)
			}
		}
	}
	return nil
}

// askedFor says with which words a tool searched.
func askedFor(question string) string {
	if question == "" {
		return ""
	}
	return ` with "` + oneLine(question, 80) + `"`
}

// explainedResults is how many results a search has that explains an answer: more than any context holds.
const explainedResults = 20

// explained searches once more for what was asked, with reasons, and without counting as a use.
func (t *talk) explained(ctx context.Context, question string) (searchAnswer, error) {
	path, err := t.agentPath("memory", "search")
	if err != nil {
		return searchAnswer{}, err
	}
	answer, _, err := dataOf[searchAnswer](t.client.call(ctx, apiRequest{method: http.MethodPost, path: path, body: struct {
		personBody
		Query      string  `json:"query"`
		MaxResults int     `json:"maxResults"`
		MinScore   float64 `json:"minScore"`
		Explain    bool    `json:"explain"`
		Synthetic  bool    `json:"synthetic"`
	}{t.personBody(), oneLine(question, maxQuestion), explainedResults, 0, true, true}}))
	return answer, err
}

// maxQuestion is the longest question that a search takes, in characters.
const maxQuestion = 4096

// ago is how long before now something was, in the largest unit that fits.
func ago(now, at time.Time) string {
	switch d := now.Sub(at); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d.Minutes()), "minute") + " ago"
	case d < 24*time.Hour:
		return count(int(d.Hours()), "hour") + " ago"
	default:
		return count(int(d.Hours()/24), "day") + " ago"
	}
}

// showTools tells what the model did with the tools in the last answer.
func (t *talk) showTools() {
	if len(t.last.answer.ToolCalls) == 0 {
		fmt.Fprintln(t.out, "no tool was used")
	}
	for _, used := range t.last.answer.ToolCalls {
		fmt.Fprintf(t.out, "%s\n  %s, %.0f ms\n", toolCall(used.Name, used.Arguments), used.outcome(), used.Took)
	}
}

// contextRequest asks what a model would be sent now.
type contextRequest struct {
	personBody
	Conversation string `json:"conversation"`
	Message      string `json:"message"`
	Speaker      string `json:"speaker,omitempty"`
	Model        string `json:"model,omitempty"`
}

// gauge shows how full the window was at the last answer; in front of the first one, how full it would be.
func (t *talk) gauge(ctx context.Context) error {
	made := t.last.answer.Context
	if made.Ledger.Max == 0 {
		path, err := t.agentPath("context")
		if err != nil {
			return err
		}
		if made, _, err = dataOf[chatContext](t.client.call(ctx, apiRequest{
			method: http.MethodPost, path: path, query: map[string][]string{"wait": {"0s"}},
			body: contextRequest{t.personBody(), t.conversation, "?", t.speaker, t.model},
		})); err != nil {
			return err
		}
	}
	how := "estimated"
	if made.Counter.Exact {
		how = "counted exactly"
	}
	l := made.Ledger
	fmt.Fprintf(t.out, "%s %d of %d tokens (%.1f %%, %s), summarised above %d\n", filled(l.Used, l.Trigger, l.Max), l.Used, l.Max, 100*float64(l.Used)/float64(max(1, l.Max)), how, l.Trigger)
	fmt.Fprintf(t.out, "  %s\n", spent(l))
	if s := made.Summary; s != nil {
		fmt.Fprintf(t.out, "  messages up to %d are summarised in %s, by %s\n", s.To, count(s.Tokens, "token"), oneLine(s.Model, 80))
	}
	if l.Trimmed+l.Cleared+l.Dropped > 0 {
		fmt.Fprintf(t.out, "  %d tool results trimmed, %d cleared, %s left out: %d tokens saved\n", l.Trimmed, l.Cleared, count(l.Dropped, "message"), l.Saved)
	}
	if made.Flushing {
		fmt.Fprintln(t.out, "  older messages are being saved before they leave the window")
	}
	return nil
}

// spent is where the tokens went.
func spent(l window.Ledger) string {
	var out []string
	for _, part := range []struct {
		name   string
		tokens int
	}{
		{"system", l.System},
		{"tools", l.Tools},
		{"summary", l.Summary},
		{"goal", l.Goal},
		{fmt.Sprintf("history (%s)", count(l.Messages, "message")), l.History},
		{"recall", l.Recall},
		{"message", l.Current},
	} {
		if part.tokens > 0 {
			out = append(out, fmt.Sprintf("%s %d", part.name, part.tokens))
		}
	}
	return strings.Join(out, " · ")
}

// gaugeWidth is how many characters a gauge has.
const gaugeWidth = 40

// filled shows a share of a window, and where summaries begin.
func filled(used, trigger, most int) string {
	most = max(1, most)
	at := func(n int) int { return min(gaugeWidth, (n*gaugeWidth+most-1)/most) }
	cells := []rune(strings.Repeat("█", at(used)) + strings.Repeat("░", gaugeWidth-at(used)))
	if mark := at(trigger); mark > 0 && mark < gaugeWidth {
		cells[mark] = '│'
	}
	return string(cells)
}
