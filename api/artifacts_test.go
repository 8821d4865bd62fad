package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArtifacts(t *testing.T) {
	h := start(t)
	h.agent("ada")
	for _, path := range []string{"memory/2026-04-01.md", "memory/dreaming/deep/2026-04-01.md", "DREAMS.md", "notes.md"} {
		h.want(h.put(path+"?owner=api:42", "text\n", nil), 201)
	}
	const path = "/api/v1/agents/ada/artifacts?owner=api:42"
	type artifacts struct {
		Items []struct{ Kind, Path, ContentType, Href string }
		Next  string
	}
	all := as[artifacts](h, h.want(h.get(path), 200))
	var got []string
	for _, one := range all.Items {
		got = append(got, fmt.Sprint(one.Kind, " ", one.Path, " ", one.ContentType))
		if one.ContentType == "markdown" {
			h.want(h.get(one.Href+"&owner=api:42"), 200)
		}
	}
	if diff := cmp.Diff([]string{
		"memory-root MEMORY.md markdown", "event-log memory/.dreams/events.jsonl json", "daily-note memory/2026-04-01.md markdown",
		"dream-report memory/dreaming/deep/2026-04-01.md markdown",
	}, got); diff != "" {
		t.Error(diff)
	}
	lines := h.want(
		h.do(request{method: "GET", path: path, key: h.admin, header: map[string]string{"Accept": "application/x-ndjson"}}),
		200,
	)
	if n := strings.Count(string(lines.body), "\n"); n != 4 || lines.header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("%d lines of %s: %s", n, lines.header.Get("Content-Type"), lines.body)
	}
	var paged []string
	for cursor := ""; ; {
		part := as[artifacts](h, h.want(h.get(path+"&limit=1&cursor="+cursor), 200))
		for _, one := range part.Items {
			paged = append(paged, fmt.Sprint(one.Kind, " ", one.Path, " ", one.ContentType))
		}
		if cursor = part.Next; cursor == "" {
			break
		}
	}
	if diff := cmp.Diff(got, paged); diff != "" {
		t.Error(diff)
	}
}
