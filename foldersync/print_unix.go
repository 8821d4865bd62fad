//go:build unix

package foldersync

import (
	"io/fs"
	"syscall"
)

func printOf(info fs.FileInfo) print {
	p := print{size: info.Size(), time: info.ModTime()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		p.inode = stat.Ino
	}
	return p
}
