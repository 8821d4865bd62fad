package api_test

import (
	"strings"
	"testing"
	"time"

	"reverie/memory"
)

// An item that is too large for a message or a document fails alone, and the rest of its batch is imported.
func TestWhatIsTooLargeToMoveIn(t *testing.T) {
	h := startWithTemporal(t, &scripted{}, true)
	h.agent("ada")
	saying := func(key, content string) map[string]any {
		item := talkOn(key, time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC), 2)
		item["conversation"].(map[string]any)["messages"].([]map[string]any)[1]["content"] = content
		return item
	}
	spoken := saying("e-speaker", "hello")
	spoken["conversation"].(map[string]any)["messages"].([]map[string]any)[0]["speaker"] = "no person"
	zero := saying("f-zero", "a\x00b") // PostgreSQL cannot hold it
	long := strings.Repeat("é", memory.MaxMessageBytes/2)
	document := strings.Repeat("- a statement of some length\n", memory.MaxDocumentBytes/29+1)
	done := h.moveIn(
		h.admin,
		map[string]any{"owner": "user:7", "source": "s", "format": "chatgpt", "extract": false},
		saying("a-longest", long),
		saying("b-longer", long+"!"),
		note(
			"c-longest",
			"memory/c.md",
			"PERSONAL",
			document[:memory.MaxDocumentBytes],
		),
		note("d-longer", "memory/d.md", "PERSONAL", document[:memory.MaxDocumentBytes+1]),
		spoken,
		zero,
		note("g-zero", "memory/g.md", "PERSONAL", "a\x00b"),
	)
	want := map[string]string{
		"a-longest": "written stored", "b-longer": "failed too_large", "c-longest": "written ", "d-longer": "failed too_large",
		"e-speaker": "failed invalid", "f-zero": "failed invalid", "g-zero": "failed invalid",
	}
	items := h.importedItems(h.admin, done.ID, "")
	if len(items) != len(want) || done.State != "done" {
		t.Errorf("%+v: %+v", done, items)
	}
	for _, item := range items {
		if got := item.Outcome + " " + item.ReasonCode; got != want[item.Key] {
			t.Errorf("%s: %s, want %s", item.Key, got, want[item.Key])
		}
	}
}
