package recall

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/memory/setting"
	"reverie/search"
	"reverie/search/choose"
	"reverie/search/rank"
)

// Limits of a request. A request beyond one of them is refused, not cut.
const (
	MaxQuery   = 4096             // characters of a question
	MaxResults = 50               // of one search
	MaxWait    = 10 * time.Second // for vectors of recent writes
)

// All requests a search of every corpus.
const All search.Corpus = "all"

// CorpusNames returns the corpus names that are valid for every agent, including All.
func CorpusNames() []search.Corpus { return append(search.Corpora(), All) }

// Request is one search. The zero value of everything but Query is usable.
type Request struct {
	Query string
	// Corpus is one of the corpora of this memory or of Searcher.Outside, or All: each of them. Empty: those of this memory.
	Corpus     search.Corpus
	MaxResults *int     // nil: the agent's or the server's setting
	MinScore   *float64 // nil: the agent's or the server's setting
	// From and To limit the time of results: From inclusive, To exclusive; zero: unlimited. Results without a time
	// are excluded.
	From, To time.Time
	// Now is the time from which relative dates of the query and ages are computed; zero: that of Past, else now for dates, and the
	// newest message in view for ages. It hides nothing.
	Now time.Time
	// Past searches what was known at that time: documents as they were, and messages said until then, by words alone. Nothing is
	// recorded. Zero: now.
	Past time.Time
	// Archived includes the archives of documents: what they say no longer holds, and is left out otherwise.
	Archived bool
	Explain  bool
	// After is the token of a write whose vectors the search waits for, up to Wait. Lexical search is always current.
	After int64
	Wait  time.Duration
	// Synthetic searches (tests, dreams, operators) are recorded as such and never count as use.
	Synthetic bool
	// Unrecorded means that the caller reports the used results with Used, because it may show only some of them.
	Unrecorded bool
	// Conversation is the client's id of the conversation in which the results are used; empty: none.
	Conversation string
	// Undisclosed means that the caller looks for disagreements in what it shows itself.
	Undisclosed bool
	// StatementsFirst ranks messages in which a person only asks below everything else: a question repeats the words of
	// another one, but does not answer it.
	StatementsFirst bool
	Options         Options
	// Agent holds the agent's settings, and Zone its time zone; nil: UTC.
	Agent setting.AgentSettings
	Zone  *time.Location
}

// InvalidError describes an invalid field of a request.
type InvalidError struct {
	Field   string // name in the API
	Problem string
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Problem }

func invalid(field, format string, args ...any) error {
	return &InvalidError{Field: field, Problem: fmt.Sprintf(format, args...)}
}

// check returns all errors of a request, joined. corpora are those that it may name besides All.
func (r Request) check(corpora []search.Corpus) error {
	var errs []error
	bad := func(field, format string, args ...any) { errs = append(errs, invalid(field, format, args...)) }
	if n := utf8.RuneCountInString(r.Query); n > MaxQuery {
		bad("query", "it has %d characters, at most %d are allowed", n, MaxQuery)
	}
	if !utf8.ValidString(r.Query) {
		bad("query", "it is not valid UTF-8")
	}
	if r.Corpus != "" && r.Corpus != All && !slices.Contains(corpora, r.Corpus) {
		bad("corpus", "unknown corpus %q: use one of %s", clipped(string(r.Corpus)), list(append(slices.Clone(corpora), All)))
	}
	if n := r.MaxResults; n != nil && (*n < 1 || *n > MaxResults) {
		bad("maxResults", "%d must be from 1 to %d", *n, MaxResults)
	}
	if s := r.MinScore; s != nil && !isShare(*s) {
		bad("minScore", "%v must be from 0 to 1", *s)
	}
	if !r.From.IsZero() && !r.To.IsZero() && !r.From.Before(r.To) {
		bad("to", "it must be later than from")
	}
	if r.Wait < 0 || r.Wait > MaxWait {
		bad("wait", "%s must be from 0s to %s", r.Wait, MaxWait)
	}
	if r.After < 0 {
		bad("after", "invalid token: use the one from a receipt")
	}
	return errors.Join(append(errs, r.Options.check()...)...)
}

// corpora returns the corpora of this memory that are searched.
func (r Request) corpora() []search.Corpus {
	switch {
	case r.Corpus == "" || r.Corpus == All:
		return search.Corpora()
	case IsOwn(r.Corpus):
		return []search.Corpus{r.Corpus}
	}
	return nil
}

func (r Request) zone() *time.Location {
	if r.Zone == nil {
		return time.UTC
	}
	return r.Zone
}

// covers reports whether a time, in Unix seconds with 0 for unknown, is inside From and To.
func (r Request) covers(at int64) bool {
	if !r.bounded() {
		return true
	}
	t := time.Unix(at, 0)
	return at != 0 && (r.From.IsZero() || !t.Before(r.From)) && (r.To.IsZero() || t.Before(r.To))
}

func (r Request) bounded() bool { return !r.From.IsZero() || !r.To.IsZero() }

func isShare(x float64) bool { return !math.IsNaN(x) && x >= 0 && x <= 1 }

func list[T ~string](names []T) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = string(name)
	}
	return strings.Join(words, ", ")
}

// maxQuoted bounds what an error repeats of a request.
const maxQuoted = 40

func clipped(s string) string {
	if utf8.RuneCountInString(s) <= maxQuoted {
		return s
	}
	return string([]rune(s)[:maxQuoted]) + "…"
}

// ParsePeriod parses the bounds of a period, each RFC 3339 or a date in the zone; empty: unlimited. A date as the end
// includes that day.
func ParsePeriod(from, to string, zone *time.Location) (start, end time.Time, err error) {
	var errs []error
	if start, _, err = parseTime(from, zone); err != nil {
		errs = append(errs, invalid("from", "use a time such as 2026-01-31T08:00:00Z, or a date such as 2026-01-31"))
	}
	end, isDay, err := parseTime(to, zone)
	switch {
	case err != nil:
		errs = append(errs, invalid("to", "use a time such as 2026-01-31T08:00:00Z, or a date such as 2026-01-31"))
	case isDay:
		end = end.AddDate(0, 0, 1)
	}
	return start, end, errors.Join(errs...)
}

// ParseNow parses Request.Now: RFC 3339, or a date in the zone, of which it is the end; empty: the zero time.
func ParseNow(s string, zone *time.Location) (time.Time, error) { return parseEnd("now", s, zone) }

// parseEnd parses the time in a field of a request. A date is its end.
func parseEnd(field, s string, zone *time.Location) (time.Time, error) {
	at, isDay, err := parseTime(s, zone)
	if err != nil {
		return at, invalid(field, "use a time such as 2026-01-31T08:00:00Z, or a date such as 2026-01-31")
	}
	if isDay {
		at = at.AddDate(0, 0, 1).Add(-time.Second)
	}
	return at, nil
}

func parseTime(s string, zone *time.Location) (_ time.Time, isDay bool, err error) {
	if s == "" {
		return time.Time{}, false, nil
	}
	if zone == nil {
		zone = time.UTC
	}
	if day, err := time.ParseInLocation(time.DateOnly, s, zone); err == nil {
		return day, true, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	return t, false, err
}

// Options override ranking settings for one request. Nil fields keep the agent's or the server's setting.
type Options struct {
	VectorWeight      *float64 `json:"vectorWeight,omitempty" minimum:"0" maximum:"1" doc:"Weight of vectors against words; only the relation of the two counts."`
	TextWeight        *float64 `json:"textWeight,omitempty" minimum:"0" maximum:"1" doc:"Weight of words against vectors."`
	MMR               *bool    `json:"mmr,omitempty" doc:"Let results that repeat others wait (maximal marginal relevance)."`
	MMRLambda         *float64 `json:"mmrLambda,omitempty" minimum:"0" maximum:"1" doc:"Weight of relevance against novelty; 1: only relevance."`
	Decay             *bool    `json:"decay,omitempty" doc:"Let older passages count less, except documents that do not age."`
	DecayHalfLifeDays *float64 `json:"decayHalfLifeDays,omitempty" minimum:"0.01" maximum:"36500" doc:"Age at which a passage counts half."`
	// Off names disabled components of the ranking; Components lists them.
	Off []string `json:"off,omitempty" maxItems:"32" doc:"Components of the ranking to do without, to see what they are worth."`
}

// Components outside of lexical ranking.
const (
	offVectors       = "vectors"       // vectors are not used
	offRefine        = "refine"        // texts of the best candidates are not examined
	offPersonalBoost = "personalBoost" // an owner's own passages are not boosted
	offNewest        = "newest"        // newer values are not moved above older ones
)

// switches maps the names of components of lexical ranking to functions that disable them.
var switches = map[string]func(*rank.Options){
	"contextWeight": func(o *rank.Options) { o.ContextWeight = 0 },
	"speaker":       func(o *rank.Options) { o.Speaker, o.SpeakerInBody = 0, 1 },
	"turns":         func(o *rank.Options) { o.Turns = rank.Neighbourhood{} },
	"chunks":        func(o *rank.Options) { o.Chunks = rank.Neighbourhood{} },
	"enclosing":     func(o *rank.Options) { o.Enclosing = 0 },
	"coverage":      func(o *rank.Options) { o.Coverage = 0 },
	"period":        func(o *rank.Options) { o.Period, o.PeriodTerms = 0, 1 },
	"first":         func(o *rank.Options) { o.First = 0 },
	"prose":         func(o *rank.Options) { o.Prose = 0 },
	"rule":          func(o *rank.Options) { o.Rule = 0 },
	"asking":        func(o *rank.Options) { o.Asking = 0 },
	"answer":        func(o *rank.Options) { o.Answer = 0 },
	"feedback":      func(o *rank.Options) { o.Feedback = 0 },
	"questions":     func(o *rank.Options) { o.Question = 0 },
	"people":        func(o *rank.Options) { o.People = 0 },
	"b":             func(o *rank.Options) { o.B, o.TurnB = 0, 0 },
}

// Components returns the names that Options.Off accepts, in order.
func Components() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(switches)), offVectors, offRefine, offPersonalBoost, offNewest)))
}

func (o Options) isOff(component string) bool { return slices.Contains(o.Off, component) }

func (o Options) check() (errs []error) {
	bad := func(field, format string, args ...any) {
		errs = append(errs, invalid("options."+field, format, args...))
	}
	for field, share := range map[string]*float64{"vectorWeight": o.VectorWeight, "textWeight": o.TextWeight, "mmrLambda": o.MMRLambda} {
		if share != nil && !isShare(*share) {
			bad(field, "%v must be from 0 to 1", *share)
		}
	}
	if d := o.DecayHalfLifeDays; d != nil && !(*d >= minHalfLifeDays && *d <= maxHalfLifeDays) {
		bad("decayHalfLifeDays", "%v must be from %v to %d", *d, minHalfLifeDays, maxHalfLifeDays)
	}
	for _, name := range o.Off {
		if !slices.Contains(Components(), name) {
			bad("off", "unknown component %q: use %s", clipped(name), list(Components()))
		}
	}
	return errs
}

// Half-lives are useful between a quarter of an hour and a hundred years.
const (
	minHalfLifeDays = 0.01
	maxHalfLifeDays = 36500
)

// ranking returns the options of the lexical ranking: base without the components that are off.
func (o Options) ranking(base *rank.Options) rank.Options {
	ranking := rank.DefaultOptions()
	if base != nil {
		ranking = *base
	}
	for _, name := range o.Off {
		if turnOff := switches[name]; turnOff != nil {
			turnOff(&ranking)
		}
	}
	return ranking
}

// Settings control how an agent's memory is searched. The request's override the agent's, which override the
// server's.
type Settings struct {
	Enabled       bool          `from:"MemoryEnabled"` // false: nothing is found
	MaxResults    int           `from:"RecallMaxResults"`
	MinScore      float64       `from:"RecallMinScore"`     // 0 to 1
	VectorWeight  float64       `from:"RecallVectorWeight"` // relative to TextWeight
	TextWeight    float64       `from:"RecallTextWeight"`
	Diversity     bool          `from:"RecallMMR"`       // repetitive results are deferred (maximal marginal relevance)
	Lambda        float64       `from:"RecallMMRLambda"` // weight of relevance against novelty, 0 to 1
	Decay         bool          `from:"RecallDecay"`     // older passages count less
	HalfLife      time.Duration `from:"RecallDecayHalfLifeDays"`
	PersonalBoost float64       // factor for the scores of an owner's own passages
}

// SettingsOf returns the settings of searches.
func SettingsOf(table setting.Settings) Settings {
	s := Settings{PersonalBoost: choose.DefaultOptions().PersonalBoost}
	table.Resolve(&s)
	return s
}

// DefaultSettings returns the documented defaults.
func DefaultSettings() Settings { return SettingsOf(setting.DefaultSettings()) }

// With returns s with the agent's settings applied.
func (s Settings) With(a setting.AgentSettings) Settings {
	a.Override(&s)
	return s
}

// settings returns the settings of one request.
func (r Request) settings(server Settings) Settings {
	s := server.With(r.Agent)
	set(&s.MaxResults, r.MaxResults)
	set(&s.MinScore, r.MinScore)
	o := r.Options
	set(&s.VectorWeight, o.VectorWeight)
	set(&s.TextWeight, o.TextWeight)
	set(&s.Diversity, o.MMR)
	set(&s.Lambda, o.MMRLambda)
	set(&s.Decay, o.Decay)
	if o.DecayHalfLifeDays != nil {
		s.HalfLife = days(*o.DecayHalfLifeDays)
	}
	if o.isOff(offPersonalBoost) {
		s.PersonalBoost = 1
	}
	return s
}

// selection returns the options for the selection of results.
func (s Settings) selection(r Request) choose.Options {
	o := choose.Options{
		Limit: s.MaxResults, MinScore: s.MinScore, PersonalBoost: s.PersonalBoost, From: r.From, To: r.To,
		NewestFirst: !r.Options.isOff(offNewest),
	}
	if s.Decay {
		o.Decay = &choose.DecayOptions{HalfLife: s.HalfLife}
	}
	if s.Diversity {
		o.Diversity = &choose.DiversityOptions{Lambda: s.Lambda}
	}
	return o
}

func days(n float64) time.Duration { return time.Duration(n * 24 * float64(time.Hour)) }

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}
