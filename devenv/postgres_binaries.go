package devenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldestPostgres is the first major version that Reverie runs on.
const oldestPostgres = 15

// installation is one PostgreSQL server installation on the machine.
type installation struct {
	bin      string // folder of initdb and postgres
	major    int
	pgvector bool // the extension's control file is there
}

// program is the path of one of its programs.
func (i installation) program(name string) string { return filepath.Join(i.bin, name) }

// serverFolders are where packages put server programs without putting them on the PATH.
var serverFolders = []string{
	"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                   // PostgreSQL's own packages for Red Hat
	"/usr/libexec/postgresql*",           // Alpine
	"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
	"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// errNoPostgres says that no usable installation was found.
var errNoPostgres = errors.New("no PostgreSQL server programs found")

// findInstallation returns the installation to use for a cluster of the given major version, or for a new cluster when
// major is 0: one that has pgvector already before one that has not, then the newest.
func findInstallation(ctx context.Context, major int) (installation, error) {
	var usable []installation
	for _, bin := range serverCandidates(ctx) {
		if found, err := inspect(ctx, bin); err == nil && found.major >= oldestPostgres && (major == 0 || found.major == major) {
			usable = append(usable, found)
		}
	}
	if len(usable) == 0 {
		if err := ctx.Err(); err != nil { // the programs could not be asked
			return installation{}, err
		}
		return installation{}, errNoPostgres
	}
	return slices.MaxFunc(usable, func(a, b installation) int {
		if a.pgvector != b.pgvector {
			if a.pgvector {
				return 1
			}
			return -1
		}
		return a.major - b.major
	}), nil
}

// serverCandidates lists the folders that hold both initdb and postgres, links resolved, each once.
func serverCandidates(ctx context.Context) []string {
	var folders []string
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	folders = append(folders, filepath.SplitList(os.Getenv("PATH"))...)
	for _, pattern := range serverFolders {
		matches, _ := filepath.Glob(pattern) // the patterns are constant and well-formed
		folders = append(folders, matches...)
	}
	var found []string
	for _, folder := range folders {
		server, err := filepath.EvalSymlinks(filepath.Join(folder, "postgres"))
		if err != nil {
			continue
		}
		bin := filepath.Dir(server)
		if _, err := os.Stat(filepath.Join(bin, "initdb")); err == nil && //nolint:gosec // looking along the PATH is the point
			!slices.Contains(found, bin) {
			found = append(found, bin)
		}
	}
	return found
}

var postgresVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// inspect asks the programs in a folder for their version and looks for pgvector.
func inspect(ctx context.Context, bin string) (installation, error) {
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output() //nolint:gosec // found on this machine
	if err != nil {
		return installation{}, err
	}
	match := postgresVersion.FindSubmatch(out)
	if match == nil {
		return installation{}, fmt.Errorf("%s/postgres calls itself %q", bin, out)
	}
	major, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return installation{}, err
	}
	found := installation{bin: bin, major: major}
	if share, err := exec.CommandContext(ctx, found.program("pg_config"), "--sharedir").Output(); err == nil { //nolint:gosec // as above
		_, err := os.Stat(filepath.Join(strings.TrimSpace(string(share)), "extension", "vector.control"))
		found.pgvector = err == nil
	}
	return found, nil
}
