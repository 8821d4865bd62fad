//go:build unix

package foldersync

import (
	"io/fs"
	"syscall"
)

func printOf(info fs.FileInfo) fingerprint {
	p := fingerprint{size: info.Size(), time: info.ModTime()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		p.inode = stat.Ino
	}
	return p
}
