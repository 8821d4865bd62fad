package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The command serves until it is stopped, and answers only callers with the key.
func TestCodecCommand(t *testing.T) {
	const key = "the-key-of-the-codec-server"
	t.Setenv("REVERIE_ENCRYPTION_KEYS", "a:"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 32))))
	t.Setenv("REVERIE_CODEC_KEY", key)
	t.Setenv("REVERIE_CODEC_ADDR", "127.0.0.1:0")
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	c := root()
	c.SetArgs([]string{"codec"})
	c.SetOut(in)
	ended := make(chan error, 1)
	go func() {
		err := c.ExecuteContext(ctx)
		_ = in.CloseWithError(io.EOF)
		ended <- err
	}()
	said, err := bufio.NewReader(out).ReadString('\n')
	address, found := strings.CutPrefix(strings.TrimSpace(said), "codec server on ")
	if err != nil || !found {
		t.Fatalf("it says %q, %v", said, err)
	}
	for authorization, want := range map[string]int{"": http.StatusUnauthorized, "Bearer " + key: http.StatusOK} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/decode", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", authorization)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = answer.Body.Close(); answer.StatusCode != want {
			t.Errorf("%q is answered with %d, want %d", authorization, answer.StatusCode, want)
		}
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it does not stop")
	}
}
