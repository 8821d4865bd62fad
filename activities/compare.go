package activities

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"reverie/language/analysis"
	"reverie/llm/embed"
	"reverie/memory"
	"reverie/search"
	"reverie/search/index"
	"reverie/store/indexes"
)

const (
	// comparedHits is the number of best hits compared: those that a search shows, and some more.
	comparedHits = 10
	// questionRunes bounds a question to the length that people ask.
	questionRunes = 160
)

// comparing asks two spaces the same questions.
type comparing struct {
	*Activities
	id        memory.Identity
	questions []question
}

// question is made from a unit, which should be among the answers.
type question struct {
	text   string
	unit   index.UnitKey
	corpus search.Corpus
}

// sample makes n questions from units at even distances in the index, so that the same index gives the same questions.
func (c *comparing) sample(ctx context.Context, n int) error {
	found, err := c.Store.Collect(ctx, c.id, search.Corpora(), analysis.Query{})
	if err != nil {
		return err
	}
	total := 0
	for _, collection := range found.Collections {
		total += len(collection.Units)
	}
	passed := 0
	asked := map[string]bool{} // skips repeated texts, whose units cannot be distinguished
	for _, collection := range found.Collections {
		var chosen []index.Unit
		for i := range n {
			at := i*total/max(n, 1) - passed
			if at >= 0 && at < len(collection.Units) && (i == 0 || i*total/n != (i-1)*total/n) {
				chosen = append(chosen, collection.Units[at])
			}
		}
		passed += len(collection.Units)
		passages, err := c.Store.Passages(ctx, c.id, collection.Corpus, chosen)
		if err != nil {
			return err
		}
		for _, unit := range chosen {
			passage, found := passages[unit.Key()]
			text := firstSentence(passage.Text)
			if found && text != "" && !asked[text] && passage.Source.Scope != memory.ScopeGlobal { // global memory has its own spaces
				asked[text] = true
				c.questions = append(c.questions, question{text, unit.Key(), collection.Corpus})
			}
		}
	}
	return nil
}

// firstSentence returns the first line or sentence of a text that has words, without Markdown's marks.
func firstSentence(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimSpace(line), "#>*-+ \t")
		if end := sentenceEnd.FindStringIndex(line); end != nil {
			line = line[:end[0]]
		}
		if runes := []rune(line); len(runes) > questionRunes {
			line = string(runes[:questionRunes])
		}
		if len(analysis.Analyse(line)) > 0 {
			return line
		}
	}
	return ""
}

// sentenceEnd matches the end of a sentence within a line: not every dot.
var sentenceEnd = regexp.MustCompile(`[.?!]\s|[。？！]`)

func (c *comparing) compare(ctx context.Context, live, next indexes.Space) (Comparison, error) {
	before, err := c.ask(ctx, live)
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok && app.Type() == TypeUnusable {
		return Comparison{}, nil
	}
	if err != nil {
		return Comparison{}, err
	}
	after, err := c.ask(ctx, next)
	if err != nil {
		return Comparison{}, err
	}
	var out Comparison
	for i, q := range c.questions {
		if len(before[i]) == 0 { // nothing in this corpus
			continue
		}
		out.Questions++
		common := 0
		for unit := range before[i] {
			if after[i][unit] {
				common++
			}
		}
		out.Overlap += float64(common) / float64(len(before[i]))
		out.LiveFound += before[i].share(q.unit)
		out.NextFound += after[i].share(q.unit)
	}
	if n := float64(out.Questions); n > 0 {
		out.Overlap, out.LiveFound, out.NextFound = out.Overlap/n, out.LiveFound/n, out.NextFound/n
	}
	return out, nil
}

// hits are the best units of one question.
type hits map[index.UnitKey]bool

// share returns 1 if a unit is among the hits, else 0.
func (h hits) share(unit index.UnitKey) float64 {
	if h[unit] {
		return 1
	}
	return 0
}

// ask runs all questions in a space.
func (c *comparing) ask(ctx context.Context, space indexes.Space) ([]hits, error) {
	model, err := c.embedderOf(ctx, space.Identity)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(c.questions))
	for i, q := range c.questions {
		texts[i] = q.text
	}
	began := time.Now()
	answer, err := model.Embed(ctx, embed.Query, texts)
	if c.ObserveEmbedding != nil {
		c.ObserveEmbedding(Embedded{Usage: answer.Usage, Took: time.Since(began)})
	}
	if refused, ok := errors.AsType[*embed.RefusedTexts](err); err != nil && (!ok || !complete(answer.Vectors, refused)) {
		e := embedding{Activities: c.Activities}
		return nil, e.failed(ctx, model, err)
	}
	out := make([]hits, len(texts))
	for i, vector := range answer.Vectors {
		if vector == nil {
			continue
		}
		near, err := c.Store.Nearest(ctx, c.id, indexes.VectorQuery{
			Corpus: c.questions[i].corpus, Space: space.ID, Vector: vector, Depth: comparedHits,
		})
		if err != nil {
			return nil, storeError(err)
		}
		out[i] = hits{}
		for _, hit := range near.Hits {
			out[i][hit.Unit] = true
		}
	}
	return out, nil
}
