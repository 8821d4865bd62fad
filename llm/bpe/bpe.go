// Package bpe counts the tokens of OpenAI's models, exactly and offline: their byte-pair encodings. Counting takes time that
// grows with n·log n for the worst of texts, and hardly more than n for others.
package bpe

import (
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// The encodings. Each reads its vocabulary, which is part of the program, when it first counts: about 0.5 s, then
// 17 MB for o200k and 12 MB for cl100k.
var (
	// O200k is that of GPT-4o and of what came after it.
	O200k = &Encoding{Name: "o200k_base", next: nextO200k, load: reader(tokenizer.O200kBase)}
	// Cl100k is that of GPT-4, GPT-3.5 and the embeddings.
	Cl100k = &Encoding{Name: "cl100k_base", next: nextCl100k, load: reader(tokenizer.Cl100kBase)}
)

// Encoding is one of OpenAI's encodings.
type Encoding struct {
	Name string // as OpenAI calls it

	next func(text string, i int) int // the end of the piece that begins at i
	load func() vocabulary
}

// Count is how many tokens a text has. What looks like a control token, such as <|endoftext|>, is the text that it is. It may be
// called by many goroutines at once.
func (e *Encoding) Count(text string) int {
	v := e.load()
	n := 0
	for i := 0; i < len(text); {
		end := e.next(text, i)
		if _, ok := v[text[i:end]]; ok {
			n++
		} else {
			n += v.merged(text[i:end])
		}
		i = end
	}
	return n
}

// vocabulary are tokens with their ranks: of two neighbours those are joined first whose whole has the lowest.
type vocabulary map[string]int32

// maxTokens is more than any of the vocabularies has.
const maxTokens = 210_000

// reader reads a vocabulary when it is first called. Of the library only the tokens are used: its splitting of texts divides
// white space with several line breaks in it where OpenAI's does not, and takes a minute for 256 KiB of it.
func reader(encoding tokenizer.Encoding) func() vocabulary {
	return sync.OnceValue(func() vocabulary {
		codec, err := tokenizer.Get(encoding)
		if err != nil { // both are known to it
			panic(err)
		}
		v := make(vocabulary, maxTokens)
		for id := range uint(maxTokens) {
			if token, err := codec.Decode([]uint{id}); err == nil {
				v[token] = int32(id)
			}
		}
		return v
	})
}
