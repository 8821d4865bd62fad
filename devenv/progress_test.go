package devenv

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgressTellsHowLongItTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		progress := Progress(func(part, message string) { heard = append(heard, part+": "+message) })
		err := progress.during("temporal", "building", func() error {
			time.Sleep(12 * time.Second)
			return nil
		})
		want := []string{"temporal: building …", "temporal: building … 5s", "temporal: building … 10s", "temporal: building: done in 12s"}
		if diff := cmp.Diff(want, heard); diff != "" || err != nil {
			t.Error(err, diff)
		}
	})
}

func TestProgressPassesTheErrorOn(t *testing.T) {
	want := errors.New("no room")
	if err := Progress(nil).during("temporal", "building", func() error { return want }); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}
