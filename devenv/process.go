package devenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is a server process that was started by this process and must not outlive it.
type child struct {
	cmd  *exec.Cmd
	done chan struct{} // closed after the process has ended and was reaped
	err  error         // how it ended; valid after done is closed
}

// startChild starts cmd in a separate process group, so that a Ctrl-C in the terminal reaches only this process and
// the servers are then stopped in order. If this process dies first, the kernel sends onDeath to the child (Linux).
//
// The parent-death signal is sent when the *thread* that forked ends, not the process. So the goroutine that starts
// the child locks its thread until the child has ended.
func startChild(cmd *exec.Cmd, onDeath syscall.Signal) (*child, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	setDeathSignal(cmd.SysProcAttr, onDeath)

	c := &child{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		c.err = cmd.Wait()
		close(c.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return c, nil
}

// ended reports whether the process has ended.
func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// killGrace bounds the wait for the end of a process after a signal that forces it.
const killGrace = 10 * time.Second

// stop sends a signal and waits until ctx is done; then it sends the insist signals in turn, killGrace each, and
// finally kills the process. It returns an error only if even that did not end the process.
func (c *child) stop(ctx context.Context, ask syscall.Signal, insist ...syscall.Signal) error {
	if c.signal(ctx, ask) {
		return nil
	}
	for _, signal := range insist {
		if c.insist(ctx, signal) {
			return nil
		}
	}
	return c.kill(ctx)
}

// kill ends the process and its whole group at once.
func (c *child) kill(ctx context.Context) error {
	if c.insist(ctx, syscall.SIGKILL) {
		return nil
	}
	return fmt.Errorf("process %d (%s) could not be stopped", c.cmd.Process.Pid, c.cmd.Path)
}

// insist sends a signal that forces the end and waits for killGrace, even if ctx is done.
func (c *child) insist(ctx context.Context, signal syscall.Signal) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killGrace)
	defer cancel()
	return c.signal(ctx, signal)
}

// signal sends a signal and waits for the end of the process until ctx is done. It reports whether the process ended.
func (c *child) signal(ctx context.Context, signal syscall.Signal) bool {
	if c.ended() {
		return true
	}
	target := c.cmd.Process.Pid
	if signal == syscall.SIGKILL {
		target = -target
	}
	_ = syscall.Kill(target, signal) // fails only if it has ended, which the wait below detects
	select {
	case <-c.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// run runs a command to its end and returns its output. It ends with this process like a server does, and with ctx,
// together with everything it started. The error contains the command line and the end of the output.
func run(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var output tail
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = killGrace // a grandchild may keep the pipe open
	c, err := startChild(cmd, syscall.SIGKILL)
	if err != nil {
		return "", err
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		if err := c.kill(ctx); err != nil {
			return output.String(), errors.Join(ctx.Err(), err)
		}
		return output.String(), fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), ctx.Err())
	}
	if c.err != nil {
		return output.String(), fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), c.err, output.last(20))
	}
	return output.String(), nil
}

// account is the operating system user that a PostgreSQL server runs as. PostgreSQL refuses to run as root, so if
// this process is root, the server gets an ordinary user. A nil account is this process's own user.
type account struct {
	name     string
	uid, gid int
}

// serverAccounts are the users that a root process may use for its server, best first: those created by PostgreSQL's
// packages, then the one that every Unix has.
var serverAccounts = []string{"postgres", "_postgres", "nobody"}

// newServerAccount chooses the account for a new cluster.
func newServerAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range serverAccounts {
		if found, err := user.Lookup(name); err == nil {
			return accountOf(found)
		}
	}
	return nil, fmt.Errorf("PostgreSQL does not run as root, and none of the users %q exists: run as an ordinary user", serverAccounts)
}

// ownerAccount returns the account of an existing cluster: the owner of its data.
func ownerAccount(data string) (*account, error) {
	info, err := os.Stat(data)
	if err != nil {
		return nil, err
	}
	uid := os.Geteuid()
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		uid = int(stat.Uid)
	}
	if uid == os.Geteuid() && uid != 0 {
		return nil, nil
	}
	owner, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return nil, fmt.Errorf("find the owner of %s: %w", data, err)
	}
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("the cluster %s belongs to user %q: start it as that user or as root, or choose another folder", data,
			owner.Username)
	}
	if uid == 0 {
		return nil, fmt.Errorf("the cluster %s belongs to root, and PostgreSQL does not run as root", data)
	}
	return accountOf(owner)
}

func accountOf(u *user.User) (*account, error) {
	uid, uidErr := strconv.Atoi(u.Uid)
	gid, gidErr := strconv.Atoi(u.Gid)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return nil, fmt.Errorf("user %s: %w", u.Username, err)
	}
	return &account{name: u.Username, uid: uid, gid: gid}, nil
}

// become makes cmd run as the account.
func (a *account) become(cmd *exec.Cmd) {
	if a == nil {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{
		Uid: uint32(a.uid), Gid: uint32(a.gid),
	}
}

// own changes the owner of a file to the account.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// reaches reports whether the account can enter a folder. That depends on every folder above it, on access lists and
// on mounts, so it is tried.
func (a *account) reaches(ctx context.Context, folder string) bool {
	if a == nil {
		return true
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `cd -- "$1"`, "sh", folder)
	cmd.Dir = "/"
	a.become(cmd)
	return cmd.Run() == nil
}

// runs reports whether a process with this id is alive and has mark (the path of its data) in its command line. An id
// alone proves nothing, because the system reuses ids.
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

// waitGone waits until the process has ended, at most killGrace, and reports whether it has.
func waitGone(ctx context.Context, pid int, mark string) bool {
	for deadline := time.Now().Add(killGrace); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if !runs(ctx, pid, mark) {
			return true
		}
	}
	return false
}

// readFrom returns the contents of a log file from an offset on, as far as they can be read.
func readFrom(path string, offset int64) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return ""
	}
	content, _ := io.ReadAll(io.LimitReader(file, 1<<20)) // what precedes an error is still useful
	return string(content)
}

// Suspend makes the server hang until Resume: connections stay open and nothing answers. For tests.
func (t *Temporal) Suspend() error {
	if err := t.child.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	// The signal takes effect later: on a busy machine the server may still answer until then.
	for deadline := time.Now().Add(suspendTimeout); ; time.Sleep(time.Millisecond) {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", t.child.cmd.Process.Pid)) // without /proc there is no way to see it
		if len(stat) == 0 || bytes.Contains(stat, []byte(") T ")) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server has not stopped within %s of SIGSTOP", suspendTimeout)
		}
	}
}

// suspendTimeout bounds the wait for a suspended server to stop.
const suspendTimeout = 10 * time.Second

// Resume continues a suspended server.
func (t *Temporal) Resume() error { return t.child.cmd.Process.Signal(syscall.SIGCONT) }

// tailSize is the size of the kept part of a command's output: enough for its last error.
const tailSize = 64 << 10

// tail is a writer that keeps the last tailSize bytes.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if excess := len(t.kept) - tailSize; excess > 0 {
		t.kept = append(t.kept[:0], t.kept[excess:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// last returns the last n lines.
func (t *tail) last(n int) string { return lastLines(t.String(), n) }

// lastLines returns the last n lines of text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
