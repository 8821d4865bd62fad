package main

import (
	"bytes"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"reverie/cli/session"
	"reverie/config"
)

// Logs of services are read by others: without a terminal, dev says where the admin key is and not what it is, nor a link that signs in.
func TestDevHidesTheKeyWithoutATerminal(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	const key = "a-key-that-nobody-else-reads"
	var out bytes.Buffer
	data := t.TempDir()
	d := &dev{Config: config.Config{AdminKey: key}, flags: devFlags{data: data}, console: &console{out: &out}, listener: listener}
	d.greet()
	said := out.String()
	if strings.Contains(said, key) || strings.Contains(said, "signs in once") {
		t.Errorf("the key or a link that signs in is shown:\n%s", said)
	}
	if !strings.Contains(said, filepath.Join(data, session.KeyFile)) {
		t.Errorf("it does not say where the key is:\n%s", said)
	}
}
