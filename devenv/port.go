package devenv

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Ports are taken from below the ranges that operating systems give to outgoing connections (Linux 32768–60999, macOS
// 49152–65535): so nobody else's connection sits on a port while a server restarts on it.
const lowestPort, highestPort = 15000, 32000

// freePort returns a port on 127.0.0.1 that is free now, and differs from those given. Another process may take it before
// the server does; whoever starts a server must be ready to try again with another one.
func freePort(ctx context.Context, except ...int) (int, error) {
	for range 200 {
		port := lowestPort + rand.IntN(highestPort-lowestPort) //nolint:gosec // chance, not secrecy, is what is needed
		if isFree(ctx, port) && !slices.Contains(except, port) {
			return port, nil
		}
	}
	return 0, errors.Join(errors.New("no free port on 127.0.0.1"), ctx.Err())
}

// isFree says whether a server could listen on 127.0.0.1:port now.
func isFree(ctx context.Context, port int) bool {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", loopback(port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// loopback is host:port of a port on loopback.
func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// keptPort returns the port noted in folder/name when it is free, so that a server keeps its address over restarts, and
// any free port otherwise.
func keptPort(ctx context.Context, folder, name string) (int, error) {
	if noted, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
		if port, err := strconv.Atoi(strings.TrimSpace(string(noted))); err == nil && isFree(ctx, port) {
			return port, nil
		}
	}
	return freePort(ctx)
}

// keepPort notes a port for keptPort.
func keepPort(folder, name string, port int) error {
	return os.WriteFile(filepath.Join(folder, name), []byte(strconv.Itoa(port)+"\n"), 0o600)
}
