package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/cli"
	"reverie/config"
	"reverie/devenv/devtest"
	"reverie/store/indexes"
	"reverie/workflows"
)

// doctorFinds returns the codes that the doctor reports, and whether it found no problems.
func doctorFinds(t *testing.T, flags ...string) (codes []string, content bool) {
	t.Helper()
	out, _, err := runMemory(t, append([]string{"doctor", "--json"}, flags...)...)
	if err != nil && !errors.Is(err, cli.ErrFindings) {
		t.Fatal(err)
	}
	var found struct {
		Healthy  bool
		Findings []struct{ Code string }
	}
	if failed := json.Unmarshal([]byte(out), &found); failed != nil || found.Healthy != (err == nil) {
		t.Fatalf("%v, %v: %s", failed, err, out)
	}
	for _, f := range found.Findings {
		codes = append(codes, f.Code)
	}
	return codes, err == nil
}

// A schedule that somebody has deleted is found, stays deleted while one only looks, and is there again after --fix.
func TestDoctorCommand(t *testing.T) {
	startServer(t)
	c, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	temporal, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Namespace: c.TemporalNamespace})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(temporal.Close)
	if _, _, err := runMemory(t, "doctor", "--fix"); err != nil {
		t.Fatalf("a new agent is not well: %v", err)
	}
	night := temporal.ScheduleClient().GetHandle(t.Context(),
		workflows.DreamScheduleID(indexes.AgentRef{Workspace: c.Workspace, Agent: "ada"}))
	if err := night.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if codes, content := doctorFinds(t); content || !slices.Equal(codes, []string{"schedule_differs"}) {
			t.Fatalf("content %v with %q", content, codes)
		}
	}
	out, _, err := runMemory(t, "doctor")
	if !errors.Is(err, cli.ErrFindings) || !strings.Contains(out, "--fix will: make, change or remove the schedule") {
		t.Errorf("%v: %s", err, out)
	}
	deadline := time.Now().Add(time.Minute)
	for codes, content := doctorFinds(t, "--fix"); !content; codes, content = doctorFinds(t) {
		if time.Now().After(deadline) {
			t.Fatalf("after --fix there is %q", codes)
		}
	}
	if _, err := night.Describe(t.Context()); err != nil {
		t.Errorf("the schedule is not there again: %v", err)
	}
}
