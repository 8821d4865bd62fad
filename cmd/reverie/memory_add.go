package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// addOptions are the flags of `memory add`.
type addOptions struct {
	conversation string
	source       string
	wait         bool
	open         bool
	skipBad      bool
}

func (s *session) addCommand() *cobra.Command {
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
Names are those of the API: a message has role and content, and may have id, name, finishReason, createdAt, toolCalls and
toolCallId; messages and conversations may say conversation, triggerSource and whose they are (owner, or channel and
sender, or endUserId). Flags say it for those that do not. Without any name, a conversation is called after its file.

A message without an id gets one from its place and its words, so that adding a file again stores only what is new. A
conversation with a line that cannot be used is not sent, since nothing can be put into its middle later: repair the line
and add the file again, or leave such lines out with --skip-bad. All other conversations are sent.`,
		Args: needsArgs(1, 1, "a file, or - for standard input"),
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
func (s *session) add(cmd *cobra.Command, name string, o addOptions) error {
	content, conversation, err := readInput(cmd.InOrStdin(), name)
	if err != nil {
		return err
	}
	given := fileAddress{
		Conversation: o.conversation, TriggerSource: o.source,
		Owner: s.owner, Channel: s.channel, Sender: s.sender, EndUserID: s.person,
	}
	file := readConversations(content, given, conversation)
	report(cmd.ErrOrStderr(), name, file.faults)
	adding := adding{session: s, addOptions: o, name: name, notes: cmd.ErrOrStderr(), summary: addSummary{Faults: len(file.faults), Conversations: []addedConversation{}}}
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
	if a.json {
		encoded, err := json.Marshal(a.summary)
		if err != nil {
			return err
		}
		return printJSON(out, encoded)
	}
	for _, c := range a.summary.Conversations {
		fmt.Fprintf(out, "%s: %s\n", oneLine(c.Conversation, 80), c)
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
	text := count(c.Stored, "message") + " stored"
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
		text := fmt.Sprintf("%s: %s cannot be used", a.name, count(a.summary.Faults, "line"))
		if held > 0 {
			text += fmt.Sprintf(", %s held back: repair the lines and add the file again, or leave them out with --skip-bad", count(held, "conversation"))
		}
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}
