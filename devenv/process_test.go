package devenv

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRunReportsTheFailure(t *testing.T) {
	output, err := run(t.Context(), exec.Command("sh", "-c", "echo useful; exit 3"))
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "useful") {
		t.Errorf("error %v; want the status and the end of the output", err)
	}
	if output != "useful\n" {
		t.Errorf("output %q", output)
	}
}

// An interrupted build must not leave its compilers behind.
func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	output, err := run(ctx, exec.Command("sh", "-c", "sleep 600 & echo $!; wait"))
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > killGrace {
		t.Errorf("error %v after %s", err, time.Since(start))
	}
	var grandchild int
	for _, digit := range strings.TrimSpace(output) {
		grandchild = grandchild*10 + int(digit-'0')
	}
	if grandchild == 0 {
		t.Fatalf("output %q", output)
	}
	eventually(t, "what the command started ends too", func() bool { return !alive(grandchild) })
}

func TestStopKillsAnUnresponsiveProcess(t *testing.T) {
	c, err := startChild(exec.Command("sh", "-c", "trap '' INT TERM; while :; do sleep 0.1; done"), syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // until the trap is set
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := c.stop(ctx, syscall.SIGINT); err != nil || !c.ended() {
		t.Errorf("stop: %v", err)
	}
}

func TestStartReportsAMissingProgram(t *testing.T) {
	if _, err := startChild(exec.Command("/nowhere/program"), syscall.SIGKILL); err == nil ||
		!strings.Contains(err.Error(), "/nowhere/program") {
		t.Errorf("got %v", err)
	}
}

// A process that is killed, as by the out-of-memory killer, cannot stop anything. Its servers still end, and the next
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
