// Command recall measures the recall of search on a file of dialogues with questions, in LoCoMo's format.
//
//	go run ./test/bench/recall -file dialogues.json -ablations -min turn@10=0.78
//
// It starts a private PostgreSQL and the real API process, posts the dialogues as conversations, asks every question
// over HTTP, and prints recall of turns and of sessions (see measure.go), latency, and the contribution of each
// component of the ranking. With REVERIE_EMBEDDING_PROVIDER set, or with a frozen ranking instead of a provider
// (-dense), it stores a vector for every message and measures the fused ranking, next to words and vectors alone. It
// exits with status 1 if a minimum is missed; one of them is that fusion never loses more than a point of R@10
// against the better of its two inputs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"reverie/test/bench/services"
	"reverie/test/deployment"
)

func main() {
	b := bench{ks: []int{5, 10, 20}}
	flag.StringVar(&b.file, "file", "", "file of dialogues and questions, in LoCoMo's format (required)")
	flag.IntVar(&b.dialogues, "dialogues", 0, "number of dialogues to use; 0: all")
	flag.Var(services.Numbers(&b.ks, 1, false), "k", "numbers of results at which recall is measured")
	flag.BoolVar(&b.ablate, "ablations", false, "measure also without each component of the ranking")
	flag.StringVar(&b.dense, "dense", "",
		"fuse with a frozen ranking instead of a model's: a file of JSON lines (dense.go), or one of "+strings.Join(sortedNames(madeUp), ", "))
	flag.Var(&b.bars, "min", "exit with status 1 if the overall recall is lower, such as turn@10=0.78,session@10=0.95")
	services.Main("recall", b.run)
}

// bench is one run.
type bench struct {
	file      string
	dialogues int
	ks        []int
	dense     string
	ablate    bool
	bars      bars

	api *deployment.Client
}

// run measures and prints; passed reports whether every minimum is reached.
func (b *bench) run(ctx context.Context, w io.Writer, asJSON bool) (passed bool, err error) {
	dialogues, err := b.read()
	if err != nil {
		return false, err
	}
	source, err := b.openVectors(dialogues)
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
		if b.api, err = s.StartAPI(ctx, source.environment()...); err != nil {
			return err
		}
		loaded, err := b.fill(ctx, s.DatabaseURL, dialogues, source)
		if err != nil {
			return err
		}
		r, err := b.measure(ctx, dialogues, source)
		if err != nil {
			return err
		}
		r.Loaded = loaded
		r.Bars, passed = append(b.bars, r.fusionBars()...).judge(r.Overall.Recall)
		return services.Show(w, asJSON, r, r.print)
	})
	return passed, err
}

// read reads the file and checks the flags.
func (b *bench) read() ([]dialogue, error) {
	if b.file == "" {
		return nil, errors.New("-file is required")
	}
	for _, one := range b.bars {
		if !slices.Contains(b.ks, one.K) {
			return nil, fmt.Errorf("-min asks for recall at %d, which -k does not measure", one.K)
		}
	}
	f, err := os.Open(b.file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read-only
	dialogues, err := readDialogues(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.file, err)
	}
	if b.dialogues > 0 {
		dialogues = dialogues[:min(b.dialogues, len(dialogues))]
	}
	return dialogues, nil
}
