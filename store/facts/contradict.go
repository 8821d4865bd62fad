package facts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/facts/conflict"
	"reverie/memory"
	"reverie/store/pg"
)

// Deriving facts finds the contradictions of new statements. The statements of one person are compared with one another and with those
// of the team. A reader who derives a document of the team sees at most one person. A negative mark leaves the other people, and
// superseded statements, to the worker.

const (
	sqlClaims = `
insert into fact_claims (workspace_id, agent_id, scope, owner_key, claim, document_id, entry_id, said)
select @workspace, @agent, @scope, @owner, n.claim, @document, n.entry_id, n.said
from unnest(@claims::text[], @entries::text[], @saids::jsonb[]) n (claim, entry_id, said)
on conflict do nothing`

	// Claims that a reader has derived and that are still to be compared with those of other people.
	sqlUncompared = `
select c.claim, c.entry_id
from facts f
cross join lateral (
    select claim, entry_id
    from fact_claims c
    where c.workspace_id = @workspace and c.agent_id = @agent and c.document_id = @document and c.entry_id = f.entry_id
    limit 20
) c
where f.workspace_id = @workspace and f.agent_id = @agent and f.document_id = @document and f.scope = @scope and f.owner_key = @owner
    and f.ended is null and f.version >= @since`

	rivalColumns = `
    select f.fact_id, f.scope, f.owner_key, f.entry_id, f.day, f.at, f.version, f.source, f.text, f.heading
    from facts f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.ended is null `

	// Statements with the same claims in the documents of the same people, and of the team or of persons. A claim of lists has none.
	sqlRivals = `
select c.claim, c.said, a.fact_id, a.scope, a.owner_key, a.entry_id, a.day, a.at, a.version, a.source,
    a.text, a.heading, o.said, b.fact_id, b.scope, b.owner_key, b.entry_id, b.day, b.at, b.version, b.source, b.text, b.heading
from unnest(@documents::uuid[], @entries::text[]) e (document_id, entry_id)
cross join lateral (
    select claim, said, document_id, entry_id
    from fact_claims c
    where c.workspace_id = @workspace and c.agent_id = @agent and c.document_id = e.document_id and c.entry_id = e.entry_id
        and not starts_with(c.claim, 't') and c.claim <> all (@lists::text[])
    limit 10
) c
cross join unnest(@scopes::text[], @owners::text[]) p (scope, owner)
cross join lateral (
    select document_id, entry_id, said
    from fact_claims o
    where o.workspace_id = @workspace and o.agent_id = @agent and o.scope = p.scope and o.claim = c.claim
        and (p.owner is null or o.owner_key = p.owner) and o.entry_id <> c.entry_id
    order by o.owner_key, o.document_id, o.entry_id
    limit @limit
) o
cross join lateral (` + rivalColumns + `and f.document_id = c.document_id and f.entry_id = c.entry_id
    limit 1
) a
cross join lateral (` + rivalColumns + `and f.document_id = o.document_id and f.entry_id = o.entry_id
    limit 1
) b
order by e.entry_id, b.entry_id`

	// Statements with common topics, ordered by the rarity of these topics.
	sqlTopical = `
select o.own, a.fact_id, a.scope, a.owner_key, a.entry_id, a.day, a.at, a.version, a.source, a.text, a.heading,
    o.said, b.fact_id, b.scope, b.owner_key, b.entry_id, b.day, b.at, b.version, b.source, b.text, b.heading
from unnest(@entries::text[]) e (entry_id)
cross join lateral (
    select o.document_id, o.entry_id, min(o.own::text)::jsonb as own, min(o.said::text)::jsonb as said, sum(o.rarity) as common
    from (
        select o.document_id, o.entry_id, c.said as own, o.said, 1 / sqrt(count(*) over (partition by c.claim)) as rarity
        from (
            select claim, said
            from fact_claims c
            where c.workspace_id = @workspace and c.agent_id = @agent and c.document_id = @document and c.entry_id = e.entry_id
                and starts_with(c.claim, 't')
            limit @topics
        ) c
        cross join unnest(@scopes::text[], @owners::text[]) p (scope, owner)
        cross join lateral (
            select document_id, entry_id, said
            from fact_claims o
            where o.workspace_id = @workspace and o.agent_id = @agent and o.scope = p.scope and o.claim = c.claim
                and (p.owner is null or o.owner_key = p.owner) and o.entry_id <> e.entry_id
            limit @common
        ) o
    ) o
    group by o.document_id, o.entry_id
    order by sum(o.rarity) desc, o.entry_id
    limit @limit
) o
cross join lateral (` + rivalColumns + `and f.document_id = @document and f.entry_id = e.entry_id
    limit 1
) a
cross join lateral (` + rivalColumns + `and f.document_id = o.document_id and f.entry_id = o.entry_id
    limit 1
) b
order by e.entry_id, o.common desc, b.entry_id`

	// Earlier decisions about the same values in any words.
	sqlDecided = `
select k.contradiction_id, k.meaning_a, k.meaning_b, k.resolution, k.resolved_at
from unnest(@scopes::text[], @owners::text[], @meanings_a::text[], @meanings_b::text[]) n (scope, owner, a, b)
cross join lateral (
    select *
    from fact_contradictions k
    where k.workspace_id = @workspace and k.agent_id = @agent and k.meaning_a = n.a and k.meaning_b = n.b and k.scope = n.scope
        and k.owner_key = n.owner and k.resolution in ('KEEP_A', 'KEEP_B', 'MERGE', 'IGNORE')
    order by resolved_at desc
    limit 1
) k`

	sqlContradiction = `
insert into fact_contradictions (workspace_id, agent_id, scope, owner_key, contradiction_id, scope_a, entry_a, fact_a, scope_b, entry_b,
    fact_b, meaning_a, meaning_b, why, claim_hash, found_at, resolution, resolved_at)
select @workspace, @agent, n.scope, n.owner_key, n.id, n.scope_a, n.entry_a, n.fact_a, n.scope_b, n.entry_b, n.fact_b, n.meaning_a,
    n.meaning_b, n.why, n.claim_hash, @now, n.resolution, case when n.resolution <> '' then @now::timestamptz end
from unnest(@row_scopes::text[], @row_owners::text[], @ids::uuid[], @scopes_a::text[], @entries_a::text[], @facts_a::uuid[],
    @scopes_b::text[], @entries_b::text[], @facts_b::uuid[], @meanings_a::text[], @meanings_b::text[], @whys::text[], @claim_hashes::text[],
    @resolutions::text[]) n (scope, owner_key, id, scope_a, entry_a, fact_a, scope_b, entry_b, fact_b, meaning_a, meaning_b, why,
    claim_hash, resolution)
on conflict (workspace_id, agent_id, contradiction_id) do update set
    scope_a = excluded.scope_a, entry_a = excluded.entry_a, fact_a = excluded.fact_a, scope_b = excluded.scope_b,
    entry_b = excluded.entry_b, fact_b = excluded.fact_b, meaning_a = excluded.meaning_a, meaning_b = excluded.meaning_b,
    claim_hash = excluded.claim_hash,
    found_at = excluded.found_at, resolution = excluded.resolution, resolved_at = excluded.resolved_at, author_kind = '', author_id = ''
where excluded.contradiction_id = any (@anew::uuid[])
    or fact_contradictions.resolution = 'DOUBTFUL' and excluded.resolution <> 'DOUBTFUL'`
)

const (
	// rivalsAtMost is the number of statements with the same claim that a new one is compared with.
	rivalsAtMost = 100
	// topicalAtMost is the number of statements with common topics that a new one is compared with, and commonAtMost the number of those
	// with one topic among which they are chosen.
	topicalAtMost = 10
	commonAtMost  = 60
	// doubtfulAtMost bounds the pairs of one statement that are left to a model. With 2, 38 instead of 28 of the 120 contradictions of
	// blind.jsonl are selected, in 576 instead of 336 pairs.
	doubtfulAtMost = 1
)

// claimed is a claim of a statement as it is stored.
type claimed struct {
	claim, entry string
	said         []byte
}

// claimsOf returns the claims of a statement, and its topics if topics is set.
func claimsOf(s facts.Statement, topics bool) (out []claimed) {
	if s.Archived { // it is not current
		return nil
	}
	for _, c := range conflict.ReadUnder(s.Text, s.Under, s.Heading) {
		said, err := json.Marshal(c)
		if err != nil {
			continue
		}
		key := hashed(c.Key)
		if c.User() {
			key = claimOfUser + key
		}
		out = append(out, claimed{key, string(s.Entry), said})
	}
	said, err := json.Marshal(topical{s.Under})
	if err != nil || !topics {
		return out
	}
	for _, topic := range conflict.StatementOf(s.Text, s.Under, s.Heading).Topics() {
		out = append(out, claimed{claimOfTopic + hashed(topic), string(s.Entry), said})
	}
	return out
}

func hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// topical is kept with the topics of a statement.
type topical struct {
	Under string `json:"u,omitempty"` // the statement above
}

// claimOfTopic begins the topics of statements among the claims.
const claimOfTopic = "t"

// claimOfUser begins the claims about the user: in documents of the team it is unknown who that is.
const claimOfUser = "u"

// firstMark returns the first mark that deriving a document removes. An identity that maintains every owner also removes negative marks.
func (d Document) firstMark(id memory.Identity) int {
	if pg.IsTender(id) {
		return -1 << 31
	}
	return 0
}

// rival is a statement that may contradict another one.
type rival struct {
	said    []byte
	fact    uuid.UUID
	scope   memory.Scope
	owner   memory.Owner
	entry   string
	day, at time.Time
	version int
	source  facts.Source

	text, heading string
}

func (r *rival) columns() []any {
	return []any{&r.said, &r.fact, &r.scope, &r.owner, &r.entry, &r.day, &r.at, &r.version, &r.source, &r.text, &r.heading}
}

// before reports whether a statement is the older one.
func (r rival) before(o rival) bool {
	if !r.day.Equal(o.day) {
		return r.day.Before(o.day)
	}
	return r.at.Before(o.at)
}

// isOfOther reports whether two statements are of different persons of a group, in their sections.
func (r rival) isOfOther(o rival) bool {
	mine, one := strings.CutPrefix(r.heading, memory.PersonHeading)
	theirs, other := strings.CutPrefix(o.heading, memory.PersonHeading)
	return one && other && mine != theirs
}

// byPerson reports whether a person wrote or said it.
func (r rival) byPerson() bool { return r.source.OfPerson() }

// contradict sends b and records the contradictions of new statements, and of statements that are no longer in a list.
func (d Document) contradict(ctx context.Context, t *pg.Tx, b *pgx.Batch, n *news, derived int) error {
	if d.Scope == memory.ScopeGlobal {
		return nil
	}
	scopes, owners := []string{string(d.Scope)}, []*string{new(string)}
	*owners[0] = string(d.Owner)
	other := string(t.ID.Owner)
	withOthers := d.Scope == memory.ScopePersonal || pg.IsTender(t.ID) // else the worker compares with other people
	switch {
	case d.Scope == memory.ScopePersonal:
		scopes, owners = append(scopes, string(memory.ScopeTeam)), append(owners, new(string))
	case pg.IsTender(t.ID):
		scopes, owners = append(scopes, string(memory.ScopePersonal)), append(owners, nil)
		if n.since > 0 {
			var left []claimed
			pg.All(b.Queue(sqlUncompared, d.args(t, pgx.NamedArgs{"since": n.since})), &left, scanClaimed)
			if err := t.Send(ctx, b); err != nil {
				return err
			}
			*b = pgx.Batch{}
			n.fresh = append(n.fresh, left...)
		}
	default:
		if other != "" {
			scopes, owners = append(scopes, string(memory.ScopePersonal)), append(owners, &other)
		}
		if len(n.fresh) > 0 {
			d.queueLeft(b, t, derived)
		}
	}
	if len(n.fresh)+len(n.gone) == 0 && !n.asked {
		return nil
	}
	lists, sides, err := n.lists(ctx, t, b, d, !withOthers)
	if err != nil {
		return err
	}
	found := false
	var claims []pair
	args := d.args(t, pgx.NamedArgs{"lists": lists, "scopes": scopes, "owners": owners, "limit": rivalsAtMost})
	args["documents"], args["entries"] = columnsOf(sides)
	pg.WithRow(b.Queue(sqlRivals, args), &found, func(row pgx.CollectableRow) error {
		var claim string
		var is, was rival
		if err := row.Scan(append(append([]any{&claim}, is.columns()...), was.columns()...)...); err != nil {
			return err
		}
		p, contradict, err := pairOf(claim, was, is)
		if contradict {
			claims = append(claims, p)
		}
		return err
	})
	var doubtful []pair
	if t.PairsJudged {
		worded, left := worded{}, map[string]int{} // left: pairs that are left to a model, by the new statement
		args = d.args(t, pgx.NamedArgs{
			"entries": n.unlisted(lists), "scopes": scopes, "owners": owners, "topics": conflict.MaxTopics, "common": commonAtMost,
			"limit": topicalAtMost,
		})
		pg.WithRow(b.Queue(sqlTopical, args), &found, func(row pgx.CollectableRow) error {
			var is, was rival
			if err := row.Scan(append(is.columns(), was.columns()...)...); err != nil {
				return err
			}
			p, isDoubtful, err := worded.pairOf(was, is)
			known := func(k pair) bool { return k.id == p.id }
			if !isDoubtful || left[is.entry] == doubtfulAtMost || slices.ContainsFunc(claims, known) || slices.ContainsFunc(doubtful, known) {
				return err
			}
			left[is.entry]++
			doubtful = append(doubtful, p)
			return nil
		})
	}
	if err := t.Send(ctx, b); err != nil {
		return err
	}
	*b = pgx.Batch{}
	if len(claims)+len(doubtful) == 0 {
		return nil
	}
	var c contradictions
	for _, p := range slices.Concat(claims, doubtful) {
		c.add(p)
		c.add(p.turned())
	}
	var decided []decision
	pg.All(b.Queue(sqlDecided, t.Args(pgx.NamedArgs{
		"agent": d.Agent, "scopes": c.scopes, "owners": c.owners, "meanings_a": c.meaningsA, "meanings_b": c.meaningsB,
	})), &decided, pgx.RowToStructByPos[decision])
	listed := queueListed(b, t, d, claims)
	if err := t.Send(ctx, b); err != nil {
		return err
	}
	*b = pgx.Batch{}
	c = contradictions{}
	known := map[uuid.UUID]bool{}
	for _, p := range slices.Concat(slices.DeleteFunc(claims, listed), doubtful) {
		if !known[p.id] {
			p.decide(decided, &c)
		}
		known[p.id] = true
	}
	if len(c.ids) > 0 {
		b.Queue(sqlContradiction, d.args(t, c.args()))
	}
	if slices.Contains(c.resolutions, string(Superseded)) && !pg.IsTender(t.ID) {
		d.queueLeft(b, t, derived)
	}
	return nil
}

// queueLeft queues a mark that leaves a document to the worker, which compares its statements from a version on with those of other
// people and removes superseded statements.
func (d Document) queueLeft(b *pgx.Batch, t *pg.Tx, version int) {
	b.Queue(sqlMark, d.args(t, pgx.NamedArgs{"version": -max(version, 1)}))
}

// pair is two statements that contradict one another, the older one first.
type pair struct {
	id                 uuid.UUID
	a, b               rival
	meaningA, meaningB string
	why                conflict.Why
	claim              string // empty: there is no common one
	resolution         Resolution
}

// decision is the decision about a pair.
type decision struct {
	ID      uuid.UUID
	A, B    string // meanings
	Decided Resolution
	At      time.Time
}

// pairOf reports whether two statements about the same contradict one another.
func pairOf(claim string, was, is rival) (pair, bool, error) {
	if was.scope != is.scope && strings.HasPrefix(claim, claimOfUser) || was.isOfOther(is) {
		return pair{}, false, nil
	}
	if is.before(was) {
		was, is = is, was
	}
	var older, newer conflict.Claim
	if err := json.Unmarshal(was.said, &older); err != nil {
		return pair{}, false, fmt.Errorf("read claim: %w", err)
	}
	if err := json.Unmarshal(is.said, &newer); err != nil {
		return pair{}, false, fmt.Errorf("read claim: %w", err)
	}
	v, found := conflict.Between([]conflict.Claim{older}, []conflict.Claim{newer})
	p := pair{
		id: contradictionID(was, is), a: was, b: is, why: v.Why, claim: claim, resolution: Open,
		meaningA: meaningOf(claim, older), meaningB: meaningOf(claim, newer),
	}
	p.settle(v.Settled)
	return p, found, nil
}

// settle marks a pair as decided if the newer statement says that something has changed. Only a person's statement supersedes a person's
// statement.
func (p *pair) settle(settled bool) {
	if settled && p.a.before(p.b) && (!p.a.byPerson() || p.b.byPerson()) {
		p.resolution = Superseded
	}
}

// worded keeps statements, by owner and entry, that are compared by their words.
type worded map[string]*conflict.Statement

func (w worded) statement(r rival) (*conflict.Statement, error) {
	key := string(r.owner) + "/" + r.entry
	if s := w[key]; s != nil {
		return s, nil
	}
	var about topical
	if err := json.Unmarshal(r.said, &about); err != nil {
		return nil, fmt.Errorf("read topic: %w", err)
	}
	w[key] = conflict.StatementOf(r.text, about.Under, r.heading)
	return w[key], nil
}

// pairOf reports whether two statements may contradict one another.
func (w worded) pairOf(was, is rival) (pair, bool, error) {
	if was.isOfOther(is) {
		return pair{}, false, nil
	}
	if is.before(was) {
		was, is = is, was
	}
	older, err := w.statement(was)
	if err != nil {
		return pair{}, false, err
	}
	newer, err := w.statement(is)
	if err != nil {
		return pair{}, false, err
	}
	if was.scope != is.scope && (older.OfUser() || newer.OfUser() || !conflict.ShareWord(older, newer)) {
		return pair{}, false, nil
	}
	why, may := conflict.MayContradict(older, newer)
	if !may {
		return pair{}, false, nil
	}
	return pair{
		id: contradictionID(was, is), a: was, b: is, why: why, resolution: Doubtful,
		meaningA: hashed(older.Meaning()), meaningB: hashed(newer.Meaning()),
	}, true, nil
}

// meaningOf returns a hash of a claim and its value.
func meaningOf(claim string, c conflict.Claim) string {
	c.Changed, c.Year = false, 0
	said, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	return hashOf(append([]byte(claim), said...))
}

// claimHash returns the hash of a claim by which its contradictions are found. A decided one outlives its words.
func claimHash(claim string) string {
	if claim == "" {
		return ""
	}
	return hashOf([]byte(claim))
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// turned returns the pair with the newer statement first.
func (p pair) turned() pair {
	p.a, p.b, p.meaningA, p.meaningB = p.b, p.a, p.meaningB, p.meaningA
	return p
}

// decide adds a pair to the new rows unless it was decided before, in these words or in others. If the superseded statement returns in
// other words, it is superseded again. Only a person who writes it again reopens the pair.
func (p pair) decide(decided []decision, c *contradictions) {
	at := slices.IndexFunc(decided, func(d decision) bool {
		return d.A == p.meaningA && d.B == p.meaningB || d.A == p.meaningB && d.B == p.meaningA
	})
	if at < 0 {
		c.add(p)
		return
	}
	d := decided[at]
	switch {
	case d.Decided == Ignore, p.resolution == Doubtful:
	case p.b.byPerson() && p.b.at.After(d.At):
		c.add(p)
		c.anew = append(c.anew, p.id)
	case d.Decided == KeepA && d.A == p.meaningA, d.Decided == KeepB && d.B == p.meaningA:
		p = p.turned()
		p.resolution = Superseded
		c.add(p)
	case d.Decided != Merge:
		p.resolution = Superseded
		c.add(p)
	}
}

// contradictions are new rows, column by column.
type contradictions struct {
	ids, factsA, factsB, anew                                               []uuid.UUID // anew: rows that are opened again
	scopes, owners, scopesA, entriesA, scopesB, entriesB, whys, resolutions []string
	meaningsA, meaningsB, claimHashes                                       []string
}

func (c *contradictions) add(p pair) {
	scope, owner := p.a.scope, p.a.owner
	if p.b.scope == memory.ScopePersonal {
		scope, owner = p.b.scope, p.b.owner
	}
	c.ids, c.factsA, c.factsB = append(c.ids, p.id), append(c.factsA, p.a.fact), append(c.factsB, p.b.fact)
	c.scopes, c.owners = append(c.scopes, string(scope)), append(c.owners, string(owner))
	c.scopesA, c.entriesA = append(c.scopesA, string(p.a.scope)), append(c.entriesA, p.a.entry)
	c.scopesB, c.entriesB = append(c.scopesB, string(p.b.scope)), append(c.entriesB, p.b.entry)
	c.meaningsA, c.meaningsB = append(c.meaningsA, p.meaningA), append(c.meaningsB, p.meaningB)
	c.whys, c.resolutions = append(c.whys, string(p.why)), append(c.resolutions, string(p.resolution))
	c.claimHashes = append(c.claimHashes, claimHash(p.claim))
}

// contradictionID returns the id of two statements of the same people by their words.
func contradictionID(a, b rival) uuid.UUID {
	words := []string{string(a.scope) + " " + a.entry, string(b.scope) + " " + b.entry}
	slices.Sort(words)
	return uuid.NewSHA1(uuid.Nil, fmt.Appendf(nil, "%s %s %s", max(a.owner, b.owner), words[0], words[1]))
}

func (c *contradictions) args() pgx.NamedArgs {
	return pgx.NamedArgs{
		"row_scopes": c.scopes, "row_owners": c.owners, "ids": c.ids, "scopes_a": c.scopesA, "entries_a": c.entriesA, "facts_a": c.factsA,
		"scopes_b": c.scopesB, "entries_b": c.entriesB, "facts_b": c.factsB, "whys": c.whys, "resolutions": c.resolutions,
		"meanings_a": c.meaningsA, "meanings_b": c.meaningsB, "claim_hashes": c.claimHashes, "anew": c.anew,
	}
}
