package workflows

import (
	"testing"

	"go.temporal.io/sdk/testsuite"

	"reverie/devenv/devtest"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// runToEnd runs a workflow and returns its result or error. It fails the test if the workflow does not end.
func runToEnd[Out any](t *testing.T, env *testsuite.TestWorkflowEnvironment, workflow, in any) (Out, error) {
	t.Helper()
	env.ExecuteWorkflow(workflow, in)
	return resultOf[Out](t, env)
}

// resultOf returns the result or error of a workflow that must have ended.
func resultOf[Out any](t *testing.T, env *testsuite.TestWorkflowEnvironment) (out Out, err error) {
	t.Helper()
	if !env.IsWorkflowCompleted() {
		t.Fatal("the workflow did not end")
	}
	if err := env.GetWorkflowError(); err != nil {
		return out, err
	}
	return out, env.GetWorkflowResult(&out)
}
