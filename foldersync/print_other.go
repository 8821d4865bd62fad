//go:build !unix

package foldersync

import "io/fs"

func printOf(info fs.FileInfo) print { return print{size: info.Size(), time: info.ModTime()} }
