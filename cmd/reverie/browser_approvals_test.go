package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/reverie-memory/reverie/client/wire"
)

// await has a change wait for approval: a tool writes notes of an agent that requires it.
func (d *dev) await(t *testing.T, path, content string) {
	t.Helper()
	require := func(rule string) {
		d.call(t, http.MethodPatch, "/ada", map[string]any{"settings": map[string]any{"approvals": rule}}, nil)
	}
	require("all")
	defer require("off")
	d.call(t, http.MethodPost, "/ada/tools/write_workspace_memory_file?owner=api:42", map[string]any{"filename": path, "content": content}, nil)
}

// TestBrowserApproves decides about lines that wait, in a real Chromium: with the mouse, by keyboard, and in two windows at once.
func TestBrowserApproves(t *testing.T) {
	d := startDevWithKeys(t)
	d.call(t, http.MethodPost, "", map[string]any{"id": "ada", "name": "Ada", "timeZone": "Europe/Berlin"}, nil)
	d.call(t, http.MethodPost, "/ada/conversations/first/messages", map[string]any{
		"endUserId": "42", "triggerSource": "api", "turnComplete": true, "messages": []map[string]any{
			{"id": "m1", "role": "user", "content": "Hi, I am Grace and I work as a nurse in Hamburg."},
			{"id": "m2", "role": "assistant", "content": "Nice to meet you, Grace!"},
			{"id": "m3", "role": "user", "content": "We decided to use Postgres for the rota, and the review is on 3 March 2027."},
			{"id": "m4", "role": "assistant", "content": "Noted."},
		},
	}, nil)
	d.call(t, http.MethodPatch, "/ada", map[string]any{"settings": map[string]any{"approvals": "all"}}, nil)
	d.summarize(t, "first")
	if got := d.document(t, "MEMORY.md"); strings.Contains(got, "Postgres") {
		t.Fatalf("nothing waits: %s", got)
	}
	d.await(t, "notes/bees.md", "# Bees\n\n- Keeps bees behind the house.\n- Sells honey.\n- Fears wasps.\n")
	home := "http://" + d.listener.Addr().String()
	b := openBrowser(t)
	seen := watch(t, b, home)
	memories := b.enter(t, home)

	// The overview counts what waits and leads to it.
	b.open(t, home+"/", "until you approve")
	b.follow(t, `a.waiting`, "Waiting for approval")
	b.shows(t, "api:42")

	// A line leads to the words that it comes from.
	b.follow(t, `nav a[href$="/of/shared/held"]`, "Instructions")
	b.open(t, memories+"held", "Waiting for you")
	b.follow(t, `nav a[href$="/approvals"]`, "Sells honey")
	b.look(t, "approvals")
	b.follow(t, `main .approval a[href*="/conversations/"]`, "Nice to meet you")
	if target := b.target(t); target == "" {
		t.Error("the link leads to no message")
	}

	// Approve with the mouse, edit in other words, refuse by keyboard.
	b.open(t, memories+"approvals", "Sells honey")
	// A live page is not replaced while somebody uses it.
	line := func(words string) string {
		b.evaluate(t, `[...document.querySelectorAll(".approval-lines > li")].find(li => li.innerText.includes("`+words+
			`")).querySelector("button").focus() ?? ""`)
		return `//li[contains(., "` + words + `")]`
	}
	b.do(t, chromedp.Click(line("Keeps bees")+`//button[@value="approve"]`))
	b.shows(t, "Approved: it is in memory now.")
	honey := line("Sells honey")
	b.do(t, chromedp.Click(honey+`//summary`), chromedp.SetValue(honey+`//textarea`, "Gives honey away."), chromedp.Click(honey+`//details//button`))
	b.shows(t, "Approved in your words.")
	b.do(t, chromedp.Focus(line("Fears wasps")+`//button[@value="refuse"]`), chromedp.KeyEvent(kb.Enter))
	b.shows(t, "Refused.")
	if got := d.document(t, "notes/bees.md"); got != "# Bees\n\n- Keeps bees behind the house.\n- Gives honey away.\n" {
		t.Errorf("%q", got)
	}

	// The rest at once, while another window still shows it: the second decision is a conflict, and changes nothing.
	var waiting struct{ Items []wire.Approval }
	d.call(t, http.MethodGet, "/ada/approvals?endUserId=42", nil, &waiting)
	if len(waiting.Items) == 0 || !strings.Contains(b.text(t), "Postgres") {
		t.Fatalf("%+v", waiting)
	}
	for _, x := range waiting.Items {
		d.call(t, http.MethodPost, "/ada/approvals/"+x.ID+"/decisions", map[string]any{"others": "refuse"}, nil)
	}
	b.shows(t, "Nothing waits.") // by the live stream
	b.open(t, memories+"approvals?show=all", "Approved in other words")
	b.shows(t, "Refused")
	b.look(t, "approvals-decided")
	b.open(t, memories+"timeline?kind=approval", "decided about a change of")
	seen.report(t)
}
