package proposals

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseFlush(t *testing.T) {
	entry := Proposal{ShouldUpdate: true, Reason: "a pet", DailyEntry: "## 10:00 Pets\n\n- Has a dog."}
	for name, c := range map[string]struct {
		raw  string
		want Proposal
	}{
		"as asked": {
			`{"should_update":true,"reason":"a pet","daily_entry":"## 10:00 Pets\n\n- Has a dog."}`,
			entry,
		},
		"fenced": {"Here it is:\n```json\n{\"should_update\":true,\"reason\":\"a pet\",\"daily_entry\":\"## " +
			"10:00 Pets\\n\\n- Has a dog.\"}\n```", entry},
		"with more fields": {`{"should_update":true,"reason":"a pet","daily_entry":"## 10:00 Pets\n\n- Has a ` +
			`dog.","memory_update":"# Memory\n\n- Everything else is gone.\n","retired":[{"line":"x","reason":"y"}]}`, entry},
		"nothing":                          {`{"should_update":false,"reason":"small talk","daily_entry":""}`, Proposal{Reason: "small talk"}},
		"nothing, whatever the entry says": {`{"should_update":false,"reason":"small talk","daily_entry":"- x"}`, Proposal{Reason: "small talk"}},
		"an empty entry":                   {`{"should_update":true,"reason":"small talk","daily_entry":" \n"}`, Proposal{Reason: "small talk"}},
		"no reply":                         {"NO_REPLY", Proposal{}},
		"no reply, decorated":              {"\n **`no_reply`.** ", Proposal{}},
		"no reply, thinking":               {"<think>Nothing here.</think>\nNO_REPLY", Proposal{}},
		"no reply, a string":               {`"NO_REPLY"`, Proposal{}},
		"no reply, an entry":               {`{"should_update":true,"reason":"","daily_entry":"NO_REPLY"}`, Proposal{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseFlush(c.raw)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	for name, raw := range map[string]string{
		"prose":         "I would not store anything.",
		"a reply about": "NO_REPLY is what I say",
		"cut":           `{"should_update":true,"reason":"a pet","daily_entry":"## 10:0`,
		"no decision":   `{"reason":"a pet","daily_entry":"- x"}`,
		"empty":         "",
	} {
		if p, err := ParseFlush(raw); err == nil {
			t.Errorf("%s was read as %+v", name, p)
		}
	}
}

func TestFlushSchemaIsStrict(t *testing.T) {
	var schema struct {
		Required             []string
		AdditionalProperties any
	}
	if err := json.Unmarshal(FlushSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"should_update", "reason", "daily_entry"}, schema.Required); d != "" || schema.AdditionalProperties == true {
		t.Errorf("required: %s; others: %v", d, schema.AdditionalProperties)
	}
}
