package devenv

import "syscall"

// Suspend makes the server hang: connections stay open and nothing answers, until Resume. For tests of what happens while
// Temporal is away.
func (t *Temporal) Suspend() error { return t.child.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume lets a suspended server go on.
func (t *Temporal) Resume() error { return t.child.cmd.Process.Signal(syscall.SIGCONT) }
