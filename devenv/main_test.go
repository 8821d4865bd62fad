package devenv

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helperVariable makes this test binary a process that starts both servers in the named folder and then waits to be
// killed.
const helperVariable = "REVERIE_DEVENV_TEST_HELPER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(helperVariable); folder != "" {
		if err := help(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func help(folder string) error {
	ctx := context.Background()
	p, err := StartPostgres(ctx, PostgresOptions{Dir: filepath.Join(folder, "postgres")})
	if err != nil {
		return err
	}
	t, err := StartTemporal(ctx, TemporalOptions{Dir: filepath.Join(folder, "temporal")})
	if err != nil {
		return err
	}
	if err := p.EnsureDatabase(ctx, "kept"); err != nil {
		return err
	}
	fmt.Println(p.child.cmd.Process.Pid, t.child.cmd.Process.Pid)
	select {}
}

// startHelper starts the helper process and returns it with the process ids of its servers.
func startHelper(t *testing.T, folder string) (helper *exec.Cmd, servers []int) {
	t.Helper()
	helper = exec.Command(os.Args[0])
	helper.Env = append(os.Environ(), helperVariable+"="+folder)
	helper.Stderr = os.Stderr
	out, err := helper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := helper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = helper.Process.Kill()
		_ = helper.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the helper says nothing: %v", err)
	}
	for word := range strings.FieldsSeq(line) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		servers = append(servers, pid)
	}
	return helper, servers
}

// folder creates a folder for a server that, unlike t.TempDir, an ordinary user may enter when the tests run as root.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "reverie-test-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("not after 20 s: %s", what)
}

// listeners returns the addresses that a process listens on, from Linux's /proc.
func listeners(t *testing.T, pid int) (addresses []string) {
	t.Helper()
	sockets := map[string]bool{}
	handles, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, handle := range handles {
		if target, err := os.Readlink(handle); err == nil && strings.HasPrefix(target, "socket:[") {
			sockets[strings.Trim(target, "socket:[]")] = true
		}
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		content, err := os.ReadFile(table)
		if err != nil {
			continue // a machine without IPv6
		}
		for line := range strings.Lines(string(content)) {
			fields := strings.Fields(line)
			const listening = "0A"
			if len(fields) < 10 || fields[3] != listening || !sockets[fields[9]] {
				continue
			}
			addresses = append(addresses, hexAddress(t, fields[1]))
		}
	}
	return addresses
}

// hexAddress parses an IPv4 address of /proc/net/tcp, whose bytes are in the machine's (little-endian) order. IPv6
// addresses are returned unchanged.
func hexAddress(t *testing.T, text string) string {
	t.Helper()
	host, port, _ := strings.Cut(text, ":")
	bytes, err := hex.DecodeString(host)
	if err != nil || len(bytes) != 4 {
		return text
	}
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d.%d.%d.%d:%d", bytes[3], bytes[2], bytes[1], bytes[0], number)
}

// requireLoopback fails the test if a process listens on anything but 127.0.0.1. /proc exists only on Linux;
// elsewhere the servers run with the same flags.
func requireLoopback(t *testing.T, pid int, atLeast int) {
	t.Helper()
	if !exists("/proc/net/tcp") {
		return
	}
	addresses := listeners(t, pid)
	if len(addresses) < atLeast {
		t.Errorf("process %d listens on %v; want at least %d addresses", pid, addresses, atLeast)
	}
	for _, address := range addresses {
		if !strings.HasPrefix(address, "127.0.0.1:") {
			t.Errorf("process %d listens on %s, not on loopback", pid, address)
		}
	}
}
