package claim

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
)

// Sketch is a statement that can be compared with others and that holds none of its words: keys are salted hashes. A text is compared
// by its own sketch with the same salt.
type Sketch struct {
	Salt  string         `json:"salt"`
	Units []SketchedUnit `json:"units,omitempty"`
	What  []string       `json:"what,omitempty"` // hashes of its content, sorted
	// Anywhere: every text that contains all of the content repeats it, however short the content is.
	Anywhere bool `json:"anywhere,omitempty"`

	Turns     Turns  `json:"turns,omitempty"`
	Opposites uint64 `json:"opposites,omitempty"`
	Relations uint32 `json:"relations,omitempty"`
	Listed    bool   `json:"listed,omitempty"`
	Spaceless bool   `json:"spaceless,omitempty"`
}

// SketchedUnit is a Meaning without its key.
type SketchedUnit struct {
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

func (a Words) sketch(salt string, what Content) Sketch {
	s := Sketch{
		Salt: salt, Turns: a.Turns, Opposites: a.Opposites, Relations: a.relations, Listed: a.listed, Spaceless: a.Spaceless,
	}
	for _, u := range a.Units {
		s.Units = append(s.Units, SketchedUnit{hashed(salt, u.Key), u.Exact, u.name, u.phrase, u.relation})
	}
	for key := range what {
		s.What = append(s.What, hashed(salt, key))
	}
	slices.Sort(s.What)
	return s
}

// words returns the statement with hashes for keys.
func (s Sketch) words() Words {
	w := Words{Turns: s.Turns, Opposites: s.Opposites, relations: s.Relations, listed: s.Listed, Spaceless: s.Spaceless}
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
	words    Words
	content  Content
	sketches map[string]sketched
}

type sketched struct {
	words   Words
	content Content
}

// Compare reads a text.
func Compare(text string) *Compared { return &Compared{words: WordsOf(text), content: ContentOf(text)} }

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

// Original is a statement that texts are compared with: read from its words, or from a sketch.
type Original struct {
	salt     string
	anywhere bool
	sketched
}

// OriginalOf reads a statement; with a sketch the text is ignored.
func OriginalOf(text string, sketch *Sketch) Original {
	switch {
	case sketch != nil:
		return Original{sketch.Salt, sketch.Anywhere, sketched{sketch.words(), sketch.content()}}
	case text == "":
		return Original{}
	}
	return Original{sketched: sketched{WordsOf(text), ContentOf(text)}}
}

// Same reports whether a text makes the same statement.
func (o Original) Same(c *Compared) bool {
	return len(o.content) > 0 && SameStatement(o.words, c.with(o.salt).words)
}

// ToldBy reports whether a text contains everything that the statement says, or is at least half of it.
func (o Original) ToldBy(c *Compared) bool {
	said := c.with(o.salt).content
	least := 1
	if o.anywhere {
		least = 0
	}
	return len(o.content) > least && o.content.Within(said) ||
		!o.anywhere && len(said) > 1 && 2*len(said) >= len(o.content) && said.Within(o.content)
}
