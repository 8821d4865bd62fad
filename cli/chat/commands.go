package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/searching"
	"reverie/memory/markdown"
)

// chatHelp is the output of /help.
const chatHelp = `/why               which memories the last answer used, and why they were found
/forget N          forget memory N of the last answer (N.2: its second statement, N all: all of them)
/card              the morning card; confirm N, edit N <text> or forget N decides about its Nth fact
/remember <text>   remember a statement, at once and without a model
/context           the use of the context window
/tools             the memory tools that the model used
/help              this
/quit              end (or Ctrl-D); Ctrl-C stops an answer
`

// command runs a line that begins with a slash, and reports whether the talk is over.
func (t *talk) command(ctx context.Context, line string) (quit bool, err error) {
	name, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "/quit", "/exit":
		return true, nil
	case "/help", "/?":
		fmt.Fprint(t.out, chatHelp)
		return false, nil
	case "/why":
		return false, t.why(ctx)
	case "/forget":
		return false, t.forget(ctx, rest)
	case "/card":
		return false, t.decide(ctx, rest)
	case "/remember":
		return false, t.remember(ctx, rest)
	case "/context":
		return false, t.gauge(ctx)
	case "/tools":
		t.showTools()
		return false, nil
	}
	return false, fmt.Errorf("unknown command %s: /help lists the commands", output.OneLine(name, 40))
}

func (t *talk) remember(ctx context.Context, text string) error {
	if text == "" {
		return errors.New("add a statement: /remember my flight is on Friday at 8")
	}
	answer, err := t.client.Remember(ctx, t.Agent, wire.RememberParams{}, wire.RememberBody{
		Owner: t.Owner, Channel: t.Channel, Sender: t.Sender, EndUserID: t.EndUser, Speaker: t.speaker, Text: text,
	})
	saved := answer.Data
	switch {
	case err != nil:
		return err
	case t.JSON:
		return t.line(answer.Raw)
	}
	line := output.Shown(t.out, saved.Line)
	switch saved.Kind {
	case "unclear":
		return errors.New("nothing to remember: write a statement")
	case "held":
		fmt.Fprintf(t.out, "not remembered yet: %s\n  it instructs the assistant and waits for a person (`reverie memory held`)\n", line)
		saved.Receipt.Changes = nil
	case "noted":
		fmt.Fprintf(t.out, "only noted, in %s: %s\n  it may instruct the assistant\n", output.OneLine(saved.Path, 80), line)
		saved.Receipt.Changes = nil
	case "known": // the receipt of the first write
		fmt.Fprintf(t.out, "known already, in %s: %s\n", output.OneLine(saved.Path, 80), line)
		saved.Receipt.Changes = nil
	case "corrected":
		fmt.Fprintf(t.out, "corrected in %s: %s\n  before: %s\n", output.OneLine(saved.Path, 80), line, output.Shown(t.out, saved.Old))
	default:
		fmt.Fprintf(t.out, "%s in %s: %s\n", saved.Kind, output.OneLine(saved.Path, 80), line)
	}
	t.showWritten(saved.Receipt.Token, saved.Receipt.Changes)
	return nil
}

// showWritten prints the new versions, and the receipt.
func (t *talk) showWritten(token string, changes []wire.ChangeReceipt) {
	for _, change := range changes {
		if change.Changed {
			fmt.Fprintf(t.out, "  %s (%s) version %d, %s\n",
				output.OneLine(change.Path, 80), change.Scope, change.Version, output.Stat(change.Added, change.Removed))
		}
	}
	if token != "" {
		fmt.Fprintln(t.out, "  receipt "+token)
	}
}

// forget removes statements of a used memory from the documents.
func (t *talk) forget(ctx context.Context, which string) error {
	number, all := strings.CutSuffix(which, " all")
	number, part, isPart := strings.Cut(strings.TrimSpace(number), ".")
	n, err := strconv.Atoi(number)
	switch {
	case len(t.last.used) == 0:
		return errors.New("the last answer used no memory: ask about it first, then /forget its number")
	case err != nil || n < 1 || n > len(t.last.used):
		return fmt.Errorf("name a memory of the last answer: /forget N, from 1 to %d", len(t.last.used))
	}
	used := t.last.used[n-1]
	if strings.HasPrefix(used.Path, "sessions/") {
		return errors.New("messages cannot be forgotten, only statements of documents")
	}
	request := wire.ForgetBody{
		Owner: t.Owner, Channel: t.Channel, Sender: t.Sender, EndUserID: t.EndUser,
		Path: used.Path, Scope: used.Scope, StartLine: &used.StartLine, EndLine: &used.EndLine, Shown: used.Text,
	}
	statements := markdown.EntriesOf(used.Text)
	switch {
	case isPart:
		k, err := strconv.Atoi(part)
		if err != nil || k < 1 || k > len(statements) {
			return fmt.Errorf("memory %d has %s", n, output.Count(len(statements), "statement"))
		}
		request.Entry = string(statements[k-1].ID)
	case len(statements) > 1 && !all:
		fmt.Fprintf(t.out, "memory %d has %s:\n", n, output.Count(len(statements), "statement"))
		for i, statement := range statements {
			fmt.Fprintf(t.out, "  %d.%d  %s\n", n, i+1, output.OneLine(statement.Text, 200))
		}
		return fmt.Errorf("name one: /forget %d.1, or /forget %d all", n, n)
	}
	answer, err := t.client.Forget(ctx, t.Agent, wire.ForgetParams{}, request)
	done := answer.Data
	switch {
	case err != nil:
		return err
	case t.JSON:
		return t.line(answer.Raw)
	}
	for _, statement := range done.Statements {
		fmt.Fprintln(t.out, "forgotten: "+output.Shown(t.out, statement.Text))
	}
	t.showWritten(done.Receipt.Token, done.Receipt.Changes)
	return nil
}

// skipped explains why nothing was recalled.
var skipped = map[string]string{
	"trivial":     "the message needs no memory",
	"off":         "automatic recall is off for this agent (autoInject)",
	"disabled":    "memory is off for this agent",
	"nothing":     "nothing relevant was found",
	"unavailable": "memory could not be searched in time",
}

// why prints the memories that the last answer used, with their scores.
func (t *talk) why(ctx context.Context) error {
	if t.last.message == "" {
		return fmt.Errorf("no answer yet")
	}
	if len(t.last.used) == 0 {
		reason := "nothing relevant was found"
		switch {
		case t.last.answer.Model == "builtin/remember":
			reason = "what you asked to remember was saved without looking anything up"
		case skipped[t.last.answer.Context.Skipped] != "":
			reason = skipped[t.last.answer.Context.Skipped]
		}
		fmt.Fprintln(t.out, "no memory was used: "+reason)
		return nil
	}
	explained := map[string][]wire.Found{} // by the question that found it
	for i, u := range t.last.used {
		question := cmp.Or(u.question, t.last.message)
		if _, is := explained[question]; !is {
			found, err := t.explained(ctx, question)
			if err != nil {
				return err
			}
			explained[question] = found
		}
		about := []string{u.Scope, fmt.Sprintf("score %.2f", u.Score)}
		if !u.At.IsZero() {
			about = append(about, ago(time.Now(), u.At))
		}
		switch {
		case u.Tokens > 0:
			about = append(about, output.Count(u.Tokens, "token"))
		case !withoutModel(t.last.answer):
			about = append(about, "found by a tool"+askedFor(u.question))
		}
		fmt.Fprintf(t.out, "[%d] %s  %s\n", i+1, output.Emphasised(t.out, u.place()), strings.Join(about, ", "))
		for line := range strings.Lines(strings.TrimRight(u.Text, "\n")) {
			fmt.Fprintln(t.out, strings.TrimRight("      "+output.Shown(t.out, line), " \n"))
		}
		for _, result := range explained[question] {
			if result.Scope == u.Scope && result.Path == u.Path && result.StartLine <= u.StartLine && result.EndLine >= u.EndLine {
				searching.ShowExplanation(t.out, result.Explain)
			}
		}
	}
	return nil
}

// askedFor formats the query of a tool.
func askedFor(question string) string {
	if question == "" {
		return ""
	}
	return ` with "` + output.OneLine(question, 80) + `"`
}

// explainedResults is the maximum number of results of a search that explains an answer; no context has more.
const explainedResults = 20

// explained repeats a search with explanations. It does not count as a recall.
func (t *talk) explained(ctx context.Context, question string) ([]wire.Found, error) {
	answer, err := t.client.SearchMemory(ctx, t.Agent, wire.SearchMemoryParams{}, wire.SearchBody{
		Owner: t.Owner, Channel: t.Channel, Sender: t.Sender, EndUserID: t.EndUser, Query: output.OneLine(question, maxQuestion),
		MaxResults: new(explainedResults), MinScore: new(0.0), Explain: new(true), Synthetic: new(true),
	})
	return answer.Data.Results, err
}

// maxQuestion bounds the query of a search, in characters.
const maxQuestion = 4096

// ago formats the time since at, in the largest unit that fits.
func ago(now, at time.Time) string {
	switch d := now.Sub(at); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return output.Count(int(d.Minutes()), "minute") + " ago"
	case d < 24*time.Hour:
		return output.Count(int(d.Hours()), "hour") + " ago"
	default:
		return output.Count(int(d.Hours()/24), "day") + " ago"
	}
}

// showTools prints the tool calls of the last answer.
func (t *talk) showTools() {
	if len(t.last.answer.ToolCalls) == 0 {
		fmt.Fprintln(t.out, "no tool was used")
	}
	for _, used := range t.last.answer.ToolCalls {
		fmt.Fprintf(t.out, "%s\n  %s, %.0f ms\n", toolCall(used.Name, used.Arguments), outcome(used), used.TookMs)
	}
}

// gauge prints the use of the window at the last answer; before the first one, its use now.
func (t *talk) gauge(ctx context.Context) error {
	made := t.last.answer.Context
	if made.Ledger.Max == 0 {
		answer, err := t.client.AssembleContext(ctx, t.Agent, wire.AssembleContextParams{Wait: "0s"}, wire.ContextBody{
			Owner: t.Owner, Channel: t.Channel, Sender: t.Sender, EndUserID: t.EndUser,
			Conversation: t.conversation, Message: "?", Speaker: t.speaker, Model: t.model,
		})
		if err != nil {
			return err
		}
		made.Ledger, made.Counter = answer.Data.Ledger, answer.Data.Counter
		made.Summary, made.Flushing = answer.Data.Summary, answer.Data.Flushing
	}
	how := "estimated"
	if made.Counter.Exact {
		how = "counted exactly"
	}
	l := made.Ledger
	share := 100 * float64(l.Used) / float64(max(1, l.Max))
	fmt.Fprintf(t.out, "%s %d of %d tokens (%.1f %%, %s), summarised above %d\n",
		filled(l.Used, l.Trigger, l.Max), l.Used, l.Max, share, how, l.Trigger)
	fmt.Fprintf(t.out, "  %s\n", spent(l))
	if s := made.Summary; s.Tokens > 0 {
		fmt.Fprintf(t.out, "  messages up to %d are summarised in %s, by %s\n",
			s.To, output.Count(s.Tokens, "token"), output.OneLine(s.Model, 80))
	}
	if l.Trimmed+l.Cleared+l.Dropped > 0 {
		fmt.Fprintf(t.out, "  %d tool results trimmed, %d cleared, %s left out: %d tokens saved\n",
			l.Trimmed, l.Cleared, output.Count(l.Dropped, "message"), l.Saved)
	}
	if made.Flushing {
		fmt.Fprintln(t.out, "  older messages are being saved before they leave the window")
	}
	return nil
}

// spent formats the tokens of each part of a window.
func spent(l wire.Ledger) string {
	var out []string
	for _, part := range []struct {
		name   string
		tokens int
	}{
		{"system", l.System},
		{"tools", l.Tools},
		{"summary", l.Summary},
		{"goal", l.Goal},
		{fmt.Sprintf("history (%s)", output.Count(l.Messages, "message")), l.History},
		{"recall", l.Recall},
		{"message", l.Current},
	} {
		if part.tokens > 0 {
			out = append(out, fmt.Sprintf("%s %d", part.name, part.tokens))
		}
	}
	return strings.Join(out, " · ")
}

// gaugeWidth is the width of a gauge, in characters.
const gaugeWidth = 40

// filled draws the used share of a window, and the mark above which turns are summarised.
func filled(used, trigger, most int) string {
	most = max(1, most)
	at := func(n int) int { return min(gaugeWidth, (n*gaugeWidth+most-1)/most) }
	cells := []rune(strings.Repeat("█", at(used)) + strings.Repeat("░", gaugeWidth-at(used)))
	if mark := at(trigger); mark > 0 && mark < gaugeWidth {
		cells[mark] = '│'
	}
	return string(cells)
}
