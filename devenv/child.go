package devenv

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// child is a server process that this process started and that must not outlive it.
type child struct {
	cmd  *exec.Cmd
	done chan struct{} // closed once the process has ended and was reaped
	err  error         // how it ended; valid once done is closed
}

// startChild starts cmd in a process group of its own, so that a Ctrl-C in the terminal reaches this process alone and
// the servers are then stopped in order. Should this process die first, the kernel sends onDeath to the child (Linux).
//
// The parent-death signal is sent when the *thread* that forked ends, not the process. So the goroutine that starts the
// child keeps its thread locked until the child has ended.
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

// ended says whether the process has ended.
func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// killGrace is how long a process may take to end after a signal that leaves it no choice.
const killGrace = 10 * time.Second

// stop asks the process to end by a signal and waits until ctx is done; then it insists with the other signals in turn,
// killGrace each, and kills at last. It returns an error only when even that did not end the process.
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

// kill ends the process and everything in its group at once.
func (c *child) kill(ctx context.Context) error {
	if c.insist(ctx, syscall.SIGKILL) {
		return nil
	}
	return fmt.Errorf("process %d (%s) does not end", c.cmd.Process.Pid, c.cmd.Path)
}

// insist sends a signal that leaves the process no choice and waits for killGrace, whatever has become of ctx.
func (c *child) insist(ctx context.Context, signal syscall.Signal) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killGrace)
	defer cancel()
	return c.signal(ctx, signal)
}

// signal sends one signal and waits for the end of the process until ctx is done. It says whether the process ended.
func (c *child) signal(ctx context.Context, signal syscall.Signal) bool {
	if c.ended() {
		return true
	}
	target := c.cmd.Process.Pid
	if signal == syscall.SIGKILL {
		target = -target
	}
	_ = syscall.Kill(target, signal) // fails only when it has ended, which the wait below sees
	select {
	case <-c.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// run runs a command to its end and returns what it printed. It ends with this process like a server does, and with ctx,
// together with everything it started. The error carries the command line and the end of the output.
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
