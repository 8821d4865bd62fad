package devenv

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

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
