// Package migrations holds the database schema as numbered SQL files, applied in order by store.Migrate.
package migrations

import "embed"

// Files are the migrations, named NNNN_<subject>.sql in goose's format. A file that has shipped is never edited.
//
//go:embed *.sql
var Files embed.FS
