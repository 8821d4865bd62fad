package bpe

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"
)

var encodings = []*Encoding{O200k, Cl100k}

// pieces splits a text.
func (e *Encoding) pieces(text string) []string {
	var out []string
	for i := 0; i < len(text); {
		end := e.next(text, i)
		out = append(out, text[i:end])
		i = end
	}
	return out
}

// library returns the tokenizer whose vocabularies these are.
func library(tb testing.TB, e *Encoding) tokenizer.Codec {
	tb.Helper()
	codec, err := tokenizer.Get(tokenizer.Encoding(e.Name))
	if err != nil {
		tb.Fatal(err)
	}
	return codec
}

// The library's splitting follows OpenAI's patterns but for white space that has something between its line breaks, and for DEL,
// which it leaves out.
func TestCountsAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	characters := []rune("aAbBzsStrevmldDx''  \"!?/.-_\n\r\t0123９Ⅷ½ǅǆʰʷª中文कि\u0301\u0308éÉßñ한あ👍\u200d\u00a0\u2003\u0085")
	for _, e := range encodings {
		codec := library(t, e)
		rapid.Check(t, func(t *rapid.T) {
			text := string(rapid.SliceOfN(rapid.SampledFrom(characters), 0, 60).Draw(t, "text"))
			if rapid.Bool().Draw(t, "any") {
				text = rapid.String().Draw(t, "any text")
			}
			if divided(text) || strings.Contains(text, "\x7f") {
				t.Skip("the library splits it otherwise")
			}
			want, err := codec.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Count(text); got != want {
				t.Fatalf("%s: %d tokens, want %d, of the pieces %q", e.Name, got, want, e.pieces(text))
			}
		})
	}
}

// divided reports white space of which line breaks are not one after the other.
func divided(text string) bool {
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) }) {
		run = strings.Trim(strings.TrimRightFunc(run, func(r rune) bool { return r != '\n' && r != '\r' }), "\n\r")
		if strings.ContainsAny(run, "\n\r") || strings.ContainsFunc(run, unicode.IsSpace) {
			return true
		}
	}
	return false
}

func TestCountsOfSamplesAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/tokens/*.txt")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range encodings {
			want, err := library(t, e).Count(string(text))
			if got := e.Count(string(text)); err != nil || got != want {
				t.Errorf("%s, %s: %d tokens, want %d (%v)", filepath.Base(file), e.Name, got, want, err)
			}
		}
	}
}

func TestPiecesMakeUpTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		for _, e := range encodings {
			pieces := e.pieces(text)
			if strings.Join(pieces, "") != text {
				t.Fatalf("%q is split into %q", text, pieces)
			}
			if n := e.Count(text); n < len(pieces) || n > len(text) {
				t.Fatalf("%q: %d tokens of %d pieces and %d bytes", text, n, len(pieces), len(text))
			}
		}
	})
}

// Results of the patterns in cases where the library differs or that are easily misread.
func TestPieces(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text          string
		o200k, cl100k []string
	}{
		{"a\n    \nb", []string{"a", "\n    \n", "b"}, []string{"a", "\n    \n", "b"}},
		{"}\n \n \n  x", []string{"}\n", " \n \n", " ", " x"}, []string{"}\n", " \n \n", " ", " x"}},
		{"//\n/\n", []string{"//\n/\n"}, []string{"//\n", "/\n"}},
		{"parseHTTPHeader's", []string{"parse", "HTTPHeader's"}, []string{"parseHTTPHeader", "'s"}},
		{"It'S we'LLbe A'ſ", []string{"It'S", " we'LL", "be", " A'ſ"}, []string{"It", "'S", " we", "'LL", "be", " A", "'ſ"}},
		{"12345", []string{"123", "45"}, []string{"123", "45"}},
		{"中文ABC", []string{"中文", "ABC"}, []string{"中文ABC"}},
		{"e\u0301\u0301!\u0301", []string{"e\u0301\u0301", "!\u0301"}, []string{"e", "\u0301\u0301!\u0301"}},
		{"end  ", []string{"end", "  "}, []string{"end", "  "}},
		{" $5", []string{" $", "5"}, []string{" $", "5"}},
	} {
		if diff := cmp.Diff(test.o200k, O200k.pieces(test.text)); diff != "" {
			t.Errorf("o200k_base, %q: %s", test.text, diff)
		}
		if diff := cmp.Diff(test.cl100k, Cl100k.pieces(test.text)); diff != "" {
			t.Errorf("cl100k_base, %q: %s", test.text, diff)
		}
	}
}

// Blank lines of indented code are single tokens in both vocabularies.
func TestWhiteSpaceBetweenLineBreaksIsOnePiece(t *testing.T) {
	t.Parallel()
	for _, e := range encodings {
		for _, text := range []string{"\n    \n", "    \n    \n", "\n\t\n", "\t\r\n\t\r\n"} {
			if n := e.Count(text); n != 1 {
				t.Errorf("%s: %q has %d tokens", e.Name, text, n)
			}
		}
	}
}

func TestControlTokensAreText(t *testing.T) {
	t.Parallel()
	for _, e := range encodings {
		for _, text := range []string{"<|endoftext|>", "<|im_start|>system", "<|endofprompt|>"} {
			if n := e.Count(text); n < 4 {
				t.Errorf("%s: %q has %d tokens", e.Name, text, n)
			}
		}
	}
}

// The largest message must not hold up a turn, whatever it consists of. The bound is generous, for busy machines: with another
// splitting one of these took more than a minute.
func TestNoTextTakesLong(t *testing.T) {
	const size = 256 << 10
	for _, e := range encodings {
		e.Count("read the vocabulary")
		for _, unit := range []string{
			"a", "A", "aA", "Aa", " ", "\n", " \n", "\n ", "\t\r\n", "  \n\n", "-", "/\n", "'s", "'", "1", "é", "e\u0301", "\u0301",
			"中", "가", "ǅ", "😀", "👨\u200d", "\u00a0", "<|endoftext|>", "ab", "the ", "xq", "\xff", "_-",
		} {
			text := strings.Repeat(unit, size/len(unit)) + "x"
			began := time.Now()
			n := e.Count(text)
			if took := time.Since(began); took > 5*time.Second || n < 1 {
				t.Errorf("%s: %d bytes of %q took %s", e.Name, len(text), unit, took)
			}
		}
	}
}

func TestManyCountAtOnce(t *testing.T) {
	t.Parallel()
	want := O200k.Count("Where did I park?")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 200 {
				if got := O200k.Count("Where did I park?"); got != want {
					t.Errorf("%d tokens, want %d", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCount(b *testing.B) {
	for _, e := range encodings {
		for _, name := range []string{"english", "chinese", "go"} {
			text, err := os.ReadFile("../testdata/tokens/" + name + ".txt")
			if err != nil {
				b.Fatal(err)
			}
			b.Run(e.Name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					e.Count(string(text))
				}
			})
		}
	}
}
