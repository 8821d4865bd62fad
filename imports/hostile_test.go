package imports

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"reverie/memory"
)

// hostile are malformed and malicious exports. Each gives items or reasons, or an error with a location.
var hostile = []struct {
	name    string
	format  Format
	content string
	items   int
	reason  string // of a skipped part; empty: none
	damaged string // part of the error; empty: none
}{
	{"cut off in a string", ChatGPT, `[{"mapping":{"a":{"message":{"id":"a`, 0, "", "is incomplete"},
	{"cut off behind an element", ChatGPT, `[` + gpt("one") + `,`, 1, "", "is incomplete"},
	{"cut off before the end", ChatGPT, `[` + gpt("one"), 1, "", "is incomplete"},
	{"not JSON", ChatGPT, `hello`, 0, "", "an object or an array was expected"},
	{"wrong bracket", ChatGPT, `[{"mapping":[}]`, 0, "", "brackets do not match"},
	{"nested without end", Claude, `[` + strings.Repeat("[", 5000), 0, "", "nested too deeply"},
	{"no comma", ChatGPT, `[` + gpt("one") + gpt("two") + `]`, 1, "", "a comma was expected"},
	{"bad escapes", ChatGPT, `[{"mapping":{"a":"\q"}}]`, 0, reasonUnread, ""},
	{"words instead of conversations", ChatGPT, `[1,"two",null,true,[]]`, 0, reasonUnread, ""},
	{"a mapping that is none", ChatGPT, `[{"id":"c","mapping":[1]}]`, 0, reasonUnread, ""},
	{"nodes that are none", ChatGPT, `[{"id":"c","mapping":{"a":3,"b":null},"current_node":"a"}]`, 0, reasonNothing, ""},
	{"a circle", ChatGPT, `[{"id":"c","create_time":1700000000,"current_node":"a","mapping":{"a":` + node("a", "b", "user",
		"one") + `,"b":` + node("b", "a", "user", "two") + `}}]`, 1, "", ""},
	{"its own parent", ChatGPT, `[{"id":"c","create_time":1700000000,"current_node":"a","mapping":{"a":` + node("a", "a", "user",
		"one") + `}}]`, 1, "", ""},
	{"no current node", ChatGPT, `[{"id":"c","create_time":1700000000,"current_node":"gone","mapping":{"a":` + node("a", "", "user",
		"one") + `}}]`, 1, "", ""},
	{"the same conversation twice", ChatGPT, `[` + gpt("one") + `,` + gpt("one") + `]`, 1, reasonTwice, ""},
	{
		"an author that is none", ChatGPT,
		`[{"id":"c","mapping":{"a":{"message":{"id":"a","author":"me","content":{"parts":["x"]}}}},"current_node":"a"}]`, 0, reasonNothing, "",
	},
	{
		"parts that are none", ChatGPT,
		`[{"id":"c","mapping":{"a":{"message":{"id":"a","author":{"role":"user"},"content":{"content_type":"text","parts":[{"x":1},7,null,["y"]]}}}},"current_node":"a"}]`, 1, "", "",
	},
	{"a date far away", ChatGPT, `[{"id":"c","create_time":1e300,"current_node":"a","mapping":{"a":` + strings.ReplaceAll(node("a", "",
		"user", "one"), "1700000000", `"tomorrow"`) + `}}]`, 1, "", ""},
	{"negative dates", ChatGPT, `[{"id":"c","create_time":-5,"current_node":"a","mapping":{"a":` + strings.ReplaceAll(node("a", "",
		"user", "one"), "1700000000", "-1e12") + `}}]`, 1, "", ""},
	{
		"an id as long as a book", ChatGPT,
		`[{"id":"` + strings.Repeat("x",
			5000) + `","create_time":1700000000,"current_node":"a","mapping":{"a":` + node(strings.Repeat("y", 5000), "", "user",
			"one") + `}}]`, 1, "", "",
	},
	{"no ids", Claude, `[{"chat_messages":[{"sender":"human","text":"one","created_at":"2024-01-01T00:00:00Z"},{"sender":"human","text":"one","created_at":"2024-01-01T00:00:01Z"}]}]`, 1, "", ""},
	{
		"one id for two messages", Claude,
		`[{"uuid":"c","chat_messages":[{"uuid":"m","sender":"human","text":"one"},{"uuid":"m","sender":"human","text":"two"},{"uuid":"m","sender":"human","text":"one"}]}]`, 1, "", "",
	},
	{"a strange sender", Claude, `[{"uuid":"c","chat_messages":[{"uuid":"m","sender":"owl","text":"one"}]}]`, 0, reasonMachinery, ""},
	{"messages that are none", Claude, `[{"uuid":"c","chat_messages":"many"}]`, 0, reasonUnread, ""},
	{
		"a NUL and half a character", Claude,
		`[{"uuid":"c\u0000","name":"\ud800","chat_messages":[{"uuid":"m","sender":"human","text":"a\u0000b\ud800"}]}]`, 1, "", "",
	},
	{
		"a circle of parents", Claude,
		`[{"uuid":"c","current_leaf_message_uuid":"a","chat_messages":[{"uuid":"a","parent_message_uuid":"b","sender":"human","text":"one"},{"uuid":"b","parent_message_uuid":"a","sender":"human","text":"two"}]}]`, 1, "", "",
	},
	{
		"a path that leads away", GoClaw, `{"path":"../../etc/passwd.md","content":"x"}` + "\n" + `{"path":"/etc/x.md","content":"x"}`, 0,
		`unusable path: remove "." and "..", paths are relative to the agent's memory`, "",
	},
	{"a row without content", GoClaw, `{"path":"a.md"}`, 0, reasonUnread, ""},
	{"the same row twice", GoClaw, `{"path":"a.md","content":"x"} {"path":"a.md","content":"y"}`, 1, reasonTwice, ""},
	{"a person that is none", GoClaw, `{"path":"a.md","content":"x","user_id":"` + strings.Repeat("u", 200) + `"}`, 0, reasonOwner, ""},
	{
		"a document that is too large", GoClaw, `{"path":"a.md","content":"` + strings.Repeat("x", memory.MaxDocumentBytes+1) + `"}`, 0,
		reasonTooLarge, "",
	},
	{"half a line", GoClaw, `{"path":"a.md","content":"x"}` + "\n" + `{"path":"b.m`, 1, "", "is incomplete"},
	{"a memory that is none", Mem0, `{"results":[{"memory":{"text":"x"}},{"memory":"kept","user_id":"u"}]}`, 1, reasonUnread, ""},
	{"a memory that is a book", Mem0, `[{"memory":"` + strings.Repeat("x", maxStatementBytes+1) + `"}]`, 0, reasonLongStatement, ""},
	{"blank memories", Mem0, `[{"memory":" \n "}]`, 0, reasonNothing, ""},
	{"results that are none", Mem0, `{"results":{"memory":"x"}}`, 0, reasonUnread, ""},
	{"facts that are none", Zep, `{"session_id":"s","messages":[{"role_type":"user","content":7}],"facts":{"a":1},"summary":[1]}`, 1, "", ""},
	{"loose messages", Zep, `[{"uuid":"a","role_type":"user","content":"hello"}]`, 0, reasonLooseWord, ""},
	{
		"no date anywhere in a session", LoCoMo,
		`[{"sample_id":"s","conversation":{"session_1":[{"speaker":"A","dia_id":"D1:1","text":"hello"}],"session_1_date_time":"once"}}]`, 1,
		"", "",
	},
	{
		"sessions that are none", LoCoMo, `[{"sample_id":"s","conversation":{"session_1":"x","session_01":[],"session_-1":[]}}]`, 0,
		reasonUnread, "",
	},
	{"an object with a broken name", Mem0, `{results:[]}`, 0, "", "a name and a colon were expected"},
	{"an object that breaks off", Mem0, `{"results":[{"memory":"x"}]`, 0, "", "is incomplete"},
	{"nothing at all", ChatGPT, ``, 0, "", ""},
}

// gpt returns a conversation of one message, with its text as the id.
func gpt(said string) string {
	return `{"conversation_id":"` + said + `","create_time":1700000000,"current_node":"a","mapping":{"a":` + node("a", "", "user", said) + `}}`
}

func node(id, parent, role, said string) string {
	return fmt.Sprintf(`{"id":%q,"parent":%q,"children":[],"message":{"id":%q,"author":{"role":%q},"create_time":1700000000,"content":{"content_type":"text","parts":[%q]},"recipient":"all"}}`,
		id, parent, id, role, said)
}

func TestHostileExports(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			s, err := Open(jsonFile(h.content), Options{Format: h.format, Owners: Owners{Default: "user:u"}})
			if err != nil {
				t.Fatal(err)
			}
			items, skipped, err := all(t, s)
			if len(items) != h.items {
				t.Errorf("%d items, want %d: %+v, skipped %+v", len(items), h.items, items, skipped)
			}
			if damaged, is := errors.AsType[*DamagedError](err); is != (h.damaged != "") || is && !strings.Contains(damaged.Error(), h.damaged) {
				t.Errorf("error %v, want one that says %q", err, h.damaged)
			}
			found := h.reason == ""
			for _, one := range skipped {
				found = found || one.Reason == h.reason
			}
			if !found || h.reason == "" && len(skipped) > 0 && h.damaged == "" {
				t.Errorf("skipped %+v, want the reason %q", skipped, h.reason)
			}
		})
	}
}

func TestATooLargeRecordIsSkipped(t *testing.T) {
	huge := strings.Repeat("x", MaxRecordBytes+10)
	s, err := Open(jsonFile(`[`+gpt("one")+`,{"mapping":"`+huge+`"},`+gpt("two")+`]`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	items, skipped, err := all(t, s)
	if err != nil || len(items) != 2 || len(skipped) != 1 || skipped[0].Reason != reasonTooLong ||
		skipped[0].Source != "export.json, element 2" {
		t.Errorf("%d items, skipped %+v, error %v", len(items), skipped, err)
	}
}

func TestSeveralAgentsAreNotMixed(t *testing.T) {
	content := `{"agent_id":"a","path":"MEMORY.md","content":"one"} {"agent_id":"b","path":"MEMORY.md","content":"two"}`
	s, err := Open(jsonFile(content), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = all(t, s)
	several, is := errors.AsType[*SeveralAgentsError](err)
	if !is || len(several.Agents) != 2 || !strings.Contains(err.Error(), "a or b") {
		t.Errorf("error %v", err)
	}
	chosen, err := Open(jsonFile(content), Options{Agent: "b"})
	if err != nil {
		t.Fatal(err)
	}
	items, skipped, err := all(t, chosen)
	if err != nil || len(items) != 1 || items[0].Document.Content != "two" || len(skipped) != 1 || skipped[0].Reason != reasonOtherAgent {
		t.Errorf("%+v, skipped %+v, error %v", items, skipped, err)
	}
}

func TestOwners(t *testing.T) {
	owners := Owners{Default: "user:d", Map: map[string]memory.Owner{"ana": "user:1", "api:ben": "user:2", "telegram:9": "user:3"}}
	for _, want := range []struct {
		id    string
		owner memory.Owner
		known bool
	}{
		{"", "user:d", true},
		{"ana", "user:1", true},
		{"ben", "user:2", true},
		{"carla", "api:carla", true},
		{"feishu:ou_1", "feishu:ou_1", true},
		{"telegram:9", "user:3", true},
		{"system", "api:system", true}, // no name makes a person the system
		{"a b:c d", "a b:c d", true},
		{" x", "", false},
		{strings.Repeat("u", 200), "", false},
	} {
		if owner, known := owners.of("api", want.id); owner != want.owner || known != want.known {
			t.Errorf("%q becomes %q, %v; want %q, %v", want.id, owner, known, want.owner, want.known)
		}
	}
}

func TestDocumentsWithoutAPersonAreSharedOnRequest(t *testing.T) {
	for _, want := range []struct {
		owners Owners
		scope  memory.Scope
		owner  memory.Owner
	}{
		{Owners{}, memory.ScopePersonal, memory.NoOwner},
		{Owners{Default: "user:1"}, memory.ScopePersonal, "user:1"},
		{Owners{Shared: true}, memory.ScopeTeam, memory.NoOwner},
	} {
		s, err := Open(folder(t, fixture(t, "markdown")), Options{Owners: want.owners})
		if err != nil {
			t.Fatal(err)
		}
		items, _, err := all(t, s)
		if err != nil || len(items) != 2 || items[0].Document.Scope != want.scope || items[0].Document.Owner != want.owner {
			t.Errorf("%+v gives %+v, error %v", want.owners, items, err)
		}
	}
}

// entry is an entry of a handmade archive.
type entry struct {
	header  zip.FileHeader
	content string
	raw     bool // the header is used as it is
}

func zipped(tb testing.TB, entries ...entry) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		begin := w.CreateHeader
		if e.raw {
			begin = w.CreateRaw
		}
		into, err := begin(&e.header)
		if err == nil {
			_, err = io.WriteString(into, e.content)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestHostileArchives(t *testing.T) {
	link := zip.FileHeader{Name: "link.md"}
	link.SetMode(fs.ModeSymlink | 0o777)
	device := zip.FileHeader{Name: "device.md"}
	device.SetMode(fs.ModeDevice | 0o600)
	content := zipped(t,
		entry{header: zip.FileHeader{Name: "good.md"}, content: "# Good\n"},
		entry{header: zip.FileHeader{Name: "good.md"}, content: "# Other\n"},
		entry{header: zip.FileHeader{Name: "../above.md"}, content: "x"},
		entry{header: zip.FileHeader{Name: "/root.md"}, content: "x"},
		entry{header: zip.FileHeader{Name: ""}, content: "x"},
		entry{header: zip.FileHeader{Name: `back\slash.md`}, content: "x"},
		entry{header: zip.FileHeader{Name: "a//b.md"}, content: "x"},
		entry{header: zip.FileHeader{Name: "\xff\xfe.md", NonUTF8: true}, content: "x"},
		entry{header: zip.FileHeader{Name: ".git/config.md"}, content: "x"},
		entry{header: zip.FileHeader{Name: "nested.zip"}, content: "PK"},
		entry{header: link, content: "/etc/passwd"},
		entry{header: device, content: ""},
		entry{header: zip.FileHeader{Name: "secret.md", Flags: 1, UncompressedSize64: 1, CompressedSize64: 1}, content: "x", raw: true},
	)
	tree, err := Zip(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	items, skipped, err := all(t, s)
	if err != nil || len(items) != 1 || items[0].Document.Path != "good.md" || items[0].Document.Content != "# Good\n" {
		t.Errorf("%+v, error %v", items, err)
	}
	if len(skipped) != 12 {
		t.Errorf("%d are skipped: %+v", len(skipped), skipped)
	}
}

func TestArchivesThatCannotBeRead(t *testing.T) {
	good := zipped(t, entry{header: zip.FileHeader{Name: "a.md", Method: zip.Store}, content: strings.Repeat("hello ", 100)})
	damaged := bytes.Replace(good, []byte("hello hello"), []byte("hullo hello"), 1)
	bomb := zipped(t, entry{
		header:  zip.FileHeader{Name: "conversations.json", Method: zip.Deflate},
		content: `[{"mapping":{}},"` + strings.Repeat("0", 100<<20) + `"]`,
	})
	lying := zipped(t, entry{
		header:  zip.FileHeader{Name: "a.md", CRC32: crc32.ChecksumIEEE([]byte("hello")), CompressedSize64: 5, UncompressedSize64: 1 << 40},
		content: "hello", raw: true,
	})
	for name, content := range map[string][]byte{
		"nothing": nil, "no archive": []byte("hello"), "cut off": good[:len(good)/2], "a wrong sum": damaged, "a bomb": bomb,
		"a size that is a lie": lying,
	} {
		tree, err := Zip(bytes.NewReader(content), int64(len(content)))
		if err == nil {
			var s *Source
			if s, err = Open(tree, Options{}); err == nil {
				_, _, err = all(t, s)
			}
		}
		if !errors.Is(err, ErrDamagedArchive) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	for path, content := range map[string]string{
		filepath.Join(outside, "secret.md"): "secret", filepath.Join(inside, "note.md"): "# Note\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{
		"link.md": filepath.Join(outside, "secret.md"), "folder": outside, "self": ".",
		"again.md": "note.md",
	} {
		if err := os.Symlink(to, filepath.Join(inside, from)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	tree, err := Folder(root.FS())
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	items, skipped, err := all(t, s)
	if err != nil || len(items) != 1 || items[0].Document.Path != "note.md" || len(skipped) != 4 {
		t.Errorf("%+v, skipped %+v, error %v", items, skipped, err)
	}
}

func TestUnknownSources(t *testing.T) {
	if _, err := Open(folder(t, fstest.MapFS{"a.txt": {Data: []byte("x")}}), Options{}); !errors.Is(err, ErrUnknownFormat) {
		t.Errorf("error %v", err)
	}
	if _, err := Open(folder(t, fstest.MapFS{}), Options{}); !errors.Is(err, ErrUnknownFormat) {
		t.Errorf("error %v", err)
	}
	if _, err := Open(jsonFile("{}"), Options{Format: "diary"}); err == nil || !strings.Contains(err.Error(), "use openclaw, mateclaw") {
		t.Errorf("error %v", err)
	}
	many := fstest.MapFS{}
	for i := range MaxFiles + 1 {
		many[fmt.Sprintf("%d.md", i)] = &fstest.MapFile{}
	}
	if _, err := Folder(many); !errors.Is(err, ErrTooManyFiles) {
		t.Errorf("error %v", err)
	}
}

func TestDocumentsThatCannotBeMoved(t *testing.T) {
	s, err := Open(folder(t, fstest.MapFS{
		"large.md":   {Data: bytes.Repeat([]byte("x"), memory.MaxDocumentBytes+1)},
		"latin1.md":  {Data: []byte("caf\xe9")},
		"nul.md":     {Data: []byte("a\x00b")},
		"blank.md":   {Data: []byte(" \n")},
		" space.md":  {Data: []byte("x")},
		"windows.md": {Data: []byte("\xef\xbb\xbf# One\r\n\r\ntwo\r\n")},
	}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	items, skipped, err := all(t, s)
	if err != nil || len(items) != 1 || items[0].Document.Content != "# One\n\ntwo\n" {
		t.Errorf("%+v, error %v", items, err)
	}
	got := map[string]string{}
	for _, one := range skipped {
		got[one.Source] = one.Reason
	}
	for source, reason := range map[string]string{
		"large.md": reasonTooLarge, "latin1.md": reasonNoText, "nul.md": reasonNoText,
		"blank.md": reasonEmpty,
	} {
		if got[source] != reason {
			t.Errorf("%s: %q", source, got[source])
		}
	}
	if len(skipped) != 5 || !strings.Contains(got[" space.md"], "remove the spaces") {
		t.Errorf("%+v", skipped)
	}
}
