package searching

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"reverie/cli/clitest"
	"reverie/cli/session"
)

// run runs a command of agent ada and returns what it prints.
func run(t *testing.T, handler http.HandlerFunc, command func(commands) *cobra.Command, args ...string) (out, notes string, err error) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	s := &session.Session{}
	parent := &cobra.Command{SilenceErrors: true, SilenceUsage: true}
	s.Register(parent)
	c := command(commands{s})
	parent.AddCommand(c)
	var outBuffer, notesBuffer bytes.Buffer
	parent.SetOut(&outBuffer)
	parent.SetErr(&notesBuffer)
	parent.SetArgs(append([]string{c.Name(), "--url", server.URL, "--key", "k", "--agent", "ada"}, args...))
	err = parent.ExecuteContext(t.Context())
	return outBuffer.String(), notesBuffer.String(), err
}

const waitingStatus = `{"code":200,"msg":"success","data":{"mode":"hybrid","enabled":true,"vectors":{"pending":3,"since":"2026-11-30T10:00:00Z",
	"spaces":[{"id":52,"state":"live","provider":"openai","model":"m","dimensions":64,"vectors":15}],
	"waits":{"code":"budget","reason":"the workspace's model budget of today is spent"}}}}`

func answerStatus(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/memory/status") {
		fmt.Fprint(w, waitingStatus)
		return
	}
	fmt.Fprint(w, `{"code":200,"msg":"success","data":{"version":"v","state":"ok","parts":[]}}`)
}

// The status of an agent names its spaces by their ids and what vectors wait for, and is part of the JSON.
func TestTheStatusOfAnAgent(t *testing.T) {
	out, _, err := run(t, answerStatus, commands.statusCommand)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, out, "vectors live", "space 52: openai/m", "waiting", "3 sources wait for vectors", "reason", "budget of today is spent")
	if out, _, err = run(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/memory/status") {
			fmt.Fprint(w, `{"code":200,"msg":"success","data":{"mode":"hybrid","enabled":true,"vectors":{"waits":{"code":"other_model","reason":"another"}}}}`)
			return
		}
		answerStatus(w, r)
	}, commands.statusCommand); err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, out, "searches by words alone", "reason", "another")
	out, _, err = run(t, answerStatus, commands.statusCommand, "--json")
	var both struct {
		State  string
		Memory struct {
			Mode string
		}
	}
	if err != nil || json.Unmarshal([]byte(out), &both) != nil || both.State != "ok" || both.Memory.Mode != "hybrid" {
		t.Errorf("%v\n%s", err, out)
	}
}

// Building an index says once what the vectors wait for, and ends when waiting is of no use.
func TestWaitingForAnIndex(t *testing.T) {
	working := func(waits string) string {
		return `{"code":202,"msg":"success","data":{"state":"working","done":3,"total":3,"pending":3,"waits":` + waits + `}}`
	}
	polls := 0
	out, notes, err := run(t, func(w http.ResponseWriter, r *http.Request) {
		if polls++; polls > 3 {
			fmt.Fprint(w, `{"code":200,"msg":"success","data":{"state":"ready","done":3,"total":3}}`)
			return
		}
		fmt.Fprint(w, working(`{"code":"budget","reason":"the budget is spent"}`))
	}, commands.indexCommand)
	if err != nil || strings.Count(notes, "waiting: 3 of 3 indexed, 3 wait for vectors: the budget is spent (Ctrl-C") != 1 {
		t.Errorf("%v\n%s", err, notes)
	}
	clitest.Contains(t, out, "the index is up to date")
	_, _, err = run(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, working(`{"code":"other_model","reason":"the model is not configured"}`))
	}, commands.indexCommand)
	if err == nil || err.Error() != "3 sources wait for vectors: the model is not configured" {
		t.Errorf("%v", err)
	}
}
