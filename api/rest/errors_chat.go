package rest

import (
	"math"
	"strconv"
	"time"

	"reverie/api/fault"
	"reverie/chat"
	"reverie/llm"
	"reverie/window"
)

// fullWindow are the details of a request that does not fit: where the tokens would go.
type fullWindow struct {
	Max     int `json:"max"`     // tokens of the window
	System  int `json:"system"`  // of the system prompt
	Tools   int `json:"tools"`   // of the definitions of the tools
	Current int `json:"current"` // of the message
}

func windowTooLarge(e *window.TooLargeError) *fault.Problem {
	p := fault.New(fault.WindowTooLarge, "system prompt (%d tokens), tools (%d) and message (%d) do not fit into a window of %d: "+
		"send a shorter message, disable documents of the system prompt, or make the window larger", e.System, e.Tools, e.Current, e.Max)
	p.Data = fullWindow{e.Max, e.System, e.Tools, e.Current}
	return p
}

// budgetSpent says when the model answers again.
func budgetSpent(e *chat.BudgetError, now time.Time) *fault.Problem {
	seconds := max(1, int(math.Ceil(e.Until.Sub(now).Seconds())))
	return fault.New(fault.BudgetSpent, "the workspace has spent what it may spend on models today: the message is stored; send it again after %s, or have the budget raised",
		e.Until.Format(time.RFC3339)).With("Retry-After", strconv.Itoa(seconds))
}

// modelWait is what a client is told to wait when the provider does not say for how long.
const modelWait = 5 * time.Second

// modelFailed gives the failure of a model its HTTP form. What the provider said is for the operator's log: it may name accounts.
func modelFailed(e *llm.Error) *fault.Problem {
	seconds := strconv.Itoa(max(1, int(math.Ceil(max(e.RetryAfter, 0).Seconds()))))
	if e.RetryAfter <= 0 {
		seconds = strconv.Itoa(int(modelWait.Seconds()))
	}
	switch e.Kind {
	case llm.RateLimited:
		return fault.New(fault.ModelRateLimited, "the model provider has too many requests for now: try again later").With("Retry-After", seconds)
	case llm.Overloaded, llm.Unavailable, llm.Timeout:
		return fault.New(fault.ModelUnavailable, "the model did not answer (%s): try again later", e.Kind).With("Retry-After", seconds)
	case llm.ContextTooLong:
		return fault.New(fault.WindowTooLarge, "the model takes less than the window has, also after earlier turns were left out: make the window smaller (windowMaxTokens), or send a shorter message")
	case llm.Refused:
		return fault.New(fault.ModelFailed, "the model declined to answer this")
	case llm.Unauthorized, llm.Quota, llm.BadRequest:
		return fault.New(fault.ModelFailed, "the model provider refuses requests (%s): somebody has to look at its configuration", e.Kind)
	}
	return fault.New(fault.ModelFailed, "the model gave no answer that can be used (%s)", e.Kind)
}
