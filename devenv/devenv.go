// Package devenv starts a private PostgreSQL (with pgvector) and a private Temporal dev server, for `reverie dev` and
// for tests, on a machine where they may not be installed.
//
// It uses what is installed; otherwise it installs from the package manager, a download or source, once, guarded by
// file locks, below the user's cache folder. [Progress] reports everything that takes longer than a moment. Where it
// cannot or may not install something, the error names the exact command for this platform.
//
// Both servers follow these rules:
//   - They listen on loopback only, on free ports that stay the same while their folder is kept.
//   - They never touch a system cluster: their data is in the folder that the caller names.
//   - They end with the process that started them, even if it is killed with SIGKILL (on Linux by the kernel's
//     parent-death signal; elsewhere the next start in the same folder ends leftover servers).
//   - Only one process at a time can use a folder; a second one gets ErrInUse.
package devenv

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockName is the lock file of a folder in use. The kernel releases the lock when the process ends in any way.
const lockName = "lock"

// ErrInUse means that another process uses the folder of a server.
var ErrInUse = errors.New("in use by another process")

// claim locks a folder for this process, until the returned lock is closed.
func claim(folder string) (*flock.Flock, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // the server's own user must be able to enter it
		return nil, err
	}
	lock := flock.New(filepath.Join(folder, lockName))
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", folder, err)
	}
	if !got {
		return nil, fmt.Errorf("%s is %w: stop it, or choose another folder", folder, ErrInUse)
	}
	return lock, nil
}

// cacheFolder returns, and creates, a folder below the user's cache folder for what is expensive to obtain.
func cacheFolder(parts ...string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder (set HOME or XDG_CACHE_HOME): %w", err)
	}
	folder := filepath.Join(append([]string{base, "reverie"}, parts...)...)
	return folder, os.MkdirAll(folder, 0o755) //nolint:gosec // holds programs and libraries, nothing secret
}

// onceAtATime runs work while holding the lock of a cache folder, so that parallel processes obtain a thing only
// once. work must check first whether it exists by now.
func onceAtATime(ctx context.Context, folder string, progress Progress, part string, work func() error) error {
	lock := flock.New(filepath.Join(folder, lockName))
	if got, err := lock.TryLock(); err != nil {
		return fmt.Errorf("lock %s: %w", folder, err)
	} else if !got {
		err := progress.during(part, "waiting for another process that prepares the same", func() error {
			_, err := lock.TryLockContext(ctx, 200*time.Millisecond)
			return err
		})
		if err != nil {
			return fmt.Errorf("wait for the lock of %s: %w", folder, err)
		}
	}
	return errors.Join(work(), lock.Close())
}

// temporaryPrefix marks the folders of temporary servers, so that those of killed processes can be found.
const temporaryPrefix = "reverie-tmp-"

// temporaryFolder creates a folder for a temporary server: in memory if there is room, since a database consists of
// hundreds of small files (copying one took 15 ms in memory and 480 ms on a virtual disk), otherwise in the folder
// for temporary files. TMPDIR takes precedence. It also removes folders that killed processes left behind.
func temporaryFolder(ctx context.Context) (string, error) {
	base, err := temporaryBase(ctx)
	if err != nil {
		return "", err
	}
	leftovers, err := filepath.Glob(filepath.Join(base, temporaryPrefix+"*"))
	if err != nil {
		return "", err
	}
	for _, folder := range leftovers {
		removeIfAbandoned(folder)
	}
	folder, err := os.MkdirTemp(base, temporaryPrefix)
	if err != nil {
		return "", err
	}
	return folder, os.Chmod(folder, 0o711) //nolint:gosec // the server's own user must be able to enter it
}

// temporaryBase returns the parent of temporary folders: one that the server's own user can also enter.
func temporaryBase(ctx context.Context) (string, error) {
	account, err := newServerAccount()
	if err != nil {
		return "", err
	}
	candidates := []string{os.TempDir(), "/tmp"}
	if os.Getenv("TMPDIR") == "" {
		candidates = append([]string{memoryFolder()}, candidates...)
	}
	for _, base := range candidates {
		if base != "" && isWritable(base) && account.reaches(ctx, base) {
			return base, nil
		}
	}
	return "", errors.Join(fmt.Errorf("none of the folders %q can hold temporary files", candidates), ctx.Err())
}

// abandonedAfter is the age below which an unlocked folder is left alone, because it may be in creation.
const abandonedAfter = time.Minute

// removeIfAbandoned removes a temporary folder whose process no longer exists. Folders of other users or in use stay. Failures
// are ignored.
func removeIfAbandoned(folder string) {
	info, err := os.Stat(folder)
	if err != nil || time.Since(info.ModTime()) < abandonedAfter {
		return
	}
	lock := flock.New(filepath.Join(folder, lockName))
	if got, err := lock.TryLock(); err != nil || !got {
		return
	}
	_ = os.RemoveAll(folder)
	_ = lock.Close()
}

// Ports are below the ranges that operating systems use for outgoing connections (Linux 32768–60999, macOS
// 49152–65535), so that no connection takes a port while a server restarts.
const lowestPort, highestPort = 15000, 32000

// freePort returns a port on 127.0.0.1 that is free now and not in except. Another process may take it before the
// server does, so the caller must be prepared to retry.
func freePort(ctx context.Context, except ...int) (int, error) {
	for range 200 {
		port := lowestPort + rand.IntN(highestPort-lowestPort) //nolint:gosec // does not need to be secret
		if isFree(ctx, port) && !slices.Contains(except, port) {
			return port, nil
		}
	}
	return 0, errors.Join(errors.New("no free port on 127.0.0.1"), ctx.Err())
}

// isFree reports whether a server could listen on 127.0.0.1:port now.
func isFree(ctx context.Context, port int) bool {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", loopback(port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// loopback returns host:port of a port on loopback.
func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// keptPort returns the port stored in folder/name if it is free, so that a server keeps its address over restarts,
// and any free port otherwise.
func keptPort(ctx context.Context, folder, name string) (int, error) {
	if noted, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
		if port, err := strconv.Atoi(strings.TrimSpace(string(noted))); err == nil && isFree(ctx, port) {
			return port, nil
		}
	}
	return freePort(ctx)
}

// keepPort stores a port for keptPort.
func keepPort(folder, name string, port int) error {
	return os.WriteFile(filepath.Join(folder, name), []byte(strconv.Itoa(port)+"\n"), 0o600)
}

// Progress is called with what a part ("postgres", "pgvector", "temporal") is doing, one line at a time, without a
// line end. Long work (an install, a download, a build) reports again every few seconds with the elapsed time. A nil
// Progress is silent. It may be called from several goroutines at once.
type Progress func(part, message string)

// progressInterval is the interval between reports of long work.
const progressInterval = 5 * time.Second

// say reports one line.
func (p Progress) say(part, format string, args ...any) {
	if p != nil {
		p(part, fmt.Sprintf(format, args...))
	}
}

// during runs work and reports when it starts, every progressInterval, and when it has succeeded.
func (p Progress) during(part, what string, work func() error) error {
	start := time.Now()
	p.say(part, "%s …", what)
	ended := make(chan struct{})
	reported := make(chan struct{})
	go func() {
		defer close(reported)
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				p.say(part, "%s … %s", what, time.Since(start).Round(time.Second))
			}
		}
	}()
	err := work()
	close(ended)
	<-reported
	if err == nil {
		p.say(part, "%s: done in %s", what, time.Since(start).Round(100*time.Millisecond))
	}
	return err
}

// Programs makes sure that programs are on the PATH. On Debian-like machines it installs missing ones from the
// packages of the same names, if permitted; otherwise the error says what to install.
func Programs(ctx context.Context, progress Progress, names ...string) error {
	var missing []string
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	apt, err := findApt(ctx, progress)
	if err == nil {
		err = apt.install(ctx, "programs", missing...)
	}
	if err != nil {
		return fmt.Errorf("install %s manually: %w", strings.Join(missing, " and "), err)
	}
	return nil
}
