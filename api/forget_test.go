package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"reverie/memory"
)

type forgottenEverywhere struct {
	DryRun     bool
	Statements []struct{ Text string }
	Found      []struct {
		Path, Text string
		StartLine  int
	}
	Erased []struct {
		Place string
		Rows  int
	}
	Kept    []struct{ Place string }
	Receipt struct {
		Token    string
		Replayed bool
	}
}

func (h *harness) forget(key, path string, body map[string]any, header map[string]string, want int) forgottenEverywhere {
	h.t.Helper()
	r := request{method: "POST", path: path, key: key, header: header}
	if body != nil {
		r.body = body
	}
	answer := h.want(h.do(r), want)
	if want != 200 {
		return forgottenEverywhere{}
	}
	return as[forgottenEverywhere](h, answer)
}

// A pattern only shows what it finds, until it is asked to act; what is erased is gone from versions and messages.
func TestForgetPattern(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?owner=api:42", "# Memory\n\n- The project Nightjar ships in May.\n- Keeps bees.\n", nil), 201)
	h.want(h.put("MEMORY.md?owner=api:43", "# Memory\n\n- The project Nightjar ships in May.\n", nil), 201)
	h.want(h.post("c1", batch("42", true, "Nightjar is late. I keep bees.")), 202)
	ask := map[string]any{"endUserId": "42", "pattern": "project nightjar"}
	shown := h.forget(h.admin, forgetPath, ask, nil, 200)
	if !shown.DryRun || len(shown.Found) != 1 || shown.Found[0].StartLine != 3 || shown.Receipt.Token != "" {
		t.Errorf("%+v", shown)
	}
	if got := h.want(h.get(workspaceFiles+"files/MEMORY.md?owner=api:42"), 200); !strings.Contains(string(got.body), "Nightjar") {
		t.Error("a preview changed the document")
	}
	ask["dryRun"], ask["erase"], ask["pattern"] = false, true, "Nightjar"
	repeat := map[string]string{"Idempotency-Key": "once"}
	done := h.forget(h.admin, forgetPath, ask, repeat, 200)
	if done.DryRun || len(done.Found) != 1 || done.Receipt.Token == "" || len(done.Kept) > 0 {
		t.Errorf("%+v", done)
	}
	places := ""
	for _, p := range done.Erased {
		places += p.Place + " "
	}
	if !strings.Contains(places, "messages.content") || !strings.Contains(places, "document_versions.content") {
		t.Errorf("erased in %s", places)
	}
	if again := h.forget(h.admin, forgetPath, ask, repeat, 200); !again.Receipt.Replayed || again.Receipt.Token != done.Receipt.Token {
		t.Errorf("again: %+v", again)
	}
	for path, want := range map[string]bool{"?owner=api:42": false, "?owner=api:42&version=1": false, "?owner=api:43": true} {
		if got := h.want(h.get(workspaceFiles+"files/MEMORY.md"+path), 200); strings.Contains(string(got.body), "Nightjar") != want {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	for _, wrong := range []map[string]any{
		{"endUserId": "42", "pattern": "ab"}, {"endUserId": "42", "pattern": "abcd", "path": "MEMORY.md"}, {"endUserId": "42"},
	} {
		h.forget(h.admin, forgetPath, wrong, nil, 422)
	}
	h.forget(h.key("viewer", memory.RoleViewer, ""), forgetPath, ask, nil, 403)
	h.forget(h.key("other", memory.RoleMember, "api:43"), forgetPath, ask, nil, 403)
	pinned := h.key("own", memory.RoleMember, "api:42")
	h.forget(pinned, forgetPath, map[string]any{"pattern": "Nightjar", "scope": "TEAM", "dryRun": false}, nil, 403)
}

func TestForgetFact(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?owner=api:42", "# Memory\n\n- Keeps bees behind the house.\n- Has a dog.\n", nil), 201)
	pinned, other := h.key("own", memory.RoleMember, "api:42"), h.key("other", memory.RoleMember, "api:43")
	id := h.facts(pinned, factsPath+"?keyword=bees").Items[0].ID.String()
	for _, path := range []string{factsPath, originalFactsPath} {
		path += "/" + id + "/forget"
		h.forget(other, path, nil, nil, 404)
		h.forget(h.key("viewer"+uuid.NewString(), memory.RoleViewer, "api:42"), path, nil, nil, 403)
		if shown := h.forget(pinned, path+"?dryRun=true", nil, nil, 200); !shown.DryRun || len(shown.Found) != 1 {
			t.Errorf("%+v", shown)
		}
	}
	if done := h.forget(pinned, factsPath+"/"+id+"/forget", nil, nil, 200); done.DryRun || len(done.Statements) != 1 {
		t.Errorf("%+v", done)
	}
	if list := h.facts(pinned, factsPath); len(list.Items) != 1 || list.Items[0].Text != "Has a dog." {
		t.Errorf("%+v", list)
	}
	h.forget(pinned, factsPath+"/"+id+"/forget", nil, nil, 404)
	h.forget(pinned, factsPath+"/"+id+"/forget?erase=true", nil, nil, 200)
	if got := h.want(h.get(workspaceFiles+"files/MEMORY.md?owner=api:42&version=1"), 200); strings.Contains(string(got.body), "bees") {
		t.Errorf("%s", got.body)
	}
	h.forget(pinned, factsPath+"/"+uuid.NewString()+"/forget", nil, nil, 404)
}
