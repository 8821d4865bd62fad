package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"reverie/api/mcp/stdio"
	"reverie/cli/session"
)

func mcpCommand() *cobra.Command {
	s := session.Session{Version: version}
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve memory to a desktop client over standard input and output (Model Context Protocol)",
		Long: "Serve memory by the Model Context Protocol over standard input and output, for clients that start their servers as programs.\n" +
			"With --url (or REVERIE_URL) it speaks to that server. Without, it uses the data folder of `reverie dev` (--data): the server that runs\n" +
			"there, or one that it starts and that ends with it.",
		Args: cobra.NoArgs,
	}
	s.Register(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, cancel := context.WithCancel(cmd.Context())
		log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
		stop := func() error { return nil }
		local := !cmd.Flags().Changed("url") && os.Getenv("REVERIE_URL") == ""
		if local {
			var err error
			if s.URL, stop, err = localServer(ctx, s.Data, cmd.ErrOrStderr()); err != nil {
				cancel()
				return err
			}
		}
		key, err := s.FindKey()
		if err == nil && local && s.Agent != "" {
			err = ensureAgent(ctx, s.URL, key, s.Agent)
		}
		if err == nil {
			err = stdio.Serve(ctx, stdio.Options{URL: s.URL, Key: key, Query: mcpQuery(s), Version: version, Log: log}, os.Stdin, os.Stdout)
		}
		cancel()
		return errors.Join(err, stop())
	}
	return c
}

// ensureAgent creates an agent, unless it exists.
func ensureAgent(ctx context.Context, address, key, agent string) error {
	body, err := json.Marshal(map[string]string{"id": agent})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/api/v1/agents", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated && answer.StatusCode != http.StatusConflict {
		return fmt.Errorf("the agent %s could not be created: %s", agent, answer.Status)
	}
	return nil
}

// mcpQuery returns the query of the address of the MCP server.
func mcpQuery(s session.Session) url.Values {
	query := url.Values{}
	for name, value := range map[string]string{
		"agent": s.Agent, "owner": s.Owner, "channel": s.Channel, "sender": s.Sender, "endUserId": s.EndUser,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// addressFile is the name of the file in the data folder of dev that holds the address of its API while it runs.
const addressFile = "api-address"

// lockFile is the name of the file that holds off a second process while one starts a server for a data folder.
const lockFile = "mcp.lock"

// localServer returns the address of the server of a data folder. It starts one when none runs; stop ends that one.
func localServer(ctx context.Context, data string, out io.Writer) (address string, stop func() error, err error) {
	data, err = filepath.Abs(data)
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(data, 0o711); err != nil { //nolint:gosec // as runDev does: the database runs as an ordinary user
		return "", nil, err
	}
	lock := flock.New(filepath.Join(data, lockFile))
	if _, err := lock.TryLockContext(ctx, time.Second/4); err != nil { // a process that starts one holds it until the server is ready
		return "", nil, err
	}
	defer func() { _ = lock.Unlock() }()
	nothing := func() error { return nil }
	if address := runningAt(ctx, data); address != "" {
		return address, nothing, nil
	}
	c, err := load(out)
	if err != nil {
		return "", nil, err
	}
	c.Addr = "127.0.0.1:0"
	temporalUI, err := freeAddress()
	if err != nil {
		return "", nil, err
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- runDev(running, c, devFlags{data: data, addr: c.Addr, temporalUI: temporalUI}, out) }()
	stop = func() error {
		end()
		return <-ended
	}
	for address == "" {
		select {
		case err := <-ended:
			end()
			return "", nil, fmt.Errorf("the server of %s could not be started: %w", data, err)
		case <-ctx.Done():
			return "", nil, errors.Join(ctx.Err(), stop())
		case <-time.After(time.Second / 4):
		}
		address = runningAt(ctx, data)
	}
	return address, stop, nil
}

// freeAddress returns an address of this machine with a free port.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// runningAt returns the address of the server of a data folder; empty when none is ready.
func runningAt(ctx context.Context, data string) string {
	content, err := os.ReadFile(filepath.Join(data, addressFile))
	if err != nil {
		return ""
	}
	address := strings.TrimSpace(string(content))
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", nil)
	if err != nil {
		return ""
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return ""
	}
	return address
}

// announce writes the address of dev's API to its data folder until the returned function is called.
func announce(data, address string) (remove func(context.Context) error, err error) {
	path := filepath.Join(data, addressFile)
	if err := os.WriteFile(path, []byte(address+"\n"), 0o600); err != nil {
		return nil, err
	}
	return func(context.Context) error { return os.Remove(path) }, nil
}
