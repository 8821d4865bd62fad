package devenv

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/jackc/pgx/v5"
)

// superuser is the name of the private cluster's superuser.
const superuser = "postgres"

// maintenance is the database that exists in every cluster; databases are created and dropped from it.
const maintenance = "postgres"

// PostgresOptions configures a private PostgreSQL.
type PostgresOptions struct {
	// Dir is the cluster's folder, for example <data>/postgres. It is created if missing; a second start uses the
	// existing data. Empty means a temporary folder, removed by Stop.
	//
	// If this process is root, the server runs as an ordinary user (postgres, if it exists), who must be able to
	// enter Dir. If a folder above it (such as /root) forbids that, the data is in /var/lib/reverie/<hash of Dir> and
	// Dir/location names that folder.
	Dir string
	// Progress reports what is going on; nil is silent.
	Progress Progress
	// Ephemeral trades safety against a crash of the *machine* for speed, for tests: nothing is flushed to disk. A
	// crash or restart of the server alone loses nothing.
	Ephemeral bool
}

// Postgres is a running private cluster with pgvector available (`create extension vector` works).
type Postgres struct {
	cluster cluster
	options PostgresOptions
	lock    *flock.Flock
	child   *child
	port    int
}

// StartPostgres starts a private cluster, creates it if necessary, and installs what is missing if permitted. ctx
// bounds the start, not the life of the server: that ends with Stop or with this process.
//
// The error is an *InstallError if something must be installed by hand, and wraps ErrInUse if another process uses
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

// startAttempts bounds the attempts to start if the chosen port turns out to be taken.
const startAttempts = 5

// start runs the server on its previous port, or a free one, and waits until it answers.
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

// URL returns the address of a database on the server, for the cluster's superuser, with its password. The server
// listens on 127.0.0.1 only.
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

// CreateDatabase creates a database, as a copy of template unless that is "". The template must have no connections.
func (p *Postgres) CreateDatabase(ctx context.Context, name, template string) error {
	return CreateDatabase(ctx, p.URL(maintenance), name, template)
}

// EnsureDatabase creates a database if it does not exist.
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

// Done returns a channel that is closed when the server has ended for any reason. Restart replaces it.
func (p *Postgres) Done() <-chan struct{} { return p.child.done }

// Log returns the path of the server's log.
func (p *Postgres) Log() string { return p.cluster.log }

// Stop shuts the server down: open transactions are rolled back, everything committed is on disk. If ctx ends first,
// the server is forced to end and recovers at its next start. The data stays, unless the folder is temporary. A
// second Stop does nothing.
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

// PostgreSQL's shutdown modes: with a checkpoint, or at once as in a crash.
const fastShutdown, immediateShutdown = syscall.SIGINT, syscall.SIGQUIT

func (p *Postgres) stopSignal() syscall.Signal {
	if p.cluster.temporary {
		return immediateShutdown // data to be removed needs no checkpoint
	}
	return fastShutdown
}

// Restart stops the server like a crash, without a checkpoint and with every connection cut, and starts it on the
// same port. It returns when the server has recovered and answers.
func (p *Postgres) Restart(ctx context.Context) error { return p.RestartAfter(ctx, 0) }

// RestartAfter is a Restart with the server away for some time.
func (p *Postgres) RestartAfter(ctx context.Context, away time.Duration) error {
	if err := p.child.stop(ctx, immediateShutdown); err != nil {
		return err
	}
	time.Sleep(away)
	return p.start(ctx)
}

// CreateDatabase creates a database on the server of url, as a copy of template unless that is "".
func CreateDatabase(ctx context.Context, url, name, template string) error {
	return withConnection(ctx, url, func(conn *pgx.Conn) error { return createDatabase(ctx, conn, name, template) })
}

func createDatabase(ctx context.Context, conn *pgx.Conn, name, template string) error {
	statement := "create database " + pgx.Identifier{name}.Sanitize()
	if template != "" {
		statement += " template " + pgx.Identifier{template}.Sanitize()
		// Copies files instead of logging each page: several times faster while nothing is synced. Before version 15 it was the only way.
		if major, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), "."); major >= "15" && len(major) == 2 {
			statement += " strategy file_copy"
		}
	}
	_, err := conn.Exec(ctx, statement)
	return err
}

// DropDatabase drops a database on the server of url, if it exists, and ends the connections to it.
func DropDatabase(ctx context.Context, url, name string) error {
	return withConnection(ctx, url, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "drop database if exists "+pgx.Identifier{name}.Sanitize()+" with (force)")
		return err
	})
}

// withConnection runs work on a separate connection.
func withConnection(ctx context.Context, url string, work func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return errors.Join(work(conn), conn.Close(context.WithoutCancel(ctx)))
}

// cluster is a PostgreSQL data folder with what is needed to run a server on it.
type cluster struct {
	installation

	home      string   // folder that contains data: the requested one, or one that the account can enter
	data      string   // PostgreSQL's data folder
	log       string   // the server's log
	account   *account // runs the server
	password  string   // of the superuser
	temporary bool     // removed by Stop
}

// lastingHome contains the clusters whose requested folder the server's user cannot enter, which happens only to
// root. It is not in /var/tmp, because systemd deletes files there that were not read for a month.
const lastingHome = "/var/lib/reverie"

// openCluster opens the cluster of the options' folder, or creates one.
func openCluster(ctx context.Context, o PostgresOptions, temporary bool) (cluster, error) {
	c := cluster{home: o.Dir, log: filepath.Join(o.Dir, "postgres.log"), temporary: temporary}
	if location, err := os.ReadFile(filepath.Join(o.Dir, "location")); err == nil {
		c.home = strings.TrimSpace(string(location))
	}
	c.data = filepath.Join(c.home, "data")

	version, err := os.ReadFile(filepath.Join(c.data, "PG_VERSION")) //nolint:gosec // the path was written by this package
	switch {
	case err == nil:
		err = c.reopen(ctx, o, strings.TrimSpace(string(version)))
	case errors.Is(err, fs.ErrNotExist):
		err = c.create(ctx, o)
	}
	return c, err
}

// reopen prepares an existing cluster to be run by the same major version and the same user as before.
func (c *cluster) reopen(ctx context.Context, o PostgresOptions, version string) error {
	major, err := strconv.Atoi(version)
	if err != nil {
		return fmt.Errorf("read the version of %s: %w", c.data, err)
	}
	if c.account, err = ownerAccount(c.data); err != nil {
		return err
	}
	if c.installation, err = ensureInstallation(ctx, o.Progress, major); err != nil {
		return err
	}
	if c.password, err = readPassword(o.Dir); err != nil {
		return fmt.Errorf("the password of the cluster %s is missing: %w", c.data, err)
	}
	return nil
}

// create creates a cluster. If the process is killed before the end, no later start mistakes the rest for a cluster.
func (c *cluster) create(ctx context.Context, o PostgresOptions) (err error) {
	if c.installation, err = ensureInstallation(ctx, o.Progress, 0); err != nil {
		return err
	}
	// After the installation, which may have created the user.
	if c.account, err = newServerAccount(); err != nil {
		return err
	}
	if err := c.settle(ctx, o.Dir); err != nil {
		return err
	}
	if c.password, err = newPassword(o.Dir); err != nil {
		return err
	}
	return o.Progress.during("postgres", fmt.Sprintf("making a cluster with PostgreSQL %d", c.major), func() error {
		return c.initialise(ctx, o)
	})
}

// settle chooses the folder for a new cluster's data: the requested one if the server's user can enter it, otherwise
// one in lastingHome, recorded in the requested folder.
func (c *cluster) settle(ctx context.Context, dir string) error {
	if c.account.reaches(ctx, dir) {
		c.home = dir
		c.data = filepath.Join(dir, "data")
		return nil
	}
	hash := sha256.Sum256([]byte(dir))
	c.home = filepath.Join(lastingHome, "postgres-"+hex.EncodeToString(hash[:8]))
	c.data = filepath.Join(c.home, "data")
	if err := os.MkdirAll(c.home, 0o755); err != nil { //nolint:gosec // the server's own user must be able to enter it
		return err
	}
	if !c.account.reaches(ctx, c.home) {
		return fmt.Errorf("user %s can enter neither %s nor %s", c.account.name, dir, c.home)
	}
	if err := setAside(c.data); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "location"), []byte(c.home+"\n"), 0o600)
}

// setAside renames the data and password of a cluster whose requested folder was removed, instead of deleting them.
func setAside(data string) error {
	err := os.Rename(data, data+"."+time.Now().UTC().Format("20060102T150405"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// locales are tried in turn: ones that know Unicode letters, which lower() and regular expressions need, without the
// slow collation of a language. The last one exists on every system.
var locales = []string{"C.UTF-8", "en_US.UTF-8", "C"}

// initialise runs initdb next to the final location and moves the result there.
func (c *cluster) initialise(ctx context.Context, o PostgresOptions) error {
	passwordFile := filepath.Join(c.home, "initdb-password")
	if err := os.WriteFile(passwordFile, []byte(c.password+"\n"), 0o600); err != nil {
		return err
	}
	defer func() { _ = os.Remove(passwordFile) }()
	if err := c.account.own(passwordFile); err != nil {
		return err
	}
	unfinished := filepath.Join(c.home, "data.unfinished")
	var err error
	for _, locale := range locales {
		if err := errors.Join(os.RemoveAll(unfinished), os.Mkdir(unfinished, 0o700), c.account.own(unfinished)); err != nil {
			return err
		}
		args := []string{
			"--pgdata", unfinished, "--username", superuser, "--pwfile", passwordFile,
			"--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", locale,
		}
		if o.Ephemeral {
			args = append(args, "--no-sync")
		}
		cmd := exec.Command(c.program("initdb"), args...) //nolint:gosec,noctx // run honours ctx
		c.prepare(cmd)
		var output string
		if output, err = run(ctx, cmd); err == nil {
			return os.Rename(unfinished, c.data)
		}
		if !strings.Contains(output, "locale") {
			return err
		}
	}
	return err
}

// prepare sets the user of a cluster's program, a working folder that this user can enter, and an environment without
// the PG* variables that would redirect it.
func (c *cluster) prepare(cmd *exec.Cmd) {
	c.account.become(cmd)
	cmd.Dir = c.home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "LC_ALL=C", "TZ=UTC"}
}

// settings returns the server's settings, passed on its command line so that an old cluster follows this code.
func (c *cluster) settings(port int, ephemeral bool) map[string]string {
	settings := map[string]string{ //nolint:gosec // "password_encryption" is the name of a method
		"listen_addresses": "127.0.0.1",
		"port":             strconv.Itoa(port),
		// No socket file: its path has a length limit that the chosen folder may exceed.
		"unix_socket_directories": "",
		"cluster_name":            "reverie",
		"password_encryption":     "scram-sha-256",
		"timezone":                "UTC",
		"log_timezone":            "UTC",
		"log_destination":         "stderr",
		"logging_collector":       "off",
		// For several test packages, or a worker, an API and a person at once.
		"max_connections": "200",
		"shared_buffers":  "256MB",
	}
	if ephemeral {
		settings["fsync"] = "off"
		settings["full_page_writes"] = "off"
		settings["synchronous_commit"] = "off"
		settings["max_wal_size"] = "256MB" // the folder may be in memory
		settings["shared_buffers"] = "64MB"
	}
	return settings
}

// logLimit is the size above which a start renames the old log.
const logLimit = 10 << 20

// openLog opens the server's log for appending.
func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// errPortTaken means that another process took the port between the check and the start.
var errPortTaken = errors.New("the port is taken")

// run starts the server and waits until it answers.
func (c *cluster) run(ctx context.Context, port int, o PostgresOptions) (*child, error) {
	log, err := openLog(c.log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the server has its own handle
	args := []string{"-D", c.data}
	for name, value := range c.settings(port, o.Ephemeral) {
		args = append(args, "-c", name+"="+value)
	}
	cmd := exec.Command(c.program("postgres"), args...) //nolint:gosec,noctx // outlives ctx by intent
	cmd.Stdout, cmd.Stderr = log, log
	c.prepare(cmd)
	begin, err := log.Seek(0, 2)
	if err != nil {
		return nil, err
	}
	// If this process is killed, the server makes a fast shutdown: committed data is on disk, and the next start
	// needs no recovery.
	server, err := startChild(cmd, fastShutdown)
	if err != nil {
		return nil, err
	}
	if err := c.waitUntilReady(ctx, server, port, o.Progress); err != nil {
		_ = server.stop(context.WithoutCancel(ctx), immediateShutdown)
		said := readFrom(c.log, begin)
		if strings.Contains(said, "Address already in use") {
			return nil, errPortTaken
		}
		return nil, fmt.Errorf("%w; end of %s:\n%s", err, c.log, lastLines(said, 20))
	}
	return server, nil
}

// waitUntilReady waits until the server accepts a connection.
func (c *cluster) waitUntilReady(ctx context.Context, server *child, port int, progress Progress) error {
	p := Postgres{cluster: *c, port: port}
	begin, reported := time.Now(), time.Now()
	for {
		// Each attempt has a separate deadline, because another program on that port may never answer.
		attempt, cancel := context.WithTimeout(ctx, time.Second)
		err := withConnection(attempt, p.URL(maintenance), func(*pgx.Conn) error { return nil })
		cancel()
		if err == nil && !server.ended() {
			return nil
		}
		if time.Since(reported) > progressInterval {
			reported = time.Now()
			progress.say("postgres", "starting … %s (%v)", time.Since(begin).Round(time.Second), err)
		}
		select {
		case <-server.done:
			return fmt.Errorf("the server ended: %w", errors.Join(server.err, err))
		case <-ctx.Done():
			return fmt.Errorf("the server did not answer: %w", errors.Join(ctx.Err(), err))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// endLeftover ends a server that still runs on the data after its parent was killed, and removes the pid file of one
// that no longer exists. The lock on the folder guarantees that no other process uses it.
func (c *cluster) endLeftover(ctx context.Context) error {
	pidFile := filepath.Join(c.data, "postmaster.pid")
	content, err := os.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	if pid, err := strconv.Atoi(strings.TrimSpace(first)); err == nil && pid > 0 && runs(ctx, pid, c.data) {
		for _, signal := range []syscall.Signal{fastShutdown, immediateShutdown, syscall.SIGKILL} {
			_ = syscall.Kill(pid, signal)
			if waitGone(ctx, pid, c.data) {
				break
			}
		}
		if runs(ctx, pid, c.data) {
			return fmt.Errorf("process %d still runs on %s and could not be stopped", pid, c.data)
		}
	}
	if err := os.Remove(pidFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// passwordName is the file with the superuser's password.
const passwordName = "password"

func readPassword(dir string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dir, passwordName))
	return strings.TrimSpace(string(content)), err
}

func newPassword(dir string) (string, error) {
	password := rand.Text()
	return password, os.WriteFile(filepath.Join(dir, passwordName), []byte(password+"\n"), 0o600)
}
