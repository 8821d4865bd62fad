package conversations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

// addOptions are the flags of `memory add`.
type addOptions struct {
	conversation string
	source       string
	wait         bool
	open         bool
	skipBad      bool
}

func (s commands) addCommand() *cobra.Command {
	var o addOptions
	c := &cobra.Command{
		Use:   "add <file.JSON | file.jsonl | ->",
		Short: "Add conversations from a file",
		Long: `Add conversations from a file, or from standard input (-).

The file is one of
  a JSON array of messages         [{"role":"user","content":"…"}, …]
  a JSON object with its messages  {"conversation":"c1","endUserId":"42","messages":[…]}
  JSON Lines of messages           {"role":"user","content":"…"}
  JSON Lines of conversations      {"conversation":"c1","messages":[…]}
Names are those of the API: a message has role and content, and may have id, name, finishReason, createdAt, toolCalls and
toolCallId; messages and conversations may say conversation, triggerSource and whose they are (owner, or channel and
sender, or endUserId). Flags say it for those that do not. Without any name, a conversation is called after its file.

A message without an id gets one from its place and its words, so that adding a file again stores only what is new. A
conversation with a line that cannot be used is not sent, since nothing can be put into its middle later: repair the line
and add the file again, or leave such lines out with --skip-bad. All other conversations are sent.`,
		Args: session.NeedsArgs(1, 1, "a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.add(cmd, args[0], o) },
	}
	f := c.Flags()
	f.StringVar(&o.conversation, "conversation", "", "id of the conversation, when the file does not say it")
	f.StringVar(&o.source, "source", "", "where conversations come from (web, channel, api, cron), when the file does not say it")
	f.BoolVar(&o.wait, "wait", false, "extract now, wait for it and show what became of it")
	f.BoolVar(&o.open, "open", false, "the last turn goes on: store only, extract nothing yet")
	f.BoolVar(&o.skipBad, "skip-bad", false, "send conversations without the lines that cannot be used")
	c.MarkFlagsMutuallyExclusive("wait", "open")
	return c
}

// add reads the file, reports what cannot be used, and sends the rest.
func (s commands) add(cmd *cobra.Command, name string, o addOptions) error {
	content, conversation, err := readInput(cmd.InOrStdin(), name)
	if err != nil {
		return err
	}
	given := fileAddress{
		Conversation: o.conversation, TriggerSource: o.source,
		Owner: s.Owner, Channel: s.Channel, Sender: s.Sender, EndUserID: s.EndUser,
	}
	file := readConversations(content, given, conversation)
	report(cmd.ErrOrStderr(), name, file.faults)
	adding := adding{commands: s, addOptions: o, name: name, notes: cmd.ErrOrStderr(), summary: addSummary{Faults: len(file.faults), Conversations: []addedConversation{}}}
	if err := adding.send(cmd, file.conversations); err != nil {
		return err
	}
	if err := adding.show(cmd); err != nil {
		return err
	}
	return adding.verdict()
}

// readInput returns the content of the named file, and what its conversation is called if nothing says it.
func readInput(stdin io.Reader, name string) (content []byte, conversation string, err error) {
	if name == "-" {
		content, err = io.ReadAll(stdin)
	} else {
		content, err = os.ReadFile(name)
		conversation = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	if err == nil && len(strings.TrimSpace(string(content))) == 0 {
		err = fmt.Errorf("%s is empty", name)
	}
	return content, conversation, err
}

// shownFaults is how many bad lines are listed.
const shownFaults = 20

func report(w io.Writer, name string, faults []lineFault) {
	for i, f := range faults {
		if i == shownFaults {
			fmt.Fprintf(w, "… and %d more\n", len(faults)-i)
			return
		}
		fmt.Fprintf(w, "%s:%d: %s\n", name, f.line, f.why)
	}
}

// addSummary is what `memory add --json` prints.
type addSummary struct {
	Conversations []addedConversation `json:"conversations"`
	Faults        int                 `json:"faults"` // lines that cannot be used
}

type addedConversation struct {
	Conversation string          `json:"conversation"`
	Messages     int             `json:"messages"` // in the file
	Stored       int             `json:"stored"`   // new
	Duplicates   int             `json:"duplicates"`
	HeldBack     bool            `json:"heldBack,omitempty"` // not sent because of its bad lines
	Extraction   string          `json:"extraction,omitempty"`
	Outcome      json.RawMessage `json:"outcome,omitempty"` // of --wait, as the API said it

	ending *ending
}

// show prints a line for each conversation.
func (a *adding) show(cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	if a.JSON {
		encoded, err := json.Marshal(a.summary)
		if err != nil {
			return err
		}
		return output.JSON(out, encoded)
	}
	for _, c := range a.summary.Conversations {
		fmt.Fprintf(out, "%s: %s\n", output.OneLine(c.Conversation, 80), c)
		if c.ending != nil {
			c.ending.show(out, "  ")
		}
	}
	return nil
}

func (c addedConversation) String() string {
	if c.HeldBack {
		return "not sent because of its bad lines"
	}
	text := output.Count(c.Stored, "message") + " stored"
	if c.Duplicates > 0 {
		text += fmt.Sprintf(", %d known already", c.Duplicates)
	}
	switch c.Extraction {
	case "scheduled":
		text += ", extraction scheduled"
	case "pending":
		text += ", extraction follows when workflows can be reached"
	}
	return text
}

// verdict is the error with which the command ends when not all was done.
func (a *adding) verdict() error {
	var errs []error
	held := 0
	for _, c := range a.summary.Conversations {
		if c.HeldBack {
			held++
		}
		if c.ending != nil && !c.ending.fine() {
			errs = append(errs, fmt.Errorf("%s: %s", c.Conversation, c.ending.problem()))
		}
	}
	if a.summary.Faults > 0 {
		text := fmt.Sprintf("%s: %s cannot be used", a.name, output.Count(a.summary.Faults, "line"))
		if held > 0 {
			text += fmt.Sprintf(", %s held back: repair the lines and add the file again, or leave them out with --skip-bad", output.Count(held, "conversation"))
		}
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// maxBatchBytes bounds the words of one request. The server takes 32 MiB, which JSON's escapes may multiply by six.
const maxBatchBytes = 4 << 20

// adding is one run of `memory add`.
type adding struct {
	commands
	addOptions
	name    string
	notes   io.Writer // standard error
	client  *session.Client
	summary addSummary
}

// send stores every conversation that is whole, batch by batch.
func (a *adding) send(cmd *cobra.Command, conversations []*fileConversation) error {
	var err error
	if a.client, err = a.Client(); err != nil {
		return err
	}
	total := 0
	for _, c := range conversations {
		total += len(c.messages)
	}
	bar := output.NewBar(cmd.ErrOrStderr(), "messages", total)
	defer bar.Finish()
	for _, c := range conversations {
		added := addedConversation{Conversation: c.Conversation, Messages: len(c.messages)}
		switch {
		case c.faulty > 0 && !a.skipBad:
			added.HeldBack = true
			bar.Add(len(c.messages))
		case len(c.messages) > 0:
			if err := a.sendOne(cmd.Context(), c, &added, bar); err != nil {
				return stopped(added, err)
			}
		}
		a.summary.Conversations = append(a.summary.Conversations, added)
	}
	return nil
}

// stopped tells how far a conversation came, and that the command may be given again when that can help.
func stopped(a addedConversation, err error) error {
	err = fmt.Errorf("%s: stopped after %d of %d messages: %w", a.Conversation, a.Stored+a.Duplicates, a.Messages, err)
	if refused, found := errors.AsType[*session.Error](err); found && !refused.Busy() {
		return err
	}
	return fmt.Errorf("%w\nWhat is stored stays; the same command goes on behind it", err)
}

// addRequest is the body of a batch.
type addRequest struct {
	Owner         string        `json:"owner,omitempty"`
	Channel       string        `json:"channel,omitempty"`
	Sender        string        `json:"sender,omitempty"`
	EndUserID     string        `json:"endUserId,omitempty"`
	TriggerSource string        `json:"triggerSource,omitempty"`
	TurnComplete  bool          `json:"turnComplete"`
	Messages      []fileMessage `json:"messages"`
}

// addResult is the answer to a batch.
type addResult struct {
	Stored     int `json:"stored"`
	Duplicates int `json:"duplicates"`
	Extraction struct {
		Status string `json:"status"`
	} `json:"extraction"`
}

func (a *adding) sendOne(ctx context.Context, c *fileConversation, added *addedConversation, bar *output.Bar) error {
	path, err := a.AgentPath("conversations", c.Conversation, "messages")
	if err != nil {
		return err
	}
	complete := !c.open && !a.open
	for _, batch := range batches(c.messages) {
		last := added.Stored+added.Duplicates+len(batch) == len(c.messages)
		result, _, err := session.DataOf[addResult](a.client.Call(ctx, session.Request{Method: "POST", Path: path, Body: addRequest{
			Owner: c.Owner, Channel: c.Channel, Sender: c.Sender, EndUserID: c.EndUserID, TriggerSource: c.TriggerSource,
			TurnComplete: complete && last, Messages: batch,
		}}))
		if err != nil {
			return err
		}
		added.Stored += result.Stored
		added.Duplicates += result.Duplicates
		added.Extraction = result.Extraction.Status
		bar.Add(len(batch))
	}
	if a.wait && complete {
		return a.extract(ctx, c, added)
	}
	return nil
}

// batches cuts messages into what one request may carry.
func batches(messages []fileMessage) [][]fileMessage {
	var out [][]fileMessage
	start, size := 0, 0
	for i, m := range messages {
		size += len(m.Content)
		if i > start && (i-start == memory.MaxBatchMessages || size > maxBatchBytes) {
			out = append(out, messages[start:i])
			start, size = i, len(m.Content)
		}
	}
	return append(out, messages[start:])
}

// extract has the conversation extracted now and waits for the outcome.
func (a *adding) extract(ctx context.Context, c *fileConversation, added *addedConversation) error {
	of := commands{&session.Session{Owner: c.Owner, Channel: c.Channel, Sender: c.Sender, EndUser: c.EndUserID, Agent: a.Agent}}
	ended, answer, err := of.summarize(ctx, a.client, c.Conversation, a.notes)
	if err != nil {
		return err
	}
	added.Outcome, added.ending = answer.Data, &ended
	return nil
}
