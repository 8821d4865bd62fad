package activities

import (
	"encoding"
	"reflect"
	"testing"

	"reverie/memory"
)

// references are the plain text fields that inputs and results of steps may have. They are stored in histories, so
// none may contain text of a person or a model.
var references = map[string]bool{
	"Workspace": true, "Agent": true, // ids that an administrator gave
	"Night": true,                                     // a time
	"Model": true, "Provider": true, "Endpoint": true, // of settings
	"Workflow":  true,                // the id of one, of opaque ids
	"RequestID": true,                // of a business process, of few characters: documented as shown to operators
	"SHA256":    true, "Token": true, // of receipts
}

// WriteMemory is called by other people's workflows: its input is in their histories, and in none of ours.
const theirs = "WriteMemory"

// TestStepsCarryReferencesOnly checks the types of all steps' inputs and results: texts must be ids, codes, or listed
// above.
func TestStepsCarryReferencesOnly(t *testing.T) {
	steps := reflect.TypeFor[*Activities]()
	seen := map[reflect.Type]bool{}
	for m := range steps.Methods() {
		if m.Type.NumIn() != 3 || m.Type.NumOut() == 0 || m.Name == theirs {
			continue // not a step
		}
		for _, wire := range []reflect.Type{m.Type.In(2), m.Type.Out(0)} {
			checkReferences(t, m.Name, wire, seen)
		}
	}
	if !seen[reflect.TypeFor[OpenDreamResult]()] || !seen[reflect.TypeFor[ProposeInput]()] ||
		!seen[reflect.TypeFor[FlushStepInput]()] || !seen[reflect.TypeFor[SummariseResult]()] {
		t.Error("steps were not looked at")
	}
}

func checkReferences(t *testing.T, at string, wire reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	if wire.Implements(reflect.TypeFor[encoding.TextMarshaler]()) { // ids and times
		return
	}
	switch wire.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		checkReferences(t, at+"[]", wire.Elem(), seen)
	case reflect.Map:
		checkReferences(t, at+"[key]", wire.Key(), seen)
		checkReferences(t, at+"[]", wire.Elem(), seen)
	case reflect.String:
		if wire.PkgPath() == "" || wire == reflect.TypeFor[memory.Owner]() { // codes have types of their own; an owner may be a phone number
			t.Errorf("%s is text", at)
		}
	case reflect.Interface:
		if wire != reflect.TypeFor[error]() {
			t.Errorf("%s may be anything", at)
		}
	case reflect.Struct:
		if seen[wire] {
			return
		}
		seen[wire] = true
		for f := range wire.Fields() {
			if f.IsExported() && !references[f.Name] {
				checkReferences(t, at+"."+f.Name, f.Type, seen)
			}
		}
	}
}
