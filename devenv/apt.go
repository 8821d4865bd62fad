package devenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// apt is the package manager of a Debian-like machine, with the right to use it.
type apt struct {
	asRoot   []string // what makes a command run as root; nothing when this process is root
	progress Progress
}

var (
	errNoApt  = errors.New("this is no Debian-like system: there is no apt-get")
	errNoRoot = errors.New("neither root nor sudo without a password")
)

// findApt returns the package manager, or why it cannot be used.
func findApt(ctx context.Context, progress Progress) (*apt, error) {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return nil, errNoApt
	}
	if os.Geteuid() == 0 {
		return &apt{progress: progress}, nil
	}
	if exec.CommandContext(ctx, "sudo", "-n", "true").Run() != nil {
		return nil, errNoRoot
	}
	return &apt{asRoot: []string{"sudo", "-n"}, progress: progress}, nil
}

// run runs a command as root and returns its output.
func (a *apt) run(ctx context.Context, args ...string) (string, error) {
	args = append(append(append([]string{}, a.asRoot...), "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C"), args...)
	return run(ctx, exec.Command(args[0], args[1:]...)) //nolint:gosec,noctx // run watches ctx
}

// lockTimeout is how long, in seconds, apt-get waits for another package manager that is at work.
const lockTimeout = "DPkg::Lock::Timeout=600"

// install installs packages without what they recommend. Lists that are missing or old are renewed when they turn out
// to be: a package is not known, or its file has left the mirror.
func (a *apt) install(ctx context.Context, part string, packages ...string) error {
	install := func() error {
		_, err := a.run(ctx, append([]string{"apt-get", "install", "--yes", "--no-install-recommends", "-o", lockTimeout}, packages...)...)
		return err
	}
	names := strings.Join(packages, ", ")
	if err := a.progress.during(part, "installing "+names, install); err == nil || ctx.Err() != nil {
		return err
	}
	if err := a.update(ctx, part); err != nil {
		return err
	}
	return a.progress.during(part, "installing "+names+" again", install)
}

// update renews the package lists.
func (a *apt) update(ctx context.Context, part string) error {
	return a.progress.during(part, "renewing the package lists", func() error {
		_, err := a.run(ctx, "apt-get", "update", "-o", lockTimeout)
		return err
	})
}

// candidate is the version of a package that would be installed, "" when the lists have none.
func candidate(ctx context.Context, name string) string {
	cmd := exec.CommandContext(ctx, "apt-cache", "policy", name)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(out)) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "Candidate: "); ok && version != "(none)" {
			return version
		}
	}
	return ""
}

// knows says whether there is a package; it renews the lists when they do not have it.
func (a *apt) knows(ctx context.Context, part, name string) (version string, err error) {
	if version = candidate(ctx, name); version != "" {
		return version, nil
	}
	if err := a.update(ctx, part); err != nil {
		return "", err
	}
	if version = candidate(ctx, name); version == "" {
		return "", fmt.Errorf("this system's package lists have no %s", name)
	}
	return version, nil
}
