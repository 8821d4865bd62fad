package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// cable is a connection to a server that can be cut, as by a restart of the server.
type cable struct {
	t        *testing.T
	target   string
	address  string
	mu       sync.Mutex
	listener net.Listener
	open     []net.Conn
}

func lay(t *testing.T, target string) *cable {
	t.Helper()
	c := &cable{t: t, target: target, address: away(t)}
	c.plug()
	t.Cleanup(c.cut)
	return c
}

// plug lets connections through.
func (c *cable) plug() {
	c.t.Helper()
	listener, err := net.Listen("tcp", c.address)
	if err != nil {
		c.t.Fatal(err)
	}
	c.mu.Lock()
	c.listener = listener
	c.mu.Unlock()
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", c.target)
			if err != nil {
				_ = in.Close()
				continue
			}
			c.mu.Lock()
			c.open = append(c.open, in, out)
			c.mu.Unlock()
			pipe(in, out)
		}
	}()
}

// cut closes all connections and accepts no more.
func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.listener.Close()
	for _, conn := range c.open {
		_ = conn.Close()
	}
	c.open = nil
}

// A timeline that two people watch shows what others do at once, and once, over a break of the connection too.
func TestBrowserFollowsChanges(t *testing.T) {
	d := startDevWithKeys(t)
	d.call(t, http.MethodPost, "", map[string]any{"id": "ada", "name": "Ada"}, nil)
	write := func(name string) {
		d.call(t, http.MethodPut, "/ada/workspace/files/notes/"+name+".md?endUserId=42", map[string]any{"content": "- One.\n"}, nil)
	}
	write("first")
	line := lay(t, d.listener.Addr().String())
	home := "http://" + line.address
	var watching []browser
	for range 2 {
		b := openBrowser(t)
		b.open(t, home+"/agents/ada", "API key")
		b.do(t, chromedp.SendKeys(`#key`, testKey), chromedp.Click(`main button`))
		b.shows(t, "Ada")
		b.open(t, home+"/agents/ada", "Whose memory")
		b.follow(t, `main a[href*="/of/"][href$="/memory"]:not([href*="shared"])`, "What the model sees")
		b.follow(t, `nav a[href$="/timeline"]`, "notes/first.md")
		watching = append(watching, b)
	}
	all := func(names ...string) {
		t.Helper()
		for i, b := range watching {
			for _, name := range names {
				b.shows(t, "notes/"+name+".md")
				if n := strings.Count(b.text(t), "notes/"+name+".md"); n != 1 {
					t.Errorf("browser %d shows %s %d times", i, name, n)
				}
			}
		}
	}
	write("second")
	all("second")
	line.cut()
	write("third")
	line.plug()
	all("first", "second", "third")
	for n := range 3 {
		write(fmt.Sprint("later", n))
	}
	all("first", "second", "third", "later0", "later1", "later2")
}

// serveAgain runs another server of the same deployment on an address, until stop.
func (d *dev) serveAgain(t *testing.T, address string) (stop func()) {
	t.Helper()
	p, err := newParts(d.Config, d.telemetry)
	if err != nil {
		t.Fatal(err)
	}
	if p.store, err = awaitStore(t.Context(), d.Config, d.telemetry, 0); err != nil {
		t.Fatal(err)
	}
	pages, err := newAPI(d.Config, p, d.TemporalUIURL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- pages.Serve(ctx, listener) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("the server ended with %v", err)
			}
			p.disconnect()
		})
	}
	t.Cleanup(stop)
	return stop
}

// A live view goes on when its server is stopped and another one takes its place: with what happened in the meantime, everything once, and
// without signing in again.
func TestBrowserOutlivesItsServer(t *testing.T) {
	d := startDevWithKeys(t)
	d.call(t, http.MethodPost, "", map[string]any{"id": "ada", "name": "Ada"}, nil)
	write := func(name string) { // at the server that goes on
		d.call(t, http.MethodPut, "/ada/workspace/files/notes/"+name+".md?endUserId=42", map[string]any{"content": "- One.\n"}, nil)
	}
	write("first")
	address := away(t)
	stop := d.serveAgain(t, address)
	b := openBrowser(t)
	memories := b.enter(t, "http://"+address)
	b.open(t, memories+"timeline", "notes/first.md")
	write("second")
	b.shows(t, "notes/second.md")
	stop()
	write("third")
	if strings.Contains(b.text(t), "notes/third.md") {
		t.Fatal("the view follows a server that was stopped")
	}
	d.serveAgain(t, address)
	b.shows(t, "notes/third.md")
	write("fourth")
	b.shows(t, "notes/fourth.md")
	for _, name := range []string{"first", "second", "third", "fourth"} {
		if n := strings.Count(b.text(t), "notes/"+name+".md"); n != 1 {
			t.Errorf("%s is shown %d times", name, n)
		}
	}
}
