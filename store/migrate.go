package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"reverie/migrations"
	"reverie/store/pg"
)

// Migrate brings the schema of the database at url to the newest version and returns the number of migrations applied. Several
// processes may call it at once: one works, the others wait for it and apply 0.
//
// The login must be allowed to create tables, and becomes their owner. It becomes a member of AppRole, which is created together with
// EraserRole, each time: a dump contains neither. A login that may not do that gets a *RoleError.
func Migrate(ctx context.Context, url string) (applied int, err error) {
	err = withProvider(url, func(db *sql.DB, p *goose.Provider) error {
		if err := ensureRoles(ctx, db); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		for attempt := 1; ; attempt++ {
			results, err := p.Up(ctx)
			applied += len(results)
			if partial, is := errors.AsType[*goose.PartialError](err); is {
				applied += len(partial.Applied)
			}
			switch {
			case err == nil:
				return nil
			case attempt == migrateAttempts || !gaveWay(err):
				return fmt.Errorf("migrate: %w", err)
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("migrate: %w", ctx.Err())
			case <-time.After(migrateLockWait):
			}
		}
	})
	return applied, err
}

const (
	// migrateLockWait bounds the wait of a migration for one table that programs use, and is the pause before the next attempt; see
	// migrateLocksWait for all of them.
	migrateLockWait = 500 * time.Millisecond
	migrateAttempts = 120
)

// gaveWay reports whether a migration was undone in favour of programs that use its tables.
func gaveWay(err error) bool { return pg.IsLockTimeout(err) || pg.IsDeadlock(err) }

// MigrationStatus returns the version of the schema at url, 0 for an empty database, and the newest known version.
func MigrationStatus(ctx context.Context, url string) (current, latest int64, err error) {
	err = withProvider(url, func(_ *sql.DB, p *goose.Provider) error {
		current, latest, err = p.GetVersions(ctx)
		return err
	})
	return current, latest, err
}

// lockPatience is the number of seconds that a process waits for another one to finish migrating.
const lockPatience = 300

// withProvider runs fn on separate connections: the migrator needs one for the lock and one to work on, and works as the login, not
// as AppRole.
func withProvider(url string, fn func(*sql.DB, *goose.Provider) error) (err error) {
	cfg, err := pgxpool.ParseConfig(url) // it also understands the settings of a pool
	if err != nil {
		return fmt.Errorf("database url: %w", err)
	}
	cfg.ConnConfig.RuntimeParams["lock_timeout"] = fmt.Sprint(migrateLockWait.Milliseconds())
	db := stdlib.OpenDB(*cfg.ConnConfig)
	defer func() { err = errors.Join(err, db.Close()) }()
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	return fn(db, provider)
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, lockPatience))
	if err != nil {
		return nil, fmt.Errorf("migration lock: %w", err)
	}
	files, err := lockingMigrations()
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	return provider, nil
}

// latestMigration returns the newest version that this program knows.
func latestMigration() (int64, error) {
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("migrations: %w", err)
	}
	latest := int64(0)
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("migrations: %w", err)
		}
		latest = max(latest, version)
	}
	return latest, nil
}
