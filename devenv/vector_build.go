package devenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// build builds pgvector from the source package of a later release of this machine's distribution and returns the cache
// folder that holds the result. Takes about half a minute, most of it for the headers' packages.
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

// installBuildTools installs a compiler, make, and the server's headers where they are missing.
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
			return fmt.Errorf("the PostgreSQL server in %s has no headers to build an extension with", v.bin)
		}
		packages = append(packages, fmt.Sprintf("postgresql-server-dev-%d", v.major))
	}
	if len(packages) == 0 {
		return nil
	}
	return v.apt.install(ctx, "pgvector", packages...)
}

// compile builds the source tree, and moves the extension's files to finished when they are complete.
func (v vectorInstall) compile(ctx context.Context, source, work, finished string) error {
	stage := filepath.Join(work, "stage")
	options := []string{
		"PG_CONFIG=" + v.program("pg_config"),
		"OPTFLAGS=",    // not -march=native: a cache may be carried to another machine
		"with_llvm=no", // bitcode needs clang and serves no one here
	}
	for _, target := range [][]string{{fmt.Sprintf("-j%d", runtime.NumCPU())}, {"install", "DESTDIR=" + stage}} {
		cmd := exec.Command("make", append(target, options...)...) //nolint:gosec,noctx // run watches ctx
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

// fetchVectorSource downloads and unpacks the newest pgvector source package that the later releases offer. It leaves the
// machine's own package lists alone: list, state and cache stand below work.
func fetchVectorSource(ctx context.Context, work string) (folder, version string, err error) {
	list, err := laterSourceList(readAptSources(), readRelease())
	if err != nil {
		return "", "", err
	}
	private, err := newPrivateApt(work, list)
	if err != nil {
		return "", "", err
	}
	// Some of the suites may not exist on this mirror; what counts is what was found.
	_, updateErr := private.run(ctx, "apt-get", "update")
	shown, err := private.run(ctx, "apt-cache", "showsrc", "pgvector")
	versions := sourceVersions(shown)
	if err != nil || len(versions) == 0 {
		return "", "", fmt.Errorf("no later release offers pgvector: %w", errors.Join(updateErr, err))
	}
	var failures error
	for _, candidate := range versions {
		if _, err := private.run(ctx, "apt-get", "source", "--download-only", "pgvector="+candidate); err != nil {
			failures = errors.Join(failures, err) // a mirror may list what it does not hold
			continue
		}
		folder, err := private.unpack(ctx)
		return folder, parseVersionText(candidate), err
	}
	return "", "", failures
}

// sourceVersions are the versions in the output of apt-cache showsrc, newest first, as far as they are new enough.
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

// privateApt runs apt's programs on a source list of its own.
type privateApt struct {
	folder  string // where sources are downloaded to
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
		// The download user of apt cannot enter a folder below root's home.
		"-o", "APT::Sandbox::User=root",
	}
	return p, os.WriteFile(file, []byte(list), 0o600)
}

func (p privateApt) run(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.Command(program, append(slices.Clone(p.options), args...)...) //nolint:gosec,noctx // run watches ctx
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	return run(ctx, cmd)
}

// unpack unpacks the downloaded original source. Debian's own changes concern its packaging.
func (p privateApt) unpack(ctx context.Context) (string, error) {
	tarballs, err := filepath.Glob(filepath.Join(p.folder, "pgvector_*.orig.tar.*"))
	if err != nil || len(tarballs) == 0 {
		return "", errors.Join(errors.New("the source package has no original source"), err)
	}
	folder := filepath.Join(p.folder, "source")
	if err := os.Mkdir(folder, 0o755); err != nil { //nolint:gosec // nothing secret
		return "", err
	}
	cmd := exec.Command("tar", "--extract", "--file", tarballs[0], "--strip-components=1", "--directory", folder) //nolint:gosec,noctx // run watches ctx
	_, err = run(ctx, cmd)
	return folder, err
}
