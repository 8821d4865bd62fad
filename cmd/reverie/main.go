// Command reverie keeps the long-term memory of AI agents. dev runs everything on this machine; api and worker are the
// processes of a deployment, codec decrypts payloads for Temporal's Web UI, and migrate prepares database and namespace;
// memory and chat are clients of the API.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // agents live in time zones, and slim images have none

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"reverie/cli"
	"reverie/config"
)

// version is set by the linker in releases.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second Ctrl-C ends the process at once.
	context.AfterFunc(ctx, stop)
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "reverie:", err)
		os.Exit(1)
	}
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:           "reverie",
		Short:         "Long-term memory of AI agents, kept by durable workflows",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.AddCommand(devCommand(), apiCommand(), workerCommand(), mcpCommand(), codecCommand(), migrateCommand(), healthCommand())
	c.AddCommand(cli.Commands(version)...)
	c.SetFlagErrorFunc(explainFlag)
	return c
}

// load reads the configuration, and warns about what is probably not meant.
func load(warnings io.Writer) (config.Config, error) {
	c, err := config.Load()
	for _, text := range c.Warnings(os.Environ()) {
		fmt.Fprintln(warnings, "warning:", text)
	}
	return c, err
}

// explainFlag says what to write for the value of a flag that is no number, duration and so on.
func explainFlag(_ *cobra.Command, err error) error {
	if invalid, is := errors.AsType[*pflag.InvalidValueError](err); is {
		switch kind := invalid.GetFlag().Value.Type(); kind {
		case "int", "int64", "float64", "bool", "duration":
			return fmt.Errorf("--%s: %q: %s", invalid.GetFlag().Name, invalid.GetValue(), config.Wanted(kind))
		}
	}
	return err
}
