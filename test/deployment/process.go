// Package deployment runs the real reverie program as separate processes, for tests and benchmarks that kill, restart
// and measure them.
package deployment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// programVariable names an environment variable with the path of a program that was built from these sources, to use instead of building
// it again for each package of tests.
const programVariable = "REVERIE_TEST_PROGRAM"

// Build compiles the program into dir, unless one is given (programVariable), and returns its path.
func Build(ctx context.Context, dir string) (string, error) {
	if err := dependOnSources(ctx); err != nil {
		return "", err
	}
	if given := os.Getenv(programVariable); given != "" {
		return given, nil
	}
	program := filepath.Join(dir, "reverie")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags=-s", "-o", program, "reverie/cmd/reverie")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return program, nil
}

// dependOnSources reads every source file of the program, so that the go command records them as inputs of the test:
// otherwise it would reuse a cached result after the program has changed.
func dependOnSources(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find the module: %w", err)
	}
	return filepath.WalkDir(strings.TrimSpace(string(out)), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		_, err = os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another test's temporary file
		}
		return err
	})
}

// Process is one running process.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	log  *os.File
}

// Start runs the program with the given arguments and environment; its output is appended to the file log.
func Start(program string, env []string, log string, args ...string) (*Process, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.Background(), program, args...) // runs until Kill or Stop
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, done: make(chan struct{}), log: file}
	go func() {
		_ = cmd.Wait()   // its log shows how it ended; a killed process always returns an error
		_ = file.Close() // contains the output
		close(p.done)
	}()
	return p, nil
}

// Kill ends the process with SIGKILL.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.done
}

// Stop asks the process to end and waits; after patience it is killed.
func (p *Process) Stop(patience time.Duration) error {
	if errors.Is(p.cmd.Process.Signal(syscall.SIGTERM), os.ErrProcessDone) {
		<-p.done
		return nil
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		p.Kill()
		return fmt.Errorf("%v did not stop within %s", p.cmd.Args, patience)
	}
}

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// PeakMemory returns the maximum resident memory of the process so far, in bytes.
func (p *Process) PeakMemory() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if rest, found := bytes.CutPrefix(line, []byte("VmHWM:")); found {
			kib, err := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte("kB")))), 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("no VmHWM in the status of process %d", p.cmd.Process.Pid)
}
