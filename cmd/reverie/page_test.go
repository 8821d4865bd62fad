package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/config"
	"reverie/devenv"
	"reverie/engine"
	"reverie/store/storetest"
)

// screenshots renews the pictures of the operations guide:
//
//	go test ./cmd/reverie -run TestTemporalPage -args -screenshots
var screenshots = flag.Bool("screenshots", false, "write the screenshots of docs/images")

const pictures = "../../docs/images"

// TestTemporalPage looks at a dream on Temporal's page in a real browser, with encryption on: without the codec server its input is
// unreadable, and with it readable, for a browser that has signed in.
func TestTemporalPage(t *testing.T) {
	d := startDevWithKeys(t)
	b := openBrowser(t)
	run := d.dream(t)
	page := d.TemporalUIURL + "/namespaces/default/workflows/" + url.QueryEscape(run.WorkflowID) + "/" + run.Report.RunID
	const readable = `"nightly"` // in the input

	b.open(t, page+"/history", "OpenDream")
	b.settle(t)
	if text := b.text(t); strings.Contains(text, readable) {
		t.Errorf("without the codec server the page shows\n%s", text)
	}
	b.useCodec(t, d.TemporalUIURL, d.codecURL)
	b.open(t, page+"/history", "OpenDream")
	b.settle(t)
	if text := b.text(t); strings.Contains(text, readable) {
		t.Errorf("to a browser that has not signed in the page shows\n%s", text)
	}
	b.signIn(t, d.codecURL, d.AdminKey.Reveal())
	b.open(t, page+"/history", readable)
	b.picture(t, "temporal-dream.png")
	b.open(t, page+"/user-metadata", "Current Details")
	b.settle(t)
	if frames := b.frames(t); !strings.Contains(frames, "reverie memory dream again "+run.Dream) || !strings.Contains(frames, "Phase: **ended**") {
		t.Errorf("the details have no commands or no progress:\n%s", frames)
	}
	b.picture(t, "temporal-dream-details.png")
}

// startDevWithKeys runs what `reverie dev` runs, with encryption keys, and with an agent whose owner has something to dream of.
func startDevWithKeys(t *testing.T) *dev {
	t.Helper()
	c, err := config.Load()
	if err != nil {
		t.Fatal(err)
	}
	c.DatabaseURL, c.Addr, c.CodecAddr, c.AdminKey = config.Secret(storetest.Database(t)), "127.0.0.1:0", "127.0.0.1:0", testKey
	c.EncryptionKeys = config.Secret("k1:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)))
	telemetry, err := engine.NewTelemetry(t.Context(), c, "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		t.Fatal(err)
	}
	d := &dev{
		Config: c, flags: devFlags{data: t.TempDir(), temporalUI: "127.0.0.1:0"}, console: &console{out: io.Discard}, telemetry: telemetry,
		listener: listener,
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(d.stop)
	t.Cleanup(stop)
	if err := d.start(ctx); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("dev ended: %v", err)
		}
	})
	return d
}

// call makes a request of the API, with pairs of a header's name and value.
func (d *dev) call(t *testing.T, method, path string, body, out any, header ...string) {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+d.listener.Addr().String()+"/api/v1/agents"+path, bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testKey)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode > 299 {
		t.Fatalf("%s %s: %s %s (%v)", method, path, answer.Status, raw, err)
	}
	if out != nil {
		if err := json.Unmarshal(raw, &struct{ Data any }{out}); err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
	}
}

// dream makes an agent with notes of three days, and dreams.
func (d *dev) dream(t *testing.T) wire.DreamRun {
	t.Helper()
	d.call(t, http.MethodPost, "", map[string]any{"id": "ada", "name": "Ada", "timeZone": "Europe/Berlin"}, nil)
	for n := 1; n <= 3; n++ {
		d.call(t, http.MethodPut, "/ada/workspace/files/memory/"+daysAgo(t, n)+".md?endUserId=42",
			map[string]any{"content": "- Keeps bees behind the house.\n"}, nil)
	}
	var run wire.DreamRun
	d.call(t, http.MethodPost, "/ada/dreams?endUserId=42&wait=60s", nil, &run)
	if run.Report.Outcome != "written" {
		t.Fatalf("the dream ended as %+v", run)
	}
	return run
}

// browser is a headless Chromium with one page.
type browser struct{ context.Context }

func openBrowser(t *testing.T) browser {
	t.Helper()
	path, err := devenv.Chromium(t.Context(), func(part, message string) { t.Log(part, message) })
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 1000),
		chromedp.Flag("disable-dev-shm-usage", true))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, closePage := chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {})) // it does not know all events
	t.Cleanup(closePage)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	return browser{ctx}
}

func (b browser) do(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	for _, action := range actions {
		if err := act(b, action); err != nil {
			t.Fatal(err)
		}
	}
}

// act performs an action, again while the page replaces its element between the search for it and its use: that has no effect.
func act(ctx context.Context, action chromedp.Action) error {
	for {
		err := chromedp.Run(ctx, action)
		if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "Could not find node with given id") {
			return err
		}
	}
}

// text returns the visible text of the page.
func (b browser) text(t *testing.T) (text string) {
	t.Helper()
	for {
		err := act(b, chromedp.Evaluate(`document.body?.innerText ?? ""`, &text))
		if err == nil {
			return text
		}
		if !strings.Contains(err.Error(), "navigated or closed") { // a page that opens another one by itself is read again
			t.Fatal(err)
		}
	}
}

// frames returns the Markdown that the page renders in frames.
func (b browser) frames(t *testing.T) string {
	t.Helper()
	var sources []string
	b.do(t, chromedp.Evaluate(`[...document.querySelectorAll("iframe")].map(f => decodeURIComponent(f.src))`, &sources))
	return strings.Join(sources, "\n")
}

// open opens a page and waits until it shows some text.
func (b browser) open(t *testing.T, address, want string) {
	t.Helper()
	b.do(t, chromedp.Navigate(address))
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(200 * time.Millisecond) {
		if strings.Contains(b.text(t), want) {
			return
		}
	}
	t.Fatalf("%s does not show %q but\n%s", address, want, b.text(t))
}

// settle waits until the text of the page no longer changes.
func (b browser) settle(t *testing.T) {
	t.Helper()
	for before, now := "", b.text(t); before != now; before, now = now, b.text(t) {
		time.Sleep(2 * time.Second)
	}
}

// useCodec sets what the data encoder dialog of the UI sets.
func (b browser) useCodec(t *testing.T, ui, codec string) {
	t.Helper()
	b.open(t, ui, "Workflows")
	var done bool
	b.do(t, chromedp.Evaluate(`localStorage.setItem("endpoint", JSON.stringify("`+codec+`"));
		localStorage.setItem("includeCredentials", "true");
		localStorage.setItem("overrideRemoteCodecConfiguration", "true"); true`, &done))
}

// signIn signs in at the page of the codec server.
func (b browser) signIn(t *testing.T, codec, key string) {
	t.Helper()
	b.open(t, codec, "Codec key")
	b.do(t, chromedp.SendKeys(`input[name=key]`, key), chromedp.Click(`button`))
	for began := time.Now(); !strings.Contains(b.text(t), "is signed in"); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("not signed in:\n%s", b.text(t))
		}
	}
}

// picture writes a screenshot of the page.
func (b browser) picture(t *testing.T, name string) {
	t.Helper()
	if !*screenshots {
		return
	}
	b.settle(t)
	var png []byte
	b.do(t, emulation.SetDeviceMetricsOverride(1280, 1000, 1, false), chromedp.Sleep(time.Second), chromedp.CaptureScreenshot(&png))
	if err := errors.Join(os.MkdirAll(pictures, 0o755), os.WriteFile(filepath.Join(pictures, name), png, 0o644)); err != nil {
		t.Fatal(err)
	}
}
