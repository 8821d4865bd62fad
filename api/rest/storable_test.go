package rest

import (
	"encoding/json"
	"slices"
	"testing"
)

// Every place of a request is looked at, under the name that the client knows.
func TestWhatCannotBeStoredIsFound(t *testing.T) {
	type inner struct {
		Name  string            `json:"name"`
		Tags  []string          `json:"tags"`
		Raw   json.RawMessage   `json:"raw"`
		Named map[string]string `json:"named"`
		Own   string            `json:"own" characters:"any"`
	}
	const nul, broken = "a\x00b", "\xff"
	in := struct {
		AgentParam
		From    OptionalInt `query:"from"`
		Match   string      `header:"If-Match"`
		RawBody []byte
		Body    struct {
			PersonBody
			Items  []*inner `json:"items"`
			Number int      `json:"number"`
			Seq    int64    `json:"seq"`
		}
	}{AgentParam: AgentParam{nul}, From: OptionalInt{Value: 1 << 31}, Match: broken, RawBody: []byte(nul)}
	in.Body.Owner, in.Body.Number, in.Body.Seq = nul, -1<<31-1, 1<<62
	in.Body.Items = []*inner{nil, {
		Name: nul, Tags: []string{"", nul}, Raw: json.RawMessage(`{"a":"\\u0000"}`), Named: map[string]string{"k": nul}, Own: nul,
	}, {Raw: json.RawMessage(`["\\\u0000"]`)}}
	var got []string
	for _, f := range unstorable(&in) {
		got = append(got, f.Location)
	}
	want := []string{
		"path.agent", "query.from", "header.If-Match", "body.owner", "body.items[1].name", "body.items[1].tags[1]",
		"body.items[1].named.k", "body.items[2].raw", "body.number",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found at %q, want %q", got, want)
	}
	if found := unstorable(&struct{ Body *inner }{}); found != nil {
		t.Errorf("nothing has %+v", found)
	}
}
