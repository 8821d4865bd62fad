//go:build unix && !linux

package devenv

import "syscall"

// setDeathSignal does nothing: only Linux has a parent-death signal. What a killed process leaves behind here is ended by
// the next start on the same folder.
func setDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}
