package devenv

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// runs says whether a process of this number is alive and was started with mark (the path of its data) in its command
// line. A number alone proves nothing: the system gives it to somebody else after a while.
func runs(ctx context.Context, pid int, mark string) bool {
	number := strconv.Itoa(pid)
	line, err := os.ReadFile("/proc/" + number + "/cmdline")
	if err != nil {
		if line, err = exec.CommandContext(ctx, "ps", "-o", "command=", "-p", number).Output(); err != nil {
			return false
		}
	}
	return strings.Contains(string(line), mark)
}

// waitGone waits until the process has ended, at most killGrace. It says whether it has.
func waitGone(ctx context.Context, pid int, mark string) bool {
	for deadline := time.Now().Add(killGrace); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if !runs(ctx, pid, mark) {
			return true
		}
	}
	return false
}

// readFrom returns what a log file holds from an offset on, as far as it can be read.
func readFrom(path string, offset int64) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return ""
	}
	content, _ := io.ReadAll(io.LimitReader(file, 1<<20)) // what came before an error is still worth showing
	return string(content)
}
