package fault

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"testing"
)

// Every name has a status, and docs/api.md has every name with its status and no other.
func TestErrorsAreDocumented(t *testing.T) {
	source, err := os.ReadFile("names.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, declared := range regexp.MustCompile(`errorName = "([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
		if errorStatus[Name(declared[1])] == 0 {
			t.Errorf("%s has no status", declared[1])
		}
	}
	document, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[Name]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([0-9]+) \\| .+ \\|$").FindAllStringSubmatch(string(document), -1) {
		documented[Name(row[1])] = row[2]
	}
	for name, status := range errorStatus {
		if documented[name] != fmt.Sprint(status) {
			t.Errorf("docs/api.md says %q of %s, which is %d", documented[name], name, status)
		}
	}
	for name := range documented {
		if errorStatus[name] == 0 {
			t.Errorf("docs/api.md has %s, which does not exist", name)
		}
	}
}

func TestAProblemIsAnEnvelope(t *testing.T) {
	encoded, err := json.Marshal(New(NotFound, "look elsewhere"))
	if want := `{"code":404,"msg":"look elsewhere","error":"not_found","data":null}`; err != nil || string(encoded) != want {
		t.Errorf("%s, want %s (%v)", encoded, want, err)
	}
	many := Invalid(Fault{"a", "1"}, Fault{"b", "2"}, Fault{"c", "3"}, Fault{"d", "4"}, Fault{"e", "5"})
	if many.Msg != "a: 1; b: 2; c: 3; and 2 more" || len(many.Data.(Faults).Faults) != 5 {
		t.Errorf("%+v", many)
	}
}
