package web_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"reverie/memory"
)

// stream is a page that follows changes.
type stream struct {
	t     testing.TB
	lines *bufio.Scanner
	close context.CancelFunc
}

// listen follows the changes of the memory of api:42 after a cursor.
func (v *visitor) listen(cursor string) *stream {
	v.t.Helper()
	ctx, stop := context.WithCancel(v.t.Context())
	v.t.Cleanup(stop)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url+"/agents/ada/of/"+v.whose+"/live", nil)
	check(v.t, err)
	r.AddCookie(v.cookie)
	r.Header.Set("Last-Event-ID", cursor)
	answer, err := v.Do(r)
	check(v.t, err)
	v.t.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != http.StatusOK || !strings.Contains(answer.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		v.t.Fatalf("%d %v", answer.StatusCode, answer.Header)
	}
	return &stream{v.t, bufio.NewScanner(answer.Body), stop}
}

// next returns the id and the number of events of the next change.
func (s *stream) next() (id string, events int) {
	s.t.Helper()
	for s.lines.Scan() {
		line := s.lines.Text()
		if after, is := strings.CutPrefix(line, "id: "); is {
			id = after
		} else if after, is := strings.CutPrefix(line, "data: "); is {
			if _, err := fmt.Sscan(after, &events); err != nil {
				s.t.Fatalf("%q: %v", line, err)
			}
			return id, events
		} else if strings.Contains(line, "bees") {
			s.t.Errorf("an event has contents: %s", line)
		}
	}
	s.t.Fatalf("the stream ended: %v", s.lines.Err())
	return "", 0
}

var cursorOfPage = regexp.MustCompile(`data-live="/agents/ada/of/[^"]*/live" data-cursor="([^"]+)"`)

// A page follows from the state that it shows. Anyone who comes back gets each event once, those of a break included.
func TestLive(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	found := cursorOfPage.FindStringSubmatch(v.get("/agents/ada/of/" + h.whose + "/timeline").body)
	if found == nil {
		t.Fatal("the timeline does not follow changes")
	}
	write := func(n int) {
		h.call(http.MethodPut, "/agents/ada/workspace/files/notes/bees.md?endUserId=42", fmt.Sprintf(`{"content":"# Facts\n\n- Hive %d.\n"}`, n), "If-Match", "*")
	}
	write(1) // before anybody listens
	s := v.listen(found[1])
	cursor, n := s.next()
	write(2)
	last, m := s.next()
	if cursor == last || n < 1 || m < 1 {
		t.Errorf("changes %q with %d and %q with %d events", cursor, n, last, m)
	}
	s.close()
	write(3) // while it is away
	write(4)
	s = v.listen(last)
	got := 0
	for got < n+m {
		_, more := s.next()
		got += more
	}
	if got != n+m {
		t.Errorf("%d events after coming back, want those of two writes: %d", got, n+m)
	}
	write(5)
	if _, one := s.next(); one != m {
		t.Errorf("%d events of one write, want %d", one, m)
	}
}

// A stream ends when its session does.
func TestLiveEndsWithItsSession(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.key("member", memory.RoleMember, ""))
	s := v.listen("")
	v.do(http.MethodPost, "/sign-out", nil)
	for s.lines.Scan() {
	}
	if err := s.lines.Err(); err != nil {
		t.Errorf("the stream broke off: %v", err)
	}
}

// A timeline leads to older entries, page by page, and shows each of them once.
func TestOlderEntries(t *testing.T) {
	h := start(t)
	const writes = 150
	for i := range writes {
		h.call(http.MethodPut, fmt.Sprintf("/agents/ada/workspace/files/notes/n%d.md?endUserId=42", i), `{"content":"# N\n\n- One.\n"}`)
	}
	v := h.visitor().signIn(h.keys["admin"])
	seen := map[string]int{}
	names, older := regexp.MustCompile(`notes/n\d+\.md<`), regexp.MustCompile(`href="([^"]+\?before=[^"]+)"`)
	for path := "/agents/ada/of/" + h.whose + "/timeline?kind=edit"; path != ""; {
		body := v.get(path).body
		for _, name := range names.FindAllString(body, -1) {
			seen[name]++
		}
		next := older.FindStringSubmatch(body)
		path = ""
		if next != nil {
			path = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	if len(seen) != writes {
		t.Errorf("%d of %d entries are shown", len(seen), writes)
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s is shown %d times", name, n)
		}
	}
}

// A form that is too long says so.
func TestLongForms(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	p := v.do(http.MethodPost, "/agents/ada/of/"+h.whose+"/edit/"+document, url.Values{"base": {"2"}, "content": {strings.Repeat("a", 9<<20)}})
	if p.status != http.StatusRequestEntityTooLarge || !strings.Contains(text(p.body), "too long") {
		t.Errorf("%d: %.300s", p.status, text(p.body))
	}
}

// The history of a shared document that was deleted is found from the page of a person.
func TestDeletedSharedDocument(t *testing.T) {
	h := start(t)
	h.call(http.MethodPut, "/agents/ada/workspace/files/notes/team.md", `{"content":"# Team\n\n- Lunch is at noon.\n"}`)
	h.call(http.MethodDelete, "/agents/ada/workspace/files/notes/team.md", "", "If-Match", "*")
	v := h.visitor().signIn(h.keys["admin"])
	if p := v.get("/agents/ada/of/" + h.whose + "/history/notes/team.md"); p.status != http.StatusOK || !strings.Contains(p.body, "team.md") {
		t.Errorf("%d: %.300s", p.status, text(p.body))
	}
}
