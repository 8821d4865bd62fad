package proposals

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"reverie/memory"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"
)

func TestParseConsolidation(t *testing.T) {
	const whole = `{"should_update": true, "reason": "new city", "memory_content": "# Memory\n\n- Lives in \"Lisbon\"\n", "retired": ` +
		`[{"line": "- Lives in Porto", "reason": "moved"}]}`
	lisbon := Consolidation{
		ShouldUpdate: true, Reason: "new city", MemoryContent: "# Memory\n\n- Lives in \"Lisbon\"\n",
		Retired: []Retired{{Line: "- Lives in Porto", Reason: "moved"}},
	}
	nothing := Consolidation{Reason: "nothing lasting"}
	for _, c := range []struct {
		name, raw string
		want      Consolidation
	}{
		{"as asked", whole, lisbon},
		{"fenced, with prose around it", "Here it is:\n```json\n" + whole + "\n```\nAll done.", lisbon},
		{"thinking", "<think>{\"should_update\": false}</think>" + whole, lisbon},
		{"as a JSON string", quoted(whole), lisbon},
		{"in another object", `{"answer": ` + whole + `}`, lisbon},
		{"more fields", `{"should_update": false, "reason": "nothing lasting", "confidence": 1}`, nothing},
		{"text although nothing changes", `{"should_update": false, "reason": "nothing lasting", "memory_content": "# Memory\n"}`, nothing},
		{"Python", `{'should_update': False, 'reason': 'nothing lasting', 'memory_content': None,}`, nothing},
	} {
		got, err := ParseConsolidation(c.raw)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
}

func TestParseConsolidationRefuses(t *testing.T) {
	for _, c := range []struct{ name, raw, says string }{
		{"prose", "MEMORY.md is fine as it is.", "no JSON object"},
		{"emptied", `{"should_update": true, "reason": "tidied up", "memory_content": " \n"}`, "memory_content is empty"},
		{"without the text", `{"should_update": true, "reason": "tidied up"}`, "memory_content is empty"},
		{"a list of lines", `{"should_update": true, "memory_content": ["# Memory"]}`, "memory_content must be one JSON string"},
		{
			"retired without names", `{"should_update": true, "memory_content": "# Memory", "retired": ["- a"]}`,
			"retired[0] must be an object",
		},
		{"cut off", `{"should_update": true, "memory_content": "# Memory\n\n- Lives in Lis`, "cannot be read"},
		{"repaired fields of another contract", `{'should_update': True, 'memory_update': '# Memory',}`, "cannot be read"},
		{"two answers", `{"should_update": false} {"should_update": true, "memory_content": "# Memory"}`, "several"},
		{"too long", strings.Repeat(" ", maxAnswerBytes+1), "longer than"},
	} {
		got, err := ParseConsolidation(c.raw)
		var refused *Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Problem, c.says) {
			t.Errorf("%s: %v, want something with %q", c.name, err, c.says)
		}
		if diff := cmp.Diff(Consolidation{}, got); diff != "" {
			t.Errorf("%s: a refused answer still gives %s", c.name, diff)
		}
	}
}

// An answer is read as intended or not at all, however it is written and wherever it was cut off.
func TestParseConsolidationNeverChangesWhatWasSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := proposals().Draw(t, "proposal")
		want := Consolidation{ShouldUpdate: true, Reason: p.Reason, MemoryContent: "# " + p.MemoryUpdate, Retired: p.Retired}
		written, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		for name, wrap := range wrappings {
			raw := wrap(string(written))
			if got, err := ParseConsolidation(raw); err == nil && cmp.Diff(want, got) != "" {
				t.Fatalf("%s: %q is read as %s", name, raw, cmp.Diff(want, got))
			}
			end := rapid.IntRange(0, len(raw)).Draw(t, "end")
			if got, err := ParseConsolidation(raw[:end]); err == nil && cmp.Diff(want, got) != "" {
				t.Fatalf("%s: cut off as %q it is read as %+v", name, raw[:end], got)
			}
		}
	})
}

func FuzzParseConsolidation(f *testing.F) {
	for _, seed := range []string{
		`{"should_update": true, "memory_content": "# Memory\n", "retired": [{"line": "a", "reason": "b"}]}`,
		"```json\n{'should_update': True, 'reason': 'it is', 'memory_content': None,}\n```", `[{"should_update":"false"}]`,
		`{"a": {"should_update": false}} {`,
		`{should_update: true, memory_content: "a "b" c"}`, `"{\"should_update\": true}"`, `<think>{</think>{"should_update": 1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		c, err := ParseConsolidation(raw)
		var refused *Error
		switch {
		case err != nil && (!errors.As(err, &refused) || refused.Problem == "" || cmp.Diff(Consolidation{}, c) != ""):
			t.Fatalf("%+v, %v", c, err)
		case err == nil && !c.ShouldUpdate && cmp.Diff(Consolidation{Reason: c.Reason}, c) != "":
			t.Fatalf("nothing is to be updated, but: %+v", c)
		case err == nil && c.ShouldUpdate && strings.TrimSpace(c.MemoryContent) == "":
			t.Fatal("an update without a text")
		}
	})
}

// The parser reads what the schema asks for.
func TestConsolidationSchema(t *testing.T) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(ConsolidationSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{
		`{"should_update": true, "reason": "r", "memory_content": "m", "retired": [{"line": "l", "reason": "r"}]}`: true,
		`{"should_update": false, "reason": "", "memory_content": "", "retired": []}`:                              true,
		`{"should_update": false, "reason": "", "memory_content": ""}`:                                             false,
		`{"should_update": false, "reason": "", "memory_content": "", "retired": null}`:                            false,
		`{"should_update": false, "reason": "", "memory_content": "", "retired": [], "more": 1}`:                   false,
	} {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); (err == nil) != valid {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := ParseConsolidation(text); valid && err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if diff := cmp.Diff(consolidationForm.fields, schema.Required); diff != "" {
		t.Error(diff)
	}
}

// A line of a version may come from another conversation than the version, for example in a dream.
func TestBlameNamesTheConversationOfALine(t *testing.T) {
	lines := memory.Blame([]memory.Version{{
		Number: 1, Content: "- a\n- b\n- c\n",
		Sources: memory.Sources{Conversation: "c1", From: 1, To: 9, Lines: []memory.LineSource{
			{Line: "- a", Messages: []int64{3}}, {Line: "- b", Messages: []int64{7, 5}, Conversation: "c2"},
		}},
	}})
	type origin struct {
		Conversation string
		From, To     int64
	}
	var got []origin
	for _, l := range lines {
		got = append(got, origin{l.Conversation, l.From, l.To})
	}
	if diff := cmp.Diff([]origin{{"c1", 1, 9}, {"c2", 5, 7}, {"c1", 1, 9}}, got); diff != "" {
		t.Error(diff)
	}
}
