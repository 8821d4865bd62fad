//go:build unix && !linux

package devenv

import "syscall"

// setDeathSignal does nothing: only Linux has a parent-death signal. Elsewhere the next start in the same folder ends what a
// killed process left running.
func setDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}

// memoryFolder returns "": a folder in memory is used only on Linux.
func memoryFolder() string { return "" }
