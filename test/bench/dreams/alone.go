package main

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/testsuite"

	"reverie/activities"
	"reverie/memory"
)

// alone has owners dream by the same steps one after the other without Temporal, some owners at once.
func (w *world) alone(ctx context.Context, refs []memory.OwnerRef, parallel int) (took time.Duration, err error) {
	steps, err := w.steps(false)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = inParallel(ctx, parallel, len(refs), func(_ context.Context, i int) error { return dreamAlone(steps, refs[i]) })
	return time.Since(began), err
}

func dreamAlone(a *activities.Activities, ref memory.OwnerRef) error {
	var suite testsuite.WorkflowTestSuite // steps ask which workflow they belong to: it stands in for one
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	var opened activities.OpenDreamResult
	in := activities.OpenDreamInput{OwnerRef: ref, Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: "alone"}
	if err := doAlone(env, a.OpenDream, in, &opened); err != nil {
		return err
	}
	dream := activities.DreamInput{OwnerRef: ref, Dream: opened.Dream}
	for _, step := range []any{a.LightSleep, a.REMSleep, a.DeepSleep} {
		if err := doAlone(env, step, dream, nil); err != nil {
			return err
		}
	}
	var committed activities.CommitDreamResult
	if err := doAlone(env, a.CommitDream, dream, &committed); err != nil {
		return err
	}
	if committed.Outcome != memory.OutcomeWritten {
		return fmt.Errorf("a dream without Temporal ended %+v", committed)
	}
	return nil
}

func doAlone(env *testsuite.TestActivityEnvironment, step, in, out any) error {
	result, err := env.ExecuteActivity(step, in)
	if err != nil || out == nil {
		return err
	}
	return result.Get(out)
}
