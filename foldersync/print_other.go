//go:build !unix

package foldersync

import "io/fs"

func printOf(info fs.FileInfo) fingerprint {
	return fingerprint{size: info.Size(), time: info.ModTime()}
}
