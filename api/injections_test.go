package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

const injectionsPath = "/api/v1/agents/ada/injections"

type injection struct {
	ID                                            uuid.UUID
	Conversation, Skipped                         string
	Budget, Tokens, Candidates, Selected, Omitted int
}

type injectionDetail struct {
	Injection injection
	Choices   []struct{ Outcome, Reason, Layer, Path, Text string }
}

// outcomes returns the choices that mention something, as "outcome reason layer path".
func (h *harness) outcomes(key string, id uuid.UUID, about string) string {
	h.t.Helper()
	detail := as[injectionDetail](h, h.want(h.do(request{
		method: "GET", path: injectionsPath + "/" + id.String() + "?endUserId=42&about=" + about, key: key,
	}), 200))
	var lines []string
	for _, c := range detail.Choices {
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(c.Outcome, " ", c.Reason, " ", c.Layer, " ", c.Path)), " "))
	}
	return strings.Join(lines, "; ")
}

// Of a passage, only the statements that the prompt contains are recorded as injected. An archived fact is in no prompt.
func TestInjectionOfPartsOfAPassage(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("notes/boats.md?owner=api:42", "# Harbour\n\n- The boat Alma lies at a pier.\n- The boat Berta lies at a pier.\n"+
		"- The boat Clara lies at a pier.\n- The boat Dora lies at a pier.\n- The boat Elsa lies at a pier.\n", nil), 201)
	h.want(h.put("MEMORY.md?owner=api:42", "- The kiosk sells coffee.\n\n## Archived\n\n- The kiosk sells tea.\n", nil), 201)
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	context := h.assemble(map[string]any{"endUserId": "42", "message": "At which pier does the boat lie?"})
	for about, want := range map[string]string{
		"Alma": "injected matched notes/boats.md", "Clara": "injected matched notes/boats.md", "Dora": "absent excerpt notes/boats.md",
		"coffee": "absent prompt MEMORY.md", "tea": "absent archived MEMORY.md",
	} {
		if got := h.outcomes(pinned, context.Injection, about); got != want {
			t.Errorf("%s: %s, want %s", about, got, want)
		}
	}
}

// Facts about the person are injected whatever the message says, the most trusted ones if the agent's settings say so, and what matches;
// the record says why each candidate is in the context or not.
// A statement is as old as the note that has it, whenever that was written.
func TestTheAgeOfOldNotes(t *testing.T) {
	h := start(t)
	h.agent("ada")
	day := time.Now().UTC().AddDate(0, 0, -5)
	h.want(h.put("memory/"+day.Format(time.DateOnly)+".md?owner=api:42", "# Profile\n\n- I'm vegan.\n", nil), 201)
	for _, m := range h.assemble(map[string]any{"endUserId": "42", "message": "What should I cook?"}).Messages {
		if m.Kind == "recall" {
			if !strings.Contains(m.Content, "5 days ago") || strings.Contains(m.Content, "today") {
				t.Errorf("%s", m.Content)
			}
			return
		}
	}
	t.Error("nothing is recalled")
}

func TestInjectionInLayers(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("notes/grace.md?owner=api:42", "# Profile\n\n- Grace eats no meat.\n", nil), 201)
	h.want(h.put("MEMORY.md?owner=api:42", "- Grace grows tomatoes.\n", nil), 201)
	h.want(h.put("notes/boat.md?owner=api:42", "- The boat lies at pier 4.\n", nil), 201)
	h.want(h.put("notes/shed.md?owner=api:42", "- The shed has a red door.\n", nil), 201)
	pinned := h.key("pinned", memory.RoleMember, "api:42")

	h.assemble(map[string]any{"endUserId": "42", "conversation": "c1", "message": "At which pier does the boat lie?"})
	first := h.assemble(map[string]any{"endUserId": "42", "conversation": "c1", "message": "At which pier does the boat lie?"})
	block := ""
	for _, m := range first.Messages {
		if m.Kind == "recall" {
			block = m.Content
		}
	}
	if !strings.Contains(block, "eats no meat") || !strings.Contains(block, "pier 4") || strings.Contains(block, "shed") {
		t.Errorf("%s", block)
	}
	for about, want := range map[string]string{
		"meat": "injected identity notes/grace.md", "PIER": "injected matched notes/boat.md", "shed": "absent not_found notes/shed.md",
		"tomatoes": "absent prompt MEMORY.md", "moon": "",
	} {
		if got := h.outcomes(pinned, first.Injection, about); got != want {
			t.Errorf("%s: %s, want %s", about, got, want)
		}
	}

	h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{
		"settings": map[string]any{"injectTrustedShare": 0.4, "autoInjectMaxTokens": 400},
	}}), 200)
	second := h.assemble(map[string]any{"endUserId": "42", "conversation": "c1", "message": "Where is my dog?"})
	if second.Skipped != "nothing" || !strings.Contains(fmt.Sprint(second.Messages), "red door") {
		t.Errorf("skipped %q: %+v", second.Skipped, second.Messages)
	}
	if got := h.outcomes(pinned, second.Injection, "shed"); got != "injected trusted notes/shed.md" {
		t.Errorf("%s", got)
	}
	trivial := h.assemble(map[string]any{"endUserId": "42", "message": "why?"})
	if trivial.Skipped != "trivial" || !strings.Contains(fmt.Sprint(trivial.Messages), "meat") || strings.Contains(fmt.Sprint(trivial.Messages), "red door") {
		t.Errorf("%q: %+v", trivial.Skipped, trivial.Messages)
	}
	if got := h.outcomes(pinned, trivial.Injection, "shed"); got != "absent skipped notes/shed.md" {
		t.Errorf("%s", got)
	}

	type page struct {
		Items []injection
		Next  string
	}
	list := as[page](h, h.want(h.do(request{method: "GET", path: injectionsPath + "?conversation=c1&limit=2", key: pinned}), 200))
	if len(list.Items) != 2 || list.Next == "" || list.Items[0].ID != second.Injection || list.Items[0].Budget != 400 ||
		list.Items[0].Selected != 3 || list.Items[0].Tokens == 0 || list.Items[0].Skipped != "nothing" {
		t.Errorf("%+v", list)
	}
	h.want(h.do(request{method: "GET", path: injectionsPath, key: h.admin}), 422)
	h.want(h.do(request{method: "GET", path: injectionsPath + "/" + first.Injection.String() + "?endUserId=43", key: h.admin}), 404)
}

// What was called unhelpful ranks below an equal statement, and is still found.
func TestDoubtedFactsRankLower(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("notes/a.md?owner=api:42", "- The spare key hangs in the kitchen.\n", nil), 201)
	h.want(h.put("notes/b.md?owner=api:42", "- The spare key lies under the flowerpot.\n", nil), 201)
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	paths := func() (paths []string) {
		t.Helper()
		found := as[struct{ Results []struct{ Path string } }](h, h.want(h.do(request{
			method: "POST", path: searchPath, key: pinned, body: map[string]any{"query": "Where is the spare key?"},
		}), 200))
		for _, r := range found.Results {
			paths = append(paths, r.Path)
		}
		return paths
	}
	before := paths()
	if len(before) != 2 {
		t.Fatalf("%v", before)
	}
	first := h.facts(pinned, factsPath+"?path="+before[0]).Items[0]
	for range 3 {
		h.want(h.do(request{
			method: "POST", path: factsPath + "/" + first.ID.String() + "/feedback", key: pinned, body: map[string]any{"kind": "UNHELPFUL"},
		}), 200)
	}
	if after := paths(); len(after) != 2 || after[0] != before[1] {
		t.Errorf("%v, then %v", before, after)
	}
}

// What names a last day that is over ranks below what still holds, is in no layer that stands, and says so.
func TestExpiredFactsRankLower(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("notes/a.md?owner=api:42", "- The spare key hangs in the kitchen until March [2020-03].\n", nil), 201)
	h.want(h.put("notes/b.md?owner=api:42", "- The spare key lies under the big flowerpot.\n", nil), 201)
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	old := h.facts(pinned, factsPath+"?path=notes/a.md").Items[0]
	found := as[struct{ Results []struct{ Path string } }](h, h.want(h.do(request{
		method: "POST", path: searchPath, key: pinned, body: map[string]any{"query": "Where is the spare key?"},
	}), 200)).Results
	if len(found) != 2 || found[0].Path != "notes/b.md" {
		t.Errorf("%+v", found)
	}
	known := as[struct{ Explain []struct{ Term, Why string } }](h, h.want(h.do(request{
		method: "GET", path: factsPath + "/" + old.ID.String(), key: pinned,
	}), 200))
	if last := known.Explain[len(known.Explain)-1]; !strings.Contains(last.Why, "expired: it held until 2020-03-31") {
		t.Errorf("%+v", known)
	}
}
