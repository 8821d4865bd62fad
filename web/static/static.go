// Package static holds the assets of the Memory Browser: its style, its script and its icon.
package static

import "embed"

// Files are the assets.
//
//go:embed *.css *.js *.svg
var Files embed.FS
