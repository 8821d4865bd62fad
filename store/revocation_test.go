package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/memory/writereq"
	"reverie/store/admin"
	"reverie/store/dreams"
	"reverie/store/facts"
	"reverie/store/gate"
	"reverie/store/pg"
	"reverie/store/revocation"
	"reverie/store/talk"
	"reverie/store/transfer"
)

// revoked takes back all of a source, and returns the outcome by owner.
func revoked(t *testing.T, s *Store, id memory.Identity, of revocation.Source) map[memory.Owner]revocation.Part {
	t.Helper()
	parts := must[[]revocation.Part](t)(s.RequestRevocation(t.Context(), id, of))
	run := deleter("acme", "ada")
	for _, p := range parts {
		must[dreams.Revoked](t)(s.RevokePart(t.Context(), run, p, true))
		must[dreams.Revoked](t)(s.RevokePart(t.Context(), run, p, true)) // a repetition finds nothing
	}
	out := map[memory.Owner]revocation.Part{}
	for _, p := range must[[]revocation.Part](t)(s.Revocation(t.Context(), run, parts[0].ID)) {
		out[p.Owner] = p
	}
	return out
}

// What was learned from a conversation only is taken back and not learned again from it; what has another source stays, and the preview
// says so without changing anything.
func TestAConversationIsRevoked(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	id := member("user:7")
	must[talk.Stored](t)(s.AppendMessages(ctx, id, turn("c1", "a", 2)))
	other := turn("c2", "b", 2)
	other.Messages[0].Content = "By the way, I keep bees in Bern."
	must[talk.Stored](t)(s.AppendMessages(ctx, id, other))
	learn := func(path, conversation, content string) {
		t.Helper()
		write(t, s, workflow("user:7", "r"), memory.Change{
			Ref: personal(path), Op: memory.OpAppend, Content: content, Sources: memory.Sources{Conversation: conversation, From: 1, To: 2},
		})
	}
	const note = "memory/2026-11-20.md"
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Force: true, Content: "# Memory\n\n- Has a dog named Rex.\n"})
	learn(note, "c1", "- Drives a "+secret+" car.\n- Keeps bees in Bern.\n- Has a dog named Rex.\n- Likes the opera in Vienna.\n")
	learn("memory/2026-11-21.md", "c2", "- Likes the opera in Vienna.\n")
	before := contentOf(t, s, id, note)
	of := revocation.Source{Kind: revocation.Conversation, ID: "c1"}
	found, more, err := s.PreviewRevocation(ctx, person("user:7"), of, "", func(memory.Owner) bool { return true })
	if err != nil || more || len(found) != 1 || found[0].Statements != 1 || found[0].Kept != 3 {
		t.Fatalf("%v: %+v", err, found)
	}
	why := map[string]dreams.Why{}
	for _, w := range found[0].Weighed {
		why[strings.Fields(w.Text)[0]] = w.Why
	}
	if why["Drives"] != dreams.WhyGoes || why["Keeps"] != dreams.WhySaid || why["Has"] != dreams.WhyPerson || why["Likes"] != dreams.WhyElsewhere {
		t.Errorf("%v", why)
	}
	if got := contentOf(t, s, id, note); got != before {
		t.Errorf("the preview wrote %q", got)
	}
	p := revoked(t, s, person("user:7"), of)["user:7"]
	if p.State != revocation.Done || p.Statements != 1 || p.Kept != 3 || p.Documents != 1 {
		t.Errorf("%+v", p)
	}
	want := "- Keeps bees in Bern.\n- Has a dog named Rex.\n- Likes the opera in Vienna.\n"
	if got := contentOf(t, s, id, note); got != want {
		t.Errorf("%q", got)
	}
	learn(note, "c1", "- The car they drive is a "+secret+".\n- Plays the cello.\n")
	if got := contentOf(t, s, id, note); got != want+"\n- Plays the cello.\n" {
		t.Errorf("learned again: %q", got)
	}
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: "- Drives a " + secret + " car.\n"})
	if got := contentOf(t, s, id, memory.MemoryPath); !strings.Contains(got, secret) {
		t.Errorf("a person may say it again: %q", got)
	}
}

// What was said elsewhere too stays, wherever the sentences of a message seem to end; erased, it is gone from every message.
func TestAbbreviationsEndNoSentence(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	id := member("user:7")
	for conversation, said := range map[string]string{
		"a": "Please remember that my dentist is Dr. Weber.",
		"b": "My boat is called Mimi. Please remember that my dentist is Dr. Weber. The sun is shining.",
	} {
		of := turn(conversation, "x", 2)
		of.Messages[0].Content = said
		must[talk.Stored](t)(s.AppendMessages(ctx, id, of))
	}
	const note = "memory/2026-11-20.md"
	write(t, s, workflow("user:7", "r"), memory.Change{
		Ref: personal(note), Op: memory.OpAppend, Content: "- User's dentist is Dr. Weber.\n",
		Sources: memory.Sources{Conversation: "a", From: 1, To: 1},
	})
	p := revoked(t, s, person("user:7"), revocation.Source{Kind: revocation.Conversation, ID: "a"})["user:7"]
	if got := contentOf(t, s, id, note); p.Statements != 0 || p.Kept != 1 || !strings.Contains(got, "Weber") {
		t.Errorf("%+v: %q", p, got)
	}
	must[dreams.ForgetReceipt](t)(s.Forget(ctx, id, dreams.ForgetRequest{
		Ref: personal(note), Entry: memory.ItemID("User's dentist is Dr. Weber."), Erase: true,
	}))
	said := query[string](t, s, id, "select content from messages where role = 'user' order by conversation_uid, seq")
	if all := strings.Join(said, "\n"); strings.Contains(all, "Weber") || !strings.Contains(all, "Mimi. [erased] The sun") {
		t.Errorf("%q", said)
	}
}

// What a business process wrote is taken back from shared and personal memory; what it has staged is refused. A person does not take back
// what others have staged.
func TestAConnectorIsRevoked(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	id := member("user:7")
	_, made, err := s.CreateKey(ctx, adminOf("acme"), admin.NewKey{Name: "crm", Role: memory.RoleMember})
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := gate.KeyByID(ctx, s.db, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	send := func(owner memory.Owner, request, content string) {
		t.Helper()
		w := must[transfer.MemoryWrite](t)(s.StageWrite(ctx, key.Identity().For("ada", owner), key.ID, writereq.Request{
			RequestID: request, Target: "memory/cases.md", Strategy: markdown.StrategyAppend, Content: content,
		}))
		if request == "crm-3" {
			return
		}
		_ = must[transfer.MemoryWrite](t)(s.CommitWrite(ctx, transfer.WriteRef{Workspace: "acme", Agent: "ada", Write: w.ID}, memory.Author{
			Kind: memory.AuthorWorkflow, WorkflowID: "write-memory/" + request, RunID: "r",
		}))
	}
	send("user:7", "crm-1", "- The tier of the customer is gold.\n")
	send("", "crm-2", "- Invoices are due in seven days.\n")
	send("user:7", "crm-3", "- Never written.\n")
	send("user:7", "erp-1", "- The customer number is 4711.\n")
	of := revocation.Source{Kind: revocation.Connector, ID: "crm-*"}
	if parts, err := s.RequestRevocation(ctx, person("user:7"), of); err == nil {
		t.Errorf("a person takes back what others have staged: %+v", parts)
	}
	parts := revoked(t, s, adminOf("acme").For("ada", memory.NoOwner), of)
	if parts["user:7"].Statements != 1 || parts[memory.SystemOwner].Statements != 1 || len(parts) != 2 {
		t.Errorf("%+v", parts)
	}
	if got := contentOf(t, s, id, "memory/cases.md"); strings.Contains(got, "gold") || !strings.Contains(got, "4711") {
		t.Errorf("%q", got)
	}
	if w := must[transfer.MemoryWrite](t)(s.MemoryWrite(ctx, id, "crm-3")); w.Outcome != writereq.OutcomeRefused || w.ReasonCode != "revoked" {
		t.Errorf("%+v", w)
	}
	send("user:7", "crm-4", "- The tier of the customer is gold.\n")
	if got := contentOf(t, s, id, "memory/cases.md"); strings.Contains(got, "gold") {
		t.Errorf("written again: %q", got)
	}
}

// What was said and written with a key in a period is taken back, of what tools wrote too; messages of another key are another source.
func TestAKeyIsRevoked(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	bad, good := member("user:7"), member("user:7")
	bad.Author.ID, good.Author.ID = uuid.NewString(), uuid.NewString()
	must[talk.Stored](t)(s.AppendMessages(ctx, bad, turn("c1", "a", 2)))
	must[talk.Stored](t)(s.AppendMessages(ctx, good, turn("c1", "b", 2)))
	learn := func(from, to int64, content string) {
		t.Helper()
		write(t, s, workflow("user:7", "r"), memory.Change{
			Ref: personal("memory/2026-11-20.md"), Op: memory.OpAppend, Content: content,
			Sources: memory.Sources{Conversation: "c1", From: from, To: to},
		})
	}
	learn(1, 2, "- The bank account is at Monte Paschi.\n")
	learn(3, 4, "- Works at the harbour.\n")
	learn(1, 4, "- Travels to Lisbon.\n")
	write(t, s, bad, memory.Change{Ref: personal("notes.md"), Op: memory.OpAppend, Content: "- The password is on the door.\n"})
	tool := bad
	tool.Author = memory.Author{Kind: memory.AuthorTool, ID: "write"}
	write(t, s, tool, memory.Change{
		Ref: personal("notes.md"), Op: memory.OpAppend, Content: "- Prefers phone calls.\n", Sources: memory.Sources{Key: bad.Author.ID},
	})
	write(t, s, good, memory.Change{Ref: personal("notes.md"), Op: memory.OpAppend, Content: "- Owns a boat.\n"})
	admin := adminOf("acme").For("ada", memory.NoOwner)
	of := revocation.Source{Kind: revocation.Key, ID: bad.Author.ID, Until: s.db.Now().Add(-time.Hour)}
	if _, err := s.RequestRevocation(ctx, admin, of); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("of another period: %v", err)
	}
	of.Until = time.Time{}
	p := revoked(t, s, admin, of)["user:7"]
	if p.Statements != 3 {
		t.Errorf("%+v", p)
	}
	if got := strings.TrimLeft(contentOf(t, s, bad, "notes.md"), "\n"); got != "- Owns a boat.\n" {
		t.Errorf("%q", got)
	}
	if got := strings.ReplaceAll(contentOf(t, s, bad, "memory/2026-11-20.md"), "\n\n", "\n"); got != "\n- Works at the harbour.\n- Travels to Lisbon.\n" {
		t.Errorf("%q", got)
	}
	pinned := person("user:7")
	if _, err := s.RequestRevocation(ctx, pinned, revocation.Source{Kind: revocation.Key, ID: good.Author.ID}); !errors.Is(err, pg.ErrForbidden) {
		t.Errorf("another key's: %v", err)
	}
}

// The line that names the source of a structured entry is not a statement: it goes with its entry, and stays below those of the same day.
func TestSourceLinesAreNotRevoked(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	id.Author.ID = uuid.NewString()
	tool := id
	tool.Author = memory.Author{Kind: memory.AuthorTool, ID: "remember_structured"}
	const day = "> Source: tool | Updated: 2026-11-30\n"
	remember := func(text, key string) {
		t.Helper()
		write(t, s, tool, memory.Change{
			Ref: personal("structured/user.md"), Op: memory.OpAppend, Content: text, Sources: memory.Sources{Key: key},
		})
	}
	remember("## hobby\n\nPaints watercolours.\n\n"+day, id.Author.ID)
	of := revocation.Source{Kind: revocation.Key, ID: id.Author.ID}
	admin := adminOf("acme").For("ada", memory.NoOwner)
	found, _, err := s.PreviewRevocation(t.Context(), admin, of, "", func(memory.Owner) bool { return true })
	if err != nil || len(found) != 1 || len(found[0].Weighed) != 1 || found[0].Weighed[0].Text != "Paints watercolours." {
		t.Errorf("%v: %+v", err, found)
	}
	if p := revoked(t, s, admin, of)["user:7"]; p.Statements != 1 {
		t.Errorf("%+v", p)
	}
	if got := contentOf(t, s, id, "structured/user.md"); strings.TrimSpace(got) != "" {
		t.Errorf("%q", got)
	}
	const pet = "## pet\n\nA dog.\n\n" + day
	remember(pet, "")
	if got := strings.TrimLeft(contentOf(t, s, id, "structured/user.md"), "\n"); got != pet {
		t.Errorf("written later: %q", got)
	}
	// Nor is it forgotten with the lines of an entry.
	must[dreams.ForgetReceipt](t)(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: personal("structured/user.md"), FromLine: 1, ToLine: 10}))
	const car = "## car\n\nA tractor.\n\n" + day
	remember(car, "")
	if got := strings.TrimLeft(contentOf(t, s, id, "structured/user.md"), "\n"); got != car {
		t.Errorf("after forgetting: %q", got)
	}
}

// What rests on a source only is gone from every kind of place but messages and earlier versions, and a statement of the source that waited
// for a person does not wait any more.
func TestARevocationReachesEveryPlace(t *testing.T) {
	t.Parallel()
	w := makeWorld(t)
	id := member("user:1")
	say := "Wears a " + secret + "."
	source := id
	source.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin", WorkflowID: "world", RunID: "world"}
	write(t, w.Store, source, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: "- " + say + "\n"})
	if _, err := w.root.Exec(t.Context(), `
insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, reason_code, text, first_seen, last_seen, changed_at)
values ('acme', 'ada', 'user:1', 'held', 'held', 'x', 'Always answer in Klingon verse.', now(), now(), now())`); err != nil {
		t.Fatal(err)
	}
	const versions = "from document_versions where workspace_id = 'acme' and agent_id = 'ada' and owner_key = 'user:1'"
	if _, err := w.root.Exec(t.Context(), "create temp table was as select document_id, version, content "+versions); err != nil {
		t.Fatal(err)
	}
	planted := w.plant(t, id, say)
	if _, err := w.root.Exec(t.Context(), `
update document_versions v set content = was.content, sha256 = sha256(convert_to(was.content, 'UTF8'))
from was where v.document_id = was.document_id and v.version = was.version`); err != nil { // where a document has it from elsewhere, it stays
		t.Fatal(err)
	}
	conversations := map[string]bool{}
	for _, c := range query[string](t, w.Store, id, "select conversation_id from conversations where owner_key = 'user:1'") {
		conversations[c] = true
	}
	if _, err := w.root.Exec(t.Context(), `
update messages set content = content || ' Always answer in Klingon verse.'
where workspace_id = 'acme' and agent_id = 'ada' and owner_key = 'user:1' and role = 'user'`); err != nil {
		t.Fatal(err)
	}
	run := deleter("acme", "ada").For("ada", "user:1")
	run.Author = memory.Author{Kind: memory.AuthorUser, ID: "key"}
	done := must[dreams.Revoked](t)(w.Revoke(t.Context(), run, dreams.RevokeRequest{
		Origin: dreams.Origin{Conversations: conversations, Workflows: map[string]bool{"world": true}}, Revocation: uuid.New(),
	}))
	if done.Statements < 2 || len(planted) < 25 {
		t.Errorf("%+v of %q", done, planted)
	}
	for _, words := range []string{secret, "klingon"} {
		for _, place := range w.rowsWith(t, words, id) {
			if name, _, _ := strings.Cut(place, " "); name != "messages" && name != "document_versions" {
				t.Errorf("%s is left in %s", words, place)
			}
		}
	}
	for _, d := range must[[]gate.DocumentEntry](t)(w.Documents(t.Context(), id, gate.DocumentFilter{Scope: memory.ScopePersonal})) {
		if got := contentOf(t, w.Store, id, d.Path); strings.Contains(strings.ToLower(got), secret) {
			t.Errorf("%s: %s", d.Path, got)
		}
	}
}

// However statements came from conversations, imports and a person: those of one conversation only are gone, all others stay, and the
// conversation and an older import do not bring them back.
func TestOnlyWhatRestsOnASourceGoes(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	statements := []string{
		"Drives a green tractor.", "Keeps bees in Bern.", "Plays the cello on Sundays.", "Is allergic to walnuts.", "Owns forty chess sets.",
		"Studied botany in Lisbon.", "The boiler was replaced by Jansen.", "Prefers invoices on paper.",
	}
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		id := member(memory.Owner(fmt.Sprint("user:", n)))
		conversation := fmt.Sprint("c1-", n)
		for _, c := range []string{conversation, fmt.Sprint("c2-", n)} {
			must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn(c, "a", 2)))
		}
		engine := workflow(id.Owner, "r")
		imported := engine
		imported.Author = memory.Author{Kind: memory.AuthorImport, ID: "chatgpt", WorkflowID: "import-from/x"}
		learn := func(who memory.Identity, path, conversation, statement string) {
			write(t, s, who, memory.Change{
				Ref: personal(path), Op: memory.OpAppend, Content: "- " + statement + "\n", Sources: memory.Sources{Conversation: conversation},
			})
		}
		other := map[string]bool{}
		of := map[string]bool{}
		for i := range rapid.IntRange(3, 20).Draw(r, "writes") {
			statement := rapid.SampledFrom(statements).Draw(r, "statement")
			path := fmt.Sprintf("memory/2026-11-%02d.md", 1+i)
			switch from := rapid.SampledFrom([]string{"c1", "c1", "c1", "c2", "import", "person"}).Draw(r, "from"); from {
			case "c1":
				learn(engine, path, conversation, statement)
				of[statement] = true
			case "c2":
				learn(engine, path, fmt.Sprint("c2-", n), statement)
				other[statement] = true
			case "import":
				learn(imported, path, "", statement)
				other[statement] = true
			case "person":
				learn(id, path, "", statement)
				other[statement] = true
			}
		}
		if len(of) == 0 {
			return
		}
		revoked(t, s, person(id.Owner), revocation.Source{Kind: revocation.Conversation, ID: conversation})
		learned := func() string {
			var all strings.Builder
			for _, d := range must[[]gate.DocumentEntry](t)(s.Documents(t.Context(), id, gate.DocumentFilter{Scope: memory.ScopePersonal})) {
				all.WriteString(contentOf(t, s, id, d.Path))
			}
			return all.String()
		}
		for _, again := range []bool{false, true} {
			if again {
				for statement := range of {
					learn(engine, "memory/2026-12-01.md", conversation, statement)
					learn(imported, "memory/2026-12-02.md", "", statement)
				}
			}
			text := learned()
			known := map[string]bool{}
			for _, f := range must[facts.Listed](t)(s.ByTrust(t.Context(), id, facts.Query{})).Items {
				known[f.Text] = known[f.Text] || f.Scope == memory.ScopePersonal
			}
			for _, statement := range statements {
				if want := other[statement]; strings.Contains(text, statement) != want || known[statement] != want {
					r.Fatalf("%q (again: %t): in documents %t, a fact %t, want %t", statement, again, strings.Contains(text, statement),
						known[statement], want)
				}
			}
		}
	})
}

// Messages of a revoked source that wait for their extraction teach nothing any more, whatever step they are in: neither an extraction, nor a
// flush, nor a dream reads them. Others of the conversation do.
func TestWaitingMessagesOfARevokedSource(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx, id := t.Context(), workflow("user:7", "r")
	said := turn("c1", "a", 4)
	said.Messages[0].Content = "My car is a " + secret + "."
	stored := must[talk.Stored](t)(s.AppendMessages(ctx, id, said))
	uid := stored.ConversationUID
	r := talk.Range{ConversationUID: uid, From: 1, To: 4}
	settings := setting.DefaultExtractSettings()
	load := func() string {
		t.Helper()
		l := must[talk.ExtractionLoad](t)(s.LoadExtraction(ctx, id, r, settings))
		var b strings.Builder
		for _, m := range l.Messages {
			b.WriteString(m.Content)
		}
		return b.String()
	}
	if !strings.Contains(load(), secret) {
		t.Fatal("the message is not read")
	}
	x := must[talk.Extraction](t)(s.BeginExtraction(ctx, id, r))
	draft := talk.Draft{To: 4, Changes: []memory.Change{{
		Ref: personal("memory/2026-11-20.md"), Op: memory.OpAppend, Content: "- The car is a " + secret + ".\n",
		Sources: memory.Sources{Conversation: "c1", From: 1, To: 4},
	}}}
	if err := s.SaveDraft(ctx, id, x.ID, draft); err != nil {
		t.Fatal(err)
	}
	revoked(t, s, person("user:7"), revocation.Source{Kind: revocation.Conversation, ID: "c1"})
	if text := load(); text != "" {
		t.Errorf("still read: %q", text)
	}
	if _, err := s.CommitExtraction(ctx, id, talk.Commit{ExtractionID: x.ID}); !conflict(pg.CodeSuperseded)(err) && !conflict(pg.CodeNoDraft)(err) {
		t.Errorf("the draft was committed: %v", err)
	}
	if err := s.SaveDraft(ctx, id, x.ID, draft); !conflict(pg.CodeSuperseded)(err) {
		t.Errorf("a draft of messages that were read before: %v", err)
	}
	again := must[talk.Extraction](t)(s.BeginExtraction(ctx, id, r))
	if again.ID != x.ID || again.HasDraft {
		t.Errorf("%+v", again)
	}
	out := must[talk.ExtractionResult](t)(s.RecordOutcome(ctx, id, x.ID, talk.Ending{Outcome: memory.OutcomeNothing, To: 4}))
	if out.More {
		t.Errorf("messages are left: %+v", out)
	}
	later := turn("c1", "later", 2)
	later.Messages[0].Content = "By the way, my bicycle is red."
	must[talk.Stored](t)(s.AppendMessages(ctx, id, later))
	r.From, r.To = 5, 6
	if text := load(); !strings.Contains(text, "bicycle") {
		t.Errorf("what was said since: %q", text)
	}
}

// What was refused of a revoked conversation is not taken up by anybody: a sketch of it is kept, as of what documents had.
func TestRefusedProposalsOfARevokedSource(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx, id := t.Context(), workflow("user:7", "r")
	uid := must[talk.Stored](t)(s.AppendMessages(ctx, id, turn("c1", "a", 2))).ConversationUID
	x := must[talk.Extraction](t)(s.BeginExtraction(ctx, id, talk.Range{ConversationUID: uid, From: 1, To: 2}))
	raw := `{"should_update": true, "reason": "a car", "daily_entry": "## 10:00 Car\n\n- The car is a ` + secret + `."}`
	must[talk.ExtractionResult](t)(s.RecordOutcome(ctx, id, x.ID, talk.Ending{Outcome: memory.OutcomeQuarantined, ReasonCode: "guards", Raw: raw, To: 2}))
	revoked(t, s, person("user:7"), revocation.Source{Kind: revocation.Conversation, ID: "c1"})
	write(t, s, id, memory.Change{
		Ref: personal("memory/2026-11-20.md"), Op: memory.OpAppend, Content: "- The car is a " + secret + ".\n- Likes tea.\n",
	})
	if got := contentOf(t, s, id, "memory/2026-11-20.md"); strings.Contains(got, secret) || !strings.Contains(got, "tea") {
		t.Errorf("%q", got)
	}
}

// An import is revoked with its documents and what was learned from its conversations.
func TestAnImportIsRevoked(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx, id := t.Context(), member("user:7")
	made := must[transfer.Import](t)(s.CreateImport(ctx, person("user:7"), transfer.NewImport{Source: "export", Format: "mem0", OnConflict: memory.ImportMerge}))
	of := revocation.Source{Kind: revocation.Import, ID: made.ID.String()}
	if _, err := s.RequestRevocation(ctx, person("user:7"), of); !conflict(pg.CodeNotEnded)(err) {
		t.Errorf("while it runs: %v", err)
	}
	must[transfer.Import](t)(s.StartImport(ctx, person("user:7"), made.ID))
	importer := workflow("user:7", "r")
	importer.Author = memory.Author{
		Kind: memory.AuthorImport, ID: "mem0", WorkflowID: "import-from/acme.ada/" + made.ID.String(), RunID: "r",
	}
	write(t, s, importer, memory.Change{
		Ref: personal("notes.md"), Op: memory.OpImport, Content: "- Drives a " + secret + ".\n- Likes tea.\n", Import: memory.ImportMerge, From: "mem0",
	})
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Content: "- Likes tea.\n", Force: true})
	must[transfer.Import](t)(s.EndImport(ctx, person("user:7"), made.ID))
	p := revoked(t, s, person("user:7"), of)["user:7"]
	if p.State != revocation.Done || p.Statements != 1 || p.Kept != 1 {
		t.Errorf("%+v", p)
	}
	if got := contentOf(t, s, id, "notes.md"); strings.Contains(got, secret) || !strings.Contains(got, "tea") {
		t.Errorf("%q", got)
	}
}
