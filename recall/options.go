package recall

import (
	"maps"
	"slices"

	"reverie/search/rank"
)

// Options change how one request is answered. A nil field leaves the agent's or the server's setting.
type Options struct {
	VectorWeight      *float64 `json:"vectorWeight,omitempty" minimum:"0" maximum:"1" doc:"Weight of vectors against words; only the relation of the two counts."`
	TextWeight        *float64 `json:"textWeight,omitempty" minimum:"0" maximum:"1" doc:"Weight of words against vectors."`
	MMR               *bool    `json:"mmr,omitempty" doc:"Let results that repeat others wait (maximal marginal relevance)."`
	MMRLambda         *float64 `json:"mmrLambda,omitempty" minimum:"0" maximum:"1" doc:"Weight of relevance against novelty; 1: only relevance."`
	Decay             *bool    `json:"decay,omitempty" doc:"Let older passages count less, except documents that do not age."`
	DecayHalfLifeDays *float64 `json:"decayHalfLifeDays,omitempty" minimum:"0.01" maximum:"36500" doc:"Age at which a passage counts half."`
	// Off names components of the ranking that are switched off; Components lists them.
	Off []string `json:"off,omitempty" maxItems:"32" doc:"Components of the ranking to do without, to see what they are worth."`
}

// Components that are not part of lexical ranking.
const (
	offVectors       = "vectors"       // vectors are not asked for
	offRefine        = "refine"        // texts of the best candidates are not looked at
	offPersonalBoost = "personalBoost" // an owner's own passages count like shared ones
)

// switches turn components of lexical ranking off, by the name of their option.
var switches = map[string]func(*rank.Options){
	"stopWeight":    func(o *rank.Options) { o.StopWeight = 0 },
	"contextWeight": func(o *rank.Options) { o.ContextWeight = 0 },
	"speaker":       func(o *rank.Options) { o.Speaker, o.SpeakerInBody = 0, 1 },
	"turns":         func(o *rank.Options) { o.Turns = rank.Neighbourhood{} },
	"chunks":        func(o *rank.Options) { o.Chunks = rank.Neighbourhood{} },
	"enclosing":     func(o *rank.Options) { o.Enclosing = 0 },
	"coverage":      func(o *rank.Options) { o.Coverage = 0 },
	"period":        func(o *rank.Options) { o.Period, o.PeriodTerms = 0, 1 },
	"first":         func(o *rank.Options) { o.First = 0 },
	"phrase":        func(o *rank.Options) { o.Phrase = 0 },
	"closeness":     func(o *rank.Options) { o.Closeness = 0 },
	"asking":        func(o *rank.Options) { o.Asking = 0 },
	"answer":        func(o *rank.Options) { o.Answer = 0 },
	"b":             func(o *rank.Options) { o.B, o.TurnB = 0, 0 },
}

// Components are the names that Options.Off takes, in order.
func Components() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(switches)), offVectors, offRefine, offPersonalBoost)))
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
			bad("off", "%q is not known: name some of %s", clipped(name), list(Components()))
		}
	}
	return errs
}

// Half-lives between a quarter of an hour and a hundred years say something.
const (
	minHalfLifeDays = 0.01
	maxHalfLifeDays = 36500
)

// ranking are the options of lexical ranking.
func (o Options) ranking() rank.Options {
	ranking := rank.DefaultOptions()
	for _, name := range o.Off {
		if turnOff := switches[name]; turnOff != nil {
			turnOff(&ranking)
		}
	}
	return ranking
}
