package api_test

import (
	"fmt"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/writereq"
)

type written struct {
	writereq.WriteReceipt
	Owner, Scope, Path, Problem, WorkflowID, Link string
	EndedAt                                       *time.Time
}

const writesPath = "/api/v1/agents/ada/writes"

// closed returns a request to write that a case is closed.
func closed(name string) map[string]any {
	return map[string]any{
		"requestId": name, "owner": "api:42", "target": "memory/cases/{{id}}.md", "strategy": "append",
		"content": "Case {{id}} was closed: CONTENTMARKER.\n", "data": map[string]any{"id": 41}, "reason": "closed",
	}
}

func (h *harness) write(key string, body map[string]any, query string) answered {
	return h.do(request{method: "POST", path: writesPath + query, key: key, body: body})
}

func TestBusinessWrite(t *testing.T) {
	h := startWithTemporal(t, &scripted{}, true)
	h.agent("ada")
	member := h.key("workflows", memory.RoleMember, "")
	name := fmt.Sprintf("case-41-%d", time.Now().UnixNano())
	first := as[written](h, h.want(h.write(member, closed(name), ""), 200))
	if first.Outcome != memory.OutcomeWritten || first.Version != 1 || !first.Created || first.Path != "memory/cases/41.md" ||
		first.Scope != "PERSONAL" ||
		first.Link == "" {
		t.Fatalf("the receipt is %+v", first)
	}
	file := h.want(
		h.do(request{method: "GET", path: "/api/v1/agents/ada/workspace/files/memory/cases/41.md?owner=api:42", key: member}),
		200,
	)
	if got := as[struct{ Content string }](h, file).Content; got != "Case 41 was closed: CONTENTMARKER.\n" {
		t.Errorf("the document says %q", got)
	}

	again := as[written](h, h.want(h.write(member, closed(name), ""), 200))
	asked := as[written](h, h.want(h.do(request{method: "GET", path: writesPath + "/" + name + "?owner=api:42", key: member}), 200))
	for _, other := range []written{again, asked} {
		if other.WriteReceipt != first.WriteReceipt {
			t.Errorf("another receipt: %+v, want %+v", other.WriteReceipt, first.WriteReceipt)
		}
	}
	other := closed(name)
	other["content"] = "something else"
	h.wantError(h.write(member, other, ""), 409, "key_reused")
}
