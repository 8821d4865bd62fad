package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reverie/memory"
)

// AnswerTime is what a turn keeps of the time that it has for what comes after it has waited for a compaction: reading the
// conversation again, and answering.
const AnswerTime = 15 * time.Second

const (
	// maxFlushes is how often what leaves a window is flushed before it is given up: others may write to the conversation
	// meanwhile.
	maxFlushes = 3
	// settleMargin is what a compaction may take beside its model calls, each of which has a deadline of its own.
	settleMargin = 15 * time.Second
	// roomPatience is how long a turn waits for a summary that it can do without, since everything still fits: the compaction
	// goes on behind it, and the next turn has the summary.
	roomPatience = 15 * time.Second
)

// settle has done what must be done before the window may be used: nothing leaves it that was not flushed. It reports whether
// the conversation has to be read again.
func (a *assembly) settle(ctx context.Context, flushes int) (again bool, err error) {
	if !a.load.Found {
		return false, nil
	}
	if to := a.result.Compact; to > 0 && !a.compacted {
		a.compacted = true
		done, err := a.compact(ctx, to)
		if done || err != nil {
			return done, err
		}
	}
	unsent := a.result.Unsent
	if unsent <= a.load.Conversation.Flushed {
		return false, nil
	}
	if flushes > maxFlushes {
		return false, fmt.Errorf("context: messages come in faster than they are flushed: %w", ErrStillRunning)
	}
	settings := a.compactSettings()
	if a.request.NoWait {
		settings = byRules(settings)
	}
	waiting, cancel := within(ctx, 2*settings.Flush.Deadline+settleMargin) // of the model, and then of rules
	defer cancel()
	if err := a.Compactor.Flush(waiting, a.compactRequest(unsent, settings)); err != nil {
		return false, fmt.Errorf("context: %w", err)
	}
	return true, nil
}

// compact has earlier turns summarised and reports whether they are. When they cannot be, the turn goes on without a summary, as
// long as nothing is lost by that.
func (a *assembly) compact(ctx context.Context, to int64) (done bool, err error) {
	settings := a.compactSettings()
	r := a.compactRequest(to, settings)
	if a.request.NoWait && a.request.Emergency == 0 {
		a.Compactor.CompactSoon(ctx, r)
		return false, nil
	}
	patience := settings.Flush.Deadline + settings.SummaryDeadline + settleMargin
	if a.result.Unsent == 0 {
		patience = min(patience, roomPatience)
	}
	waiting, cancel := within(ctx, patience)
	defer cancel()
	if err = a.Compactor.Compact(waiting, r); err == nil {
		return true, nil
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("context: %w", err)
	}
	a.notCompacted(ctx, r, err)
	return false, nil
}

// within bounds a wait, so that there is time for an answer behind it.
func within(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	if deadline, bounded := ctx.Deadline(); bounded {
		patience = max(0, min(patience, time.Until(deadline)-AnswerTime))
	}
	return context.WithTimeout(ctx, patience)
}

func (s *Service) notCompacted(ctx context.Context, r CompactRequest, err error) {
	if err != nil && !errors.Is(err, ErrStillRunning) {
		s.Log.WarnContext(ctx, "Earlier turns are not summarised", "error", err, "conversation", r.Conversation)
	}
}

// compactSettings are those of what the window asks for. An emergency asks no model: it has just said that it takes no more.
func (a *assembly) compactSettings() memory.CompactSettings {
	settings := a.settings.Compact(a.Extract.With(a.agent.Settings))
	if a.request.Emergency > 0 {
		return byRules(settings)
	}
	return settings
}

func byRules(s memory.CompactSettings) memory.CompactSettings {
	s.Paid, s.Flush.Paid = false, false
	return s
}

func (a *assembly) compactRequest(to int64, settings memory.CompactSettings) CompactRequest {
	conversation := a.load.Conversation
	trigger := memory.CompactByTurn
	if a.request.Emergency > 0 {
		trigger = memory.CompactByOverflow
	}
	return CompactRequest{
		Owner:        memory.OwnerRef{Workspace: a.id.Workspace, Agent: a.agent.ID, Owner: conversation.OwnerID},
		Conversation: conversation.UID, To: to, Trigger: trigger, Settings: settings,
	}
}

// flushSoon has a flush started when one is due, before anything has to leave the window.
func (a *assembly) flushSoon(ctx context.Context) {
	if !a.load.Found || a.result.Flush <= a.load.Conversation.Flushed {
		return
	}
	a.flushing = true
	a.Compactor.FlushSoon(ctx, a.compactRequest(a.result.Flush, a.compactSettings()))
}
