package embed

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"reverie/llm/wire"
)

// maxRequestBytes bounds the texts of one request: about 32,000 tokens of English. OpenAI accepts 300,000 tokens, Voyage at least
// 120,000.
const maxRequestBytes = 128 << 10

// embedJob is one Embed, in several requests.
type embedJob struct {
	*embedder
	kind  Kind
	texts []string

	mu      sync.Mutex
	made    Embeddings
	refused []RefusedText
	failure error // the first that is not about single texts; it ends the job

	health  sync.Once // guards healthy
	healthy bool      // the provider embeds a harmless word
}

// embed embeds texts in as many requests as they need.
func (e *embedder) embed(ctx context.Context, kind Kind, texts []string) (Embeddings, error) {
	j := &embedJob{embedder: e, kind: kind, texts: texts, made: Embeddings{Vectors: make([][]float32, len(texts))}}
	batches := make(chan []int)
	var workers sync.WaitGroup
	for range min(cap(e.slots), len(texts)) {
		workers.Go(func() {
			for batch := range batches {
				j.embedBatch(ctx, batch)
			}
		})
	}
	for batch := range j.batches {
		if j.ended() {
			break
		}
		batches <- batch
	}
	close(batches)
	workers.Wait()
	return j.result()
}

// result returns the outcome of the job.
func (j *embedJob) result() (Embeddings, error) {
	slices.Sort(j.made.Shortened)
	if len(j.refused) == 0 {
		return j.made, j.failure
	}
	slices.SortFunc(j.refused, func(a, b RefusedText) int { return a.Index - b.Index })
	refused := &RefusedTexts{Texts: j.refused}
	if j.failure == nil {
		return j.made, refused
	}
	return j.made, errors.Join(j.failure, refused)
}

// batches yields the indexes of the texts in batches that fit into a request. Their size may fall while the job runs.
// Blank texts are refused: they have no meaning to embed, and one of them makes most providers refuse the whole batch.
func (j *embedJob) batches(yield func([]int) bool) {
	var batch []int
	bytes := 0
	for i, text := range j.texts {
		if strings.TrimSpace(text) == "" {
			j.refuse(i, &wire.Error{Kind: wire.BadRequest, Message: "the text is blank"})
			continue
		}
		if len(batch) > 0 && (len(batch) >= int(j.maxTexts.Load()) || bytes+len(text) > int(j.maxBytes.Load())) {
			if !yield(batch) {
				return
			}
			batch, bytes = nil, 0
		}
		batch, bytes = append(batch, i), bytes+len(text)
	}
	if len(batch) > 0 {
		yield(batch)
	}
}

// embedBatch embeds a batch in one request, or in halves if the provider refuses it. It reports whether one request sufficed.
func (j *embedJob) embedBatch(ctx context.Context, batch []int) bool {
	if j.ended() {
		return false
	}
	texts := make([]string, len(batch))
	for i, at := range batch {
		texts[i] = j.texts[at]
	}
	failure := j.send(ctx, texts, batch)
	switch {
	case failure == nil:
		return true
	case !j.isAboutTexts(ctx, failure):
	case len(batch) > 1:
		half := len(batch) / 2
		first, second := j.embedBatch(ctx, batch[:half]), j.embedBatch(ctx, batch[half:])
		if first && second { // no text was at fault, so they were too many or too long together
			j.takeLess(batch)
		}
	case failure.Kind == wire.ContextTooLong:
		j.shorten(ctx, batch, failure)
	default:
		j.refuse(batch[0], failure)
	}
	return false
}

// shorten embeds the first half of a text that is too long.
func (j *embedJob) shorten(ctx context.Context, batch []int, tooLong *wire.Error) {
	at := batch[0]
	half := firstHalf(j.texts[at])
	if half == "" {
		j.refuse(at, tooLong)
		return
	}
	failure := j.send(ctx, []string{half}, batch)
	switch {
	case failure == nil:
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.made.Vectors[at] != nil {
			j.made.Shortened = append(j.made.Shortened, at)
		}
	case j.isAboutTexts(ctx, failure):
		j.refuse(at, failure)
	}
}

// firstHalf returns the first half of a text, without half a character.
func firstHalf(text string) string {
	text = strings.TrimSpace(text)
	end := len(text) / 2
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSpace(text[:end])
}

// send embeds texts in one request and stores the vectors for the texts of the batch. A text with an unusable vector is refused;
// the error is about the whole request. An error that is not an *wire.Error ends the job.
func (j *embedJob) send(ctx context.Context, texts []string, batch []int) *wire.Error {
	vectors, err := j.vectorsOf(ctx, texts)
	if failure := new(wire.Error); errors.As(err, &failure) {
		return failure
	}
	if err != nil {
		j.end(err)
		return &wire.Error{Kind: wire.Unavailable, Message: "the job has ended"}
	}
	var unusable []RefusedText
	for i, v := range vectors {
		if failure := unit(v); failure != nil {
			unusable = append(unusable, RefusedText{batch[i], failure})
		} else if failure := j.checkSize(len(v)); failure != nil {
			j.end(failure)
			return failure
		}
	}
	if len(unusable) == len(vectors) && !j.embedsAnything(ctx) {
		j.end(unusable[0].Err)
		return unusable[0].Err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refused = append(j.refused, unusable...)
	for i, v := range vectors {
		if !slices.ContainsFunc(unusable, func(r RefusedText) bool { return r.Index == batch[i] }) {
			j.made.Vectors[batch[i]] = v
		}
	}
	return nil
}

// vectorsOf makes one request, when there is a free slot, and adds its usage.
func (j *embedJob) vectorsOf(ctx context.Context, texts []string) ([][]float32, error) {
	if !isUrgent(j.kind, j.texts) {
		select {
		case j.slots <- struct{}{}:
			defer func() { <-j.slots }()
		case <-ctx.Done(): // the request reports it
		}
	}
	vectors, usage, err := j.request(ctx, j.kind, texts)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.made.Usage = j.made.Usage.Add(usage)
	return vectors, err
}

// checkSize checks the length of a vector; the first one sets it.
func (e *embedder) checkSize(n int) *wire.Error {
	switch {
	case e.dimensions.CompareAndSwap(0, int64(n)), e.dimensions.Load() == int64(n):
		return nil
	case e.config.Dimensions == 0:
		return badVector("a vector has %d dimensions and those before it have %d: the model behind the name has changed; restart to "+
			"accept the new size", n, e.dimensions.Load())
	case wire.Feature(e.declined.Load())&wire.ChosenSize != 0:
		return badVector("the vectors have %d dimensions, %d are configured, and the model declines to make others; set the "+
			"dimensions (REVERIE_EMBEDDING_DIMENSIONS) to %d, or to 0 for the model's own", n, e.config.Dimensions, n)
	}
	return badVector("the vectors have %d dimensions, %d are configured; set the dimensions (REVERIE_EMBEDDING_DIMENSIONS) to %d, "+
		"or to 0 for the model's own", n, e.config.Dimensions, n)
}

// suspectBytes is the size from which a refused batch is taken to have too many bytes, not too many texts: about the 16,000 tokens
// that the strictest provider, Mistral, accepts.
const suspectBytes = 32 << 10

// takeLess lowers the limits for the following batches after one that was too large: fewer bytes, or fewer texts.
func (j *embedJob) takeLess(batch []int) {
	bytes := 0
	for _, at := range batch {
		bytes += len(j.texts[at])
	}
	if bytes > suspectBytes {
		lower(&j.maxBytes, bytes/2)
	} else {
		lower(&j.maxTexts, len(batch)/2)
	}
}

// lower lowers a limit; it never raises it.
func lower(limit *atomic.Int64, to int) {
	for {
		now := limit.Load()
		if int64(to) >= now || limit.CompareAndSwap(now, int64(to)) {
			return
		}
	}
}

// isAboutTexts reports whether a failure is about the texts of the request, so that a request without some of them may pass.
// Any other failure ends the job.
func (j *embedJob) isAboutTexts(ctx context.Context, failure *wire.Error) bool {
	switch {
	case failure.Kind == wire.ContextTooLong, failure.Kind == wire.Refused,
		failure.Kind == wire.BadVector && failure.Status != http.StatusOK:
		return true
	case failure.Kind == wire.BadRequest && (failure.Status == http.StatusBadRequest || failure.Status == http.StatusUnprocessableEntity):
		if j.embedsAnything(ctx) {
			return true
		}
	}
	j.end(failure)
	return false
}

// embedsAnything reports whether the provider makes a vector of a harmless word. If not, the configuration is wrong, such as the
// model's name, and every single text would be refused for the same reason.
func (j *embedJob) embedsAnything(ctx context.Context) bool {
	j.health.Do(func() {
		vectors, err := j.vectorsOf(ctx, []string{probeText})
		j.healthy = err == nil && unit(vectors[0]) == nil
	})
	return j.healthy
}

func (j *embedJob) refuse(at int, why *wire.Error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refused = append(j.refused, RefusedText{at, why})
}

// end ends the job with an error, unless it has ended already.
func (j *embedJob) end(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failure == nil {
		j.failure = err
	}
}

func (j *embedJob) ended() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.failure != nil
}
