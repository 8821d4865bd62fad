package api_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

func TestThePageLoadsOnlyFromThisServer(t *testing.T) {
	h := start(t)
	page := h.want(h.do(request{method: "GET", path: "/docs"}), 200)
	if !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
		t.Errorf("type %s", page.header.Get("Content-Type"))
	}
	policy := page.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "http") ||
		strings.Contains(policy, "script-src 'self' 'unsafe") {
		t.Errorf("policy %s", policy)
	}
	used := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(string(page.body), -1)
	if len(used) < 5 {
		t.Errorf("the page uses %v", used)
	}
	for _, u := range used {
		if !strings.HasPrefix(u[1], "/") {
			t.Errorf("the page uses %s", u[1])
		}
		if got := h.do(request{method: "GET", path: u[1]}); got.status != 200 || len(got.body) == 0 {
			t.Errorf("%s: status %d, %d bytes", u[1], got.status, len(got.body))
		}
	}
	plain := h.want(
		h.do(request{method: "GET", path: "/docs/swagger-ui.css", header: map[string]string{"Accept-Encoding": "identity"}}),
		200,
	)
	if plain.header.Get("Content-Encoding") != "" || !strings.Contains(string(plain.body), ".swagger-ui") {
		t.Error("without gzip the style cannot be read")
	}
	h.wantError(h.do(request{method: "GET", path: "/docs/../server.go"}), 404, "no_such_route")
	h.wantError(h.do(request{method: "GET", path: "/docs/index.html"}), 404, "not_found")
}

func TestTheDocumentIsServed(t *testing.T) {
	h := start(t)
	served := h.want(h.do(request{method: "GET", path: "/openapi.json"}), 200)
	var document struct {
		OpenAPI string
		Paths   map[string]any
	}
	if err := json.Unmarshal(served.body, &document); err != nil || document.OpenAPI != "3.1.0" || len(document.Paths) < 20 {
		t.Errorf("%v %s with %d paths", err, document.OpenAPI, len(document.Paths))
	}
	yaml := h.want(h.do(request{method: "GET", path: "/openapi.yaml"}), 200)
	if !strings.Contains(string(yaml.body), "openapi: 3.1.0") {
		t.Errorf("%.200s", yaml.body)
	}
}
