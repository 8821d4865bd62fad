package devenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5"
)

// oldestVector is the first pgvector version with half-precision vectors, which Reverie stores.
var oldestVector = version{0, 7, 0}

// extensionFolders are where a server looks for extensions.
type extensionFolders struct {
	share   string // holds extension/*.control and *.sql
	library string // holds the shared library
}

// provideVector makes pgvector available to the running server, if it is not: from what was built before, from the
// distribution's package, or from its source. PostgreSQL looks for extensions when they are created, so that the server
// need not be restarted.
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
			return fmt.Errorf("%s may not be written to: %w", folders.library, aptErr)
		}
		v := vectorInstall{installation: p.cluster.installation, folders: folders, cache: cache, apt: apt, aptErr: aptErr, writable: writable, progress: progress}
		return v.install(ctx)
	})
	if err == nil {
		var available bool
		if available, err = p.vectorAvailable(ctx); err == nil && !available {
			err = errors.New("the server does not see the extension after its installation")
		}
	}
	if err != nil {
		return &InstallError{
			Missing: fmt.Sprintf("the PostgreSQL %d server in %s lacks the extension pgvector %s or later", p.cluster.major, p.cluster.bin, oldestVector),
			Command: installCommand(ctx, p.cluster.major), Cause: err,
		}
	}
	return nil
}

// vectorAvailable says whether `create extension vector` would work, with a version that is new enough.
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
	apt      *apt // nil when it cannot be used, for the reason aptErr
	aptErr   error
	writable bool // this process may write to the folders itself
	progress Progress
}

// install tries the ways from the quickest to the longest.
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

// isDistributions says whether the server is the one of Debian's packages, for which their extension packages are made.
func (v vectorInstall) isDistributions() bool {
	return v.bin == fmt.Sprintf("/usr/lib/postgresql/%d/bin", v.major)
}

// builtName is the cache folder of one build: <pgvector version>-pg<major>-<os>-<arch>. A build fits every minor version
// of its major.
func (v vectorInstall) builtName(version string) string {
	return fmt.Sprintf("%s-pg%d-%s-%s", version, v.major, runtime.GOOS, runtime.GOARCH)
}

// builtBefore returns the newest cached build for this server, "" when there is none.
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

// copyIn copies a build's files to where the server looks for them. A build holds share/ and library/.
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

// copyFile puts a file in its place at once, so that a server never loads half of it.
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

// isWritable says whether this process can make files in a folder.
func isWritable(folder string) bool {
	file, err := os.CreateTemp(folder, ".reverie-*")
	if err != nil {
		return false
	}
	return errors.Join(file.Close(), os.Remove(file.Name())) == nil
}

// version is a dotted version number, as far as it is numeric.
type version [3]int

// parseVersion reads the leading numbers of "0.8.0", "0.8.0-1~bpo12" or "1:0.8.0". What is no number counts as 0.
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

// exists says whether a path is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
