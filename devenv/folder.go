package devenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
