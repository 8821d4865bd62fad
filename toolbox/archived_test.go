package toolbox_test

import (
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/toolbox"
)

// listed returns the numbers and texts that a search of statements finds.
func (h *home) listed(c toolbox.Caller, query string, archived bool) answer {
	h.Helper()
	return h.want(c, toolbox.StructuredSearch, m{"query": query, "include_archived": archived})
}

// numberedAs returns the number of the only statement that a search finds.
func (h *home) numberedAs(c toolbox.Caller, query string, archived bool) int {
	h.Helper()
	found := h.listed(c, query, archived)
	if found.number("count") != 1 {
		h.Fatalf("%q: %s", query, found.Content)
	}
	return int(found.list("memories")[0].(map[string]any)["id"].(float64))
}

// An archived fact is archived wherever its words are; daily notes stay as they are, and do not show it.
func TestArchiveInAllDocuments(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	note := memory.DailyNotePath(time.Now().UTC())
	const noted = "# Today\n\n## 10:00 Tent\n\n- Our tent is in the attic.\n- Our canoe is in the shed.\n"
	h.apply(c, memory.ScopePersonal, note, noted)
	h.apply(c, memory.ScopePersonal, memory.MemoryPath, "# Memory\n\n- Our tent is in the attic.\n- Lives in Bern.\n")
	h.apply(c, memory.ScopePersonal, memory.ProfilePath, "# Profile\n\n- Our tent is in the attic.\n")
	h.apply(c, memory.ScopePersonal, "structured/user.md", "## tent\n\nOur tent is in the attic.\n")
	for _, word := range []string{"tent", "canoe"} { // the canoe is only in the note
		done := h.want(c, toolbox.StructuredDelete, m{"id": h.numberedAs(c, word, false)})
		if done.text("message") != "Archived" || done.data["updated"] != true {
			t.Errorf("%s", done.Content)
		}
	}
	for _, word := range []string{"tent", "canoe"} {
		if found := h.listed(c, word, true); !strings.Contains(found.Content, `"archived":true`) {
			t.Errorf("with archived ones: %s", found.Content)
		}
	}
	if got := h.content(c, memory.ScopePersonal, note); got != noted {
		t.Errorf("the note is\n%s", got)
	}
	if got := h.content(c, memory.ScopePersonal, memory.MemoryPath); got !=
		"# Memory\n\n- Lives in Bern.\n\n## Archived\n\n- Our tent is in the attic.\n- Our canoe is in the shed.\n" {
		t.Errorf("%s", got)
	}
	if got := h.content(c, memory.ScopePersonal, memory.ProfilePath); got != "# Profile\n\n## Archived\n\n- Our tent is in the attic.\n" {
		t.Errorf("%s", got)
	}
	if got := h.content(c, memory.ScopePersonal, "structured/user.md"); !strings.HasPrefix(got, "## Archived\n") {
		t.Errorf("the entry is not archived:\n%s", got)
	}
	if found := h.listed(c, "canoe", false); found.number("count") != 0 {
		t.Errorf("the note shows what is archived: %s", found.Content)
	}
}

// What is archived is not known: kept again, it is current again, where it was.
func TestArchivedIsKeptAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const before = "# Memory\n\n## Profile\n\n- Our canoe is in the shed.\n- Lives in Bern.\n\n## Remembered\n\n- Has a dog.\n"
	for name, again := range map[string]func(c toolbox.Caller) answer{
		"write_memory": func(c toolbox.Caller) answer {
			return h.want(c, toolbox.WriteMemory, m{"content": "Our canoe is in the shed."})
		},
		"upsert": func(c toolbox.Caller) answer {
			return h.want(c, toolbox.MemoryUpsert, m{"op": "insert", "content": "Our canoe is in the shed."})
		},
		"remember": func(c toolbox.Caller) answer {
			return h.want(c, toolbox.Remember, m{"text": "Our canoe is in the shed."})
		},
		"person": func(c toolbox.Caller) answer {
			saved := must[toolbox.Saved](t)(h.Remember(t.Context(), c, "Our canoe is in the shed."))
			if saved.Kind != "saved" {
				t.Errorf("%+v", saved)
			}
			return answer{}
		},
	} {
		c := h.as(memory.Owner("user:" + name))
		h.apply(c, memory.ScopePersonal, memory.MemoryPath, before)
		id := h.numberedAs(c, "canoe", false)
		h.want(c, toolbox.StructuredDelete, m{"id": id})
		done := again(c)
		if strings.Contains(done.text("message"), "Already known") {
			t.Errorf("%s: %s", name, done.Content)
		}
		got := h.content(c, memory.ScopePersonal, memory.MemoryPath)
		if strings.Contains(got, markdown.ArchiveHeading) || strings.Count(got, "canoe") != 1 || h.numberedAs(c, "canoe", false) != id {
			t.Errorf("%s: %s\n%s", name, done.Content, got)
		}
		if name == "write_memory" && !strings.Contains(got, "## Profile\n\n- Lives in Bern.\n- Our canoe is in the shed.\n") {
			t.Errorf("it is not where it was:\n%s", got)
		}
	}
	// A new section is not put after the archive, and an archived statement is not corrected.
	c := h.as("user:1")
	h.apply(c, memory.ScopePersonal, memory.MemoryPath, "# Memory\n\n- Has a dog.\n\n## Archived\n\n- The boat is called Heron.\n")
	h.want(c, toolbox.Remember, m{"text": "The boat is called Stork."})
	if got := h.content(c, memory.ScopePersonal, memory.MemoryPath); got !=
		"# Memory\n\n- Has a dog.\n\n## Remembered\n\n- The boat is called Stork.\n\n## Archived\n\n- The boat is called Heron.\n" {
		t.Errorf("%s", got)
	}
}

// A change of an archived statement brings it back where it was.
func TestArchivedUpdateKeepsTheCategory(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	h.want(c, toolbox.WriteMemory, m{"content": "Prefers green tea", "category": "PROFILE"})
	id := h.want(c, toolbox.WriteMemory, m{"content": "Allergic to cats", "category": "PROFILE"}).number("id")
	h.want(c, toolbox.StructuredDelete, m{"id": id})
	h.want(c, toolbox.StructuredUpdate, m{"id": id, "content": "Allergic to dogs"})
	if got := h.content(c, memory.ScopePersonal, memory.MemoryPath); got !=
		"# Memory\n\n## Profile\n\n- Prefers green tea\n- Allergic to dogs\n" {
		t.Errorf("%s", got)
	}
	if found := h.listed(c, "dogs", false); !strings.Contains(found.text("text"), "[PROFILE]") {
		t.Errorf("%s", found.Content)
	}
	id = h.numberedAs(c, "dogs", false)
	h.want(c, toolbox.StructuredDelete, m{"id": id})
	h.want(c, toolbox.StructuredUpdate, m{"id": id, "content": "Met two dogs", "category": "EVENT"})
	if found := h.listed(c, "dogs", false); !strings.Contains(found.text("text"), "[EVENT]") {
		t.Errorf("%s", found.Content)
	}
}

// A statement that is to say what another one of the file says is taken out, and the other one is the answer.
func TestUpdateToAnotherStatement(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const before = "# Memory\n\n- Likes tea.\n- Likes green tea a lot.\n- Lives in Bern.\n  - Near the river.\n"
	for name, update := range map[string]func(c toolbox.Caller, old int) answer{
		"number": func(c toolbox.Caller, old int) answer {
			return h.call(c, toolbox.StructuredUpdate, m{"id": old, "content": "Likes tea."})
		},
		"upsert": func(c toolbox.Caller, _ int) answer {
			for _, r := range h.want(c, toolbox.MemoryQuery, m{"op": "list"}).list("memories") {
				if row := r.(map[string]any); row["content"] == "Likes green tea a lot." {
					return h.call(c, toolbox.MemoryUpsert, m{"op": "update", "id": row["id"], "content": "Likes tea."})
				}
			}
			return answer{}
		},
	} {
		c := h.as(memory.Owner("user:" + name))
		h.apply(c, memory.ScopePersonal, memory.MemoryPath, before)
		old := h.numberedAs(c, "green tea", false)
		done := update(c, old)
		if got := h.content(c, memory.ScopePersonal, memory.MemoryPath); got != strings.Replace(before, "- Likes green tea a lot.\n", "", 1) {
			t.Errorf("%s: %s\n%s", name, done.Content, got)
		}
		if id := h.numberedAs(c, "Likes tea", false); name == "number" && done.number("id") != id || !strings.Contains(done.text("message"), "Already known") {
			t.Errorf("%s: %s, want number %d", name, done.Content, id)
		}
		file := h.content(c, memory.ScopePersonal, memory.MemoryPath)
		if bad := h.call(c, toolbox.StructuredUpdate, m{"id": h.numberedAs(c, "Bern", false), "content": "Likes tea."}); !bad.IsError ||
			h.content(c, memory.ScopePersonal, memory.MemoryPath) != file {
			t.Errorf("what is nested under it is gone: %s", bad.Content)
		}
	}
}
