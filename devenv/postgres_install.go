package devenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// oldestPostgres is the oldest supported major version.
const oldestPostgres = 15

// installation is one PostgreSQL server installation on the machine.
type installation struct {
	bin      string // folder of initdb and postgres
	major    int
	pgvector bool // the extension's control file exists
}

// program returns the path of one of its programs.
func (i installation) program(name string) string { return filepath.Join(i.bin, name) }

// serverFolders are the folders of packaged server programs that are not on the PATH.
var serverFolders = []string{
	"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                   // PostgreSQL's own packages for Red Hat
	"/usr/libexec/postgresql*",           // Alpine
	"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
	"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// errNoPostgres means that no usable installation was found.
var errNoPostgres = errors.New("no PostgreSQL server programs found")

// findInstallation returns the installation to use for a cluster of the given major version, or for a new cluster if
// major is 0: preferably one that has pgvector, then the newest.
func findInstallation(ctx context.Context, major int) (installation, error) {
	var usable []installation
	for _, bin := range serverCandidates(ctx) {
		if found, err := inspect(ctx, bin); err == nil && found.major >= oldestPostgres && (major == 0 || found.major == major) {
			usable = append(usable, found)
		}
	}
	if len(usable) == 0 {
		if err := ctx.Err(); err != nil { // the programs could not be run
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

// serverCandidates lists the folders that contain both initdb and postgres, with links resolved, each once.
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
		if _, err := os.Stat(filepath.Join(bin, "initdb")); err == nil && //nolint:gosec // looking along the PATH is intended
			!slices.Contains(found, bin) {
			found = append(found, bin)
		}
	}
	return found
}

var postgresVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// inspect runs the programs in a folder to get their version and looks for pgvector.
func inspect(ctx context.Context, bin string) (installation, error) {
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output() //nolint:gosec // found on this machine
	if err != nil {
		return installation{}, err
	}
	match := postgresVersion.FindSubmatch(out)
	if match == nil {
		return installation{}, fmt.Errorf("unexpected version of %s/postgres: %q", bin, out)
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

// ensureInstallation finds a PostgreSQL server installation or, on a Debian-like machine where it may, installs one.
// major is the version an existing cluster needs, 0 for any.
func ensureInstallation(ctx context.Context, progress Progress, major int) (installation, error) {
	found, err := findInstallation(ctx, major)
	if !errors.Is(err, errNoPostgres) {
		return found, err
	}
	folder, err := cacheFolder("postgres")
	if err != nil {
		return installation{}, err
	}
	err = onceAtATime(ctx, folder, progress, "postgres", func() error {
		if found, err = findInstallation(ctx, major); !errors.Is(err, errNoPostgres) {
			return err
		}
		if err := installPostgres(ctx, progress, major); err != nil {
			return err
		}
		found, err = findInstallation(ctx, major)
		return err
	})
	if err == nil {
		return found, nil
	}
	missing := fmt.Sprintf("no PostgreSQL server programs of version %d or later on this machine", oldestPostgres)
	if major != 0 {
		missing = fmt.Sprintf("the cluster was made by PostgreSQL %d, whose server programs are not on this machine", major)
	}
	return installation{}, &InstallError{Missing: missing, Command: installCommand(ctx, major), Cause: err}
}

// withoutMainCluster runs a script line while PostgreSQL's packages are configured not to create a system cluster.
// The machine's own configuration is restored afterwards.
const withoutMainCluster = `
set -e
dropin=/etc/postgresql-common/createcluster.d/reverie.conf
mkdir -p /etc/postgresql-common/createcluster.d
trap 'rm -f "$dropin"' EXIT
echo "create_main_cluster = false" > "$dropin"
apt-get install --yes --no-install-recommends -o "$1" "$2"
`

// installPostgres installs the server of the given major version, or of the distribution's own if major is 0.
func installPostgres(ctx context.Context, progress Progress, major int) error {
	apt, err := findApt(ctx, progress)
	if err != nil {
		return err
	}
	if major == 0 {
		version, err := apt.knows(ctx, "postgres", "postgresql")
		if err != nil {
			return err
		}
		if major, err = distributionMajor(version); err != nil {
			return err
		}
		if major < oldestPostgres {
			return fmt.Errorf("this system's PostgreSQL %d is too old", major)
		}
	}
	name := fmt.Sprintf("postgresql-%d", major)
	if _, err := apt.knows(ctx, "postgres", name); err != nil {
		return err
	}
	install := func() error {
		_, err := apt.run(ctx, "sh", "-c", withoutMainCluster, "sh", lockTimeout, name)
		return err
	}
	if err := progress.during("postgres", "installing "+name, install); err == nil || ctx.Err() != nil {
		return err
	}
	if err := apt.update(ctx, "postgres"); err != nil {
		return err
	}
	return progress.during("postgres", "installing "+name+" again", install)
}

// distributionMajor returns the distribution's own major version of PostgreSQL from the version of its package
// "postgresql", such as 17+278.
func distributionMajor(packageVersion string) (int, error) {
	digits, _, _ := strings.Cut(packageVersion, "+")
	major, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fmt.Errorf("the package postgresql has version %q: %w", packageVersion, err)
	}
	return major, nil
}

// InstallError means that something must be installed by hand, because no supported package manager is available, or
// no permission to use it.
type InstallError struct {
	Missing string // what is missing
	Command string // the command that installs it on this platform
	Cause   error  // why it was not installed automatically; may be nil
}

func (e *InstallError) Error() string {
	message := fmt.Sprintf("%s. Install with\n\n    %s\n\nor run everything in containers with `docker compose up`", e.Missing, e.Command)
	if e.Cause != nil {
		message += fmt.Sprintf("\n\n(not done automatically: %v)", e.Cause)
	}
	return message
}

func (e *InstallError) Unwrap() error { return e.Cause }

// packageManagers are the supported package managers with the command that installs a PostgreSQL server with
// pgvector. %[1]d is the major version wanted.
var packageManagers = []struct{ program, command string }{
	{"brew", "brew install postgresql@%[1]d pgvector"},
	{"dnf", "sudo dnf install postgresql-server pgvector"},
	{"apk", "sudo apk add postgresql%[1]d postgresql-pgvector"},
	{"pacman", "sudo pacman -S postgresql pgvector"},
	{"zypper", "sudo zypper install postgresql%[1]d-server postgresql%[1]d-pgvector"},
	{"pkg", "sudo pkg install postgresql%[1]d-server postgresql%[1]d-pgvector"},
}

// recommendedMajor is the default major version to install; docker-compose.yml uses the same.
const recommendedMajor = 17

// installCommand returns the command that installs PostgreSQL of a major version (0: any) with pgvector by this
// platform's package manager.
func installCommand(ctx context.Context, major int) string {
	if _, err := exec.LookPath("apt-get"); err == nil && runtime.GOOS == "linux" {
		return aptCommand(ctx, major)
	}
	if major == 0 {
		major = recommendedMajor
	}
	for _, manager := range packageManagers {
		if _, err := exec.LookPath(manager.program); err == nil {
			return strings.ReplaceAll(manager.command, "%[1]d", strconv.Itoa(major))
		}
	}
	if runtime.GOOS == "darwin" {
		return fmt.Sprintf("brew install postgresql@%d pgvector    # Homebrew: https://brew.sh", major)
	}
	return fmt.Sprintf("your package manager: PostgreSQL %d (server) and pgvector %s or later", major, oldestVector)
}

// vectorFromSource installs pgvector if the distribution has no package of it, or an old one.
const vectorFromSource = " postgresql-server-dev-%[1]d make gcc git" +
	" && git clone --depth 1 --branch v0.8.2 https://github.com/pgvector/pgvector" +
	" && make -C pgvector OPTFLAGS= && sudo make -C pgvector install"

// aptCommand returns the command for a Debian-like machine, according to its package lists.
func aptCommand(ctx context.Context, major int) string {
	if major == 0 {
		var err error
		if major, err = distributionMajor(candidate(ctx, "postgresql")); err != nil {
			major = recommendedMajor
		}
	}
	command := fmt.Sprintf("sudo apt-get update && sudo apt-get install postgresql-%d", major)
	vector := fmt.Sprintf("postgresql-%d-pgvector", major)
	if available := candidate(ctx, vector); available != "" && !parseVersion(available).less(oldestVector) {
		return command + " " + vector
	}
	return command + fmt.Sprintf(vectorFromSource, major)
}
