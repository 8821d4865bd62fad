package services

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTakeSettings(t *testing.T) {
	t.Setenv("REVERIE_EMBEDDING_MODEL", "small")
	t.Setenv("REVERIE_DATABASE_URL", "postgres://elsewhere")
	t.Setenv("REVERIEW", "stays")
	t.Setenv("REVERIE_TEST_PROGRAM", "stays")
	got, err := TakeSettings("EMBEDDING_")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"REVERIE_EMBEDDING_MODEL=small"}, got); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]bool{"REVERIE_EMBEDDING_MODEL": false, "REVERIE_DATABASE_URL": false, "REVERIEW": true, "REVERIE_TEST_PROGRAM": true} {
		if _, there := os.LookupEnv(name); there != want {
			t.Errorf("%s is there: %v", name, there)
		}
	}
}

func TestNumbers(t *testing.T) {
	var l []int
	f := Numbers(&l, 1, false)
	if err := f.Set("1, 8"); err != nil || f.String() != "1,8" {
		t.Errorf("%v, %v", l, err)
	}
	for _, bad := range []string{"", "0", "1,,2", "many"} {
		if err := f.Set(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestOptionalNumbers(t *testing.T) {
	var l []int
	f := Numbers(&l, 2, true)
	if err := f.Set("10,100"); err != nil || f.String() != "10,100" {
		t.Errorf("%v: %v", f.String(), err)
	}
	for _, bad := range []string{"1", "ten", "10;20"} {
		if err := f.Set(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	if err := f.Set(""); err != nil || len(l) != 0 {
		t.Errorf("nothing: %v %v", l, err)
	}
}
