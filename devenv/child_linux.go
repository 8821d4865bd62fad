package devenv

import "syscall"

// setDeathSignal has the kernel send signal to the child when the thread that started it ends.
func setDeathSignal(attr *syscall.SysProcAttr, signal syscall.Signal) { attr.Pdeathsig = signal }
