package api

import (
	"bytes"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

func TestTheDocumentIsCurrent(t *testing.T) {
	document, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	want, err := document.YAML()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, want) {
		t.Error("api/openapi.yaml is stale: run go generate ./api")
	}
}

// Every route is described, and every described operation is routed.
func TestRoutesAndDocumentAgree(t *testing.T) {
	s, err := build(Options{Metrics: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	parameter := regexp.MustCompile(`\{[^}]+\}`)
	described := map[string]bool{}
	for path, item := range s.API.OpenAPI().Paths {
		for method, op := range map[string]bool{
			"GET": item.Get != nil, "POST": item.Post != nil, "PUT": item.Put != nil, "PATCH": item.Patch != nil, "DELETE": item.Delete != nil,
		} {
			if op {
				described[method+" "+parameter.ReplaceAllString(path, "{}")] = true
			}
		}
	}
	routed := map[string]bool{}
	for _, r := range s.Echo.Routes() {
		path := regexp.MustCompile(`:[a-zA-Z]+|\*$`).ReplaceAllString(r.Path, "{}")
		routed[r.Method+" "+path] = true
	}
	for route := range routed {
		if !described[route] {
			t.Errorf("%s is not in the document", route)
		}
	}
	for route := range described {
		if !routed[route] {
			t.Errorf("%s is not routed", route)
		}
	}
	if len(routed) < 30 {
		t.Errorf("only %d routes", len(routed))
	}
}

// ranked are the operations that return the best few of what they find.
var ranked = []string{"explain-candidates", "explain-candidates-original"}

// Every operation that returns items returns next, and takes cursor and limit.
func TestListsAreAlike(t *testing.T) {
	document, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(s *huma.Schema) *huma.Schema {
		for s != nil && s.Ref != "" {
			s = document.Components.Schemas.SchemaFromRef(s.Ref)
		}
		return s
	}
	lists := 0
	for path, item := range document.Paths {
		op := item.Get
		if op == nil || op.Responses["200"] == nil || slices.Contains(ranked, op.OperationID) {
			continue
		}
		answer := op.Responses["200"].Content["application/json"]
		if answer == nil {
			continue
		}
		data := resolve(resolve(answer.Schema).Properties["data"])
		if data == nil || data.Properties["items"] == nil || data.Properties["items"].Type != huma.TypeArray {
			continue
		}
		lists++
		takes := map[string]bool{}
		for _, p := range op.Parameters {
			takes[p.Name] = p.In == "query"
		}
		if data.Properties["next"] == nil || !takes["cursor"] || !takes["limit"] {
			t.Errorf("GET %s has next: %v, cursor: %v, limit: %v", path, data.Properties["next"] != nil, takes["cursor"], takes["limit"])
		}
	}
	if lists < 30 {
		t.Errorf("only %d lists", lists)
	}
}

// Every body of JSON is counted while it is read, whoever decodes it.
func TestValuesOfEveryBodyAreCounted(t *testing.T) {
	s, err := build(Options{Metrics: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	bodies := 0
	for path, item := range s.API.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
				continue
			}
			bodies++
			if n, counted := op.Metadata["elements"].(int); !counted || n <= 0 {
				t.Errorf("%s %s takes any number of values", op.Method, path)
			}
		}
	}
	if bodies < 30 {
		t.Errorf("only %d bodies", bodies)
	}
}

func TestTheDocumentIsComplete(t *testing.T) {
	document, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	if document.OpenAPI != "3.1.0" {
		t.Errorf("OpenAPI %s", document.OpenAPI)
	}
	ids := map[string]bool{}
	for path, item := range document.Paths {
		for method, op := range map[string]*huma.Operation{
			"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete,
		} {
			switch {
			case op == nil:
				continue
			case op.Summary == "" || len(op.Tags) != 1 || op.OperationID == "":
				t.Errorf("%s %s says too little of itself", method, path)
			case ids[op.OperationID]:
				t.Errorf("%s is the id of two operations", op.OperationID)
			}
			ids[op.OperationID] = true
		}
	}
	text, err := document.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Envelope", "InputBody"} {
		if strings.Contains(string(text), word) {
			t.Errorf("%s shows how we build answers", word)
		}
	}
}
