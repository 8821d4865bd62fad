package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reverie/facts"
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

// recalledBefore is the time before the first message of a step in which a fact that a message corrects may have been found.
const recalledBefore = 30 * time.Minute

// judge records what the messages of a step show about the facts that searches found for them: those that the person corrects lose
// trust, those that an answer uses gain a little, once a day. A repeated step records nothing twice. Only facts in the documents that
// the extraction writes are judged: a conversation of one person does not change trust in what is shared.
func (p *proposing) judge(ctx context.Context) error {
	var turns []facts.Turn
	for _, m := range p.load.Messages {
		if m.Role == memory.RoleOfUser || m.Role == memory.RoleOfAssistant {
			turns = append(turns, facts.Turn{At: m.CreatedAt, Person: m.Role == memory.RoleOfUser, Text: m.Content})
		}
	}
	if len(turns) == 0 {
		return nil
	}
	from, to := turns[0].At.Add(-recalledBefore), turns[len(turns)-1].At
	found, err := p.Store.Recalled(ctx, p.id, p.load.Scope, from, to)
	if errors.Is(err, store.ErrFactsOff) {
		return nil
	}
	for _, f := range found {
		verdict, turn := facts.Judge(f.Statement, f.At, turns)
		opinion := stored.Feedback{Opinion: stored.Helpful, Weight: weightUsed, Reason: reasonUsed}
		switch verdict {
		case facts.Unused:
			continue
		case facts.Used:
			opinion.Key = reasonUsed + "/" + turns[turn].At.UTC().Format(time.DateOnly)
		case facts.Corrected:
			opinion = stored.Feedback{Opinion: stored.Unhelpful, Weight: weightCorrected, Reason: reasonCorrected}
			opinion.Key = fmt.Sprintf("%s/%s/%d", reasonCorrected, p.in.Conversation, turns[turn].At.UnixMicro())
		}
		_, err := p.Store.GiveFeedback(ctx, p.id, f.ID, opinion)
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrForbidden) { // it was changed meanwhile
			return err
		}
	}
	return err
}
