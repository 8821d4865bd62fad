package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"reverie/memory"
	"reverie/store/gate"
)

// upload sends an archive as a browser does.
func (v *visitor) upload(path string, archive string, fields ...string) page {
	v.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		check(v.t, form.WriteField(fields[i], fields[i+1]))
	}
	file, err := form.CreateFormFile("archive", "ada-memory.zip")
	check(v.t, err)
	_, err = file.Write([]byte(archive))
	check(v.t, err)
	check(v.t, form.Close())
	return v.send(http.MethodPost, path, &body, "Content-Type", form.FormDataContentType(), "Sec-Fetch-Site", "same-origin")
}

var archiveField = regexp.MustCompile(`name="archive" value="([^"]+)"[\s\S]*name="token" value="([^"]+)"`)

// What was exported is previewed against what is there now, and imported only as it was previewed.
func TestTransfer(t *testing.T) {
	h := start(t)
	v := h.visitor().signIn(h.keys["admin"])
	memories := "/agents/ada/of/" + h.whose
	h.call(http.MethodPut, "/agents/ada/workspace/files/MEMORY.md?endUserId=42", `{"content":"- Grace keeps bees.\n"}`)
	archive := v.get(memories + "/export?documents=personal")
	if archive.header.Get("Content-Type") != "application/zip" || !strings.HasPrefix(archive.body, "PK") {
		t.Fatalf("the export is %d %v", archive.status, archive.header)
	}
	preview := func(token string) page {
		return v.upload(memories+"/import/preview", archive.body, "csrf", token, "documents", "personal")
	}
	if p := preview("wrong"); p.status != http.StatusForbidden {
		t.Errorf("a forged upload: %d", p.status)
	}
	if p := preview(v.csrf); !strings.Contains(p.body, "Nothing would change") {
		t.Errorf("the same documents: %d %s", p.status, text(p.body))
	}
	h.call(http.MethodPut, "/agents/ada/workspace/files/MEMORY.md?endUserId=42", `{"content":"- Grace keeps wasps.\n"}`, "If-Match", "*")
	p := preview(v.csrf)
	if !strings.Contains(p.body, "wasps") || !strings.Contains(p.body, "1 document would change") {
		t.Errorf("a changed document: %d %s", p.status, text(p.body))
	}
	carried := archiveField.FindStringSubmatch(p.body)
	if carried == nil {
		t.Fatalf("the preview cannot be imported: %s", text(p.body))
	}
	h.call(http.MethodPut, "/agents/ada/workspace/files/MEMORY.md?endUserId=42", `{"content":"- Grace keeps flies.\n"}`, "If-Match", "*")
	form := url.Values{"archive": {carried[1]}, "token": {carried[2]}, "documents": {"personal"}}
	if p := v.do(http.MethodPost, memories+"/import", form); !strings.Contains(p.body, "have changed since the preview") || !strings.Contains(p.body, "flies") {
		t.Errorf("after a change: %d %s", p.status, text(p.body))
	}
	for name, sent := range map[string]string{"nothing": "", "a text": "hello"} {
		if p := v.upload(memories+"/import/preview", sent, "csrf", v.csrf); !strings.Contains(p.body, `role="alert"`) {
			t.Errorf("%s: %d %s", name, p.status, text(p.body))
		}
	}
}

// Anyone who is pinned to an owner exports and imports that person's documents only.
func TestTransferOfAPerson(t *testing.T) {
	h := start(t)
	h.call(http.MethodPut, "/agents/ada/workspace/files/memory/2026-01-02.md", `{"content":"- Lunch is at noon.\n"}`)
	h.call(http.MethodPut, "/agents/ada/workspace/files/MEMORY.md?endUserId=42", `{"content":"- Grace keeps bees.\n"}`)
	v := h.visitor().signIn(h.key("grace", memory.RoleMember, "api:42"))
	for _, documents := range []string{"personal", "all", "team"} {
		if p := v.get("/agents/ada/of/me/export?documents=" + documents); strings.Contains(p.body, "2026-01-02.md") || !strings.Contains(p.body, "MEMORY.md") {
			t.Errorf("%s: the archive has other documents", documents)
		}
	}
	viewer := h.visitor().signIn(h.key("viewer", memory.RoleViewer, "api:42"))
	if body := viewer.get("/agents/ada/of/me/transfer").body; strings.Contains(body, "type=\"file\"") || !strings.Contains(body, "/export") {
		t.Errorf("a viewer is offered %s", text(body))
	}
}

// Documents are put into the system prompt, moved there, and taken out.
func TestPromptFiles(t *testing.T) {
	h := start(t)
	h.call(http.MethodPut, "/agents/ada/workspace/files/notes/boat.md?endUserId=42", `{"content":"- Has a boat.\n"}`)
	v := h.visitor().signIn(h.keys["admin"])
	move := func(path, how string) {
		t.Helper()
		p := v.do(http.MethodPost, "/agents/ada/of/"+h.whose+"/memory", url.Values{"move": {how + " PERSONAL " + path}})
		if p.status != http.StatusSeeOther {
			t.Fatalf("%s %s: %d %s", path, how, p.status, text(p.body))
		}
	}
	expect := func(want string) {
		t.Helper()
		documents, err := h.store.Documents(t.Context(), root.For("ada", "api:42"), gate.DocumentFilter{Scope: memory.ScopePersonal})
		check(t, err)
		order := map[int]string{}
		for _, d := range documents {
			if d.Enabled {
				order[d.SortOrder] += d.Path
			}
		}
		got := ""
		for i := range len(order) {
			got += order[i] + " "
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("the prompt has %q, want %q", got, want)
		}
	}
	move("notes/bees.md", "in")
	move("notes/boat.md", "in")
	expect("notes/bees.md notes/boat.md")
	move("notes/boat.md", "up")
	move("notes/boat.md", "up")
	expect("notes/boat.md notes/bees.md")
	move("notes/boat.md", "down")
	move("notes/bees.md", "out")
	expect("notes/boat.md")
}
