package activities

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"go.temporal.io/sdk/activity"

	"reverie/llm"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
)

// consultation is a step with the result R that asks an engine for a proposal P. consult calls its methods.
type consultation[P, R any] interface {
	// halt ends the step: no model may be asked.
	halt(ctx context.Context, why setting.Halt) (R, error)
	// ready prepares the question, or ends the step without it.
	ready(ctx context.Context) (result R, ended bool, err error)
	// ask calls the engine once, and accounts for what the call used.
	ask(ctx context.Context, r repair) (proposals.Answer, error)
	// check parses and guards an answer. Faults of the answer are violations.
	check(answer proposals.Answer) (P, []proposals.Violation)
	// accept ends the step with a proposal that passed the checks.
	accept(ctx context.Context, proposal P) (R, error)
	// refuse ends the step after a second answer with faults.
	refuse(ctx context.Context, violations []proposals.Violation) (R, error)
	// fail ends the step, or asks for another attempt, after a call of the model that failed.
	fail(ctx context.Context, failure *llm.Error) (R, error)
}

// repair shows the engine its refused answer and what is wrong with it. It is zero in the first round.
type repair struct {
	violations []string
	previous   string
}

// engineUse configures the calls of an engine.
type engineUse struct {
	id        memory.Identity
	model     bool          // a model: it has a budget, and its state is reported
	awaited   bool          // somebody waits for the model: calls without an answer count against it (modelRest)
	heartbeat time.Duration // timeout of the heartbeats; 0: HeartbeatTimeout
}

// consult gets a proposal from an engine. It checks whether a model may be asked, checks the answer, requests one repair at most, and ends
// the step.
// An error that is not the model's is returned as it is. A panic of the engine or of the checks refuses the proposal at once.
func consult[P, R any](ctx context.Context, a *Activities, use engineUse, c consultation[P, R]) (R, error) {
	var none R
	if use.model {
		why, err := a.halted(ctx, use.id, a.Budget)
		switch {
		case err != nil:
			return none, err
		case why != (setting.Halt{}):
			return c.halt(ctx, why)
		}
	}
	if result, ended, err := c.ready(ctx); ended || err != nil {
		return result, err
	}
	var fix repair
	for {
		answer, proposal, violations, err := attempt(ctx, a, use, c, fix)
		if err != nil {
			failure, err := a.modelFailure(ctx, err)
			if err != nil {
				return none, err
			}
			return c.fail(ctx, failure)
		}
		switch {
		case len(violations) == 0:
			return c.accept(ctx, proposal)
		case fix.violations != nil, reasonOf(violations) == ReasonPanic:
			return c.refuse(ctx, violations)
		}
		fix = repair{violations: messagesOf(violations), previous: answer.Raw}
	}
}

// attempt asks an engine once and checks its answer. A panic of either is a violation: the same contents would panic in every attempt and
// block later messages. The log has the place, and the value only of a runtime error, which has no contents.
func attempt[P, R any](
	ctx context.Context, a *Activities, use engineUse, c consultation[P, R], fix repair,
) (answer proposals.Answer, proposal P, violations []proposals.Violation, err error) {
	defer func() {
		if v := recover(); v != nil {
			fault, _ := v.(runtime.Error)
			a.Log.Error("A proposal could not be checked", "agent", use.id.Agent, "panic", fault, "stack", string(debug.Stack()))
			violations, err = []proposals.Violation{{Code: string(ReasonPanic), Message: "the engine or its checks cannot read these messages"}}, nil
		}
	}()
	if answer, err = callEngine(ctx, a, use, func() (proposals.Answer, error) { return c.ask(ctx, fix) }); err == nil {
		proposal, violations = c.check(answer)
	}
	return answer, proposal, violations, err
}

// callEngine calls an engine once, with heartbeats, and reports the model's state.
func callEngine(ctx context.Context, a *Activities, use engineUse, call func() (proposals.Answer, error)) (proposals.Answer, error) {
	defer beat(ctx, cmp.Or(use.heartbeat, HeartbeatTimeout)/heartbeatsInTime)()
	began := a.Now()
	answer, err := call()
	if use.model && use.awaited {
		a.noteAnswer(ctx, began, err)
	}
	if use.model && err == nil {
		a.modelState(ctx, "ok", "")
	}
	return answer, err
}

// beat sends heartbeats until the returned function is called, so that a dead worker is noticed within the heartbeat timeout and
// not only after the longest possible model call.
func beat(ctx context.Context, every time.Duration) (stop func()) {
	return repeat(ctx, every, func() { activity.RecordHeartbeat(ctx) })
}

// repeat calls do at every interval until the returned function is called or ctx is done.
func repeat(ctx context.Context, every time.Duration, do func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
				do()
			}
		}
	}()
	return func() { close(done) }
}

// heartbeatsInTime is the number of heartbeats sent within the heartbeat timeout.
const heartbeatsInTime = 3

func messagesOf(violations []proposals.Violation) []string {
	out := make([]string, len(violations))
	for i, v := range violations {
		out[i] = v.Message
	}
	return out
}

// reasonOf distinguishes an answer that could not be parsed, or a panic, from one that the guards refused.
func reasonOf(violations []proposals.Violation) memory.ReasonCode {
	if code := memory.ReasonCode(violations[0].Code); code == ReasonInvalidProposal || code == ReasonPanic {
		return code
	}
	return ReasonGuards
}

// unreadable returns the violation of an answer that could not be parsed.
func unreadable(err error) []proposals.Violation {
	return []proposals.Violation{{Code: string(ReasonInvalidProposal), Message: err.Error()}}
}
