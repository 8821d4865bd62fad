package memory

import (
	"testing"

	"pgregory.net/rapid"
)

func TestCodesAvoidTheData(t *testing.T) {
	first := FenceCode(12, "a", "b")
	if len(first) != 12 || first != FenceCode(12, "a", "b") || first == FenceCode(12, "ab", "") {
		t.Errorf("code %q", first)
	}
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.StringMatching("[0-9a-f]{0,40}"), 0, 4).Draw(t, "data")
		if code := FenceCode(12, data...); occurs(code, data) {
			t.Fatalf("%q occurs in %q", code, data)
		}
	})
	if !occurs("ab", []string{"x", "yABz"}) {
		t.Error("upper case would do for a reader")
	}
}
