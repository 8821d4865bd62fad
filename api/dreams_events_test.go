package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/api"
	"reverie/memory"
	"reverie/store/dreams"
)

const dreamEvents = "/api/v1/memory/ada/dream/events"

// event is one server-sent event, or a comment.
type event struct {
	ID, Name, Comment string
	Data              struct{ Dream, Owner, Phase, Outcome, Mode, Night string }
}

// stream is a request that follows dreams.
type stream struct {
	t        *testing.T
	response *http.Response
	events   chan event // closed at the end
	stop     context.CancelFunc
}

func (h *harness) follow(key, query, last string) *stream {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", h.url+dreamEvents+query, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	s := &stream{t: h.t, response: response, events: make(chan event, 100), stop: cancel}
	h.t.Cleanup(cancel)
	go s.read()
	return s
}

func (s *stream) read() {
	defer close(s.events)
	defer func() { _ = s.response.Body.Close() }()
	var e event
	for lines := bufio.NewScanner(s.response.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case lines.Text() == "" && e != event{}:
			s.events <- e
			e = event{}
		case lines.Text() == "":
		case name == "id":
			e.ID = value
		case name == "event":
			e.Name = value
		case name == "data":
			if err := json.Unmarshal([]byte(value), &e.Data); err != nil {
				s.t.Errorf("%v in %s", err, value)
			}
		case strings.HasPrefix(lines.Text(), ":"):
			e.Comment = value
		}
	}
}

// next returns the next event within a time that is long enough on any machine.
func (s *stream) next() event {
	s.t.Helper()
	select {
	case e, more := <-s.events:
		if !more {
			s.t.Fatal("the stream ended")
		}
		return e
	case <-time.After(time.Minute):
		s.t.Fatal("nothing came")
	}
	return event{}
}

// ends waits until the server has ended the stream, and returns what came before that.
func (s *stream) ends() (rest []event) {
	s.t.Helper()
	for timeout := time.After(time.Minute); ; {
		select {
		case e, more := <-s.events:
			if !more {
				return rest
			}
			rest = append(rest, e)
		case <-timeout:
			s.t.Fatal("the stream did not end")
		}
	}
}

func TestDreamsAreFollowed(t *testing.T) {
	h := start(t)
	h.agent("ada")
	mine, all, others := h.follow(
		h.key("pinned", memory.RoleViewer, "api:42"),
		"",
		"",
	), h.follow(
		h.admin,
		"",
		"",
	), h.follow(
		h.admin,
		"?endUserId=43",
		"",
	)
	outline := h.follow(h.key("viewer", memory.RoleViewer, ""), "", "")
	if got := mine.response.Header; got.Get("Content-Type") != "text/event-stream" || got.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", got)
	}
	id := dreamer("api:42")
	begun, err := h.store.BeginDream(t.Context(), id, dreams.NewDream{Mode: "focused", Trigger: "request", Topic: "TOPICMARKER"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*stream{mine, all, outline} {
		if e := s.next(); e.Name != "dream.progress" || e.Data.Dream != begun.ID.String() || e.Data.Phase != "light" ||
			e.Data.Outcome != "running" ||
			e.Data.Mode != "focused" {
			t.Errorf("%+v", e)
		} else if (e.Data.Owner != "") != (s == all) {
			t.Errorf("owner %q", e.Data.Owner)
		}
	}
	if _, err := h.store.EndDream(t.Context(), id, begun.ID,
		dreams.DreamEnding{Outcome: memory.OutcomeNothing, ReasonCode: "no_news", Reason: "REASONMARKER"}); err != nil {
		t.Fatal(err)
	}
	var last event
	for _, s := range []*stream{mine, all, outline} {
		if last = s.next(); last.Name != "dream.ended" || last.Data.Outcome != "nothing" || last.Data.Phase != "ended" || last.ID == "" {
			t.Errorf("%+v", last)
		}
	}
	// A later follower sees the events of the last minute; one that has seen them all, only new ones.
	if e := h.follow(h.admin, "?endUserId=42", "").next(); e.Data.Outcome != "nothing" {
		t.Errorf("%+v", e)
	}
	back := h.follow(h.admin, "?endUserId=42", last.ID)
	second := h.dreamt("api:42", dreams.NewDream{})
	if e := back.next(); e.Data.Dream != second.ID.String() {
		t.Errorf("it begins again with %+v", e)
	}
	// Dreams of other owners are not shown.
	h.dreamt("api:43", dreams.NewDream{})
	if e := others.next(); e.Data.Dream == begun.ID.String() || e.Data.Dream == second.ID.String() {
		t.Errorf("%+v", e)
	}
	h.wantError(
		h.do(request{method: "GET", path: dreamEvents, key: h.admin, header: map[string]string{"Last-Event-ID": "nonsense"}}),
		422,
		"invalid_request",
	)
	h.wantError(
		h.do(request{method: "GET", path: dreamEvents + "?owner=api:42", key: h.key("viewer2", memory.RoleViewer, "")}),
		403,
		"owner_not_allowed",
	)
	if log := h.log.String(); strings.Contains(log, "MARKER") {
		t.Error("the log has contents")
	}
}

// A server that stops ends the streams, and is not held up by them.
func TestAStopEndsStreams(t *testing.T) {
	h := start(t)
	h.agent("ada")
	s := h.follow(h.admin, "", "")
	begun := time.Now()
	if err := h.done(); err != nil {
		t.Error(err)
	}
	if s.ends(); time.Since(begun) > 10*time.Second {
		t.Errorf("it took %s", time.Since(begun))
	}
}

// A stream ends within a second when its key is revoked, here or at another server.
func TestARevokedKeyEndsItsStreams(t *testing.T) {
	h := start(t)
	h.agent("ada")
	id := memory.Identity{Workspace: workspace, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "other server"}}
	for name, revoke := range map[string]func(uuid.UUID){
		"here": func(key uuid.UUID) {
			h.want(h.do(request{method: "DELETE", path: "/api/v1/keys/" + key.String(), key: h.admin}), 200)
		},
		"elsewhere": func(key uuid.UUID) {
			if err := h.store.RevokeKey(t.Context(), id, key); err != nil {
				t.Fatal(err)
			}
		},
	} {
		key := h.key(name, memory.RoleViewer, "")
		dreams, events := h.follow(key, "", ""), h.getEvents("/stream", key, "")
		if events.StatusCode != 200 {
			t.Fatal(events.Status)
		}
		revoke(h.keys[name])
		begun := time.Now()
		dreams.ends()
		if _, err := io.ReadAll(events.Body); err != nil {
			t.Error(err)
		}
		// Two checks of half a second, and room for a busy machine.
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%s: the streams ended after %s", name, took)
		}
	}
}

// While nothing happens, comments keep the connection alive; a revoked key ends the stream.
func TestHeartbeatsAndRevokedKeys(t *testing.T) {
	h := start(t)
	api.HurryHeartbeat(h.api, 50*time.Millisecond)
	h.agent("ada")
	s := h.follow(h.key("viewer", memory.RoleViewer, ""), "", "")
	if e := s.next(); e.Comment == "" || e.Name != "" {
		t.Errorf("%+v", e)
	}
	h.want(h.do(request{method: "DELETE", path: "/api/v1/keys/" + h.keys["viewer"].String(), key: h.admin}), 200)
	s.ends()
}

// The number of followers is limited; a follower that leaves frees a place.
func TestFollowersAreBounded(t *testing.T) {
	h := start(t)
	h.agent("ada")
	var streams []*stream
	key := h.admin
	for i := range api.MaxFollowers {
		if i > 0 && i%api.MaxFollowersOfKey == 0 {
			key = h.key(fmt.Sprint("follower ", i), memory.RoleMember, "")
		}
		s := h.follow(key, "", "")
		if s.response.StatusCode != 200 {
			t.Fatalf("status %d after %d", s.response.StatusCode, len(streams))
		}
		streams = append(streams, s)
	}
	another := h.key("another", memory.RoleMember, "")
	refused := h.wantError(h.do(request{method: "GET", path: dreamEvents, key: another}), 429, "rate_limited")
	if refused.header.Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
	streams[0].stop()
	for deadline := time.Now().Add(time.Minute); api.Followers(h.api) == api.MaxFollowers; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("who left is still counted")
		}
	}
	if s := h.follow(h.admin, "", ""); s.response.StatusCode != 200 {
		t.Errorf("status %d", s.response.StatusCode)
	}
}
