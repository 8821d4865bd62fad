package api_test

import (
	"bytes"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/snapshot"
	"reverie/snapshot/snapshottest"
)

const snapshots = "/api/v1/agents/ada/workspace/memory/"

// asZip marks a body as an archive.
var asZip = map[string]string{"Content-Type": "application/zip"}

// anArchive returns an archive of a TEAM and a PERSONAL document.
func anArchive(int64) any {
	archive, err := snapshot.Write(
		snapshot.Origin{AgentID: "eve", AgentName: "Eve", ExportedAt: time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)},
		[]snapshot.File{
			{Ref: memory.Ref{Scope: memory.ScopeTeam, Path: "KNOWLEDGE.md"}, Content: "# Knowledge\n\n- Bern has bears.\n"},
			{Ref: memory.Ref{Scope: memory.ScopePersonal, Path: "memory/2026-11-01.md"}, Content: "- went to Bern\n"},
		},
	)
	if err != nil {
		panic(err)
	}
	return archive
}

type preview struct {
	Token                            string
	WillCreate, WillUpdate, WillSkip []struct{ Filename, Reason, Diff, OldHash, NewHash string }
}

func TestExportIsAnArchiveWithATag(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("structured/user.md", "left out\n", nil), 201)
	h.want(h.put("MEMORY.md?owner=api:42", "- likes rye bread\n", nil), 201)
	for query, want := range map[string]int{"": 4, "?owner=api:42": 5, "?owner=api:42&scope=personal": 1, "?owner=api:42&scope=team": 4} {
		got := h.want(h.get(snapshots+"export"+query), 200)
		read, err := snapshot.Read(got.body)
		if err != nil || len(read.Files) != want || !read.Genuine || read.Manifest.AgentID != "ada" {
			t.Errorf("%s: %d files, %+v (%v)", query, len(read.Files), read.Manifest, err)
		}
		if got.header.Get("Content-Type") != "application/zip" ||
			got.header.Get("Content-Disposition") != `attachment; filename="ada-memory.zip"` {
			t.Errorf("%s: %v", query, got.header)
		}
		if left := map[bool]string{true: "0", false: "1"}[want == 1]; got.header.Get("Reverie-Left-Out") != left {
			t.Errorf("%s: %s left out, want %s", query, got.header.Get("Reverie-Left-Out"), left)
		}
		again := h.do(
			request{
				method: "GET",
				path:   snapshots + "export" + query,
				key:    h.admin,
				header: map[string]string{"If-None-Match": got.header.Get("ETag")},
			},
		)
		if again.status != 304 || len(again.body) > 0 {
			t.Errorf("%s: unchanged, %d with %d bytes", query, again.status, len(again.body))
		}
	}
	h.wantError(h.get(snapshots+"export?scope=personal"), 422, "owner_required")
	h.wantError(h.get(snapshots+"export?scope=all"), 422, "owner_required")
}

func TestPreviewSaysWhatAnImportWouldDoAndWritesNothing(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("KNOWLEDGE.md", "# Knowledge\n", nil), 201)
	before := h.rows()
	path := snapshots + "import/preview?owner=api:42"
	got := as[preview](h, h.want(h.do(request{method: "POST", path: path, key: h.admin, body: anArchive(0), header: asZip}), 200))
	if len(got.WillCreate) != 1 || got.WillCreate[0].Filename != "personal/memory/2026-11-01.md" ||
		len(got.WillUpdate) != 1 || got.WillUpdate[0].Diff == "" || got.WillUpdate[0].OldHash == got.WillUpdate[0].NewHash ||
		len(got.WillSkip) != 1 || got.WillSkip[0].Reason != "manifest" || got.Token == "" {
		t.Errorf("%+v", got)
	}
	// As the file of a form, the archive is the same one.
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "ada.zip")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(anArchive(0).([]byte)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sent := h.do(
		request{
			method: "POST",
			path:   path,
			key:    h.admin,
			body:   form.Bytes(),
			header: map[string]string{"Content-Type": w.FormDataContentType()},
		},
	)
	if again := as[preview](h, h.want(sent, 200)); again.Token != got.Token {
		t.Errorf("token %s, and %s of a form", got.Token, again.Token)
	}
	if after := h.rows(); after != before {
		t.Errorf("%s became %s", before, after)
	}
	for _, token := range []string{"abc", got.Token[1:], got.Token + "00", "z" + got.Token[1:]} {
		refused := h.wantError(h.do(request{
			method: "POST", path: snapshots + "import?owner=api:42&token=" + token, key: h.admin, body: anArchive(0), header: asZip,
		}), 422, "invalid_request")
		if body := string(refused.body); !strings.Contains(body, "query.token") || !strings.Contains(body, "make a preview first") {
			t.Errorf("%s: %s", token, body)
		}
	}
	// A change is another token.
	h.want(h.put("KNOWLEDGE.md", "# More\n", map[string]string{"If-Match": "*"}), 200)
	if after := as[preview](h,
		h.want(h.do(request{method: "POST", path: path, key: h.admin, body: anArchive(0), header: asZip}), 200)); after.Token == got.Token {
		t.Error("the token does not tell that a document has changed")
	}
	h.wantError(
		h.do(
			request{
				method: "POST",
				path:   snapshots + "import?owner=api:42&token=" + got.Token,
				key:    h.admin,
				body:   anArchive(0),
				header: asZip,
			},
		),
		409,
		"changed_since_preview",
	)
}

func TestWhatIsNoArchiveIsRefused(t *testing.T) {
	h := start(t)
	h.agent("ada")
	before := h.rows()
	for name, c := range map[string]struct {
		body        any
		contentType string
		status      int
		want        string
	}{
		"nothing":       {"", "application/zip", 400, "invalid_body"},
		"text":          {"hello", "application/zip", 400, "snapshot_refused"},
		"json":          {"{}", "application/json", 415, "unsupported_media_type"},
		"a form of air": {"--x--\r\n", "multipart/form-data; boundary=x", 400, "invalid_body"},
		"two archives": {
			"--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nPK\r\n--x\r\nContent-Disposition: form-data; " +
				"name=\"file\"\r\n\r\nPK\r\n--x--\r\n",
			"multipart/form-data; boundary=x", 400, "invalid_body",
		},
		"a form that ends early": {
			"--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nPK", "multipart/form-data; boundary=x", 400, "invalid_body",
		},
		"too large":     {make([]byte, snapshot.MaxArchiveBytes+1), "application/zip", 413, "body_too_large"},
		"far too large": {make([]byte, snapshot.MaxArchiveBytes+1<<20), "application/zip", 413, "body_too_large"},
	} {
		for _, path := range []string{"import/preview", "import"} {
			got := h.do(
				request{
					method: "POST",
					path:   snapshots + path,
					key:    h.admin,
					body:   c.body,
					header: map[string]string{"Content-Type": c.contentType},
				},
			)
			if got.status != c.status || got.Error != c.want {
				t.Errorf("%s, %s: %d %s, want %d %s", name, path, got.status, got.body, c.status, c.want)
			}
		}
	}
	if after := h.rows(); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

// A viewer exports what it may read, and imports nothing.
func TestWhatAViewerHasOfSnapshots(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.put("MEMORY.md?owner=api:42", "- likes rye bread\n", nil), 201)
	viewer, pinned := h.key("viewer", memory.RoleViewer, ""), h.key("pinned", memory.RoleViewer, "api:42")
	for _, c := range []struct {
		key, query string
		status     int
		files      int
	}{
		{viewer, "", 200, 4},
		{viewer, "?scope=team", 200, 4},
		{viewer, "?scope=personal", 422, 0},
		{viewer, "?owner=api:42", 403, 0},
		{pinned, "", 200, 5},
		{pinned, "?scope=personal", 200, 1},
		{pinned, "?owner=api:43", 403, 0},
	} {
		got := h.do(request{method: "GET", path: snapshots + "export" + c.query, key: c.key})
		read, _ := snapshot.Read(got.body)
		if got.status != c.status || len(read.Files) != c.files {
			t.Errorf("export%s: %d with %d documents, want %d with %d", c.query, got.status, len(read.Files), c.status, c.files)
		}
	}
	for _, key := range []string{viewer, pinned} {
		for _, path := range []string{"import/preview", "import"} {
			h.wantError(
				h.do(request{method: "POST", path: snapshots + path, key: key, body: anArchive(0), header: asZip}),
				403,
				"forbidden",
			)
		}
	}
}

func TestAPinnedKeyImportsItsOwnersDocumentsOnly(t *testing.T) {
	h := start(t)
	h.agent("ada")
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	got := as[preview](
		h,
		h.want(h.do(request{method: "POST", path: snapshots + "import/preview", key: pinned, body: anArchive(0), header: asZip}), 200),
	)
	if len(got.WillCreate) != 1 || got.WillCreate[0].Filename != "personal/memory/2026-11-01.md" || len(got.WillSkip) != 2 {
		t.Errorf("%+v", got)
	}
	h.wantError(
		h.do(request{method: "POST", path: snapshots + "import?scope=team", key: pinned, body: anArchive(0), header: asZip}),
		403,
		"forbidden",
	)
	h.wantError(
		h.do(request{method: "POST", path: snapshots + "import?scope=all", key: pinned, body: anArchive(0), header: asZip}),
		403,
		"forbidden",
	)
}

// No hostile archive leaves a trace in the database, and each is a clear refusal.
func TestHostileArchivesHaveNoEffect(t *testing.T) {
	h := start(t)
	h.agent("ada")
	before := h.rows()
	for _, c := range snapshottest.Corpus() {
		archive := c.Make(t)
		for _, path := range []string{"import/preview", "import"} {
			got := h.do(request{method: "POST", path: snapshots + path, key: h.admin, body: archive, header: asZip})
			refused := got.Error == "snapshot_refused" && got.status == 400 || got.Error == "body_too_large" && got.status == 413 ||
				len(archive) == 0 && got.status == 400
			if !refused || got.Msg == "" {
				t.Errorf("%s, %s: %d %s", c.Name, path, got.status, got.body)
			}
		}
	}
	if after := h.rows(); after != before {
		t.Errorf("%s became %s", before, after)
	}
}
