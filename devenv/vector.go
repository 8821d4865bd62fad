package devenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// oldestVector is the first pgvector version with half-precision vectors, which Reverie stores.
var oldestVector = version{0, 7, 0}

// extensionFolders are the folders in which a server looks for extensions.
type extensionFolders struct {
	share   string // contains extension/*.control and *.sql
	library string // contains the shared library
}

// provideVector makes pgvector available to the running server if necessary: from a cached build, the distribution's
// package, or source. PostgreSQL looks for extensions when they are created, so the server need not be restarted.
func (p *Postgres) provideVector(ctx context.Context) error {
	if available, err := p.vectorAvailable(ctx); err != nil || available {
		return err
	}
	cache, err := cacheFolder("pgvector")
	if err != nil {
		return err
	}
	progress := p.options.Progress
	err = onceAtATime(ctx, cache, progress, "pgvector", func() error {
		if available, err := p.vectorAvailable(ctx); err != nil || available {
			return err
		}
		folders, err := p.extensionFolders(ctx)
		if err != nil {
			return err
		}
		apt, aptErr := findApt(ctx, progress)
		writable := isWritable(folders.library) && isWritable(filepath.Join(folders.share, "extension"))
		if !writable && aptErr != nil {
			return fmt.Errorf("cannot write to %s: %w", folders.library, aptErr)
		}
		v := vectorInstall{
			installation: p.cluster.installation, folders: folders, cache: cache, apt: apt, aptErr: aptErr,
			writable: writable, progress: progress,
		}
		return v.install(ctx)
	})
	if err == nil {
		var available bool
		if available, err = p.vectorAvailable(ctx); err == nil && !available {
			err = errors.New("the server does not find the extension after its installation")
		}
	}
	if err != nil {
		return &InstallError{
			Missing: fmt.Sprintf("the PostgreSQL %d server in %s lacks the extension pgvector %s or later", p.cluster.major, p.cluster.bin,
				oldestVector),
			Command: installCommand(ctx, p.cluster.major), Cause: err,
		}
	}
	return nil
}

// vectorAvailable reports whether `create extension vector` would work, with a version that is new enough.
func (p *Postgres) vectorAvailable(ctx context.Context) (bool, error) {
	var found string
	err := withConnection(ctx, p.URL(maintenance), func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "select default_version from pg_available_extensions where name = 'vector'").Scan(&found)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if parseVersion(found).less(oldestVector) {
		return false, fmt.Errorf("pgvector is installed in version %s, but %s or later is needed: update it", found, oldestVector)
	}
	return true, nil
}

// extensionFolders asks the server where it looks for extensions.
func (p *Postgres) extensionFolders(ctx context.Context) (f extensionFolders, err error) {
	err = withConnection(ctx, p.URL(maintenance), func(conn *pgx.Conn) error {
		const query = "select max(setting) filter (where name = 'SHAREDIR'), max(setting) filter (where name = 'PKGLIBDIR') from pg_config"
		return conn.QueryRow(ctx, query).Scan(&f.share, &f.library)
	})
	return f, err
}

// vectorInstall is one installation of pgvector into a server.
type vectorInstall struct {
	installation

	folders  extensionFolders
	cache    string
	apt      *apt // nil if it cannot be used, because of aptErr
	aptErr   error
	writable bool // this process may write to the folders itself
	progress Progress
}

// install tries the methods from the fastest to the slowest.
func (v vectorInstall) install(ctx context.Context) error {
	if built := v.builtBefore(); built != "" {
		return v.copyIn(ctx, built)
	}
	if v.isDistributions() && v.apt != nil {
		name := fmt.Sprintf("postgresql-%d-pgvector", v.major)
		if available := candidate(ctx, name); available != "" && !parseVersion(available).less(oldestVector) {
			return v.apt.install(ctx, "pgvector", name)
		}
	}
	if v.apt == nil {
		return v.aptErr
	}
	built, err := v.build(ctx)
	if err != nil {
		return err
	}
	return v.copyIn(ctx, built)
}

// isDistributions reports whether the server is from Debian's packages, for which their extension packages are made.
func (v vectorInstall) isDistributions() bool {
	return v.bin == fmt.Sprintf("/usr/lib/postgresql/%d/bin", v.major)
}

// builtName returns the cache folder of a build: <pgvector version>-pg<major>-<os>-<arch>. A build fits every minor
// version of its major.
func (v vectorInstall) builtName(version string) string {
	return fmt.Sprintf("%s-pg%d-%s-%s", version, v.major, runtime.GOOS, runtime.GOARCH)
}

// builtBefore returns the newest cached build for this server, "" if there is none.
func (v vectorInstall) builtBefore() string {
	matches, err := filepath.Glob(filepath.Join(v.cache, v.builtName("*")))
	if err != nil {
		return ""
	}
	var newest string
	for _, match := range matches {
		if newest == "" || parseVersion(filepath.Base(newest)).less(parseVersion(filepath.Base(match))) {
			newest = match
		}
	}
	return newest
}

// copyIn copies a build's files to where the server looks for them. A build contains share/ and library/.
func (v vectorInstall) copyIn(ctx context.Context, built string) error {
	v.progress.say("pgvector", "installing %s", filepath.Base(built))
	for from, to := range map[string]string{
		"share":   filepath.Join(v.folders.share, "extension"),
		"library": v.folders.library,
	} {
		files, err := os.ReadDir(filepath.Join(built, from))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := v.copyFile(ctx, filepath.Join(built, from, file.Name()), filepath.Join(to, file.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyFile moves a file into place atomically, so that a server never loads half of it.
func (v vectorInstall) copyFile(ctx context.Context, from, to string) error {
	if !v.writable {
		_, err := v.apt.run(ctx, "install", "-D", "--mode=0644", from, to)
		return err
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	unfinished, err := os.CreateTemp(filepath.Dir(to), ".reverie-*")
	if err != nil {
		return err
	}
	_, copyErr := io.Copy(unfinished, source)
	err = errors.Join(copyErr, unfinished.Chmod(0o644), unfinished.Close())
	if err == nil {
		err = os.Rename(unfinished.Name(), to)
	}
	if err != nil {
		_ = os.Remove(unfinished.Name())
	}
	return err
}

// isWritable reports whether this process can create files in a folder.
func isWritable(folder string) bool {
	file, err := os.CreateTemp(folder, ".reverie-*")
	if err != nil {
		return false
	}
	return errors.Join(file.Close(), os.Remove(file.Name())) == nil
}

// version is a dotted version number, as far as it is numeric.
type version [3]int

// parseVersion parses the leading numbers of "0.8.0", "0.8.0-1~bpo12" or "1:0.8.0". Anything but a number counts as
// 0.
func parseVersion(text string) (v version) {
	if _, rest, ok := strings.Cut(text, ":"); ok {
		text = rest // Debian's epoch
	}
	for i, part := range strings.SplitN(text, ".", len(v)) {
		end := 0
		for end < len(part) && part[end] >= '0' && part[end] <= '9' {
			v[i] = v[i]*10 + int(part[end]-'0')
			end++
		}
		if end < len(part) {
			break
		}
	}
	return v
}

func (v version) less(w version) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// exists reports whether a path exists.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// build builds pgvector from the source package of a later release of this machine's distribution and returns the
// cache folder of the result. It takes about half a minute, mainly to install the headers' packages.
func (v vectorInstall) build(ctx context.Context) (string, error) {
	work, err := os.MkdirTemp(v.cache, "work-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(work) }()

	var source, version string
	err = v.progress.during("pgvector", "getting its source from a later release of this distribution", func() error {
		source, version, err = fetchVectorSource(ctx, work)
		return err
	})
	if err != nil {
		return "", err
	}
	if err := v.installBuildTools(ctx); err != nil {
		return "", err
	}
	finished := filepath.Join(v.cache, v.builtName(version))
	err = v.progress.during("pgvector", fmt.Sprintf("building pgvector %s for PostgreSQL %d", version, v.major), func() error {
		return v.compile(ctx, source, work, finished)
	})
	return finished, err
}

// installBuildTools installs a compiler, make, and the server's headers if missing.
func (v vectorInstall) installBuildTools(ctx context.Context) error {
	var packages []string
	if _, err := exec.LookPath("make"); err != nil {
		packages = append(packages, "make")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		packages = append(packages, "gcc", "libc6-dev")
	}
	// Not pgxs: Debian has that in the server's own package, without the headers.
	headers, err := exec.CommandContext(ctx, v.program("pg_config"), "--includedir-server").Output() //nolint:gosec // the found installation
	if err != nil || !exists(filepath.Join(strings.TrimSpace(string(headers)), "postgres.h")) {
		if !v.isDistributions() {
			return fmt.Errorf("the PostgreSQL server in %s has no headers for building extensions", v.bin)
		}
		packages = append(packages, fmt.Sprintf("postgresql-server-dev-%d", v.major))
	}
	if len(packages) == 0 {
		return nil
	}
	return v.apt.install(ctx, "pgvector", packages...)
}

// compile builds the source tree, and moves the complete files of the extension to finished.
func (v vectorInstall) compile(ctx context.Context, source, work, finished string) error {
	stage := filepath.Join(work, "stage")
	options := []string{
		"PG_CONFIG=" + v.program("pg_config"),
		"OPTFLAGS=",    // not -march=native: a cache may be moved to another machine
		"with_llvm=no", // bitcode needs clang and is not used
	}
	for _, target := range [][]string{{fmt.Sprintf("-j%d", runtime.NumCPU())}, {"install", "DESTDIR=" + stage}} {
		cmd := exec.Command("make", append(target, options...)...) //nolint:gosec,noctx // run honours ctx
		cmd.Dir = source
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		if _, err := run(ctx, cmd); err != nil {
			return err
		}
	}
	result := filepath.Join(work, "result")
	for from, to := range map[string]string{
		filepath.Join(stage, v.folders.share, "extension"): filepath.Join(result, "share"),
		filepath.Join(stage, v.folders.library):            filepath.Join(result, "library"),
	} {
		if err := errors.Join(os.MkdirAll(result, 0o755), os.Rename(from, to)); err != nil { //nolint:gosec // nothing secret
			return err
		}
	}
	return os.Rename(result, finished)
}

// fetchVectorSource downloads and unpacks the newest pgvector source package of the later releases. It leaves the
// machine's own package lists alone: list, state and cache are below work.
func fetchVectorSource(ctx context.Context, work string) (folder, version string, err error) {
	list, err := laterSourceList(readAptSources(), readRelease())
	if err != nil {
		return "", "", err
	}
	private, err := newPrivateApt(work, list)
	if err != nil {
		return "", "", err
	}
	// Some of the suites may not exist on this mirror; only the result matters.
	_, updateErr := private.run(ctx, "apt-get", "update")
	shown, err := private.run(ctx, "apt-cache", "showsrc", "pgvector")
	versions := sourceVersions(shown)
	if err != nil || len(versions) == 0 {
		return "", "", fmt.Errorf("no later release offers pgvector: %w", errors.Join(updateErr, err))
	}
	var failures error
	for _, candidate := range versions {
		if _, err := private.run(ctx, "apt-get", "source", "--download-only", "pgvector="+candidate); err != nil {
			failures = errors.Join(failures, err) // a mirror may list files that it does not have
			continue
		}
		folder, err := private.unpack(ctx)
		return folder, parseVersionText(candidate), err
	}
	return "", "", failures
}

// sourceVersions returns the sufficiently new versions in the output of apt-cache showsrc, newest first.
func sourceVersions(shown string) []string {
	var versions []string
	for line := range strings.Lines(shown) {
		v, ok := strings.CutPrefix(strings.TrimSpace(line), "Version: ")
		if ok && !parseVersion(v).less(oldestVector) && !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	slices.SortStableFunc(versions, func(a, b string) int {
		switch va, vb := parseVersion(a), parseVersion(b); {
		case vb.less(va):
			return -1
		case va.less(vb):
			return 1
		}
		return 0
	})
	return versions
}

func parseVersionText(text string) string { return parseVersion(text).String() }

// privateApt runs apt's programs on a separate source list.
type privateApt struct {
	folder  string // download folder for sources
	options []string
}

func newPrivateApt(work, list string) (privateApt, error) {
	p := privateApt{folder: filepath.Join(work, "download")}
	lists, cache := filepath.Join(work, "lists"), filepath.Join(work, "cache")
	for _, folder := range []string{p.folder, filepath.Join(lists, "partial"), filepath.Join(cache, "archives", "partial")} {
		if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // nothing secret
			return p, err
		}
	}
	file := filepath.Join(work, "later.sources")
	p.options = []string{
		"-o", "Dir::Etc::sourcelist=" + file, "-o", "Dir::Etc::sourceparts=/dev/null",
		"-o", "Dir::State::lists=" + lists, "-o", "Dir::Cache=" + cache,
		// apt's download user cannot enter a folder below root's home.
		"-o", "APT::Sandbox::User=root",
	}
	return p, os.WriteFile(file, []byte(list), 0o600)
}

func (p privateApt) run(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.Command(program, append(slices.Clone(p.options), args...)...) //nolint:gosec,noctx // run honours ctx
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	return run(ctx, cmd)
}

// unpack unpacks the downloaded original source. Debian's changes concern only its packaging.
func (p privateApt) unpack(ctx context.Context) (string, error) {
	tarballs, err := filepath.Glob(filepath.Join(p.folder, "pgvector_*.orig.tar.*"))
	if err != nil || len(tarballs) == 0 {
		return "", errors.Join(errors.New("the source package has no original source"), err)
	}
	folder := filepath.Join(p.folder, "source")
	if err := os.Mkdir(folder, 0o755); err != nil { //nolint:gosec // nothing secret
		return "", err
	}
	args := []string{"--extract", "--file", tarballs[0], "--strip-components=1", "--directory", folder}
	cmd := exec.Command("tar", args...) //nolint:noctx // run honours ctx
	_, err = run(ctx, cmd)
	return folder, err
}
