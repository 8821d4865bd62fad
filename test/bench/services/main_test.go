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
	got, err := TakeSettings("EMBEDDING_")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"REVERIE_EMBEDDING_MODEL=small"}, got); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]bool{"REVERIE_EMBEDDING_MODEL": false, "REVERIE_DATABASE_URL": false, "REVERIEW": true} {
		if _, there := os.LookupEnv(name); there != want {
			t.Errorf("%s is there: %v", name, there)
		}
	}
}
