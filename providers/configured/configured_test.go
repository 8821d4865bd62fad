package configured

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reverie/providers"
)

func load(t *testing.T, text string) (File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "providers.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

func TestLoad(t *testing.T) {
	t.Setenv("PROVIDER_KEY", "k")
	f, err := load(t, `{"providers":[
		{"id":"wiki","transport":"http","url":"https://w/x","headers":{"Authorization":"Bearer ${PROVIDER_KEY} $PROVIDER_KEY"},"operations":["search"]},
		{"id":"notes","transport":"mcp","url":"http://n","tools":{"recall":"find"},"order":3}],
		"backend":{"id":"words","command":["/bin/x"],"environment":{"A":"${PROVIDER_KEY}"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if h := f.Providers[0].Headers["Authorization"]; h != "Bearer k $PROVIDER_KEY" || f.Backend.Environment["A"] != "k" {
		t.Errorf("%q %v", h, f.Backend.Environment)
	}
	all, err := f.Outside("1")
	if err != nil || len(all) != 2 || all[0].Order() != providers.DefaultOrder || all[1].Order() != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	if !slices.Equal(all[0].Operations, []string{"search"}) || !slices.Equal(all[1].Operations, []string{"recall"}) {
		t.Errorf("they do what they are not asked for: %v, %v", all[0].Operations, all[1].Operations)
	}
	for text, problem := range map[string]string{
		`{"providers":[{"id":"memory","transport":"http","url":"http://x"}]}`:                                           "is taken",
		`{"providers":[{"id":"a","transport":"http","url":"http://x"},{"id":"a","transport":"http","url":"http://x"}]}`: "is taken",
		`{"providers":[{"id":"A b","transport":"http","url":"http://x"}]}`:                                              "characters",
		`{"providers":[{"id":"a","transport":"http","url":"file:///etc/passwd"}]}`:                                      "url",
		`{"providers":[{"id":"a","transport":"stdio","url":"http://x"}]}`:                                               "transport",
		`{"providers":[{"id":"a","transport":"mcp","url":"http://x"}]}`:                                                 "operations",
		`{"providers":[{"id":"a","transport":"mcp","url":"http://x","operations":["recall"]}]}`:                         "tools",
		`{"providers":[{"id":"a","transport":"http","url":"http://x","timeout":"1h"}]}`:                                 "timeout",
		`{"providers":[{"id":"a","transport":"http","url":"http://x","headers":{"k":"${NOT_SET_HERE}"}}]}`:              "NOT_SET_HERE",
		`{"providers":[{"id":"a","transport":"http","url":"http://x","secret":"y"}]}`:                                   "unknown field",
		`{"backend":{"id":"a"}}`:                     "command",
		`{"backend":{"id":"files","command":["x"]}}`: "is taken",
		`{} {}`: "after",
		`[]`:    "cannot unmarshal",
	} {
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
