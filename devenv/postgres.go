package devenv

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
	"github.com/jackc/pgx/v5"
)

// superuser is the name of the private cluster's superuser.
const superuser = "postgres"

// maintenance is the database that is there in every cluster; databases are created and dropped from it.
const maintenance = "postgres"

// PostgresOptions says where and how a private PostgreSQL runs.
type PostgresOptions struct {
	// Dir is the cluster's folder, for example <data>/postgres. It is created when missing; a second start finds the
	// first one's data. Empty means a temporary folder, removed by Stop.
	//
	// As root, the server runs as an ordinary user (postgres, where it exists), who must be able to enter Dir. When a
	// folder above it forbids that (/root, say), the data stands in /var/lib/reverie/<hash of Dir> and Dir/location
	// names that folder.
	Dir string
	// Progress hears what is going on; nil is silent.
	Progress Progress
	// Ephemeral trades safety against a crash of the *machine* for speed, as tests want it: nothing is flushed to disk.
	// A crash or restart of the server alone loses nothing.
	Ephemeral bool
}

// Postgres is a running private cluster with pgvector at hand (`create extension vector` works).
type Postgres struct {
	cluster cluster
	options PostgresOptions
	lock    *flock.Flock
	child   *child
	port    int
}

// StartPostgres starts a private cluster, makes it first where there is none, and installs what is missing where it may.
// ctx bounds the start, not the life of the server: that ends with Stop or with this process.
//
// The error is an *InstallError when something must be installed by hand, and wraps ErrInUse when another process holds
// the folder.
func StartPostgres(ctx context.Context, o PostgresOptions) (_ *Postgres, err error) {
	p := &Postgres{options: o}
	temporary := o.Dir == ""
	if temporary {
		if p.options.Dir, err = temporaryFolder(ctx); err != nil {
			return nil, err
		}
	}
	if p.options.Dir, err = filepath.Abs(p.options.Dir); err != nil {
		return nil, err
	}
	if p.lock, err = claim(p.options.Dir); err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("postgres: %w", err), p.Stop(context.WithoutCancel(ctx)))
		}
	}()
	if p.cluster, err = openCluster(ctx, p.options, temporary); err != nil {
		return nil, err
	}
	if err = p.start(ctx); err != nil {
		return nil, err
	}
	if err = p.provideVector(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// startAttempts is how often a start is tried when the chosen port turns out to be taken.
const startAttempts = 5

// start runs the server on the port it had before, or on a free one, until it answers.
func (p *Postgres) start(ctx context.Context) error {
	if err := p.cluster.endLeftover(ctx); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		port := p.port
		if port == 0 {
			var err error
			if port, err = keptPort(ctx, p.options.Dir, "port"); err != nil {
				return err
			}
		}
		child, err := p.cluster.run(ctx, port, p.options)
		if err == nil {
			p.child, p.port = child, port
			return keepPort(p.options.Dir, "port", port)
		}
		if !errors.Is(err, errPortTaken) || attempt == startAttempts {
			return err
		}
	}
}

// URL is the address of a database on the server, for the cluster's superuser, with its password. The server listens on
// 127.0.0.1 only.
func (p *Postgres) URL(database string) string {
	address := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, p.cluster.password),
		Host:     loopback(p.port),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return address.String()
}

// CreateDatabase creates a database, as a copy of template unless that is "". Nobody may be connected to the template.
func (p *Postgres) CreateDatabase(ctx context.Context, name, template string) error {
	return CreateDatabase(ctx, p.URL(maintenance), name, template)
}

// EnsureDatabase creates a database unless it is there.
func (p *Postgres) EnsureDatabase(ctx context.Context, name string) error {
	return withConnection(ctx, p.URL(maintenance), func(conn *pgx.Conn) error {
		var exists bool
		if err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", name).Scan(&exists); err != nil || exists {
			return err
		}
		return createDatabase(ctx, conn, name, "")
	})
}

// DropDatabase drops a database, if it exists, and ends the connections to it.
func (p *Postgres) DropDatabase(ctx context.Context, name string) error {
	return DropDatabase(ctx, p.URL(maintenance), name)
}

// Done is closed when the server has ended, asked or not. After Restart it is another one.
func (p *Postgres) Done() <-chan struct{} { return p.child.done }

// Log is the file the server writes its log to.
func (p *Postgres) Log() string { return p.cluster.log }

// Stop shuts the server down: open transactions are rolled back, everything committed is on disk. When ctx ends first,
// the server is made to end anyway and recovers at its next start. The data stays, unless the folder is a temporary one.
// A second Stop does nothing.
func (p *Postgres) Stop(ctx context.Context) error {
	var err error
	if p.child != nil {
		err = p.child.stop(ctx, p.stopSignal(), immediateShutdown)
	}
	if p.cluster.temporary {
		err = errors.Join(err, os.RemoveAll(p.cluster.home), os.RemoveAll(p.options.Dir))
	}
	return errors.Join(err, p.lock.Close())
}

// PostgreSQL's ways to shut down: with a checkpoint, or at once as in a crash.
const fastShutdown, immediateShutdown = syscall.SIGINT, syscall.SIGQUIT

func (p *Postgres) stopSignal() syscall.Signal {
	if p.cluster.temporary {
		return immediateShutdown // what is removed needs no checkpoint
	}
	return fastShutdown
}

// Restart stops the server as a crash would, without a checkpoint and with every connection cut, and starts it on the
// same port. It returns when the server has recovered and answers.
func (p *Postgres) Restart(ctx context.Context) error {
	if err := p.child.stop(ctx, immediateShutdown); err != nil {
		return err
	}
	return p.start(ctx)
}

// CreateDatabase creates a database on the server that url names, as a copy of template unless that is "".
func CreateDatabase(ctx context.Context, url, name, template string) error {
	return withConnection(ctx, url, func(conn *pgx.Conn) error { return createDatabase(ctx, conn, name, template) })
}

func createDatabase(ctx context.Context, conn *pgx.Conn, name, template string) error {
	statement := "create database " + pgx.Identifier{name}.Sanitize()
	if template != "" {
		statement += " template " + pgx.Identifier{template}.Sanitize()
	}
	_, err := conn.Exec(ctx, statement)
	return err
}

// DropDatabase drops a database on the server that url names, if it exists, and ends the connections to it.
func DropDatabase(ctx context.Context, url, name string) error {
	return withConnection(ctx, url, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "drop database if exists "+pgx.Identifier{name}.Sanitize()+" with (force)")
		return err
	})
}

// withConnection runs work on a connection of its own.
func withConnection(ctx context.Context, url string, work func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return errors.Join(work(conn), conn.Close(context.WithoutCancel(ctx)))
}
