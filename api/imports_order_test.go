package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Later statements correct earlier ones, so conversations are read in the order in which they ended, whatever
// the order in which they are sent.
func TestConversationsMoveInInTheOrderOfTime(t *testing.T) {
	h := startWithTemporal(t, &scripted{raw: proposal(t, "Lives in Bern.")}, true)
	h.agent("ada")
	day := func(n int) time.Time { return time.Date(2024, 3, n, 12, 0, 0, 0, time.UTC) }
	var items []map[string]any
	var want []string
	for n := 9; n > 0; n-- { // the newest are listed first
		want = append(want, fmt.Sprintf("chatgpt:of-%d", n))
	}
	for _, n := range []int{5, 2, 9, 1, 7, 3, 8, 6, 4} {
		items = append(items, talkOn(fmt.Sprintf("of-%d", n), day(n), 4))
	}
	done := h.moveIn(h.admin, map[string]any{"owner": "user:7", "source": "s", "format": "chatgpt"}, items...)
	if done.State != "done" || done.Outcomes["written"] != len(items) {
		t.Fatalf("%+v", done)
	}
	read := as[struct {
		Items []struct{ Conversation string }
	}](h, h.want(h.get("/api/v1/agents/ada/extractions?owner=user:7&limit=50"), 200))
	var got []string
	for _, x := range read.Items {
		got = append(got, x.Conversation)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("extracted in another order, newest first (-want +got):\n%s", diff)
	}
}
