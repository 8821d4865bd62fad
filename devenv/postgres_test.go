package devenv

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// startPostgres starts a server that is stopped with the test.
func startPostgres(t *testing.T, o PostgresOptions) *Postgres {
	t.Helper()
	p, err := StartPostgres(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopPostgres(t, p) })
	return p
}

func stopPostgres(t *testing.T, p *Postgres) {
	t.Helper()
	if err := p.Stop(context.Background()); err != nil {
		t.Errorf("stop: %v", err)
	}
}

// query runs statements on a separate connection and returns the last one's single value as text.
func query(t *testing.T, url string, statements ...string) (answer string) {
	t.Helper()
	err := withConnection(t.Context(), url, func(conn *pgx.Conn) error {
		for _, statement := range statements[:len(statements)-1] {
			if _, err := conn.Exec(t.Context(), statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		var value any
		err := conn.QueryRow(t.Context(), statements[len(statements)-1]).Scan(&value)
		answer = fmt.Sprint(value)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestPostgresSecondStartFindsTheData(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), "made", "on", "the", "way")
	first := startPostgres(t, PostgresOptions{Dir: dir})
	if err := first.EnsureDatabase(t.Context(), "memory"); err != nil {
		t.Fatal(err)
	}
	query(t, first.URL("memory"), "create extension vector", "create table note (place halfvec(2))",
		"insert into note values ('[1,2]') returning 1")
	stopPostgres(t, first)

	second := startPostgres(t, PostgresOptions{Dir: dir})
	if got, want := second.URL("memory"), first.URL("memory"); got != want {
		t.Errorf("the second start has another URL: %s, not %s", got, want)
	}
	if err := second.EnsureDatabase(t.Context(), "memory"); err != nil {
		t.Errorf("a database that exists: %v", err)
	}
	if got := query(t, second.URL("memory"), "select place <-> '[1,2]' from note"); got != "0" {
		t.Errorf("distance %s; want the stored vector", got)
	}
}

func TestPostgresIsPrivate(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, PostgresOptions{Dir: folder(t), Ephemeral: true})
	pid := p.child.cmd.Process.Pid
	requireLoopback(t, pid, 1)

	if info, err := os.Stat(filepath.Join(p.options.Dir, passwordName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the password's file: %v, %v; want mode 0600", info.Mode(), err)
	}
	withoutPassword, err := url.Parse(p.URL(maintenance))
	if err != nil {
		t.Fatal(err)
	}
	withoutPassword.User = url.UserPassword(superuser, "guess")
	var refused interface{ SQLState() string }
	err = withConnection(t.Context(), withoutPassword.String(), func(*pgx.Conn) error { return nil })
	if !errors.As(err, &refused) || refused.SQLState() != "28P01" {
		t.Errorf("a wrong password: %v; want the server's refusal", err)
	}

	if group, err := syscall.Getpgid(pid); err != nil || group == syscall.Getpgrp() {
		t.Errorf("the server is in this process's group (%d, %v): a Ctrl-C in the terminal would reach it", group, err)
	}
	if info, err := os.Stat(p.cluster.data); err != nil || info.Sys().(*syscall.Stat_t).Uid == 0 {
		t.Errorf("the server runs as root (%v)", err)
	}
}

// A folder that only root may enter is the usual case for root: /root, or a temporary folder.
func TestPostgresInAFolderThatItsUserCannotEnter(t *testing.T) {
	t.Parallel()
	parent := folder(t)
	if err := os.Chmod(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "postgres")
	first := startPostgres(t, PostgresOptions{Dir: dir, Ephemeral: true})
	if elsewhere := first.cluster.home != dir; elsewhere != (os.Geteuid() == 0) {
		t.Errorf("the data stand in %s", first.cluster.home)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(first.cluster.home); err != nil {
			t.Error(err)
		}
	})
	if err := first.EnsureDatabase(t.Context(), "memory"); err != nil {
		t.Fatal(err)
	}
	stopPostgres(t, first)

	second := startPostgres(t, PostgresOptions{Dir: dir, Ephemeral: true})
	if got := query(t, second.URL("memory"), "select current_database()"); got != "memory" {
		t.Errorf("got %q", got)
	}
}

func TestPostgresRestartIsACrash(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, PostgresOptions{Dir: folder(t)})
	address := p.URL(maintenance)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, statement := range []string{"create table note (id int)", "insert into note values (1)", "begin", "insert into note values (2)"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	done := p.Done()
	if err := p.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-done // of the previous server
	if _, err := conn.Exec(t.Context(), "commit"); err == nil {
		t.Error("a connection outlived the server")
	}
	if p.URL(maintenance) != address {
		t.Errorf("the server moved from %s to %s", address, p.URL(maintenance))
	}
	if got := query(t, address, "select string_agg(id::text, ',') from note"); got != "1" {
		t.Errorf("rows %s; want what was committed and nothing else", got)
	}
}

func TestPostgresFolderBelongsToOneProcess(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	startPostgres(t, PostgresOptions{Dir: dir, Ephemeral: true})
	if _, err := StartPostgres(t.Context(), PostgresOptions{Dir: dir}); !errors.Is(err, ErrInUse) {
		t.Errorf("a second server on one folder: %v; want ErrInUse", err)
	}
}

func TestPostgresTemporaryFolderIsRemoved(t *testing.T) {
	passable := folder(t)
	for name, base := range map[string]string{"passable": passable, "for its owner only": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", base)
			p := startPostgres(t, PostgresOptions{Ephemeral: true})
			query(t, p.URL(maintenance), "select 1")
			stopPostgres(t, p)
			left, err := os.ReadDir(base)
			if err != nil || len(left) != 0 {
				t.Errorf("left in %s: %v, %v", base, left, err)
			}
			if p.cluster.home != p.options.Dir || exists(p.cluster.home) {
				t.Errorf("left: %s", p.cluster.home)
			}
		})
	}
}

// A machine that lost power leaves a pid file whose number may be another process's by now.
func TestPostgresStalePidFile(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	p := startPostgres(t, PostgresOptions{Dir: dir, Ephemeral: true})
	stopPostgres(t, p)
	bystander := exec.Command("sleep", "600")
	p.cluster.account.become(bystander) // PostgreSQL itself would take a process of its own user for its server
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = bystander.Process.Kill()
		_ = bystander.Wait()
	})
	note := fmt.Sprintf("%d\n%s\n", bystander.Process.Pid, p.cluster.data)
	if err := os.WriteFile(filepath.Join(p.cluster.data, "postmaster.pid"), []byte(note), 0o600); err != nil {
		t.Fatal(err)
	}
	startPostgres(t, PostgresOptions{Dir: dir, Ephemeral: true})
	if !alive(bystander.Process.Pid) {
		t.Error("the start ended a process that has nothing to do with the cluster")
	}
}

// Without a parent-death signal a server outlives its killed parent; the next start ends it.
func TestPostgresEndsALeftoverServer(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	leftover := startPostgres(t, PostgresOptions{Dir: dir, Ephemeral: true})
	if err := leftover.lock.Close(); err != nil { // as the kernel does when the process is killed
		t.Fatal(err)
	}
	p := startPostgres(t, PostgresOptions{Dir: dir, Ephemeral: true})
	select {
	case <-leftover.Done():
	default:
		t.Error("the leftover server still runs")
	}
	query(t, p.URL(maintenance), "select 1")
}

func TestPostgresUnfinishedClusterIsRecreated(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	for path, content := range map[string]string{"data.unfinished/PG_VERSION": "15\n", "password": "of the first attempt\n"} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	p := startPostgres(t, PostgresOptions{Dir: dir, Ephemeral: true})
	query(t, p.URL(maintenance), "select 1")
}

func TestPostgresOfAnotherMajorIsReported(t *testing.T) {
	if os.Geteuid() == 0 {
		// Otherwise the test would install that version, or try to.
		t.Setenv("PATH", t.TempDir())
	}
	dir := folder(t)
	data := filepath.Join(dir, "data")
	if err := errors.Join(os.Mkdir(data, 0o700), os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("12\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if account, err := newServerAccount(); err != nil || account.own(data) != nil {
		t.Fatal("cannot prepare the folder", err)
	}
	_, err := StartPostgres(t.Context(), PostgresOptions{Dir: dir})
	var missing *InstallError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "made by PostgreSQL 12") ||
		!strings.Contains(err.Error(), "docker compose up") {
		t.Errorf("got %v; want an *InstallError that names the version", err)
	}
}

func TestPostgresAnswersWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, err := StartPostgres(ctx, PostgresOptions{Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	query(t, p.URL(maintenance), "select 1") // the context bounded the start only
	if err := p.Stop(ctx); err != nil {
		t.Errorf("stop with an ended context: %v", err)
	}
	if _, err := StartPostgres(ctx, PostgresOptions{Ephemeral: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("start with an ended context: %v; want context.Canceled", err)
	}
}
