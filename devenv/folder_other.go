//go:build unix && !linux

package devenv

// memoryFolder is a folder in memory; here there is none.
func memoryFolder() string { return "" }
