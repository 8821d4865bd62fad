package proposals

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"reverie/memory"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"
)

func TestParseProposal(t *testing.T) {
	const whole = `{"should_update": true, "reason": "new city", "memory_update": "# Memory\n\n- Lives in \"Lisbon\"\n"}`
	proposal := Proposal{ShouldUpdate: true, Reason: "new city", MemoryUpdate: "# Memory\n\n- Lives in \"Lisbon\"\n"}
	nothing := Proposal{Reason: "small talk"}
	for _, c := range []struct {
		name, raw string
		want      Proposal
	}{
		{"as asked", whole, proposal},
		{"with a byte order mark and spaces", "\ufeff \n" + whole + "\n\n", proposal},
		{"fenced", "```json\n" + whole + "\n```", proposal},
		{"fenced without language", "```\n" + whole + "\n```\n", proposal},
		{"fence that is not closed", "```json\n" + whole, proposal},
		{"prose in front", "Here is the proposal:\n\n" + whole, proposal},
		{"prose behind", whole + "\n\nLet me know if {you} need \"more\".", proposal},
		{"prose with braces in front", "The set {a, b} and { are noted. " + whole, proposal},
		{"thinking", "<think>Should I say {\"should_update\": false}?</think>\n" + whole, proposal},
		{"in an array", "[" + whole + "]", proposal},
		{"in another object", `{"result": ` + whole + `}`, proposal},
		{"as a JSON string", quoted(whole), proposal},
		{"said twice", whole + "\n" + whole, proposal},
		{"more fields", `{"should_update": false, "reason": "small talk", "structured_entries": [], "confidence": 0.9}`, nothing},
		{"null fields", `{"should_update": false, "reason": "small talk", "daily_entry": null, "retired": null, "evidence": null}`, nothing},
		{"texts although nothing is new", `{"should_update": false, "reason": "small talk", "memory_update": "# Memory\n", "retired": ` +
			`[{"line":"a","reason":"b"}]}`, nothing},
		{"yes as a string", `{"should_update": "true", "reason": "new city", "memory_update": "# Memory\n\n- Lives in \"Lisbon\"\n"}`, proposal},
		{"no as a string", `{"should_update": " False ", "reason": "small talk"}`, nothing},
		{"Python", `{'should_update': True, 'reason': 'new city', 'memory_update': '# Memory\n\n- Lives in "Lisbon"\n', 'daily_entry': ` +
			`None}`, proposal},
		{"trailing commas", `{"should_update": false, "reason": "small talk", "retired": [],}`, nothing},
		{"missing commas", "{\"should_update\": false\n\"reason\": \"small talk\"}", nothing},
		{"names without quotes", `{should_update: false, reason: "small talk"}`, nothing},
		{"raw line breaks", "{\"should_update\": true, \"reason\": \"new city\", \"memory_update\": \"# Memory\n\n- Lives in " +
			"\\\"Lisbon\\\"\n\"}", proposal},
		{"quotes that are not escaped", `{"should_update": true, "reason": "new city", "memory_update": "# Memory\n\n- Lives in ` +
			`"Lisbon"\n"}`, proposal},
		{"typographic quotes", `{“should_update”: false, “reason”: “small talk”}`, nothing},
		{"escaped apostrophes", `{"should_update": false, "reason": "small\' talk"}`, Proposal{Reason: "small' talk"}},
		{
			"escapes of every kind", `{'should_update': False, 'reason': 'it\'s caf\u00e9 \"\/\\ \_x\_ \ud83d\ude00',}`,
			Proposal{Reason: `it's café "/\ \_x\_ 😀`},
		},
		{
			"fields of every kind", `{"should_update": true, "reason": "r", "daily_entry": "d", "memory_update": "m", "profile_update": "p",
			"retired": [{"line": "- a", "reason": "b"}], "evidence": [{"line": "- x", "messages": [3, 1, 3]}, {"line": "", "messages": [1]}]}`,
			Proposal{
				ShouldUpdate: true, Reason: "r", DailyEntry: "d", MemoryUpdate: "m", ProfileUpdate: "p",
				Retired: []Retired{{"- a", "b"}}, Evidence: []memory.LineSource{{Line: "- x", Messages: []int64{1, 3}}},
			},
		},
		{
			"braces and escapes in texts", `{"should_update": true, "reason": "}{", "daily_entry": "{\"a\": \"}\\\"}"}`,
			Proposal{ShouldUpdate: true, Reason: "}{", DailyEntry: `{"a": "}\"}`},
		},
	} {
		got, err := ParseProposal(c.raw)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
}

func TestParseProposalRefuses(t *testing.T) {
	for _, c := range []struct{ name, raw, says string }{
		{"nothing", "", "no JSON object"},
		{"prose", "I think nothing needs to be stored.", "no JSON object"},
		{"another object", `{"answer": 42}`, "no JSON object"},
		{"an empty object", `{}`, "no JSON object"},
		{"null", `null`, "no JSON object"},
		{"yes or no is missing", `{"reason": "x", "memory_update": "# Memory"}`, "no JSON object"},
		{"yes or no is a number", `{"should_update": 1}`, "should_update must be true or false"},
		{"yes or no is null", `{"should_update": null}`, "should_update must be true or false"},
		{"yes or no is a word", `{"should_update": "maybe"}`, "should_update must be true or false"},
		{"a number in a text", `{"should_update": true, "memory_update": 7}`, "memory_update must be one JSON string, it is a number"},
		{
			"a list in a text", `{"should_update": true, "memory_update": ["# Memory", "- a"]}`,
			"memory_update must be one JSON string, it is an array",
		},
		{
			"an object in a text", `{"should_update": true, "profile_update": {"name": "Ada"}}`,
			"profile_update must be one JSON string, it is an object",
		},
		{"a boolean in a text", `{"should_update": true, "daily_entry": false}`, "daily_entry must be one JSON string, it is false"},
		{"retired is a string", `{"should_update": true, "retired": "- a"}`, "retired must be an array"},
		{"retired has strings", `{"should_update": true, "retired": ["- a"]}`, "retired[0] must be an object"},
		{"retired has a number", `{"should_update": true, "retired": [{"line": "a", "reason": 3}]}`, "in retired[0], reason must be"},
		{"evidence with words", `{"should_update": true, "evidence": [{"line": "a", "messages": ["three"]}]}`, "evidence[0] must be"},
		{"a field twice", `{"should_update": true, "memory_update": "# Memory\n", "memory_update": ""}`, "twice"},
		{"different objects", `{"should_update": false} {"should_update": true, "daily_entry": "x"}`, "several"},
		{"cut off in a text", `{"should_update": true, "memory_update": "# Memory\n\n- Lives in Lis`, "cannot be read"},
		{"cut off behind a text", `{"should_update": true, "memory_update": "# Memory\n\n- Lives in Lisbon"`, "cannot be read"},
		{"cut off in a text with braces", `{"should_update": true, "memory_update": "# {x}\n- {"a`, "cannot be read"},
		{"cut off, with an object in a text", `{"should_update": true, "memory_update": "say {\"should_update\": false} and`, "cannot be read"},
		{"cut off in a fence", "```json\n{\"should_update\": true, \"memory_update\": \"# Memory\n- a\n```", "cannot be read"},
		{"cut off behind a quote and a brace", `{"should_update": true, "memory_update": "write {"a"} and then b`, "cannot be read"},
		{"cut off behind a brace in single quotes", `{'should_update': True, 'memory_update': '# Memory {x}}`, "cannot be read"},
		{"cut off behind a bracket and a brace", `{'should_update': True, 'memory_update': '- [x]}`, "cannot be read"},
		{"cut off behind a quoted word and a brace", `{"should_update": true, "memory_update": "write "a"}`, "cannot be read"},
		{"cut off in a quoted word, behind a brace", `{"should_update": true, "memory_update": "write "a}`, "cannot be read"},
		{"the text runs into another name", `{"should_update": true, "memory_update": "# Memory", and more": "x"}`, "cannot be read"},
		{"left out", `{"should_update": true, "memory_update": "# Memory", ...}`, "cannot be read"},
		{"an apostrophe in single quotes", `{'should_update': True, 'reason': 'it's new'}`, "cannot be read"},
		{"an escape without digits", `{'should_update': False, 'reason': 'C:\users'}`, "cannot be read"},
		{"characters for private use", "{'should_update': False, 'reason': '\ue06e'}", "cannot be read"},
		{"too long to be repaired", `{'should_update': False, 'reason': '` + strings.Repeat("a", maxRepairBytes) + `'}`, "cannot be read"},
		{"something within the object", `{"should_update": false, 7}`, "cannot be read"},
		{"nested without end", strings.Repeat(`{"should_update":`, 50_000), "cannot be read"},
		{"too long", strings.Repeat(" ", maxAnswerBytes+1), "longer than"},
	} {
		got, err := ParseProposal(c.raw)
		var refused *Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Problem, c.says) {
			t.Errorf("%s: %v, want something with %q", c.name, err, c.says)
		}
		if diff := cmp.Diff(Proposal{}, got); diff != "" {
			t.Errorf("%s: a refused answer still gives %s", c.name, diff)
		}
	}
}

func quoted(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func proposals() *rapid.Generator[Proposal] {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"# Memory", "\n", "- ", "a", "it's", `"so"`, "{x}", "}", "{", "[", "]", ",", ":", "```", "你好", `\n`, `C:\new`, "true", "None",
			`{"should_update": false}`, "\t", "…",
		}), 0, 12).Draw(t, "pieces"), "")
	})
	return rapid.Custom(func(t *rapid.T) Proposal {
		p := Proposal{
			ShouldUpdate: true, Reason: text.Draw(t, "reason"), DailyEntry: text.Draw(t, "daily"),
			MemoryUpdate: text.Draw(t, "memory"), ProfileUpdate: text.Draw(t, "profile"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "retired") {
			p.Retired = append(p.Retired, Retired{Line: text.Draw(t, "line"), Reason: text.Draw(t, "why")})
		}
		return p
	})
}

// wrappings are ways in which models write JSON without changing its content.
var wrappings = map[string]func(string) string{
	"as it is":        func(s string) string { return s },
	"fenced":          func(s string) string { return "```json\n" + s + "\n```" },
	"announced":       func(s string) string { return "Here you are:\n" + s },
	"trailing comma":  func(s string) string { return strings.TrimSuffix(s, "}") + ",}" },
	"Python":          python,
	"raw line breaks": func(s string) string { return rawBreaks(s) },
}

// python writes an object as Python prints it.
func python(s string) string {
	var b strings.Builder
	inString := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && s[i+1] == '"':
			b.WriteByte('"')
			i++
		case c == '\\':
			b.WriteString(s[i : i+2])
			i++
		case c == '"':
			inString = !inString
			b.WriteByte('\'')
		case c == '\'' && inString:
			b.WriteString(`\'`)
		case !inString && strings.HasPrefix(s[i:], "true"):
			b.WriteString("True")
			i += len("true") - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// rawBreaks replaces escaped line breaks by line breaks.
func rawBreaks(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == 'n' {
				b.WriteByte('\n')
				continue
			}
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// An answer is read as intended or not at all, however it is written and wherever it was cut off.
func TestParseProposalNeverChangesWhatWasSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := proposals().Draw(t, "proposal")
		written, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		for name, wrap := range wrappings {
			raw := wrap(string(written))
			got, err := ParseProposal(raw)
			if err != nil && (name == "as it is" || name == "fenced" || name == "announced") {
				t.Fatalf("%s: %q: %v", name, raw, err)
			}
			if err == nil && cmp.Diff(want, got) != "" {
				t.Fatalf("%s: %q is read as %s", name, raw, cmp.Diff(want, got))
			}
			end := rapid.IntRange(0, len(raw)).Draw(t, "end")
			if got, err := ParseProposal(raw[:end]); err == nil && cmp.Diff(want, got) != "" {
				t.Fatalf("%s: cut off as %q it is read as %+v", name, raw[:end], got)
			}
		}
	})
}

func FuzzParseProposal(f *testing.F) {
	for _, seed := range []string{
		`{"should_update": true, "memory_update": "# Memory\n", "retired": [{"line": "a", "reason": "b"}]}`,
		"```json\n{'should_update': True, 'reason': 'it is', 'daily_entry': None,}\n```", `[{"should_update":"false"}]`,
		`{"a": {"should_update": false}} {`,
		`{should_update: true, memory_update: "a "b" c"}`, `"{\"should_update\": true}"`, `<think>{</think>{"should_update": 1}`,
		`{"should_update": true, "reason": "\u00e9\ud83d"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		began := time.Now()
		p, err := ParseProposal(raw)
		if took := time.Since(began); took > time.Minute {
			t.Fatalf("%v for %d bytes", took, len(raw))
		}
		var refused *Error
		switch {
		case err != nil && (!errors.As(err, &refused) || refused.Problem == "" || cmp.Diff(Proposal{}, p) != ""):
			t.Fatalf("%+v, %v", p, err)
		case err == nil && !p.ShouldUpdate && cmp.Diff(Proposal{Reason: p.Reason}, p) != "":
			t.Fatalf("nothing is to be updated, but: %+v", p)
		}
	})
}

// The parser reads what the schema asks for.
func TestProposalSchema(t *testing.T) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(ProposalSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{
		`{"should_update": true, "reason": "r", "daily_entry": "", "memory_update": "m", "profile_update": "", "retired": [{"line": "l", ` +
			`"reason": "r"}]}`: true,
		`{"should_update": false, "reason": "", "daily_entry": "", "memory_update": "", "profile_update": "", "retired": []}`:              true,
		`{"should_update": false, "reason": "", "daily_entry": "", "memory_update": "", "profile_update": ""}`:                             false,
		`{"should_update": false, "reason": "", "daily_entry": "", "memory_update": "", "profile_update": "", "retired": null}`:            false,
		`{"should_update": "no", "reason": "", "daily_entry": "", "memory_update": "", "profile_update": "", "retired": []}`:               false,
		`{"should_update": false, "reason": "", "daily_entry": "", "memory_update": "", "profile_update": "", "retired": [], "more": 1}`:   false,
		`{"should_update": false, "reason": "", "daily_entry": "", "memory_update": "", "profile_update": "", "retired": [{"line": "l"}]}`: false,
	} {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); (err == nil) != valid {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := ParseProposal(text); valid && err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, field := range schema.Required {
		if !strings.Contains(strings.Join(proposalForm.fields, " "), field) {
			t.Errorf("the schema asks for %s, which nobody reads", field)
		}
	}
}
