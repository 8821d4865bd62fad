// Command recall measures the recall of search on files of dialogues with questions.
//
//	go run ./test/bench/recall -ablations -min turn@10=0.6 dialogues.json more.json
//
// It starts a private PostgreSQL and the real API process, posts the dialogues as conversations, asks every question
// over HTTP, and prints recall of messages and of sessions (see measure.go) next to that of BM25, latency, and the
// contribution of each component of the ranking. With -offline it calls the same search in this process on an index in
// memory. With REVERIE_EMBEDDING_PROVIDER set, or with a frozen ranking instead of a provider (-dense), it stores a
// vector for every message and measures the fused ranking, next to words and vectors alone. It exits with status 1 if
// a minimum is missed; one of them is that fusion never loses more than a point of R@10 against the better of its two
// inputs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reverie/test/bench/services"
)

func main() {
	b := bench{ks: []int{5, 10, 20}}
	flag.IntVar(&b.most, "dialogues", 0, "number of dialogues to use of each file; 0: all")
	flag.Var(services.Numbers(&b.ks, 1, false), "k", "numbers of results at which recall is measured")
	flag.BoolVar(&b.ablate, "ablations", false, "measure also without each component of the ranking")
	flag.BoolVar(&b.offline, "offline", false, "search in this process, without HTTP and a database")
	flag.BoolVar(&b.crossed, "validate", false,
		"with -offline: vary each parameter of the ranking, and choose those of each set on the others")
	flag.IntVar(&b.answers, "answers", 0, "measure also with this number of long answers of an assistant added to each dialogue")
	flag.IntVar(&b.inject, "inject", 0, "measure also how much of the evidence is in a context with this number of tokens of recalled memory")
	flag.BoolVar(&b.paired, "pairs", false, "ask two questions in one: each with the one half the list after it")
	flag.StringVar(&b.dense, "dense", "",
		"fuse with a frozen ranking instead of a model's: a file of JSON lines (dense.go), or one of "+strings.Join(sortedNames(madeUp), ", "))
	flag.Var(&b.bars, "min", "exit with status 1 if a figure is lower, of all files or of those whose name begins so,\n"+
		"such as turn@10=0.5,beam:turn@10=0.62,session@10=0.75,newest=0.8,bm25,defaults=0.9")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: recall [flags] file...")
		flag.PrintDefaults()
	}
	services.Main("recall", func(ctx context.Context, w io.Writer, asJSON bool) (bool, error) {
		b.files = flag.Args()
		return b.run(ctx, w, asJSON)
	})
}

// bench is one run.
type bench struct {
	files   []string
	most    int // dialogues of each file; 0: all
	ks      []int
	dense   string
	ablate  bool
	offline bool
	crossed bool
	paired  bool
	answers int
	inject  int
	bars    bars

	searches searcher
	contexts contextMaker // nil: only searches can be measured
}

// searcher is the search under test.
type searcher interface {
	// load stores a dialogue for its agent.
	load(ctx context.Context, d dialogue) error
	// search returns the ids of the messages found, best first, and the duration.
	search(ctx context.Context, agent string, s services.Search) ([]string, time.Duration, error)
}

// run measures and prints; passed reports whether every minimum is reached.
func (b *bench) run(ctx context.Context, w io.Writer, asJSON bool) (passed bool, err error) {
	sets, err := b.read()
	if err != nil {
		return false, err
	}
	if b.offline {
		if b.dense != "" {
			return false, errors.New("-dense cannot be used with -offline: vectors need the database")
		}
		memory := newInMemory()
		b.searches = memory
		if b.crossed {
			b.ks = validated
			if _, err := b.fill(ctx, "", sets, nil); err != nil {
				return false, err
			}
			v, err := b.validate(ctx, sets, memory)
			if err != nil {
				return false, err
			}
			return true, services.Show(w, asJSON, v, v.print)
		}
		r, err := b.measureAll(ctx, sets, "", nil)
		if err != nil {
			return false, err
		}
		return r.judge(b.bars), services.Show(w, asJSON, r, r.print)
	}
	if b.crossed {
		return false, errNotOffline
	}
	if b.inject > 0 && b.dense != "" {
		return false, errors.New("-inject cannot be used with -dense")
	}
	source, err := b.openVectors(all(sets))
	if err != nil {
		return false, err
	}
	if source != nil {
		defer func() { err = errors.Join(err, source.close()) }()
	}
	err = services.InFolder("recall", func(dir string) (err error) {
		s, err := services.Start(ctx, services.Options{Dir: dir, Progress: services.Say})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Stop()) }()
		api, err := s.StartAPI(ctx, source.environment()...)
		if err != nil {
			return err
		}
		b.searches, b.contexts = overHTTP{api}, overHTTP{api}
		r, err := b.measureAll(ctx, sets, s.DatabaseURL, source)
		if err != nil {
			return err
		}
		passed = r.judge(b.bars)
		return services.Show(w, asJSON, r, r.print)
	})
	return passed, err
}

// measureAll stores all sets and measures each.
func (b *bench) measureAll(ctx context.Context, sets []set, database string, source *vectorSource) (reports, error) {
	out := reports{Ranking: source.ranking()}
	loaded, err := b.fill(ctx, database, sets, source)
	if err != nil {
		return out, err
	}
	for i, s := range sets {
		r, err := b.measure(ctx, s, source)
		if err != nil {
			return out, fmt.Errorf("%s: %w", s.name, err)
		}
		r.Loaded = loaded[i]
		out.Sets = append(out.Sets, r)
	}
	return out, nil
}

// read reads the files and checks the flags.
func (b *bench) read() ([]set, error) {
	if len(b.files) == 0 {
		return nil, errors.New("name at least one file")
	}
	sets := make([]set, len(b.files))
	for i, file := range b.files {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		dialogues, err := readDialogues(f)
		_ = f.Close() // read-only
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if b.most > 0 {
			dialogues = dialogues[:min(b.most, len(dialogues))]
		}
		for j := range dialogues {
			dialogues[j].agent = fmt.Sprintf("dialogue-%d-%d", i+1, j+1)
		}
		if b.paired {
			for j := range dialogues {
				dialogues[j].questions = pairs(dialogues[j].questions)
			}
		}
		sets[i] = set{strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), dialogues}
	}
	return sets, b.bars.check(b.ks, sets)
}

// all returns the dialogues of all sets.
func all(sets []set) (dialogues []dialogue) {
	for _, s := range sets {
		dialogues = append(dialogues, s.dialogues...)
	}
	return dialogues
}
