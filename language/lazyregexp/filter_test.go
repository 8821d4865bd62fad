package lazyregexp

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

func TestRequired(t *testing.T) {
	t.Parallel()
	b := edge
	for expr, want := range map[string][][]string{
		`deadline`:                {{"deadline"}},
		`(?i)Deadlines?`:          {{"deadline", "deadlines"}},
		`\b(?:not|never|no)\b`:    {{b + "never" + b, b + "no" + b, b + "not" + b}},
		`(?i)\bübung\b`:           {{b + "Übung" + b, b + "übung" + b}},
		`^(.*?)(?:住在|搬到)([^，]+)$`: {{"住在", "搬到"}},
		`port (\d+)`:              {{"port "}, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}},
		`(?:a|bc)+d`:              {{"d"}, {"a", "bc"}},
		`[ab][cd]`:                {{"ac", "ad", "bc", "bd"}},
		`one|two.*three|four`:     {{"four", "one", "three"}},
		`x{2,4}y`:                 {{"xxxxy", "xxxy", "xxy"}},
		`a?`:                      nil, // matches anything
		`.*`:                      nil,
		`(?:a|\p{L})b`:            {{"b"}},
		`\b`:                      nil,
		`one|.*`:                  nil,
		"a\x00b|c":                nil,                                  // edges are written so
		"\ufffd|c":                nil,                                  // matches bytes that are not UTF-8
		`[a-m][a-m]`:              {strings.Split("abcdefghijklm", "")}, // the product has too many
	} {
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := required(re.Simplify()); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%q requires %q, want %q", expr, got, want)
		}
	}
}

func TestFilterFindsOutThatNothingMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expr, text string
		want       bool
	}{
		{`(?i)\bno\b`, "I know nothing", false},
		{`(?i)\bno\b`, "NO", true},
		{`(?i)\bno\b`, "says no.", true},
		{`no`, "I know", true},
		{`(?i)sure`, "I am ſure", true}, // a long s folds to an s
		{`(?i)kelvin`, "\u212aelvin", true},
		{`(?i)über`, "ÜBER", true},
		{`\bé`, "né", true}, // only ASCII letters are letters of words for `\b`
		{`\bé`, " é", false},
		{`\d\d:\d\d`, "at noon", false},
		{`\d\d:\d\d`, "at 12:30", true},
		{`a`, "", false},
		{`a*`, "", true},
		{`a`, "\xff\xfe", false},
		{`[^a]`, "\xff", true},
	} {
		if got := newFilter(c.expr).may(c.text); got != c.want {
			t.Errorf("%q may match %q: %v, want %v", c.expr, c.text, got, c.want)
		}
	}
}

// Every method gives what that of regexp gives, whether the text is filtered or not.
func TestMethods(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{`(?i)\b(no|never)\b`, `x*`, `(住|搬)`} {
		r, plain := New(expr), regexp.MustCompile(expr)
		for _, text := range []string{"", "I know", "No, never.", "住在北京", "xx"} {
			up := strings.ToUpper
			got := fmt.Sprintf("%#v", []any{
				r.MatchString(text), r.FindString(text), r.FindStringIndex(text), r.FindStringSubmatch(text), r.FindStringSubmatchIndex(text),
				r.FindAllString(text, -1), r.FindAllStringIndex(text, 1), r.FindAllStringSubmatch(text, -1), r.FindAllStringSubmatchIndex(text, -1),
				r.ReplaceAllString(text, "-$1-"), r.ReplaceAllStringFunc(text, up), r.Split(text, -1), r.Split(text, 0), r.String(),
			})
			want := fmt.Sprintf("%#v", []any{
				plain.MatchString(text), plain.FindString(text), plain.FindStringIndex(text), plain.FindStringSubmatch(text), plain.FindStringSubmatchIndex(text),
				plain.FindAllString(text, -1), plain.FindAllStringIndex(text, 1), plain.FindAllStringSubmatch(text, -1), plain.FindAllStringSubmatchIndex(text, -1),
				plain.ReplaceAllString(text, "-$1-"), plain.ReplaceAllStringFunc(text, up), plain.Split(text, -1), plain.Split(text, 0), plain.String(),
			})
			if got != want {
				t.Errorf("%q of %q:\n got %s\nwant %s", expr, text, got, want)
			}
		}
	}
}

// An expression that cannot be compiled filters nothing, so that compiling it panics with its name.
func TestMalformed(t *testing.T) {
	t.Parallel()
	if !newFilter("(unclosed").may("text") {
		t.Error("a text is filtered by an expression that cannot be compiled")
	}
}

func BenchmarkNothingMatches(b *testing.B) {
	const expr = `(?i)\b(?:would|could|might|maybe|perhaps|if|unless|plan(?:s|ned)? to|want(?:s|ed)? to|used to|früher|vielleicht)\b|如果|也许`
	const text = "My colleague lives in Hamburg since March and likes the 7 o'clock train."
	r, plain := New(expr), regexp.MustCompile(expr)
	b.Run("filtered", func(b *testing.B) {
		for b.Loop() {
			r.MatchString(text)
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			plain.MatchString(text)
		}
	})
}
