package chat

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"reverie/facts/conflict"
	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/language/sentence"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/scan"
	"reverie/search"
	"reverie/store"
	storefacts "reverie/store/facts"
	"reverie/window"
)

// question is a form of questions for an attribute of somebody.
type question struct {
	pattern *lazyregexp.Regexp
	// answer is a statement about the subject that the pattern finds. Questions of this form ask for its claims. Without a
	// subject it is about the user.
	answer string
}

// Answers in English, for questions in any language about the user.
const (
	answerJob      = "I work as a nurse. I'm a nurse. I work at Siemens."
	answerEmployer = "I work at Siemens. I work as a nurse."
	answerName     = "My name is Nora."
)

// questions are the forms of questions in English, German, Spanish, French and Chinese, without marks at the end.
var questions = []question{
	{lazyregexp.New(`(?i)^what(?:'s|’s| is| are| do| did)? (?:i (?:do|work as)(?: for (?:a living|work)| professionally)?|my (?:current )?(?:job|` +
		`profession|occupation|line of work))(?: for a living)?$|^what kind of (?:work|job) do i (?:do|have)$`), answerJob},
	{lazyregexp.New(`(?i)^(?:where do i work|(?:who|whom|which company) do i work (?:for|at)|who(?:'s|’s| is) my employer)$`), answerEmployer},
	{
		lazyregexp.New(`(?i)^where(?: do| does)? (.+?) (?:live|lives|reside)(?: now)?$|^(?:which|what) (?:city|town|country|place) (?:do|does) (.+?) live in$`),
		"$1$2 lives in Oslo.",
	},
	{lazyregexp.New(`(?i)^where (?:does) (.+?) work$`), "$1 works at Siemens."},
	{lazyregexp.New(`(?i)^how old (?:am|is|are) (.+)$|^what(?:'s|’s| is) (my) age$`), "$1$2 is 30."},
	{lazyregexp.New(`(?i)^(?:what(?:'s|’s| is) my (?:full |first )?name|what am i called)$`), answerName},
	{
		lazyregexp.New(`(?i)^(?:who(?:'s|’s| is)|what(?:'s|’s| is) the name of) (my .+)$|^what(?:'s|’s| is) (my .+?)(?: called|(?:'s|’s) name)$`),
		"$1$2 is called Nora.",
	},

	{lazyregexp.New(`(?i)^(?:was (?:ist|war) mein (?:aktueller )?(?:beruf|job)|was (?:mache|arbeite|bin) ich (?:beruflich|von beruf)|als was arbeite ich|` +
		`welchen (?:beruf|job) habe ich|was arbeite ich)$`), answerJob},
	{lazyregexp.New(`(?i)^(?:wo|bei wem|für wen) arbeite ich$|^wer ist mein arbeitgeber$`), answerEmployer},
	{lazyregexp.New(`(?i)^(?:wo|in welcher stadt|in welchem ort) (?:wohn|leb)(?:e|t|en) (.+?)(?: jetzt| zur ?zeit)?$`), "$1 wohnt in Oslo."},
	{lazyregexp.New(`(?i)^wo arbeitet (.+)$`), "$1 arbeitet bei Siemens."},
	{lazyregexp.New(`(?i)^wie alt (?:bin|ist|sind) (.+)$`), "$1 ist 30 Jahre alt."},
	{lazyregexp.New(`(?i)^(?:wie (?:heiße|heisse) ich|wie (?:ist|lautet) mein name)$`), answerName},
	{lazyregexp.New(`(?i)^(?:wer ist|wie (?:heißt|heisst)) (meine?\S* .+)$`), "$1 heißt Nora."},

	{
		lazyregexp.New(`(?i)^(?:(?:cuál|cual) es mi (?:trabajo|profesión|profesion|oficio|empleo)|(?:en|de) (?:qué|que) trabajo|a (?:qué|que) me dedico)$`),
		answerJob,
	},
	{lazyregexp.New(`(?i)^(?:(?:dónde|donde) trabajo|para (?:quién|quien) trabajo)$`), answerEmployer},
	{lazyregexp.New(`(?i)^(?:dónde|donde|en (?:qué|que) ciudad) (?:vivo|vive|viven)(?: (.+))?$`), "$1 vive en Oslo."},
	{lazyregexp.New(`(?i)^(?:cuántos|cuantos) años (?:tengo|tiene)(?: (.+))?$|^(?:cuál|cual) es (mi) edad$`), "$1$2 tiene 30 años."},
	{lazyregexp.New(`(?i)^(?:(?:cómo|como) me llamo|(?:cuál|cual) es mi nombre)$`), answerName},
	{lazyregexp.New(`(?i)^(?:quién|quien) es (mi .+)$|^(?:cómo|como) se llama (mi .+)$`), "$1$2 se llama Nora."},

	{lazyregexp.New(`(?i)^(?:quel(?:le)? est m(?:on|a) (?:métier|metier|profession|travail|emploi|job)|` +
		`qu(?:e fais-je|'est-ce que je fais|’est-ce que je fais)` +
		`(?: dans la vie| comme (?:métier|travail))|je fais quoi dans la vie)$`), answerJob},
	{lazyregexp.New(`(?i)^(?:où|ou) (?:est-ce que je travaille|je travaille|travaillé-je)$|^pour qui (?:est-ce que )?je travaille$`), answerEmployer},
	{lazyregexp.New(`(?i)^(?:où|ou|dans quelle ville) (?:est-ce que )?(?:j['’]habite|je vis|habité-je|(?:habite|vit) (.+))$|` +
		`^(?:j['’]habite|je vis) (?:où|ou)$`), "$1 habite à Oslo."},
	{lazyregexp.New(`(?i)^quel (?:âge|age) (?:ai-je|est-ce que j['’]ai|j['’]ai|a (.+))$`), "$1 a 30 ans."},
	{lazyregexp.New(`(?i)^(?:comment (?:est-ce que )?je m['’]appelle|quel est mon (?:pré)?nom)$`), answerName},
	{lazyregexp.New(`(?i)^qui est (m(?:a|on) .+)$|^comment s['’]appelle (m(?:a|on) .+)$`), "$1$2 s'appelle Nora."},

	{lazyregexp.New(`^我的(?:工作|职业|職業)是(?:什么|什麼|啥)$|^我是(?:做什么|做什麼|干什么|干嘛)(?:工作)?的$|^我(?:做|从事)(?:什么|什麼)(?:工作|职业)$`), answerJob},
	{lazyregexp.New(`^我在(?:哪里|哪裡|哪儿|哪家公司|哪)(?:工作|上班)$`), answerEmployer},
	{lazyregexp.New(`^(.+?)(?:现在|現在)?住在?(?:哪里|哪裡|哪儿|哪|什么地方|哪个城市|哪座城市)$`), "${1}住在奥斯陆。"},
	{lazyregexp.New(`^(.+?)(?:今年)?(?:几岁|幾歲|多大|多少岁|多少歲)了?$`), "${1}今年30岁。"},
	{lazyregexp.New(`^我(?:叫|的名字(?:是|叫))(?:什么|什麼)(?:名字)?$`), answerName},
	{lazyregexp.New(`^(我的?.+?)(?:是谁|是誰|叫什么|叫什麼)(?:名字)?$`), "${1}叫诺拉。"},
}

// calls matches statements by which people name themselves and that claim nothing else.
var calls = lazyregexp.New(`^(?i:(?:hi|hello|hey|hallo|hola|bonjour)[,!.]? )?(?i:i am|i['’]m|ich bin|je suis|soy|我是) ?` +
	`\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?[.!。]?$`)

// claims holds attributes with their subjects, the most wanted first.
type claims []string

// claimsOf returns what a text claims.
func claimsOf(text string) (all claims) {
	for _, said := range sentence.Split(text) {
		for _, c := range claim.ClaimsOf(said) {
			all = append(all, c.Attribute+"\x00"+c.Subject)
		}
		for _, c := range conflict.Read(said) {
			all = append(all, c.Key)
		}
	}
	return all
}

// askedFor returns what an answer to a question claims; none if it asks for no attribute.
func askedFor(message string) (wanted claims) {
	message = strings.Trim(strings.TrimSpace(message), "¿?？!！.。 \u00a0\u202f")
	for _, q := range questions {
		if q.pattern.MatchString(message) {
			return claimsOf(strings.TrimSpace(q.pattern.ReplaceAllString(message, q.answer)))
		}
	}
	return nil
}

// madeBy returns how much one of the claims that a statement makes is wanted, and 0 if it makes none. name is the user's name, by which
// notes may call them.
func (c claims) madeBy(text, name string) int {
	made := claimsOf(text)
	if name != "" {
		of, self := "\x00"+claim.SubjectOf(name), "\x00"+claim.User
		for i, key := range made {
			made[i] = strings.Replace(key, of, self, 1)
		}
	}
	for i, key := range c {
		if slices.Contains(made, key) {
			return len(c) + 1 - i
		}
	}
	if slices.Contains(c, "name\x00"+claim.User) && calls.MatchString(text) {
		return 1
	}
	return 0
}

// claimed returns the statements of an external memory and of the user's documents that make one of the claims, the most wanted claim
// first. What is not current is left out.
func (t *turning) claimed(ctx context.Context, wanted claims, outside []recall.Hit) (all []quotation, err error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	note, err := t.latestNote(ctx)
	if err != nil {
		return nil, err
	}
	var documents []memory.Document
	var contents []string
	for _, path := range []string{memory.ProfilePath, memory.MemoryPath, note} {
		if path == "" {
			continue
		}
		d, err := t.Store.Document(ctx, t.id, memory.Ref{Scope: t.ownScope(), Path: path})
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		documents, contents = append(documents, d), append(contents, d.Content)
	}
	past, err := t.past(ctx, note, contents)
	if err != nil {
		return nil, err
	}
	facts, err := t.Store.OfDocuments(ctx, t.id, t.ownScope(), memory.ProfilePath, memory.MemoryPath)
	if err != nil && !errors.Is(err, store.ErrFactsOff) {
		return nil, err
	}
	for _, hit := range outside {
		if words := wanted.madeBy(hit.Text, t.userName()); words > 0 {
			all = append(all, quotation{
				quotable: quotableOf(hit, hit.Text, hit.Text, t.now.Location()), source: window.Readable(sourceOf(hit, hit.FromLine)), hit: hit, shown: hit,
				answers: true, words: words,
			})
		}
	}
	for _, d := range documents {
		for _, q := range t.claimedIn(d, wanted, past.of(d.Path, d.Content)) {
			at := slices.IndexFunc(facts, func(f storefacts.Fact) bool { return f.Path == d.Path && f.Entry == q.entry })
			if at >= 0 && q.day.IsZero() {
				q.day = saidOn(facts[at], t.now.Location())
			}
			if !slices.ContainsFunc(all, q.repeats) {
				all = append(all, q.quotation)
			}
		}
	}
	if len(all) == 0 {
		all = t.claimedHere(wanted)
	}
	slices.SortStableFunc(all, func(a, b quotation) int { return b.words - a.words })
	return all[:min(len(all), maxQuoted)], nil
}

// saidOn returns the day on which a statement was said last: that of its messages, if they are older than the version that has it.
func saidOn(f storefacts.Fact, zone *time.Location) time.Time {
	written, seen := f.At.In(zone), f.Evidence.Seen
	if seen.Format(time.DateOnly) < written.Format(time.DateOnly) {
		return time.Date(seen.Year(), seen.Month(), seen.Day(), 0, 0, 0, 0, zone)
	}
	return written
}

// claimedLine is a line of a document that makes a claim.
type claimedLine struct {
	quotation

	entry markdown.EntryID
}

// claimedIn returns those of one document. The more a claim is wanted, the more words of the question count as shared.
func (t *turning) claimedIn(d memory.Document, wanted claims, over func(markdown.Entry) bool) (all []claimedLine) {
	current := markdown.BlankArchive(d.Content)
	for _, e := range markdown.EntriesOf(current) {
		if memory.IsSeedEntry(e.ID) || memory.PersonAt(current, e.FromLine) != t.request.Speaker {
			continue
		}
		scanned := scan.Scan(markdown.WithoutComments(e.Text))
		said := scanned.Text
		if q, is := claim.QuoteOf(said); is {
			said = q.Words
		}
		words := wanted.madeBy(said, t.userName())
		if words == 0 || scanned.Verdict == scan.VerdictQuarantine || over(e) {
			continue
		}
		hit := recall.Hit{
			Corpus: search.Memory, Path: d.Path, FromLine: e.FromLine, ToLine: e.ToLine, Text: e.Text, Snippet: scanned.Text, Score: 1,
			Source: recall.SourceRef{Scope: d.Scope, Agent: d.Agent, Owner: d.Owner, ID: d.ID, Version: d.Version},
		}
		q := quotation{
			quotable: quotableOf(hit, e.Text, scanned.Text, t.now.Location()), source: window.Readable(sourceOf(hit, e.FromLine)), hit: hit, shown: hit,
			by: t.request.Speaker, answers: true, words: words,
		}
		q.person = cmp.Or(q.person, string(q.by))
		all = append(all, claimedLine{q, e.ID})
	}
	return all
}

// claimedHere returns the latest message of the conversation in which the user makes one of the claims, until an extraction takes it into
// memory.
func (t *turning) claimedHere(wanted claims) (all []quotation) {
	for _, m := range slices.Backward(t.statedHere()) {
		for _, said := range sentence.Split(m.Content) {
			if words := wanted.madeBy(said, ""); words > 0 {
				hit := recall.Hit{
					Corpus: search.Sessions, Path: recall.SessionsFolder + t.request.Conversation, Message: m, At: m.CreatedAt, Text: m.Content, Snippet: said,
					FromLine: int(m.Seq), ToLine: int(m.Seq), Source: recall.SourceRef{Conversation: t.request.Conversation, Owner: t.id.Owner}, Score: 1,
				}
				return []quotation{{
					quotable: quotableOf(hit, said, scan.Redacted(said), t.now.Location()), source: window.Readable(sourceOf(hit, hit.FromLine)),
					hit: hit, shown: hit,
					by: t.request.Speaker, answers: true, words: words,
				}}
			}
		}
	}
	return nil
}
