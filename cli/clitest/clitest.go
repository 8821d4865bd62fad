// Package clitest supports the tests of the commands.
package clitest

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"reverie/api"
)

// Contains checks that an output has all of these texts, in this order.
func Contains(t *testing.T, out string, wants ...string) {
	t.Helper()
	rest := out
	for _, want := range wants {
		_, behind, found := strings.Cut(rest, want)
		if !found {
			t.Errorf("%q is missing, or not in this order, in\n%s", want, out)
			return
		}
		rest = behind
	}
}

// Answering starts a server that gives every request the same answer, and returns its address.
func Answering(t *testing.T, status int, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Folder makes a folder with files, by name, and returns its path.
func Folder(t *testing.T, notes map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range notes {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// contract is the server's OpenAPI document.
type contract struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name string `json:"name"`
		In   string `json:"in"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

type schema struct {
	Ref        string            `json:"$ref"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
	Open       any               `json:"additionalProperties"` // true: what else it has is not described
}

func readContract(t *testing.T) contract {
	t.Helper()
	document, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var c contract
	if err := json.Unmarshal(encoded, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c contract) resolve(s schema) schema {
	for s.Ref != "" {
		s = c.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}

// find returns the operation that a request reaches. Of several, the one with the fewest parameters in its path wins, as in
// the server.
func (c contract) find(method, path string) (found operation, ok bool) {
	fewest := 0
	for template, methods := range c.Paths {
		pattern := regexp.QuoteMeta(template)
		pattern = strings.ReplaceAll(pattern, `\{path\}`, `.+`) // documents' paths hold slashes
		pattern = regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(pattern, `[^/]+`)
		op, has := methods[strings.ToLower(method)]
		parameters := strings.Count(template, "{")
		if has && regexp.MustCompile("^"+pattern+"$").MatchString(path) && (!ok || parameters < fewest) {
			found, ok, fewest = op, true, parameters
		}
	}
	return found, ok
}

// ContractServer starts a server that accepts exactly the requests of the API's OpenAPI document: path, method, query
// parameters and body fields. It answers all of them alike. made returns the ids of the operations that were called.
func ContractServer(t *testing.T) (url string, made func() map[string]bool) {
	t.Helper()
	c := readContract(t)
	var mu sync.Mutex
	called := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		op, found := c.find(r.Method, r.URL.EscapedPath())
		if !found {
			t.Errorf("%s %s is not in the document", r.Method, r.URL.EscapedPath())
		}
		mu.Lock()
		called[op.ID] = true
		mu.Unlock()
		known := map[string]bool{}
		for _, p := range op.Parameters {
			known[p.In+" "+p.Name] = true
		}
		for name := range r.URL.Query() {
			if !known["query "+name] {
				t.Errorf("%s does not know the parameter %s", op.ID, name)
			}
		}
		if r.Header.Get("Idempotency-Key") != "" && !known["header Idempotency-Key"] {
			t.Errorf("%s does not know Idempotency-Key", op.ID)
		}
		if kind := r.Header.Get("Content-Type"); kind == "application/zip" {
			if _, known := op.RequestBody.Content[kind]; !known {
				t.Errorf("%s does not take an archive", op.ID)
			}
		} else if body, _ := io.ReadAll(r.Body); len(body) > 0 {
			var sent any
			if err := json.Unmarshal(body, &sent); err != nil {
				t.Error(err)
			}
			c.checkBody(t, op.ID, c.resolve(op.RequestBody.Content["application/json"].Schema), sent)
		}
		if op.ID == "export-snapshot" {
			w.Header().Set("Content-Type", "application/zip")
			return
		}
		_, _ = w.Write([]byte(`{"code":200,"msg":"success","data":{"id":"01a201b6-ed13-7840-bf53-e4dac4c32f57","scope":"TEAM","path":"MEMORY.md","result":{}}}`))
	}))
	t.Cleanup(server.Close)
	return server.URL, func() map[string]bool {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(called)
	}
}

func (c contract) checkBody(t *testing.T, at string, s schema, sent any) {
	t.Helper()
	switch value := sent.(type) {
	case map[string]any:
		for name, v := range value {
			property, found := s.Properties[name]
			if !found && s.Open != true {
				t.Errorf("%s.%s is not in the document", at, name)
			}
			c.checkBody(t, at+"."+name, c.resolve(property), v)
		}
	case []any:
		for _, v := range value {
			c.checkBody(t, at+"[]", c.resolve(*s.Items), v)
		}
	}
}
