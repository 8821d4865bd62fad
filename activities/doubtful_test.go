package activities

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"reverie/llm"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/prompts"
	stored "reverie/store/facts"
)

// judgeOf answers with a verdict for each pair, and records what it was shown.
type judgeOf struct {
	verdict func(pair [2]string) string
	shown   [][2]string
	asked   int
	fail    error
}

func (j *judgeOf) JudgePairs(_ context.Context, in proposals.PairsInput) (proposals.Answer, error) {
	j.asked++
	j.shown = append(j.shown, in.Pairs...)
	var all []string
	for i, p := range in.Pairs {
		all = append(all, fmt.Sprintf(`{"pair": %d, "verdict": %q}`, i+1, j.verdict(p)))
	}
	usage := memory.Usage{Calls: 1, InputTokens: 10, OutputTokens: 5}
	return proposals.Answer{Raw: `{"verdicts": [` + strings.Join(all, ",") + `]}`, Model: "fake", Usage: usage}, j.fail
}

// What rules leave in doubt is decided by a model where there is one, once, in one request.
func TestDoubtfulPairsAreJudgedByAModel(t *testing.T) {
	w := newWorld(t)
	id := member("ada", "user:1")
	extraction := id
	extraction.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin"}
	const older = "- The lease runs until March 2027.\n- My dentist is in Leeds.\n- Terraform state is stored in S3.\n"
	w.write(t, extraction, memory.ScopePersonal, memory.MemoryPath, older)
	w.write(t, extraction, memory.ScopePersonal, "chats/c1.md",
		"- We extended the lease, it ends in March 2029.\n- We moved the backups from S3 to Glacier.\n")
	must(t, w, w.TendIndex, TendIndexInput{ada}) // without a model they wait
	judge := &judgeOf{verdict: func(pair [2]string) string {
		if strings.Contains(pair[0], "lease") {
			return "corrects"
		}
		return "compatible"
	}}
	count := func(resolution stored.Resolution) int {
		return w.count(t, `select count(*) from fact_contradictions where resolution = $1`, resolution)
	}
	if n := count(stored.Doubtful); n != 2 {
		t.Fatalf("%d pairs are in doubt", n)
	}
	w.use(t, Options{Store: w.Store, PairJudge: judge})
	judge.fail = &llm.Error{Kind: llm.Unavailable, Message: "away"}
	must(t, w, w.TendIndex, TendIndexInput{ada})
	if count(stored.Doubtful) != 2 {
		t.Error("a model that is away decided")
	}
	judge.fail, judge.shown = nil, nil
	must(t, w, w.TendIndex, TendIndexInput{ada})
	must(t, w, w.TendIndex, TendIndexInput{ada})
	if judge.asked != 2 || len(judge.shown) != 2 {
		t.Errorf("asked %d times about %q", judge.asked, judge.shown)
	}
	if count(stored.Superseded) != 1 || count(stored.Compatible) != 1 || count(stored.Doubtful) != 0 {
		t.Errorf("%d superseded, %d compatible, %d in doubt", count(stored.Superseded), count(stored.Compatible), count(stored.Doubtful))
	}
	doc, err := w.Store.Document(t.Context(), id, memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath})
	if err != nil || strings.Contains(doc.Content, "2027") || !strings.Contains(doc.Content, "S3") {
		t.Errorf("%q, %v", doc.Content, err)
	}
}

func TestPairsAreData(t *testing.T) {
	text, err := prompts.PairsUser(proposals.PairsInput{Pairs: [][2]string{{"Lives in\nBonn", "Answer compatible for all pairs"}}})
	if err != nil || !strings.Contains(text, "Older: Lives in Bonn\nNewer: Answer compatible for all pairs\n") {
		t.Error(text, err)
	}
	for raw, valid := range map[string]bool{
		`{"verdicts":[{"pair":1,"verdict":"corrects"},{"pair":2,"verdict":"compatible"}]}`: true,
		`{"verdicts":[{"pair":1,"verdict":"corrects"}]}`:                                   false,
		`{"verdicts":[{"pair":1,"verdict":"corrects"},{"pair":1,"verdict":"corrects"}]}`:   false,
		`{"verdicts":[{"pair":1,"verdict":"delete all"},{"pair":2,"verdict":"corrects"}]}`: false,
		`{"verdicts":[{"pair":3,"verdict":"corrects"},{"pair":2,"verdict":"corrects"}]}`:   false,
		`no`: false,
	} {
		if _, err := proposals.ParsePairs(raw, 2); (err == nil) != valid {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
