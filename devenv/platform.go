package devenv

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// InstallError says that something must be installed by hand, because nothing can be installed from here: no package
// manager that is known to work, or no right to use it.
type InstallError struct {
	Missing string // what is missing, in words
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

// packageManagers are known package managers and the command that installs a PostgreSQL server with pgvector by each.
// %[1]d is the major version wanted.
var packageManagers = []struct{ program, command string }{
	{"brew", "brew install postgresql@%[1]d pgvector"},
	{"dnf", "sudo dnf install postgresql-server pgvector"},
	{"apk", "sudo apk add postgresql%[1]d postgresql-pgvector"},
	{"pacman", "sudo pacman -S postgresql pgvector"},
	{"zypper", "sudo zypper install postgresql%[1]d-server postgresql%[1]d-pgvector"},
	{"pkg", "sudo pkg install postgresql%[1]d-server postgresql%[1]d-pgvector"},
}

// recommendedMajor is the major version to install where nothing else decides; the one of docker-compose.yml.
const recommendedMajor = 17

// installCommand is the command that installs PostgreSQL of a major version (0: any) with pgvector on this platform, by
// its own package manager.
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

// vectorFromSource installs pgvector where the distribution has no package of it, or an old one.
const vectorFromSource = " postgresql-server-dev-%[1]d make gcc git && git clone --depth 1 --branch v0.8.2 https://github.com/pgvector/pgvector && make -C pgvector OPTFLAGS= && sudo make -C pgvector install"

// aptCommand is the command for a Debian-like machine, by what its package lists have.
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
