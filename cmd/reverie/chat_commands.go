package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"reverie/memory"
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
	return false, fmt.Errorf("there is no %s: /help tells what there is", oneLine(name, 40))
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
	saved, answer, err := dataOf[rememberedLine](t.post(ctx, "remember", struct {
		personBody
		Speaker string `json:"speaker,omitempty"`
		Text    string `json:"text"`
	}{t.personBody(), t.speaker, text}))
	switch {
	case err != nil:
		return err
	case t.json:
		return t.line(answer.Data)
	}
	line := shown(t.out, saved.Line)
	switch saved.Kind {
	case "unclear":
		return errors.New("there is nothing in it to keep: write it as a statement")
	case "known": // the receipt is that of the write which saved it first
		fmt.Fprintf(t.out, "known already, in %s: %s\n", oneLine(saved.Path, 80), line)
		saved.Receipt.Changes = nil
	case "corrected":
		fmt.Fprintf(t.out, "corrected in %s: %s\n  before: %s\n", oneLine(saved.Path, 80), line, shown(t.out, saved.Old))
	default:
		fmt.Fprintf(t.out, "%s in %s: %s\n", saved.Kind, oneLine(saved.Path, 80), line)
	}
	t.showWritten(saved.Receipt.Token, saved.Receipt.Changes)
	return nil
}

// showWritten tells which versions were made, and the receipt.
func (t *talk) showWritten(token string, changes []memory.ChangeReceipt) {
	for _, change := range changes {
		if change.Changed {
			fmt.Fprintf(t.out, "  %s (%s) version %d, %s\n", oneLine(change.Path, 80), change.Scope, change.Version, stat(change.Added, change.Removed))
		}
	}
	if token != "" {
		fmt.Fprintln(t.out, "  receipt "+token)
	}
}

// forgetRequest names what is to be forgotten, as it was shown.
type forgetRequest struct {
	personBody
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
		personBody: t.personBody(), Path: used.Path, Scope: used.Scope, StartLine: used.StartLine, EndLine: used.EndLine, Shown: used.Text,
	}
	statements := memory.EntriesOf(used.Text)
	switch {
	case isPart:
		k, err := strconv.Atoi(part)
		if err != nil || k < 1 || k > len(statements) {
			return fmt.Errorf("memory %d has %s", n, count(len(statements), "statement"))
		}
		request.Entry = statements[k-1].ID
	case len(statements) > 1 && !all:
		fmt.Fprintf(t.out, "memory %d has %s:\n", n, count(len(statements), "statement"))
		for i, statement := range statements {
			fmt.Fprintf(t.out, "  %d.%d  %s\n", n, i+1, oneLine(statement.Text, 200))
		}
		return fmt.Errorf("say which: /forget %d.1, or /forget %d all", n, n)
	}
	done, answer, err := dataOf[forgottenLines](t.post(ctx, "forget", request))
	switch {
	case err != nil:
		return err
	case t.json:
		return t.line(answer.Data)
	}
	for _, statement := range done.Statements {
		fmt.Fprintln(t.out, "forgotten: "+shown(t.out, statement.Text))
	}
	t.showWritten(done.Receipt.Token, done.Receipt.Changes)
	return nil
}

// post asks for something of the agent, with a body.
func (t *talk) post(ctx context.Context, what string, body any) (apiAnswer, error) {
	path, err := t.agentPath(what)
	if err != nil {
		return apiAnswer{}, err
	}
	return t.client.call(ctx, apiRequest{method: "POST", path: path, body: body})
}
