package crash

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The short run is part of every test run; the long one is asked for by flags (see docs/operations.md):
//
//	go test ./test/crash -run Imports -timeout 60m -v -args -imports 1000 -import-messages 20 -import-owners 8
var (
	importTalks    = flag.Int("imports", 24, "conversations that move in")
	importMessages = flag.Int("import-messages", 8, "messages of each of them")
	importOwners   = flag.Int("import-owners", 4, "whose they are, at most 8: as many go on at once, and none waits for one that is held back")
	importKills    = flag.Int("import-kills", 5, "times that something is killed meanwhile")
)

// TestImportsAreKilled moves the same conversations and documents in twice: undisturbed, and while the API, the worker, Temporal
// and PostgreSQL are killed. Both end the same: documents with their versions, messages, outcomes, and which messages were
// extracted together, each once.
func TestImportsAreKilled(t *testing.T) {
	ctx := t.Context()
	w := startImports(ctx, t)
	began := time.Now()
	w.move(ctx, t, "calm", nil)
	calm := time.Since(began)
	w.move(ctx, t, "storm", rand.New(rand.NewPCG(*seed, 7)))
	want, got := w.state(ctx, t, "calm"), w.state(ctx, t, "storm")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("killed, it ended otherwise (-undisturbed +killed):\n%s", diff)
	}
	w.checkImported(t, got)
	t.Logf("%d conversations of %d messages: undisturbed in %s, killed %d times in %s; %d documents, %d messages, %d extractions, %d items the same",
		*importTalks, *importMessages, calm.Round(time.Second), *importKills, (time.Since(began) - calm).Round(time.Second),
		len(got.Documents), len(got.Messages), len(got.Extractions), len(got.Items))
}
