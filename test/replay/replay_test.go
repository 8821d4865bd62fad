// Package replay replays recorded histories with the current workflow code: a change that would break a running
// workflow fails here.
//
// The histories in testdata/<workflow>/ were recorded with the release that their names begin with, never with the
// code under test. A new release adds its own:
//
//	go test -tags record ./test/replay -run TestRecord -args -release v2
//
// and appends their checksums to testdata/SHA256SUMS. Recorded histories are never changed.
package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/proto"

	"reverie/devenv/devtest"
	"reverie/worker"
	"reverie/workflows"
)

func TestMain(m *testing.M) { devtest.Main(m) }

// maxPayload bounds each payload of a history, in bytes: references are small.
const maxPayload = 8 << 10

func TestRecordedHistoriesReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		seen[name]++
		t.Run(strings.TrimPrefix(file, "testdata/"), func(t *testing.T) {
			replayer := sdkworker.NewWorkflowReplayer()
			worker.Register(replayer)
			if err := replayer.ReplayWorkflowHistoryFromJSONFile(nil, file); err != nil {
				t.Error(err)
			}
			checkPayloads(t, file)
		})
	}
	for _, name := range []string{
		workflows.InboxName, workflows.ExtractName, workflows.IndexName, workflows.ReindexName, workflows.DreamName, workflows.NightName,
		workflows.FlushName, workflows.CompactName, workflows.ImportName, workflows.WriteMemoryName,
		workflows.ImportSnapshotName, workflows.DeleteName, workflows.RevokeName, workflows.ApproveName, workflows.DeliverEventsName,
	} {
		if seen[name] == 0 {
			t.Errorf("there is no recorded history of %s", name)
		}
	}
}

// checkPayloads checks the sizes of all payloads in histories.
func checkPayloads(t *testing.T, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h, err := client.HistoryFromJSON(strings.NewReader(string(raw)), client.HistoryJSONOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range h.GetEvents() {
		if size := proto.Size(event); size > maxPayload {
			t.Errorf("event %d (%s) has %d bytes, at most %d are meant to travel", event.GetEventId(), event.GetEventType(), size, maxPayload)
		}
	}
}
