// Package conversations implements the commands that add conversations and show their extractions.
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

	"github.com/reverie-memory/reverie/client/wire"
	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

// Commands returns the commands of this package.
func Commands(s *session.Session) []*cobra.Command {
	c := commands{s}
	return []*cobra.Command{c.addCommand(), c.summarizeCommand(), c.extractionsCommand()}
}

type commands struct{ *session.Session }

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
		Use:   "add <file.json | file.jsonl | ->",
		Short: "Add conversations from a file",
		Long: `Add conversations from a file, or from standard input (-).

The file is one of
  a JSON array of messages         [{"role":"user","content":"…"}, …]
  a JSON object with its messages  {"conversation":"c1","endUserId":"42","messages":[…]}
  JSON Lines of messages           {"role":"user","content":"…"}
  JSON Lines of conversations      {"conversation":"c1","messages":[…]}
Fields are those of the API: a message has role and content, and may have id, name, finishReason, createdAt, toolCalls and
toolCallId; messages and conversations may have conversation, triggerSource and an owner (owner, or channel and sender, or
endUserId). Flags are the defaults. Without any name, a conversation is named after its file.

A message without an id gets one made of its position and text, so that adding a file again stores only what is new. A
conversation with a bad line is not sent, because nothing can be inserted later: repair the line and add the file again, or
leave such lines out with --skip-bad. All other conversations are sent.`,
		Args: session.NeedsArgs(1, 1, "a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.add(cmd, args[0], o) },
	}
	f := c.Flags()
	f.StringVar(&o.conversation, "conversation", "", "id of the conversation, when the file does not name it")
	f.StringVar(&o.source, "source", "", "origin of the conversations (web, channel, api, cron), when the file does not name it")
	f.BoolVar(&o.wait, "wait", false, "extract now, wait for it and show the outcome")
	f.BoolVar(&o.open, "open", false, "the last turn is not complete: store only, extract nothing yet")
	f.BoolVar(&o.skipBad, "skip-bad", false, "send conversations without their bad lines")
	c.MarkFlagsMutuallyExclusive("wait", "open")
	return c
}

// add reads the file, reports bad lines, and sends the rest.
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
	adding := adding{
		commands: s, addOptions: o, name: name, notes: cmd.ErrOrStderr(),
		summary: addSummary{Faults: len(file.faults), Conversations: []addedConversation{}},
	}
	if err := adding.send(cmd, file.conversations); err != nil {
		return err
	}
	if err := adding.show(cmd); err != nil {
		return err
	}
	return adding.verdict()
}

// readInput returns the content of the named file, and the default name of its conversation.
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

// shownFaults bounds the bad lines that are listed.
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

// addSummary is the output of `memory add --json`.
type addSummary struct {
	Conversations []addedConversation `json:"conversations"`
	Faults        int                 `json:"faults"` // bad lines
}

type addedConversation struct {
	Conversation string          `json:"conversation"`
	Messages     int             `json:"messages"` // in the file
	Stored       int             `json:"stored"`   // new
	Duplicates   int             `json:"duplicates"`
	HeldBack     bool            `json:"heldBack,omitempty"` // not sent because of its bad lines
	Extraction   string          `json:"extraction,omitempty"`
	Outcome      json.RawMessage `json:"outcome,omitempty"` // of --wait, as the API sent it

	ended *wire.Run
}

// show prints a line for each conversation.
func (a *adding) show(cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	if a.JSON {
		return output.Encode(out, a.summary)
	}
	for _, c := range a.summary.Conversations {
		fmt.Fprintf(out, "%s: %s\n", output.OneLine(c.Conversation, 80), c)
		if c.ended != nil {
			showOutcome(out, *c.ended, "  ")
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
		text += ", extraction follows when the workflow service is available"
	}
	return text
}

// verdict returns the error of the command when not everything was done.
func (a *adding) verdict() error {
	var errs []error
	held := 0
	for _, c := range a.summary.Conversations {
		if c.HeldBack {
			held++
		}
		if c.ended != nil {
			if err := problem(*c.ended); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", c.Conversation, err))
			}
		}
	}
	if a.summary.Faults > 0 {
		text := fmt.Sprintf("%s: %s cannot be used", a.name, output.Count(a.summary.Faults, "line"))
		if held > 0 {
			text += fmt.Sprintf(", %s held back: repair the lines and add the file again, or leave them out with --skip-bad",
				output.Count(held, "conversation"))
		}
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// maxBatchBytes bounds the text of one request. The server accepts 32 MiB, and JSON's escapes may multiply the size by six.
const maxBatchBytes = 4 << 20

// adding is one run of `memory add`.
type adding struct {
	commands
	addOptions
	name    string
	notes   io.Writer // standard error
	client  *wire.Client
	summary addSummary
}

// send stores every conversation without bad lines, batch by batch.
func (a *adding) send(cmd *cobra.Command, conversations []*fileConversation) error {
	var err error
	if a.client, err = a.AgentClient(); err != nil {
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

// stopped adds how far a conversation came, and whether repeating the command can help.
func stopped(a addedConversation, err error) error {
	err = fmt.Errorf("%s: stopped after %d of %d messages: %w", a.Conversation, a.Stored+a.Duplicates, a.Messages, err)
	if refused, found := errors.AsType[*wire.Error](err); found && !refused.Busy() {
		return err
	}
	return fmt.Errorf("%w\nThe stored messages stay; the same command continues after them", err)
}

func (a *adding) sendOne(ctx context.Context, c *fileConversation, added *addedConversation, bar *output.Bar) error {
	complete := !c.open && !a.open
	for _, batch := range batches(c.messages) {
		last := added.Stored+added.Duplicates+len(batch) == len(c.messages)
		answer, err := a.client.AddMessages(ctx, a.Agent, c.Conversation, wire.AddMessagesBody{
			Owner: c.Owner, Channel: c.Channel, Sender: c.Sender, EndUserID: c.EndUserID, TriggerSource: c.TriggerSource,
			TurnComplete: new(complete && last), Messages: batch,
		})
		if err != nil {
			return err
		}
		result := answer.Data
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

// batches splits messages into requests.
func batches(messages []wire.MessageInput) [][]wire.MessageInput {
	var out [][]wire.MessageInput
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

// extract extracts memory from the conversation now and waits for the outcome.
func (a *adding) extract(ctx context.Context, c *fileConversation, added *addedConversation) error {
	of := commands{&session.Session{Owner: c.Owner, Channel: c.Channel, Sender: c.Sender, EndUser: c.EndUserID, Agent: a.Agent}}
	answer, err := of.summarize(ctx, a.client, c.Conversation, a.notes)
	if err != nil {
		return err
	}
	added.Outcome, added.ended = answer.Raw, &answer.Data
	return nil
}
