package devenv

import (
	"path/filepath"
	"runtime"
	"testing"
)

// A process that is killed, as by the out-of-memory killer, can stop nothing. Its servers end all the same, and the next
// start finds their data.
func TestKilledParentLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	helper, servers := startHelper(t, dir)
	for _, pid := range servers {
		if !alive(pid) {
			t.Fatalf("server %d does not run", pid)
		}
	}
	if err := helper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" { // elsewhere the next start ends them, which comes below
		for _, pid := range servers {
			eventually(t, "the servers end with their parent", func() bool { return !alive(pid) })
		}
	}
	p := startPostgres(t, PostgresOptions{Dir: filepath.Join(dir, "postgres")})
	if got := query(t, p.URL("kept"), "select current_database()"); got != "kept" {
		t.Errorf("got %q", got)
	}
	startTemporal(t, TemporalOptions{Dir: filepath.Join(dir, "temporal")})
	for _, pid := range servers {
		eventually(t, "the next start ends what was left", func() bool { return !alive(pid) })
	}
}
