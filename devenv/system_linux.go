package devenv

import "syscall"

// setDeathSignal makes the kernel send signal to the child when the thread that started it ends.
func setDeathSignal(attr *syscall.SysProcAttr, signal syscall.Signal) { attr.Pdeathsig = signal }

// memoryRoom is the free memory required for temporary servers in memory: several at once, with their logs.
const memoryRoom = 4 << 30

// memoryFolder returns a folder in memory, "" if there is none with enough room (containers often have 64 MB).
func memoryFolder() string {
	const folder = "/dev/shm"
	const tmpfs = 0x01021994 // statfs(2)
	var info syscall.Statfs_t
	if syscall.Statfs(folder, &info) != nil || info.Type != tmpfs || info.Bavail*uint64(info.Bsize) < memoryRoom {
		return ""
	}
	return folder
}
