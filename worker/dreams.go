package worker

import (
	"context"
	"errors"

	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/memory"
	"reverie/workflows"
)

// dreams are the Dreams of a night.
type dreams struct{ client client.Client }

// Dream starts a dream and waits until it has ended or ctx is done. An owner who is dreaming another dream does so first.
func (d dreams) Dream(ctx context.Context, o activities.DreamOrder) (memory.Outcome, error) {
	in := workflows.DreamInput{
		OwnerRef: o.OwnerRef, Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: o.Night, AsOf: o.AsOf,
	}
	for {
		run, err := workflows.StartDream(ctx, d.client, in)
		switch {
		case errors.Is(err, workflows.ErrDreaming):
			// How it ended is of no interest here, but that it has.
			if err := d.client.GetWorkflow(ctx, workflows.DreamID(o.OwnerRef), "").Get(ctx, nil); ctx.Err() != nil {
				return "", err
			}
		case err != nil:
			return "", err
		default:
			out, err := run.Result(ctx)
			return out.Outcome, err
		}
	}
}
