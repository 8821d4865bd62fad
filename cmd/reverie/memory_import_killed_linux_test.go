package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"reverie/cli/clitest"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
)

// onTerminal is this program in a separate process with a terminal.
func onTerminal(t *testing.T, args ...string) (p *exec.Cmd, out *running, end func() error) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 160}); err != nil {
		t.Fatal(err)
	}
	p, out = exec.Command(os.Args[0], args...), &running{T: t}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stdout, p.Stderr = terminal, terminal
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close() // the process has it
	t.Cleanup(func() { _ = p.Process.Kill() })
	read := make(chan struct{})
	go func() {
		defer close(read)
		buffer := make([]byte, 4096)
		for {
			n, err := screen.Read(buffer)
			_, _ = out.Write(buffer[:n])
			if err != nil { // the process has ended
				return
			}
		}
	}()
	return p, out, func() error {
		err := p.Wait()
		<-read
		_ = screen.Close()
		return err
	}
}

// firstCount returns the first number that a progress bar shows.
func firstCount(t *testing.T, said, bar string, of int) string {
	t.Helper()
	found := regexp.MustCompile(bar + fmt.Sprintf(`[^\r\n]*?\((\d+)/%d`, of)).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("no bar of %s:\n%q", bar, said)
	}
	return found[1]
}

// Interrupted or killed in the middle of the upload, and again while it waits, the same command goes on, with a progress bar that
// begins where it was.
func TestAnImportThatIsStopped(t *testing.T) {
	const files, uploaded, settled = 450, 200, 300
	for name, signal := range map[string]os.Signal{"interrupted": os.Interrupt, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			startServer(t)
			server, database := os.Getenv("REVERIE_URL"), os.Getenv(testDatabase)
			folder := t.TempDir()
			for i := range files {
				if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("note-%03d.md", i)),
					fmt.Appendf(nil, "# Note %d\n\n- The number is %d.\n", i, i), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			conn, err := pgx.Connect(t.Context(), database)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			var uploads, starts atomic.Int32
			reached, gone := make(chan struct{}), make(chan struct{})
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/items"):
					if uploads.Add(1) == 2 {
						close(reached)
						<-gone // until the command is stopped
						panic(http.ErrAbortHandler)
					}
				case strings.HasSuffix(r.URL.Path, "/start") && starts.Add(1) == 1:
					holdItems(t, conn, settled)
				}
				forward(t, w, r, server)
			}))
			defer proxy.Close()
			command := []string{"memory", "import", folder, "--shared", "--url", proxy.URL}
			stopped := func(out *running, err error, says string) {
				t.Helper()
				if err == nil || signal == os.Interrupt && !strings.Contains(out.said(), says) {
					t.Errorf("%v:\n%s", err, out.said())
				}
			}

			p, out, end := onTerminal(t, command...)
			<-reached
			if err := p.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			stopped(out, end(), "stopped uploading; the same command continues from here")
			close(gone)

			p, out, end = onTerminal(t, command...)
			until(t, "some are moved in", func() bool { return settledItems(t, database) == settled })
			if err := p.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			stopped(out, end(), "stopped watching, and the server continues; the same command watches again")
			if got := firstCount(t, out.said(), "uploading", files); got != fmt.Sprint(uploaded) {
				t.Errorf("uploading goes on at %s of %d, want %d", got, files, uploaded)
			}
			if n := uploads.Load(); n != 4 { // 200 and none, then the other 250
				t.Errorf("%d uploads, want 4", n)
			}

			_, out, end = onTerminal(t, command...)
			until(t, "it watches again", func() bool { return strings.Contains(out.said(), "importing") })
			if err := conn.Close(t.Context()); err != nil { // what was held back goes on
				t.Fatal(err)
			}
			if err := end(); err != nil {
				t.Errorf("it ends with %v", err)
			}
			if got := firstCount(t, out.said(), "importing", files); got != fmt.Sprint(settled) {
				t.Errorf("importing goes on at %s of %d, want %d", got, files, settled)
			}
			clitest.Contains(t, out.said(), "450 documents", "WRITTEN", "450")
			if uploads.Load() != 4 {
				t.Errorf("%d uploads, want no more than 4", uploads.Load())
			}
			if out := mustRun(t, "log", "note-449.md"); strings.Contains(out, "\n2 ") {
				t.Errorf("it was written twice:\n%s", out)
			}
		})
	}
}

// holdItems has the items after the first ones wait before they are settled, until the connection is closed.
func holdItems(t *testing.T, conn *pgx.Conn, upTo int) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Error(err)
		return
	}
	const sql = `
select 1
from import_items
where item_key in (
    select item_key
    from import_items
    order by kind, happened_at, item_key
    offset $1)
for update`
	if held, err := tx.Exec(t.Context(), sql, upTo); err != nil || held.RowsAffected() == 0 {
		t.Errorf("%d items are held back, %v", held.RowsAffected(), err)
	}
}

func settledItems(t *testing.T, database string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), "select count(*) from import_items where outcome <> ''").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
