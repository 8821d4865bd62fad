package claim

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
)

// Sketch is a statement that can be compared with others and that holds none of its words: keys are salted hashes. A text is compared
// by its own sketch with the same salt.
type Sketch struct {
	Salt  string         `json:"salt"`
	Units []sketchedUnit `json:"units,omitempty"`
	What  []string       `json:"what,omitempty"` // hashes of its content, sorted
	// Claims are hashes of what it claims, sorted. Another wording claims nothing else.
	Claims []string `json:"claims,omitempty"`
	// Subject is the hash of whom it is about; empty if that is not certain.
	Subject string `json:"subject,omitempty"`
	// Anywhere: every text that contains all of the content repeats it, however short the content is.
	Anywhere bool `json:"anywhere,omitempty"`

	Turns     Turns  `json:"turns,omitempty"`
	Opposites uint64 `json:"opposites,omitempty"`
	Relations uint32 `json:"relations,omitempty"`
	Listed    bool   `json:"listed,omitempty"`
	Spaceless bool   `json:"spaceless,omitempty"`
}

// sketchedUnit is a Meaning without its key.
type sketchedUnit struct {
	Hash     string `json:"hash"`
	Exact    bool   `json:"exact,omitempty"`
	Name     bool   `json:"name,omitempty"`
	Phrase   int    `json:"phrase,omitempty"`
	Relation uint32 `json:"relation,omitempty"`
}

// hashBytes is the length of hashes: so short that a dictionary of words maps several of them to each hash.
const hashBytes = 6

func hashed(salt, key string) string {
	sum := sha256.Sum256([]byte(salt + "\x00" + key))
	return base64.RawStdEncoding.EncodeToString(sum[:hashBytes])
}

// SketchOf returns the sketch of a text.
func SketchOf(salt, text string) Sketch { return WordsOf(text).sketch(salt, ContentOf(text)) }

// Claiming returns the sketch with what the text claims.
func (s Sketch) Claiming(claims Claimed) Sketch {
	for key := range claims {
		s.Claims = append(s.Claims, hashed(s.Salt, key))
		if s.Subject == "" && len(claims) == 1 && strings.HasPrefix(key, User+"\x00") {
			s.Subject = hashed(s.Salt, User)
		}
	}
	slices.Sort(s.Claims)
	return s
}

func (a Words) sketch(salt string, what Content) Sketch {
	s := Sketch{
		Salt: salt, Turns: a.Turns, Opposites: a.Opposites, Relations: a.relations, Listed: a.listed, Spaceless: a.Spaceless,
	}
	for _, u := range a.Units {
		s.Units = append(s.Units, sketchedUnit{hashed(salt, u.Key), u.Exact, u.name, u.phrase, u.relation})
	}
	for key := range what {
		s.What = append(s.What, hashed(salt, key))
	}
	slices.Sort(s.What)
	if a.subject != "" {
		s.Subject = hashed(salt, a.subject)
	}
	return s
}

// words returns the statement with hashes for keys.
func (s Sketch) words() Words {
	w := Words{Turns: s.Turns, Opposites: s.Opposites, relations: s.Relations, listed: s.Listed, Spaceless: s.Spaceless, subject: s.Subject}
	for _, u := range s.Units {
		w.Units = append(w.Units, Meaning{Key: u.Hash, Exact: u.Exact, name: u.Name, phrase: u.Phrase, relation: u.Relation})
		w.Sorted = append(w.Sorted, u.Hash)
	}
	slices.Sort(w.Sorted)
	return w
}

// content returns the content with hashes for keys.
func (s Sketch) content() Content {
	c := make(Content, len(s.What))
	for _, key := range s.What {
		c[key] = true
	}
	return c
}

// Compared is a text that is compared with statements. It is sketched once for each salt, and not safe for concurrent use.
type Compared struct {
	text      string
	dependent bool
	words     Words
	content   Content
	claims    []string // nil: not read yet
	only      bool     // it makes no other statement than claims
	clauses   []subjectClause
	sketches  map[string]sketched
}

type sketched struct {
	words   Words
	content Content
}

// Compare reads a text.
func Compare(text string) *Compared {
	return &Compared{text: text, words: WordsOf(text), content: ContentOf(text)}
}

// Dependent marks the text as a dependent one, see Claimed.With.
func (c *Compared) Dependent(is bool) *Compared {
	c.dependent = is
	return c
}

// claiming reports whether a text makes one of the claims of a statement, and whether it says nothing else.
func (c *Compared) claiming(salt string, claims []string) (one, only bool) {
	if len(claims) == 0 {
		return false, false
	}
	if c.claims == nil {
		c.claims, c.only = claimed(c.text, c.dependent)
		c.claims = append([]string{}, c.claims...)
	}
	n := 0
	for _, key := range c.claims {
		if slices.Contains(claims, hashed(salt, key)) {
			n++
		}
	}
	return n > 0, c.only && n == len(c.claims)
}

// with returns the words and the content under a salt; without a salt as they are.
func (c *Compared) with(salt string) sketched {
	if salt == "" {
		return sketched{c.words, c.content}
	}
	known, ok := c.sketches[salt]
	if !ok {
		s := c.words.sketch(salt, c.content)
		known = sketched{s.words(), s.content()}
		if c.sketches == nil {
			c.sketches = map[string]sketched{}
		}
		c.sketches[salt] = known
	}
	return known
}

// about returns the content of the clauses that may be about a subject, under a salt.
func (c *Compared) about(salt, subject string) Content {
	if c.clauses == nil {
		c.clauses = clausesBySubject(c.text)
	}
	var kept []string
	for _, part := range c.clauses {
		of := part.subject
		if salt != "" && of != "" {
			of = hashed(salt, of)
		}
		if !differ(subject, of) {
			kept = append(kept, part.text)
		}
	}
	if len(kept) == len(c.clauses) {
		return c.with(salt).content
	}
	what := ContentOf(strings.Join(kept, "\n"))
	if salt == "" {
		return what
	}
	hashes := make(Content, len(what))
	for key := range what {
		hashes[hashed(salt, key)] = true
	}
	return hashes
}

// Original is a statement that texts are compared with: read from its words, or from a sketch.
type Original struct {
	salt     string
	anywhere bool
	claims   []string // hashes of what it claims
	sketched
}

// OriginalOf reads a statement; with a sketch the text is ignored.
func OriginalOf(text string, sketch *Sketch) Original {
	switch {
	case sketch != nil:
		return Original{sketch.Salt, sketch.Anywhere, sketch.Claims, sketched{sketch.words(), sketch.content()}}
	case text == "":
		return Original{}
	}
	return Original{sketched: sketched{WordsOf(text), ContentOf(text)}}
}

// Same reports whether a text makes the same statement, or only repeats what it claims.
func (o Original) Same(c *Compared) bool {
	_, only := c.claiming(o.salt, o.claims)
	return only || len(o.content) > 0 && SameStatement(o.words, c.with(o.salt).words)
}

// ToldBy reports whether a text contains everything that the statement says, or one of its claims, or is at least half of it. What the text
// says about somebody else than the subject of the statement does not count.
func (o Original) ToldBy(c *Compared) bool {
	if one, _ := c.claiming(o.salt, o.claims); one {
		return true
	}
	said := c.about(o.salt, o.words.subject)
	least := 1
	if o.anywhere {
		least = 0
	}
	return len(o.content) > least && o.content.Within(said) ||
		!o.anywhere && len(said) > 1 && 2*len(said) >= len(o.content) && said.Within(o.content)
}
