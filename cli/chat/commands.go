package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"reverie/cli/output"
	"reverie/cli/searching"
	"reverie/cli/session"
	"reverie/memory"
	"reverie/window"
)

// chatHelp is what /help prints.
const chatHelp = `/why               which memories the last answer was made with, and why they were found
/forget N          forget memory N of the last answer (N.2: its second statement, N all: all of them)
/remember <text>   remember a statement, at once and without a model
/context           how full the context window is, and of what
/tools             what the model did with the memory tools
/help              this
/quit              end (or Ctrl-D); Ctrl-C stops an answer
`

// command does what a line that begins with a slash says, and reports whether the talk is over.
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
	case "/remember":
		return false, t.remember(ctx, rest)
	case "/context":
		return false, t.gauge(ctx)
	case "/tools":
		t.showTools()
		return false, nil
	}
	return false, fmt.Errorf("there is no %s: /help tells what there is", output.OneLine(name, 40))
}

// rememberedLine is what the API answers to a request to remember.
type rememberedLine struct {
	Kind    string `json:"kind"`
	Line    string `json:"line"`
	Old     string `json:"old"`
	Path    string `json:"path"`
	Receipt struct {
		Token   string                 `json:"token"`
		Changes []memory.ChangeReceipt `json:"changes"`
	} `json:"receipt"`
}

func (t *talk) remember(ctx context.Context, text string) error {
	if text == "" {
		return errors.New("say what: /remember my flight is on Friday at 8")
	}
	saved, answer, err := session.DataOf[rememberedLine](t.post(ctx, "remember", struct {
		session.Person
		Speaker string `json:"speaker,omitempty"`
		Text    string `json:"text"`
	}{t.Body(), t.speaker, text}))
	switch {
	case err != nil:
		return err
	case t.JSON:
		return t.line(answer.Data)
	}
	line := output.Shown(t.out, saved.Line)
	switch saved.Kind {
	case "unclear":
		return errors.New("there is nothing in it to keep: write it as a statement")
	case "known": // the receipt is that of the write which saved it first
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

// showWritten tells which versions were made, and the receipt.
func (t *talk) showWritten(token string, changes []memory.ChangeReceipt) {
	for _, change := range changes {
		if change.Changed {
			fmt.Fprintf(t.out, "  %s (%s) version %d, %s\n", output.OneLine(change.Path, 80), change.Scope, change.Version, output.Stat(change.Added, change.Removed))
		}
	}
	if token != "" {
		fmt.Fprintln(t.out, "  receipt "+token)
	}
}

// forgetRequest names what is to be forgotten, as it was shown.
type forgetRequest struct {
	session.Person
	Path      string         `json:"path"`
	Scope     memory.Scope   `json:"scope"`
	StartLine int            `json:"startLine"`
	EndLine   int            `json:"endLine"`
	Entry     memory.EntryID `json:"entry,omitempty"`
	Shown     string         `json:"shown"`
}

// forgottenLines is what the API answers.
type forgottenLines struct {
	Statements []struct {
		Text string `json:"text"`
	} `json:"statements"`
	Receipt struct {
		Token   string                 `json:"token"`
		Changes []memory.ChangeReceipt `json:"changes"`
	} `json:"receipt"`
}

// forget takes statements of a memory that was used out of the documents.
func (t *talk) forget(ctx context.Context, which string) error {
	number, all := strings.CutSuffix(which, " all")
	number, part, isPart := strings.Cut(strings.TrimSpace(number), ".")
	n, err := strconv.Atoi(number)
	switch {
	case len(t.last.used) == 0:
		return errors.New("the last answer was made with no memory: ask about what is to be forgotten, then /forget its number")
	case err != nil || n < 1 || n > len(t.last.used):
		return fmt.Errorf("say which memory of the last answer: /forget N, from 1 to %d", len(t.last.used))
	}
	used := t.last.used[n-1]
	if strings.HasPrefix(used.Path, "sessions/") {
		return errors.New("that was said in a conversation, which stays as it is; what documents say can be forgotten")
	}
	request := forgetRequest{
		Person: t.Body(), Path: used.Path, Scope: used.Scope, StartLine: used.StartLine, EndLine: used.EndLine, Shown: used.Text,
	}
	statements := memory.EntriesOf(used.Text)
	switch {
	case isPart:
		k, err := strconv.Atoi(part)
		if err != nil || k < 1 || k > len(statements) {
			return fmt.Errorf("memory %d has %s", n, output.Count(len(statements), "statement"))
		}
		request.Entry = statements[k-1].ID
	case len(statements) > 1 && !all:
		fmt.Fprintf(t.out, "memory %d has %s:\n", n, output.Count(len(statements), "statement"))
		for i, statement := range statements {
			fmt.Fprintf(t.out, "  %d.%d  %s\n", n, i+1, output.OneLine(statement.Text, 200))
		}
		return fmt.Errorf("say which: /forget %d.1, or /forget %d all", n, n)
	}
	done, answer, err := session.DataOf[forgottenLines](t.post(ctx, "forget", request))
	switch {
	case err != nil:
		return err
	case t.JSON:
		return t.line(answer.Data)
	}
	for _, statement := range done.Statements {
		fmt.Fprintln(t.out, "forgotten: "+output.Shown(t.out, statement.Text))
	}
	t.showWritten(done.Receipt.Token, done.Receipt.Changes)
	return nil
}

// post asks for something of the agent, with a body.
func (t *talk) post(ctx context.Context, what string, body any) (*http.Response, error) {
	path, err := t.AgentPath(what)
	if err != nil {
		return nil, err
	}
	return t.client.Call(ctx, session.Request{Method: "POST", Path: path, Body: body})
}

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
	explained := map[string]searching.Answer{} // by the question that found it
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
			about = append(about, output.Count(u.Tokens, "token"))
		case !t.last.answer.withoutModel():
			about = append(about, "found by a tool"+askedFor(u.question))
		}
		fmt.Fprintf(t.out, "[%d] %s  %s\n", i+1, output.Emphasised(t.out, u.place()), strings.Join(about, ", "))
		for line := range strings.Lines(strings.TrimRight(u.Text, "\n")) {
			fmt.Fprintln(t.out, strings.TrimRight("      "+output.Shown(t.out, line), " \n"))
		}
		for _, result := range explained[question].Results {
			if result.Explain != nil && result.Scope == u.Scope && result.Path == u.Path && result.StartLine <= u.StartLine && result.EndLine >= u.EndLine {
				searching.Explain(t.out, *result.Explain)
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
	return ` with "` + output.OneLine(question, 80) + `"`
}

// explainedResults is how many results a search has that explains an answer: more than any context holds.
const explainedResults = 20

// explained searches once more for what was asked, with reasons, and without counting as a use.
func (t *talk) explained(ctx context.Context, question string) (searching.Answer, error) {
	path, err := t.AgentPath("memory", "search")
	if err != nil {
		return searching.Answer{}, err
	}
	answer, _, err := session.DataOf[searching.Answer](t.client.Call(ctx, session.Request{Method: http.MethodPost, Path: path, Body: struct {
		session.Person
		Query      string  `json:"query"`
		MaxResults int     `json:"maxResults"`
		MinScore   float64 `json:"minScore"`
		Explain    bool    `json:"explain"`
		Synthetic  bool    `json:"synthetic"`
	}{t.Body(), output.OneLine(question, maxQuestion), explainedResults, 0, true, true}}))
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
		return output.Count(int(d.Minutes()), "minute") + " ago"
	case d < 24*time.Hour:
		return output.Count(int(d.Hours()), "hour") + " ago"
	default:
		return output.Count(int(d.Hours()/24), "day") + " ago"
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
	session.Person
	Conversation string `json:"conversation"`
	Message      string `json:"message"`
	Speaker      string `json:"speaker,omitempty"`
	Model        string `json:"model,omitempty"`
}

// gauge shows how full the window was at the last answer; in front of the first one, how full it would be.
func (t *talk) gauge(ctx context.Context) error {
	made := t.last.answer.Context
	if made.Ledger.Max == 0 {
		path, err := t.AgentPath("context")
		if err != nil {
			return err
		}
		if made, _, err = session.DataOf[chatContext](t.client.Call(ctx, session.Request{
			Method: http.MethodPost, Path: path, Query: map[string][]string{"wait": {"0s"}},
			Body: contextRequest{t.Body(), t.conversation, "?", t.speaker, t.model},
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
		fmt.Fprintf(t.out, "  messages up to %d are summarised in %s, by %s\n", s.To, output.Count(s.Tokens, "token"), output.OneLine(s.Model, 80))
	}
	if l.Trimmed+l.Cleared+l.Dropped > 0 {
		fmt.Fprintf(t.out, "  %d tool results trimmed, %d cleared, %s left out: %d tokens saved\n", l.Trimmed, l.Cleared, output.Count(l.Dropped, "message"), l.Saved)
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
