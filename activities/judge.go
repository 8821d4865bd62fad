package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reverie/facts/judge"
	"reverie/memory"
	"reverie/store"
	stored "reverie/store/facts"
)

// Weights of what a conversation shows about a fact; a person's opinion weighs 1.
const (
	weightCorrected = .5
	weightUsed      = .1
)

// Reasons of feedback without an opinion.
const (
	reasonCorrected = "corrected"
	reasonUsed      = "used"
)

// recalledBefore is the time by which a search or a context may precede the first message that it was made for.
const recalledBefore = 30 * time.Minute

// judge records what the messages of a step show about the facts that were before the assistant in this conversation, in the system
// prompt, in its context or as results of its searches: those that the person corrects lose trust, those that an answer uses gain a
// little, once a day. A repeated step records nothing twice. Only facts in the documents that the extraction writes are judged: a
// conversation of one person does not change trust in what is shared.
func (p *proposing) judge(ctx context.Context) error {
	turns := turnsOf(p.load.Messages)
	if len(turns) == 0 {
		return nil
	}
	last := turns[len(turns)-1].At
	before := turnsOf(p.load.Before)
	for i := range before { // another step judges by what they say
		before[i].Text = ""
	}
	turns = append(before, turns...)
	found, err := p.Store.Recalled(ctx, p.id, p.load.Scope, p.load.Conversation.ID, turns[0].At.Add(-recalledBefore), last)
	if errors.Is(err, store.ErrFactsOff) {
		return nil
	}
	conversation := judge.NewConversation(turns)
	for _, f := range found {
		verdict, turn := conversation.Judge(f.Statement, f.At, f.Prompt)
		opinion := stored.Feedback{Opinion: stored.Helpful, Weight: weightUsed, Reason: reasonUsed}
		switch verdict {
		case judge.Unused:
			continue
		case judge.Used:
			opinion.Key = reasonUsed + "/" + turns[turn].At.UTC().Format(time.DateOnly)
		case judge.Corrected:
			opinion = stored.Feedback{Opinion: stored.Unhelpful, Weight: weightCorrected, Reason: reasonCorrected}
			opinion.Key = fmt.Sprintf("%s/%s/%d", reasonCorrected, p.in.Conversation, turns[turn].At.UnixMicro())
		}
		_, err := p.Store.GiveFeedback(ctx, p.id, f.ID, opinion)
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrForbidden) { // it was changed concurrently
			return err
		}
	}
	return err
}

// turnsOf returns what the person and the assistant said.
func turnsOf(messages []memory.Message) (turns []judge.Turn) {
	for _, m := range messages {
		if m.Role == memory.RoleOfUser || m.Role == memory.RoleOfAssistant {
			turns = append(turns, judge.Turn{At: m.CreatedAt, Person: m.Role == memory.RoleOfUser, Text: m.Content})
		}
	}
	return turns
}
