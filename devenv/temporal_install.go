package devenv

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// temporalVersion is the release of Temporal's command line tool, which contains the dev server, to download or
// build.
const temporalVersion = "v1.5.1"

// temporalSums are the SHA-256 sums of the archives of temporalVersion, by platform. Changing the version means changing them; the
// release lists them in checksums.txt.
var temporalSums = map[string]string{
	"linux/amd64":  "ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d",
	"linux/arm64":  "bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5",
	"darwin/amd64": "bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9",
	"darwin/arm64": "cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415",
}

// temporalModule is the Go package of the tool.
const temporalModule = "github.com/temporalio/cli/cmd/temporal"

// temporalProgram returns the path of Temporal's command line tool: from the PATH, the cache, a download (seconds),
// or a build with `go install` (minutes, once).
func temporalProgram(ctx context.Context, progress Progress) (string, error) {
	if path, err := exec.LookPath("temporal"); err == nil && exec.CommandContext(ctx, path, "--version").Run() == nil {
		return filepath.Abs(path)
	}
	folder, err := cacheFolder("temporal-" + temporalVersion)
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, "temporal")
	if exists(program) {
		return program, nil
	}
	err = onceAtATime(ctx, folder, progress, "temporal", func() error {
		if exists(program) {
			return nil
		}
		downloadErr := downloadTemporal(ctx, progress, temporalDownloads, program, temporalSums[runtime.GOOS+"/"+runtime.GOARCH])
		if downloadErr == nil || ctx.Err() != nil {
			return downloadErr
		}
		if errors.As(downloadErr, new(*sumError)) {
			progress.say("temporal", "%s", downloadErr)
		}
		progress.say("temporal", "cannot be downloaded, so it is built; this takes some minutes, once")
		if err := buildTemporal(ctx, progress, folder, program); err != nil {
			return errors.Join(downloadErr, err)
		}
		return nil
	})
	if err != nil {
		return "", &InstallError{
			Missing: "Temporal's dev server is not on this machine",
			Command: "go install " + temporalModule + "@" + temporalVersion + "    # or: brew install temporal",
			Cause:   err,
		}
	}
	return program, nil
}

// buildTemporal builds the program with this machine's Go.
func buildTemporal(ctx context.Context, progress Progress, folder, program string) error {
	tool, err := exec.LookPath("go")
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(folder, "build-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	return progress.during("temporal", "building "+temporalVersion, func() error {
		ldflags := "-ldflags=-s -w -X github.com/temporalio/cli/temporalcli.Version=" + temporalVersion[1:]
		cmd := exec.Command(tool, "install", ldflags, temporalModule+"@"+temporalVersion) //nolint:noctx // run honours ctx
		cmd.Dir = work                                                                    // outside of any module
		cmd.Env = append(os.Environ(), "GOBIN="+work, "GOFLAGS=", "GOWORK=off", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
		if _, err := run(ctx, cmd); err != nil {
			return err
		}
		return os.Rename(filepath.Join(work, "temporal"), program)
	})
}

// temporalDownloads is the server from which Temporal's SDKs download the dev server. The Go SDK offers a download
// only together with starting a server, which a killed process would leave running.
const temporalDownloads = "https://temporal.download/cli/"

// downloadPatience bounds a download before a build is tried. The archive has about 60 MB.
const downloadPatience = 3 * time.Minute

// programLimit bounds the size of the program, and archiveLimit that of its archive.
const (
	programLimit = 1 << 30
	archiveLimit = 1 << 28
)

// sumError means that a download is not the file that this release of Reverie was made for. Nothing of it was unpacked.
type sumError struct{ address, want, got string }

func (e *sumError) Error() string {
	if e.want == "" {
		return fmt.Sprintf("no SHA-256 sum is known of a download for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	return fmt.Sprintf("%s has the SHA-256 sum %s instead of %s: the file was changed and is not used; check your proxy or mirror, "+
		"or install Temporal yourself", e.address, e.got, e.want)
}

// downloadTemporal downloads temporalVersion for this platform. An archive with another SHA-256 sum is a *sumError.
func downloadTemporal(ctx context.Context, progress Progress, base, program, sum string) error {
	if sum == "" {
		return &sumError{}
	}
	return progress.during("temporal", "downloading "+temporalVersion, func() error {
		ctx, cancel := context.WithTimeout(ctx, downloadPatience)
		defer cancel()
		var release struct{ ArchiveURL, FileToExtract string }
		query := url.Values{"platform": {runtime.GOOS}, "arch": {runtime.GOARCH}}
		err := get(ctx, base+temporalVersion+"?"+query.Encode(), func(body io.Reader) error {
			return json.NewDecoder(body).Decode(&release)
		})
		if err != nil {
			return err
		}
		archive, err := os.CreateTemp(filepath.Dir(program), "archive-")
		if err != nil {
			return err
		}
		defer func() { _ = errors.Join(archive.Close(), os.Remove(archive.Name())) }()
		if err := get(ctx, release.ArchiveURL, func(body io.Reader) error { return copySum(archive, body, release.ArchiveURL, sum) }); err != nil {
			return err
		}
		if _, err := archive.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return extract(archive, release.FileToExtract, program)
	})
}

// copySum copies a download whose SHA-256 sum is known.
func copySum(to io.Writer, body io.Reader, address, want string) error {
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, hash), io.LimitReader(body, archiveLimit)); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		return &sumError{address: address, want: want, got: got}
	}
	return nil
}

// get downloads an address and passes its body to read.
func get(ctx context.Context, address string, read func(io.Reader) error) (err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, response.Status)
	}
	if err := read(response.Body); err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	return nil
}

// extract writes one file of a compressed archive to a path, as a program, atomically.
func extract(archive io.Reader, name, to string) error {
	unpacked, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	files := tar.NewReader(unpacked)
	for {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the archive contains no file %q", name)
		}
		if err != nil {
			return err
		}
		if file.Name == name && file.Size < programLimit {
			return writeProgram(files, to)
		}
	}
}

// writeProgram writes a program to a temporary file and moves it into place.
func writeProgram(content io.Reader, to string) error {
	unfinished, err := os.CreateTemp(filepath.Dir(to), "download-")
	if err != nil {
		return err
	}
	_, err = io.Copy(unfinished, content)
	err = errors.Join(err, unfinished.Chmod(0o755), unfinished.Close())
	if err == nil {
		err = os.Rename(unfinished.Name(), to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(unfinished.Name()))
	}
	return nil
}
