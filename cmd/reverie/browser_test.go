package main

import (
	"context"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// looks writes a picture of each page, light, dark and narrow:
//
//	go test ./cmd/reverie -run TestBrowser -args -looks /tmp/looks
var looks = flag.String("looks", "", "write pictures of the Memory Browser's pages into this folder")

// hostile is a memory that would run scripts, load from elsewhere and hide text, if it were interpreted.
const hostile = "# Notes\n\n<script>document.title='owned'</script>\n\n<img src=x onerror=\"document.title='owned'\">\n\n" +
	"<svg onload=\"document.title='owned'\"><style>body{display:none}</style></svg>\n\n" +
	"[click](javascript:document.title='owned') [data](data:text/html;base64,PHNjcmlwdD4=) [far](https://elsewhere.invalid/a)\n\n" +
	"![pixel](https://elsewhere.invalid/pixel.png) <link rel=stylesheet href=https://elsewhere.invalid/a.css>\n\n" +
	"<iframe src=https://elsewhere.invalid/></iframe><form action=https://elsewhere.invalid/><input name=csrf></form>\n\n" +
	"<p style=\"position:fixed;inset:0\" class=top id=main>over everything</p>\n\n- gnp\u202etxt.exe\n"

// accepted is the part of it that the scan of writes lets through.
const accepted = "# Notes\n\n[far](https://elsewhere.invalid/a)\n\n![pixel](https://elsewhere.invalid/pixel.png)\n\n" +
	"<b style=\"position:fixed;inset:0\" class=top id=main>over everything</b>\n\n<img src=https://elsewhere.invalid/b.png>\n\n"

// TestBrowser uses the Memory Browser as people do, in a real Chromium: it signs in, finds a line, follows it to the message it came from,
// edits it while somebody else does, restores a version, undoes a dream, and opens a hostile memory.
func TestBrowser(t *testing.T) {
	d := startDevWithKeys(t)
	d.dream(t)
	d.call(t, http.MethodPost, "/ada/conversations/first/messages", map[string]any{
		"endUserId": "42", "triggerSource": "api", "turnComplete": true, "messages": []map[string]any{
			{"id": "m1", "role": "user", "content": "Hi, I am Grace and I work as a nurse in Hamburg."},
			{"id": "m2", "role": "assistant", "content": "Nice to meet you, Grace!"},
			{"id": "m3", "role": "user", "content": "We decided to use Postgres for the rota. Please remember that the review is on 3 March 2027."},
			{"id": "m4", "role": "assistant", "content": "Noted."},
		},
	}, nil)
	d.summarize(t, "first")
	home := "http://" + d.listener.Addr().String()
	b := openBrowser(t)
	seen := watch(t, b, home)

	// Without a session every page leads to the one for signing in.
	b.open(t, home+"/agents/ada", "API key")
	b.do(t, chromedp.SendKeys(`#key`, "rv_not-a-key-at-all-000000000000"), chromedp.Click(`main button`))
	b.shows(t, "This key is not valid")
	b.look(t, "sign-in")
	b.do(t, chromedp.SendKeys(`#key`, testKey), chromedp.Click(`main button`))
	b.shows(t, "Ada")
	b.look(t, "overview")
	var cookies string
	b.do(t, chromedp.Evaluate(`document.cookie`, &cookies))
	if cookies != "" {
		t.Errorf("scripts can read the cookie %q", cookies)
	}

	// From a person to the line, and from the line to the message.
	b.follow(t, `a[href="/agents/ada"]`, "Whose memory")
	b.look(t, "people")
	b.follow(t, `main a[href*="/of/"][href$="/memory"]:not([href*="shared"])`, "What the model sees")
	b.look(t, "memory")
	memories := b.address(t)
	b.do(t, chromedp.KeyEvent("/"))
	if focused := b.evaluate(t, `document.activeElement.id`); focused != "find" {
		t.Errorf("/ leads to %q", focused)
	}
	b.evaluate(t, `document.getElementById("find").value = ""`) // what the driver typed besides
	b.do(t, chromedp.SendKeys(`#find`, "review March\r"))
	b.shows(t, "Search")
	b.shows(t, "3 March 2027")
	b.look(t, "search")
	b.follow(t, `main a[href*="/memory/MEMORY.md"]`, "in the prompt")
	b.look(t, "document")
	b.picture(t, "browser-document.png")
	document, _, _ := strings.Cut(b.address(t), "#")
	b.follow(t, `a.said`, "1 extraction, the last one")
	if target := b.target(t); !strings.Contains(target, "3 March 2027") {
		t.Errorf("the line leads to %q", target)
	}
	b.look(t, "conversation")
	b.follow(t, `nav a[href$="/conversations"]`, "Conversations")
	b.look(t, "conversations")

	// Two edit the same line: the second sees both, and chooses.
	edit := strings.Replace(document, "/memory/MEMORY.md", "/edit/MEMORY.md", 1)
	b.open(t, edit, "Markdown, on version")
	b.look(t, "edit")
	text := b.evaluate(t, `document.querySelector("#content").value`)
	b.setText(t, strings.Replace(text, "3 March 2027", "5 March 2027", 1))
	other := strings.Replace(text, "3 March 2027", "4 March 2027", 1)
	d.call(t, http.MethodPut, "/ada/workspace/files/MEMORY.md?endUserId=42", map[string]any{"content": other}, nil, "If-Match", "*")
	b.do(t, chromedp.Click(`form.stack button`))
	b.shows(t, "Both of you changed the same lines")
	for _, want := range []string{"3 March 2027", "4 March 2027", "5 March 2027"} {
		if !strings.Contains(b.text(t), want) {
			t.Errorf("the conflict does not show %q:\n%s", want, b.text(t))
		}
	}
	b.look(t, "conflict")
	b.do(t, chromedp.Click(`input[value=yours]`), chromedp.Click(`main form button`))
	b.shows(t, "in the prompt")
	b.open(t, document+"&view=source", "5 March 2027")
	b.look(t, "source")

	// History, comparison, restore.
	b.open(t, strings.Replace(document, "/memory/MEMORY.md", "/history/MEMORY.md", 1), "Version")
	b.look(t, "history")
	b.follow(t, `main ol.history a`, "→")
	b.look(t, "compare")
	b.open(t, strings.Replace(document, "/memory/MEMORY.md", "/history/MEMORY.md", 1), "Version")
	b.do(t, chromedp.Click(`li:nth-child(2) form button`))
	b.shows(t, "4 March 2027")

	// A fact with the reasons for its trust, and an opinion about it.
	b.open(t, strings.TrimSuffix(memories, "memory")+"facts", "review")
	b.look(t, "facts")
	b.do(t, chromedp.SendKeys(`#keyword`, "review\r"))
	b.shows(t, "4 March 2027")
	b.follow(t, `main .statement a`, "Why it is trusted so far")
	b.do(t, chromedp.Click(`button[value=helpful]`))
	b.shows(t, "Thank you")
	b.look(t, "fact")
	b.do(t, chromedp.Click(`button[value=undo]`))
	b.shows(t, "undone")

	// The timeline has it all; a dream can be undone.
	b.open(t, strings.TrimSuffix(memories, "memory")+"timeline", "Timeline")
	b.look(t, "timeline")
	b.picture(t, "browser-timeline.png")
	b.follow(t, `main a[href*="/dreams/"]`, "Keeps bees")
	b.look(t, "dream")
	b.do(t, page.Enable(), chromedp.Click(`form[action$="/undo"] button`))
	b.shows(t, "ndone")
	b.open(t, strings.TrimSuffix(memories, "memory")+"held", "Waiting")
	b.look(t, "held")

	b.hostile(t, d, memories)
	b.look(t, "hostile")

	b.do(t, chromedp.Click(`form[action="/sign-out"] button`))
	b.shows(t, "API key")
	b.open(t, document, "API key")

	// A one-time link signs in once.
	link := home + d.api.Link(testKey)
	b.open(t, link, "Ada")
	if address := b.address(t); strings.Contains(address, "#") {
		t.Errorf("the token stays in the address %s", address)
	}
	b.do(t, chromedp.Click(`form[action="/sign-out"] button`))
	b.shows(t, "API key")
	b.open(t, link, "This link was used before")
	seen.report(t)
}

// hostile opens a conversation with a hostile message, and a document with what the scan of writes lets through of it.
func (b browser) hostile(t *testing.T, d *dev, memories string) {
	t.Helper()
	d.call(t, http.MethodPost, "/ada/conversations/hostile/messages", map[string]any{
		"endUserId": "42", "messages": []map[string]any{{"id": "m1", "role": "user", "content": hostile + strings.Repeat("x", 100_000)}},
	}, nil)
	d.call(t, http.MethodPut, "/ada/workspace/files/notes/hostile.md?endUserId=42", map[string]any{"content": accepted + strings.Repeat("x", 1_000_000)}, nil)
	b.open(t, strings.TrimSuffix(memories, "memory")+"conversations", "hostile")
	var pages []string
	b.do(t, chromedp.Evaluate(`[...document.querySelectorAll("main .list a")].filter(a => a.innerText == "hostile").map(a => a.href)`, &pages))
	document := memories + "/notes/hostile.md?scope=PERSONAL"
	for _, address := range append(pages, document, document+"&view=source") {
		b.open(t, address, "over everything")
		if title := b.evaluate(t, `document.title`); strings.Contains(title, "owned") {
			t.Errorf("the memory ran: %q", title)
		}
		if bad := b.evaluate(t, `[...document.querySelectorAll("main script, main img, main iframe, main style, main link, main [style], `+
			`main [onload], main [onerror], main a[href^=javascript], main a[href^=data]")].map(e => e.outerHTML).join()`); bad != "" {
			t.Errorf("%s has %s", address, bad)
		}
	}
	if len(pages) != 1 {
		t.Errorf("the conversation is at %q", pages)
	}
}

// summarize has the messages of a conversation extracted.
func (d *dev) summarize(t *testing.T, conversation string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+d.listener.Addr().String()+"/api/v1/memory/ada/summarize/"+conversation, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testKey)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s", answer.Status)
	}
}

// sightings count what a browser must not do on pages of this server.
type sightings struct {
	browser browser
	mu      sync.Mutex
	all     []string
}

func (s *sightings) add(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, what)
}

// watch records requests to other hosts, violations of the policy, and dialogs other than the questions of forms, which it confirms.
func watch(t *testing.T, b browser, home string) *sightings {
	t.Helper()
	seen := &sightings{browser: b}
	chromedp.ListenTarget(b, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			// Chromium draws the buttons of date inputs from its built-in data, without a request. Such data in a page violates the policy.
			if !strings.HasPrefix(e.Request.URL, home+"/") && !strings.HasPrefix(e.Request.URL, "data:") {
				seen.add("request for " + e.Request.URL)
			}
		case *cdplog.EventEntryAdded:
			if strings.Contains(e.Entry.Text, "Content Security Policy") {
				seen.add(e.Entry.Text)
			}
		case *page.EventJavascriptDialogOpening:
			if e.Type != page.DialogTypeConfirm {
				seen.add("dialog " + e.Message)
			}
			go func() { _ = chromedp.Run(b, page.HandleJavaScriptDialog(true)) }()
		}
	})
	b.do(t, network.Enable(), cdplog.Enable(), page.Enable())
	return seen
}

// report fails if a page did what it must not do, and if that would not have been seen: at last it violates the policy on purpose.
func (s *sightings) report(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	seen := strings.Join(s.all, "\n")
	s.all = nil
	s.mu.Unlock()
	if seen != "" {
		t.Errorf("the pages caused\n%s", seen)
	}
	const control = "https://elsewhere.invalid/control.png"
	s.browser.evaluate(t, `document.body.insertAdjacentHTML("beforeend", "<img src=`+control+`>") ?? ""`)
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		s.mu.Lock()
		seen := strings.Join(s.all, "\n")
		s.mu.Unlock()
		if strings.Contains(seen, control) {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("a violation of the policy is not seen: %q", seen)
		}
	}
}

// target returns the text of what the fragment of the address names, once the page has it.
func (b browser) target(t *testing.T) (text string) {
	t.Helper()
	for began := time.Now(); text == "" && time.Since(began) < 20*time.Second; time.Sleep(100 * time.Millisecond) {
		text = b.evaluate(t, `document.querySelector(":target")?.innerText ?? ""`)
	}
	return text
}

// shows waits until the page shows some text.
func (b browser) shows(t *testing.T, want string) {
	t.Helper()
	var text string
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(100 * time.Millisecond) {
		if err := chromedp.Run(b, chromedp.Evaluate(`document.body?.innerText ?? ""`, &text)); err == nil && strings.Contains(text, want) {
			return
		}
	}
	t.Fatalf("%s does not show %q but\n%s", b.address(t), want, text)
}

// follow clicks a link and waits for the page behind it.
func (b browser) follow(t *testing.T, selector, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, time.Minute)
	defer cancel()
	if err := act(ctx, chromedp.Click(selector, chromedp.ByQuery)); err != nil {
		t.Fatalf("%s: %v on\n%s", selector, err, b.text(t))
	}
	b.shows(t, want)
}

func (b browser) evaluate(t *testing.T, script string) (value string) {
	t.Helper()
	b.do(t, chromedp.Evaluate(script, &value))
	return value
}

func (b browser) address(t *testing.T) (address string) {
	t.Helper()
	b.do(t, chromedp.Location(&address))
	return address
}

// setText replaces the text in the form of a document.
func (b browser) setText(t *testing.T, text string) {
	t.Helper()
	b.do(t, chromedp.SetValue(`#content`, text))
}

// look checks that the page fits a narrow screen, and takes pictures of it.
func (b browser) look(t *testing.T, name string) {
	t.Helper()
	narrow := emulation.SetDeviceMetricsOverride(360, 740, 1, true)
	var width int
	b.do(t, narrow)
	for began := time.Now(); time.Since(began) < 3*time.Second; time.Sleep(50 * time.Millisecond) { // the new size takes effect later
		if b.do(t, chromedp.Evaluate(`document.documentElement.scrollWidth`, &width)); width <= 360 {
			break
		}
	}
	if width > 360 {
		t.Errorf("%s is %d pixels wide on a screen of 360: %s", name, width, b.evaluate(t,
			`[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > 361).map(e => e.outerHTML.slice(0, 120)).slice(0, 5).join("\n")`))
	}
	if *looks != "" {
		b.shoot(t, name+"-narrow")
		b.do(t, emulation.SetDeviceMetricsOverride(1280, 900, 1, false))
		b.shoot(t, name+"-light")
		b.do(t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
		b.shoot(t, name+"-dark")
		b.do(t, emulation.SetEmulatedMedia().WithFeatures(nil))
	}
	b.do(t, emulation.SetDeviceMetricsOverride(1280, 1000, 1, false))
}

func (b browser) shoot(t *testing.T, name string) {
	t.Helper()
	var png []byte
	b.do(t, chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(filepath.Join(*looks, name+".png"), png, 0o600); err != nil {
		t.Fatal(err)
	}
}
