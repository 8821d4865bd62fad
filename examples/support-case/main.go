// Support-case is an example of a business process that writes its result into an agent's memory. Copy it to start your own.
//
//	support-case worker                             runs the worker
//	support-case close <id> <customer> <solution>   closes a case and waits for the result
//
// It reads its configuration from the environment:
//
//	TEMPORAL_ADDRESS      host:port of Temporal
//	TEMPORAL_NAMESPACE    namespace of this worker
//	HELPDESK_URL          base URL of the team's own system
//	MEMORY_KEY_ID         id of the API key used for writes
//	MEMORY_KEY            its secret
//	MEMORY_AGENT          agent whose memory is written
//	MEMORY_ENDPOINT       Nexus endpoint of Reverie; empty: Reverie's workers are in the same namespace
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	temporal "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/reverie-memory/reverie/client"
)

const taskQueue = "support"

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "support-case:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	c, err := temporal.DialContext(ctx, temporal.Options{
		HostPort: os.Getenv("TEMPORAL_ADDRESS"), Namespace: os.Getenv("TEMPORAL_NAMESPACE"), Logger: log.NewStructuredLogger(slog.Default()),
	})
	if err != nil {
		return err
	}
	defer c.Close()
	switch {
	case len(args) == 1 && args[0] == "worker":
		return work(c)
	case len(args) == 4 && args[0] == "close":
		return closeCase(ctx, c, Case{ID: args[1], Customer: args[2], Solution: args[3]})
	}
	return fmt.Errorf("usage: support-case worker, or support-case close <id> <customer> <solution>")
}

// work runs the worker until it is interrupted.
func work(c temporal.Client) error {
	flows := Workflows{
		Memory: client.NewSigner(os.Getenv("MEMORY_KEY_ID"), os.Getenv("MEMORY_KEY")),
		Agent:  os.Getenv("MEMORY_AGENT"), Endpoint: os.Getenv("MEMORY_ENDPOINT"),
	}
	w := worker.New(c, taskQueue, worker.Options{})
	w.RegisterWorkflow(flows.CloseSupportCase)
	helpdesk := Helpdesk{URL: os.Getenv("HELPDESK_URL")}
	w.RegisterActivity(&helpdesk)
	return w.Run(worker.InterruptCh())
}

// closeCase starts the workflow of a case, or attaches to the running one, waits for it, and prints its result as JSON.
func closeCase(ctx context.Context, c temporal.Client, k Case) error {
	run, err := c.ExecuteWorkflow(ctx, temporal.StartWorkflowOptions{ID: "close-case-" + k.ID, TaskQueue: taskQueue}, "CloseSupportCase", k)
	if err != nil {
		return err
	}
	var out Result
	if err := run.Get(ctx, &out); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}
