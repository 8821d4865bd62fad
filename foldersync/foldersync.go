// Package foldersync keeps a folder of files and the documents of an agent in step, in both directions.
//
// Decide is the whole policy, a function of three states; what it decides is done by effects that are safe to be cut off
// anywhere: what a side holds is replaced only when it still is what the decision was made on, and what both sides are known
// to have had is written down after the effect. A text that cannot go on standing in its file is kept beside it.
package foldersync

import "strings"

// stateFolder is the folder below the synced one in which Reverie keeps what it knows about it.
const stateFolder = ".reverie"

// settings of what is told apart by name.
const documentSuffix = ".md"

// folded is a name as a file system that ignores case sees it.
func folded(name string) string { return strings.ToLower(name) }
