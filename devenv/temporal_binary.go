package devenv

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// temporalVersion is the release of Temporal's command line tool, with the dev server inside, that is downloaded or
// built. One for both ways, so that every machine behaves alike.
const temporalVersion = "v1.5.1"

// temporalModule builds it.
const temporalModule = "github.com/temporalio/cli/cmd/temporal"

// temporalProgram finds Temporal's command line tool: on the PATH; in the cache; by download, seconds where the network
// reaches it; at last built by `go install`, minutes once.
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
		downloadErr := downloadTemporal(ctx, progress, temporalDownloads, program)
		if downloadErr == nil || ctx.Err() != nil {
			return downloadErr
		}
		progress.say("temporal", "cannot be downloaded from here, so it is built; this takes some minutes, once")
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
		cmd := exec.Command(tool, "install", "-ldflags=-s -w -X github.com/temporalio/cli/temporalcli.Version="+temporalVersion[1:], temporalModule+"@"+temporalVersion) //nolint:noctx // run watches ctx
		cmd.Dir = work                                                                                                                                                   // outside of any module
		cmd.Env = append(os.Environ(), "GOBIN="+work, "GOFLAGS=", "GOWORK=off", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
		if _, err := run(ctx, cmd); err != nil {
			return err
		}
		return os.Rename(filepath.Join(work, "temporal"), program)
	})
}
