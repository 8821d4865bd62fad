package devenv

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ensureInstallation finds a PostgreSQL server installation and, on a Debian-like machine where it may, installs one when
// there is none. major is the version an existing cluster needs, 0 for any.
func ensureInstallation(ctx context.Context, progress Progress, major int) (installation, error) {
	found, err := findInstallation(ctx, major)
	if !errors.Is(err, errNoPostgres) {
		return found, err
	}
	folder, err := cacheFolder("postgres")
	if err != nil {
		return installation{}, err
	}
	err = onceAtATime(ctx, folder, progress, "postgres", func() error {
		if found, err = findInstallation(ctx, major); !errors.Is(err, errNoPostgres) {
			return err
		}
		if err := installPostgres(ctx, progress, major); err != nil {
			return err
		}
		found, err = findInstallation(ctx, major)
		return err
	})
	if err == nil {
		return found, nil
	}
	missing := fmt.Sprintf("no PostgreSQL server programs of version %d or later on this machine", oldestPostgres)
	if major != 0 {
		missing = fmt.Sprintf("the cluster was made by PostgreSQL %d, whose server programs are not on this machine", major)
	}
	return installation{}, &InstallError{Missing: missing, Command: installCommand(ctx, major), Cause: err}
}

// withoutMainCluster runs a script line with PostgreSQL's packages told not to make a system cluster. What the machine's
// owner has set about that is back in force afterwards.
const withoutMainCluster = `
set -e
dropin=/etc/postgresql-common/createcluster.d/reverie.conf
mkdir -p /etc/postgresql-common/createcluster.d
trap 'rm -f "$dropin"' EXIT
echo "create_main_cluster = false" > "$dropin"
apt-get install --yes --no-install-recommends -o "$1" "$2"
`

// installPostgres installs the server of the given major version, or of the distribution's own when major is 0.
func installPostgres(ctx context.Context, progress Progress, major int) error {
	apt, err := findApt(ctx, progress)
	if err != nil {
		return err
	}
	if major == 0 {
		version, err := apt.knows(ctx, "postgres", "postgresql")
		if err != nil {
			return err
		}
		if major, err = distributionMajor(version); err != nil {
			return err
		}
		if major < oldestPostgres {
			return fmt.Errorf("this system's PostgreSQL %d is too old", major)
		}
	}
	name := fmt.Sprintf("postgresql-%d", major)
	if _, err := apt.knows(ctx, "postgres", name); err != nil {
		return err
	}
	install := func() error {
		_, err := apt.run(ctx, "sh", "-c", withoutMainCluster, "sh", lockTimeout, name)
		return err
	}
	if err := progress.during("postgres", "installing "+name, install); err == nil || ctx.Err() != nil {
		return err
	}
	if err := apt.update(ctx, "postgres"); err != nil {
		return err
	}
	return progress.during("postgres", "installing "+name+" again", install)
}

// distributionMajor reads the distribution's own major version of PostgreSQL from the version of its package
// "postgresql", which depends on that and is numbered after it: 17+278.
func distributionMajor(packageVersion string) (int, error) {
	digits, _, _ := strings.Cut(packageVersion, "+")
	major, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fmt.Errorf("the package postgresql has version %q: %w", packageVersion, err)
	}
	return major, nil
}
