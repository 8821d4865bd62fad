// Support-case is a business process that writes what it found out into the memory of an agent: copy it to begin your own.
//
//	support-case worker                     works on cases
//	support-case close <id> <customer> <solution>   closes one, and waits
//
// It is configured by its environment:
//
//	TEMPORAL_ADDRESS      where Temporal is
//	TEMPORAL_NAMESPACE    the team's own namespace
//	HELPDESK_URL          the team's own system
//	MEMORY_KEY_ID         id of the key that writes
//	MEMORY_KEY            its secret
//	MEMORY_AGENT          whose memory is written
//	MEMORY_ENDPOINT       Nexus endpoint that leads to the memory; empty: the same namespace
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

	"reverie/client"
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
	return fmt.Errorf("use: support-case worker, or support-case close <id> <customer> <solution>")
}

// work takes cases until it is stopped.
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

// closeCase starts the workflow of a case, or finds it, and waits for it.
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
