package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// A small run measures everything with real servers. Its limit is not checked, because other tests run concurrently.
func TestSmallRun(t *testing.T) {
	b := bench{conversations: 6, messages: 4, owners: 2, models: 2}
	var out strings.Builder
	if _, err := b.run(t.Context(), &out, true); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	if r.Conversations != 6 || r.Messages != 24 || r.Written == 0 ||
		min(r.Copy, r.Floor, r.Bare, r.Stage, r.Run, r.ToFloor, r.ToCopy, r.ToBare, r.StageToCopy) <= 0 ||
		min(r.Each.Workflows, r.Each.Tasks, r.Each.Steps, r.Each.LocalSteps, r.Each.Events, r.Each.Trips, r.Each.Statements) < 1 {
		t.Errorf("%+v", r)
	}
}
