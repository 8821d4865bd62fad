package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"reverie/memory"
)

type extraction struct {
	ID, Conversation, Owner, Outcome, ReasonCode, Reason, Raw string
	From, To                                                  int64
	Violations                                                []struct{ Code, Message string }
}

type extractions struct {
	Items []extraction
	Next  string
}

// An extraction's texts may be about a person: a caller who names nobody sees that it happened, not its contents.
func TestOutcomesHaveNoContentsWithoutAnOwner(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.post("c1", batch("42", true, "I live in Bern.", "Noted.")), 202)
	id := h.quarantined("c1")
	const list = "/api/v1/agents/ada/extractions"
	markers := []string{"REASONMARKER", "VIOLATIONMARKER", "api:42"}
	for _, c := range h.readers() {
		a := h.want(h.do(request{method: "GET", path: list + c.query, key: c.key}), 200)
		got := as[extractions](h, a)
		if len(got.Items) != c.items {
			t.Errorf("%s: %s", c.name, a.body)
			continue
		}
		if c.items > 0 {
			if x := got.Items[0]; x.ID != id.String() || x.Outcome != "quarantined" || x.ReasonCode != "guards" || x.From != 1 ||
				x.To != 2 ||
				x.Conversation != "c1" {
				t.Errorf("%s: %+v", c.name, x)
			}
			for _, marker := range markers {
				if strings.Contains(string(a.body), marker) != c.whole {
					t.Errorf("%s: %s in the list: %v", c.name, marker, !c.whole)
				}
			}
		}
		one := h.do(request{method: "GET", path: list + "/" + id.String() + c.query, key: c.key})
		if c.items == 0 {
			h.wantError(one, 404, "not_found")
			continue
		}
		for _, marker := range append(markers, "RAWMARKER") {
			if strings.Contains(string(h.want(one, 200).body), marker) != c.whole {
				t.Errorf("%s: %s in the record: %v", c.name, marker, !c.whole)
			}
		}
	}
	conversations := func(key string) string {
		return string(h.want(h.do(request{method: "GET", path: "/api/v1/agents/ada/conversations", key: key}), 200).body)
	}
	if body := conversations(h.key("outlines", memory.RoleViewer, "")); !strings.Contains(body, `"c1"`) ||
		strings.Contains(body, "api:42") {
		t.Errorf("viewer: %s", body)
	}
	if body := conversations(h.admin); !strings.Contains(body, "api:42") {
		t.Errorf("admin: %s", body)
	}
	if body := conversations(h.key("nothing", memory.RoleViewer, "api:43")); strings.Contains(body, `"c1"`) {
		t.Errorf("stranger: %s", body)
	}
}

func TestExtractionsAreFilteredAndPaged(t *testing.T) {
	h := start(t)
	h.agent("ada")
	want := map[string]bool{}
	for _, c := range []string{"c1", "c2", "c3"} {
		h.want(h.post(c, batch("42", true, "I live in Bern.", "Noted.")), 202)
		want[h.quarantined(c).String()] = true
	}
	const list = "/api/v1/agents/ada/extractions"
	if got := as[extractions](h, h.get(list+"?conversation=c2")); len(got.Items) != 1 || got.Items[0].Conversation != "c2" {
		t.Errorf("%+v", got)
	}
	if got := as[extractions](h, h.get(list+"?outcome=written")); len(got.Items) != 0 || got.Items == nil {
		t.Errorf("%+v", got)
	}
	h.wantError(h.get(list+"?outcome=splendid"), 422, "invalid_request")
	h.wantError(h.get(list+"?cursor=nonsense"), 422, "invalid_request")
	h.wantError(h.get(list+"?limit=0"), 422, "invalid_request")
	h.wantError(h.get(list+"?limit=501"), 422, "invalid_request")
	h.want(h.get(list+"?limit=500"), 200)
	seen := map[string]bool{}
	for next := ""; ; {
		got := as[extractions](h, h.want(h.get(list+"?limit=2&cursor="+next), 200))
		for _, x := range got.Items {
			seen[x.ID] = true
		}
		if next = got.Next; next == "" {
			break
		}
	}
	if len(seen) != 3 {
		t.Errorf("paged through %v, want %v", seen, want)
	}
	h.wantError(h.get(list+"/"+uuid.NewString()), 404, "not_found")
	h.wantError(h.get(list+"/nonsense"), 422, "invalid_request")
}
