package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"reverie/memory"
)

// maxBatchBytes bounds the words of one request. The server takes 32 MiB, which JSON's escapes may multiply by six.
const maxBatchBytes = 4 << 20

// adding is one run of `memory add`.
type adding struct {
	*session
	addOptions
	name    string
	notes   io.Writer // standard error
	client  *apiClient
	summary addSummary
}

// send stores every conversation that is whole, batch by batch.
func (a *adding) send(cmd *cobra.Command, conversations []*fileConversation) error {
	var err error
	if a.client, err = a.session.client(); err != nil {
		return err
	}
	total := 0
	for _, c := range conversations {
		total += len(c.messages)
	}
	bar := progress(cmd.ErrOrStderr(), total)
	defer bar.finish()
	for _, c := range conversations {
		added := addedConversation{Conversation: c.Conversation, Messages: len(c.messages)}
		switch {
		case c.faulty > 0 && !a.skipBad:
			added.HeldBack = true
			bar.add(len(c.messages))
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
	if refused, found := errors.AsType[*apiError](err); found && !refused.busy() {
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

func (a *adding) sendOne(ctx context.Context, c *fileConversation, added *addedConversation, bar *bar) error {
	path, err := a.agentPath("conversations", c.Conversation, "messages")
	if err != nil {
		return err
	}
	complete := !c.open && !a.open
	for _, batch := range batches(c.messages) {
		last := added.Stored+added.Duplicates+len(batch) == len(c.messages)
		result, _, err := dataOf[addResult](a.client.call(ctx, apiRequest{method: "POST", path: path, body: addRequest{
			Owner: c.Owner, Channel: c.Channel, Sender: c.Sender, EndUserID: c.EndUserID, TriggerSource: c.TriggerSource,
			TurnComplete: complete && last, Messages: batch,
		}}))
		if err != nil {
			return err
		}
		added.Stored += result.Stored
		added.Duplicates += result.Duplicates
		added.Extraction = result.Extraction.Status
		bar.add(len(batch))
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
	of := session{owner: c.Owner, channel: c.Channel, sender: c.Sender, person: c.EndUserID, agent: a.agent}
	ended, answer, err := of.summarize(ctx, a.client, c.Conversation, a.notes)
	if err != nil {
		return err
	}
	added.Outcome, added.ending = answer.Data, &ended
	return nil
}

// bar is a progress bar on a terminal, and nothing elsewhere.
type bar struct{ shown *progressbar.ProgressBar }

func progress(w io.Writer, total int) *bar {
	if !isTerminal(w) {
		return &bar{}
	}
	return &bar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("messages"), progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true),
	)}
}

func (b *bar) add(n int) {
	if b.shown != nil {
		_ = b.shown.Add(n) // it only fails to draw
	}
}

func (b *bar) finish() {
	if b.shown != nil {
		_ = b.shown.Finish()
	}
}
