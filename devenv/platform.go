package devenv

import (
	"fmt"
	"os/exec"
	"runtime"
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
// %[1]s is the major version wanted.
var packageManagers = []struct{ program, command string }{
	{"brew", "brew install postgresql@%[1]s pgvector"},
	{"apt-get", "sudo apt-get install postgresql-%[1]s postgresql-%[1]s-pgvector"},
	{"dnf", "sudo dnf install postgresql-server pgvector"},
	{"apk", "sudo apk add postgresql%[1]s postgresql-pgvector"},
	{"pacman", "sudo pacman -S postgresql pgvector"},
	{"zypper", "sudo zypper install postgresql%[1]s-server postgresql%[1]s-pgvector"},
	{"pkg", "sudo pkg install postgresql%[1]s-server postgresql%[1]s-pgvector"},
}

// recommendedMajor is the major version to install where nothing else decides; the one of docker-compose.yml.
const recommendedMajor = 17

// installCommand is the command that installs PostgreSQL with pgvector on this platform, by its own package manager.
func installCommand(major int) string {
	if major == 0 {
		major = recommendedMajor
	}
	for _, manager := range packageManagers {
		if _, err := exec.LookPath(manager.program); err == nil {
			return fmt.Sprintf(manager.command, fmt.Sprint(major))
		}
	}
	if runtime.GOOS == "darwin" {
		return fmt.Sprintf(packageManagers[0].command, fmt.Sprint(major)) + "    # Homebrew: https://brew.sh"
	}
	return "your package manager: PostgreSQL " + fmt.Sprint(major) + " (server) and pgvector 0.7 or later"
}
