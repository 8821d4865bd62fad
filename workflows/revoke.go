package workflows

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// RevokeInput identifies a revocation.
type RevokeInput = activities.RevocationInput

// RevokeResult counts what a revocation has removed.
type RevokeResult struct {
	activities.RevokeSourceResult

	Repeated int `json:"repeated,omitempty"` // dreams that were based on it and were repeated
}

// Revoke removes what was learned only from a source, in one transaction for each owner, and has the dreams that
// rested on it dreamed again. It is not cancelled once it has begun.
func Revoke(ctx workflow.Context, in RevokeInput) (result RevokeResult, err error) {
	ctx, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	receipt := "\n\n- receipt: `GET /api/v1/agents/" + in.Agent + "/revocations/" + in.Revocation.String() + "`"
	workflow.SetCurrentDetails(ctx, "Takes back what rests only on a source, of one owner after the other."+receipt)
	if result.RevokeSourceResult, err = step(ctx, deletionStep, "remove what was learned only from it", steps.RevokeSource, in); err != nil {
		return result, err
	}
	if result.Dreams > 0 {
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%d** statements are removed; dreaming again.", result.Statements)+receipt)
		out, err := step(ctx, nightStep, "repeat the dreams based on it", steps.DreamAgain,
			activities.DreamAgainInput{AgentRef: in.AgentRef, Record: in.Revocation, Patience: nightPatience})
		if err != nil {
			return result, err
		}
		result.Repeated = out.Dreams
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("Done: **%d** statements of %d owners are removed, **%d** have another source and are kept.",
		result.Statements, result.Owners, result.Kept)+receipt)
	outcome := memory.OutcomeWritten
	if result.Statements == 0 {
		outcome = memory.OutcomeNothing
	}
	return result, showOutcome(ctx, string(outcome))
}

// StartRevoke runs a revocation. One that is running is left alone.
func StartRevoke(ctx context.Context, c client.Client, in RevokeInput) error {
	options := startOptions(RevocationID(in.AgentRef, in.Revocation), "Revocation of a source of agent "+in.Agent,
		agentAttributes(in.AgentRef), fair(awaitedPriority, in.Workspace))
	options.StaticDetails = "Receipt: `GET /api/v1/agents/" + in.Agent + "/revocations/" + in.Revocation.String() + "`."
	_, err := start(ctx, c, options, RevokeName, in)
	return err
}
