package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/snapshot"
	"reverie/test/deployment"
)

// archiveCall sends an archive, or nothing, and returns the response.
func archiveCall(ctx context.Context, t *testing.T, c *deployment.Client, method, path, contentType string, body io.Reader) (int, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.Key)
	request.Header.Set("Content-Type", contentType)
	answer, err := c.HTTP.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, raw
}

// dataOf returns the data of a response.
func dataOf[T any](t *testing.T, want int) func(status int, answer []byte) T {
	t.Helper()
	return func(status int, answer []byte) T {
		t.Helper()
		var out struct{ Data T }
		if err := json.Unmarshal(answer, &out); err != nil || status != want {
			t.Fatalf("status %d, want %d: %s (%v)", status, want, answer, err)
		}
		return out.Data
	}
}

// streamed returns a body of unknown length, in small pieces.
func streamed(data []byte) io.Reader {
	r, w := io.Pipe()
	go func() {
		for len(data) > 0 {
			n := min(len(data), 700)
			if _, err := w.Write(data[:n]); err != nil {
				return
			}
			data = data[n:]
		}
		_ = w.Close() // it never fails
	}()
	return r
}

// asForm returns a form with an archive and other fields.
func asForm(t *testing.T, data []byte) (contentType string, body io.Reader) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if err := w.WriteField("comment", "file"); err != nil {
		t.Fatal(err)
	}
	part, err := w.CreateFormFile("file", "ada 的记忆.zip")
	if err == nil {
		_, err = part.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), &form
}

// The documents of an agent and its owners are exported over HTTP, previewed and imported by a workflow into an empty
// agent, as a form file and as a stream, and exported there with the same bytes.
func TestASnapshotMovesToAnotherAgent(t *testing.T) {
	ctx := t.Context()
	s := deployment.StartSystem(ctx, t, deployment.Options{})
	const zipType = "application/zip"
	memoryOf := func(agent string) string { return "/api/v1/agents/" + agent + "/workspace/memory/" }

	const owner = "owner=telegram%3A%E4%BA%8C" // telegram:二
	for path, content := range map[string]string{
		"KNOWLEDGE.md": "# Knowledge\r\n\r\n- Bern has bears.\r\n", "memory/日记/2026-11-01-项目 \"x\".md": "- 一行", "memory/100%_sure?.md": "",
		"MEMORY.md?" + owner: "# Mine\n\n- likes rye bread\n", "memory/2026-11-02.md?" + owner: "\ufeff- with a mark\n",
		"memory/" + strings.Repeat("长", 80) + ".md?" + owner: "\t\n",
		"memory/large.md?" + owner:                           strings.Repeat("- 一行\n", (1<<20-10)/9),
	} {
		name, query, _ := strings.Cut(path, "?owner")
		if query != "" {
			query = "?owner" + query
		}
		segments := strings.Split(name, "/")
		for i := range segments {
			segments[i] = url.PathEscape(segments[i])
		}
		if err := s.API.Call(ctx, http.MethodPut, base+"/workspace/files/"+strings.Join(segments, "/")+query,
			map[string]string{"content": content}, nil); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}

	for agent, query := range map[string]string{
		"bob": owner, "carol": owner + "&scope=personal", "dave": "scope=team",
		"eve": owner + "&prefix=memory/",
	} {
		importing, _, _ := strings.Cut(query, "&prefix")
		status, first := archiveCall(ctx, t, s.API, http.MethodGet, memoryOf(deployment.Agent)+"export?"+query, "", nil)
		archive, err := snapshot.Read(first)
		if err != nil || status != http.StatusOK {
			t.Fatalf("%s: status %d (%v)", query, status, err)
		}
		if err := s.API.Call(ctx, http.MethodPost, "/api/v1/agents", map[string]string{"id": agent, "name": agent, "timeZone": "UTC"},
			nil); err != nil {
			t.Fatal(err)
		}
		type preview struct {
			Token                  string
			WillCreate, WillUpdate []struct{ Filename string }
		}
		formType, form := asForm(t, first)
		seen := dataOf[preview](t, 200)(archiveCall(ctx, t, s.API, http.MethodPost, memoryOf(agent)+"import/preview?"+importing, formType, form))
		type imported struct {
			Status, Record string
			Applied        []string
			Import         struct {
				Outcome                   string
				Created, Updated, Skipped int
			}
		}
		path := memoryOf(agent) + "import?" + importing + "&token=" + seen.Token
		done := dataOf[imported](t, 200)(archiveCall(ctx, t, s.API, http.MethodPost, path, zipType, streamed(first)))
		if done.Import.Outcome != "written" || done.Import.Created != len(seen.WillCreate) || done.Import.Updated != len(seen.WillUpdate) ||
			len(done.Applied) != done.Import.Created+done.Import.Updated || len(done.Applied) == 0 {
			t.Errorf("%s: the preview said %d and %d, the import did %+v", query, len(seen.WillCreate), len(seen.WillUpdate), done)
		}
		status, again := archiveCall(ctx, t, s.API, http.MethodGet, memoryOf(agent)+"export?"+query, "", nil)
		if status != http.StatusOK || !bytes.Equal(first, again) {
			read, err := snapshot.Read(again)
			t.Errorf("%s: %d bytes became %d others (%v)\n%s", query, len(first), len(again), err, cmp.Diff(archive.Manifest, read.Manifest))
		}
		// The token is used up: the import itself has changed what it was based on.
		formType, form = asForm(t, first)
		if status, answer := archiveCall(ctx, t, s.API, http.MethodPost, path, formType, form); status != http.StatusConflict ||
			!strings.Contains(string(answer), `"changed_since_preview"`) {
			t.Errorf("%s: the token once more: %d %s", query, status, answer)
		}
		// Its record is at the location in the response, and readable by an admin who has it from Temporal.
		short, _, _ := strings.Cut(done.Record, "?")
		for _, where := range []string{done.Record, short} {
			var record struct{ Outcome string }
			if err := s.API.Call(ctx, http.MethodGet, where, nil, &record); err != nil || record.Outcome != "written" {
				t.Errorf("%s: %s (%v)", where, record.Outcome, err)
			}
		}
	}

	// A key that is not an admin's finds the records of owners only by naming them.
	var key struct{ Secret string }
	if err := s.API.Call(ctx, http.MethodPost, "/api/v1/keys", map[string]any{"name": "member", "role": "member"}, &key); err != nil {
		t.Fatal(err)
	}
	member := &deployment.Client{URL: s.API.URL, Key: key.Secret}
	type listed struct {
		Items []struct{ ID, Owner string }
	}
	for query, want := range map[string]int{"": 0, "?" + owner: 1} {
		got := dataOf[listed](t, 200)(archiveCall(ctx, t, member, http.MethodGet, memoryOf("carol")+"imports"+query, "", nil))
		if len(got.Items) != want {
			t.Errorf("a member sees %+v with %q", got.Items, query)
		}
	}
	all := dataOf[listed](t, 200)(archiveCall(ctx, t, s.API, http.MethodGet, memoryOf("carol")+"imports", "", nil))
	if len(all.Items) != 1 || all.Items[0].Owner != "telegram:二" {
		t.Fatalf("an admin sees %+v", all.Items)
	}
	if status, _ := archiveCall(ctx, t, member, http.MethodGet, memoryOf("carol")+"imports/"+all.Items[0].ID, "",
		nil); status != http.StatusNotFound {
		t.Errorf("a member finds the record of an owner whom nobody named: status %d", status)
	}
}
