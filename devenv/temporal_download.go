package devenv

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// temporalDownloads is where Temporal's SDKs get the dev server from. The Go SDK offers its own download only together
// with starting a server, which a killed process would leave behind; hence these few lines.
const temporalDownloads = "https://temporal.download/cli/"

// downloadPatience is how long a download may take before building is worth a try. The program has about 60 MB packed.
const downloadPatience = 3 * time.Minute

// programLimit is more than the program will ever have, and less than a disk.
const programLimit = 1 << 30

// downloadTemporal downloads temporalVersion for this platform.
func downloadTemporal(ctx context.Context, progress Progress, base, program string) error {
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
		return get(ctx, release.ArchiveURL, func(body io.Reader) error {
			return extract(body, release.FileToExtract, program)
		})
	})
}

// get fetches an address and hands its body to read.
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

// extract writes one file of a packed archive to a path, as a program, complete or not at all.
func extract(archive io.Reader, name, to string) error {
	unpacked, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	files := tar.NewReader(unpacked)
	for {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the archive has no file %q", name)
		}
		if err != nil {
			return err
		}
		if file.Name == name && file.Size < programLimit {
			return writeProgram(files, to)
		}
	}
}

// writeProgram writes a program beside its place and moves it there.
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
