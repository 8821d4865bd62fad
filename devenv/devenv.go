// Package devenv starts a private PostgreSQL (with pgvector) and a private Temporal dev server, for `reverie dev` and
// for tests, on a machine where neither is running and perhaps neither is installed.
//
// What it needs it looks for on the machine first, then takes from the package manager, from a download or from source,
// once, behind file locks, below the user's cache folder; [Progress] hears about everything that takes longer than a
// moment. Where it cannot or may not install something, the error names the exact command for this platform.
//
// Rules that hold for both servers:
//   - They listen on loopback only, on free ports that stay the same while their folder is kept.
//   - They never touch a system cluster: their data stands in the folder that the caller names.
//   - They end with the process that started them, even when that one is killed with SIGKILL (on Linux by the kernel's
//     parent-death signal; elsewhere the next start on the same folder ends what was left over).
//   - A folder belongs to one process at a time; a second one gets an error that says so.
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

// lockName is the file whose lock says that a folder is in use. The kernel gives the lock up when its process ends,
// however it ends.
const lockName = "lock"

// ErrInUse says that another process holds the folder of a server.
var ErrInUse = errors.New("in use by another process")

// claim takes a folder for this process, until the returned lock is closed.
func claim(folder string) (*flock.Flock, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // must be passable for the server's own user
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

// cacheFolder returns (and makes) a folder below the user's cache folder for things that are expensive to get again.
func cacheFolder(parts ...string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder (set HOME or XDG_CACHE_HOME): %w", err)
	}
	folder := filepath.Join(append([]string{base, "reverie"}, parts...)...)
	return folder, os.MkdirAll(folder, 0o755) //nolint:gosec // holds programs and libraries, nothing secret
}

// onceAtATime runs work while holding the lock of a cache folder: parallel test packages and a `reverie dev` beside them
// get a thing once, and the others wait for it. Work must look first whether the thing is there by now.
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

// temporaryPrefix marks the folders of servers that keep nothing, so that those of killed processes can be found.
const temporaryPrefix = "reverie-tmp-"

// temporaryFolder makes a folder for a server that keeps nothing: in memory where there is room, since a database is made
// of hundreds of small files (a copy of one took 15 ms in memory and 480 ms on a virtual disk), otherwise where temporary
// files go. A TMPDIR that is set decides. Folders that killed processes left behind are removed on the way.
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
	return folder, os.Chmod(folder, 0o711) //nolint:gosec // must be passable for the server's own user
}

// temporaryBase chooses where temporary folders are made: somewhere the server's own user gets to as well.
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

// abandonedAfter leaves a folder that nobody has locked yet alone while it may just be in the making.
const abandonedAfter = time.Minute

// removeIfAbandoned removes a temporary folder whose process is gone. Another user's folder, and one that is in use,
// stay; a failure is no reason not to start a server.
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

// Ports are taken from below the ranges that operating systems give to outgoing connections (Linux 32768–60999, macOS
// 49152–65535): so nobody else's connection sits on a port while a server restarts on it.
const lowestPort, highestPort = 15000, 32000

// freePort returns a port on 127.0.0.1 that is free now, and differs from those given. Another process may take it before
// the server does; whoever starts a server must be ready to try again with another one.
func freePort(ctx context.Context, except ...int) (int, error) {
	for range 200 {
		port := lowestPort + rand.IntN(highestPort-lowestPort) //nolint:gosec // chance, not secrecy, is what is needed
		if isFree(ctx, port) && !slices.Contains(except, port) {
			return port, nil
		}
	}
	return 0, errors.Join(errors.New("no free port on 127.0.0.1"), ctx.Err())
}

// isFree says whether a server could listen on 127.0.0.1:port now.
func isFree(ctx context.Context, port int) bool {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", loopback(port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// loopback is host:port of a port on loopback.
func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// keptPort returns the port noted in folder/name when it is free, so that a server keeps its address over restarts, and
// any free port otherwise.
func keptPort(ctx context.Context, folder, name string) (int, error) {
	if noted, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
		if port, err := strconv.Atoi(strings.TrimSpace(string(noted))); err == nil && isFree(ctx, port) {
			return port, nil
		}
	}
	return freePort(ctx)
}

// keepPort notes a port for keptPort.
func keepPort(folder, name string, port int) error {
	return os.WriteFile(filepath.Join(folder, name), []byte(strconv.Itoa(port)+"\n"), 0o600)
}

// Progress is told what a part ("postgres", "pgvector", "temporal") is doing, one line at a time, without a line end.
// Long work (an install, a download, a build) reports again every few seconds with the time it has taken so far.
// A nil Progress is silent. It may be called from several goroutines at once.
type Progress func(part, message string)

// progressInterval is how often long work reports. Often enough that nobody believes it hangs.
const progressInterval = 5 * time.Second

// say reports one line.
func (p Progress) say(part, format string, args ...any) {
	if p != nil {
		p(part, fmt.Sprintf(format, args...))
	}
}

// during runs work and reports what it is, when it starts, every progressInterval and when it has ended well.
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

// Programs sees to it that programs are on the PATH. Those that are not there are installed from the packages of the same names, on
// Debian-like machines and where that is allowed; otherwise the error says what to install.
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
		return fmt.Errorf("install %s, which could not be done from here: %w", strings.Join(missing, " and "), err)
	}
	return nil
}
