package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"reverie/memory/tokencount"
	"reverie/recall"
	"reverie/window"
)

// injection compares recalled memory in contexts with the plain list of a search, cut at the same number of tokens.
type injection struct {
	Budget   int            `json:"budget"` // tokens
	Injected injectedFigure `json:"injected"`
	Plain    injectedFigure `json:"plain"`
}

// injectedFigure holds means over all questions with evidence.
type injectedFigure struct {
	Whole    float64 `json:"whole"`    // share of questions whose evidence is complete
	Evidence float64 `json:"evidence"` // share of the evidence
	Turns    float64 `json:"turns"`
	Tokens   float64 `json:"tokens"`
}

// contextMaker makes contexts for a model.
type contextMaker interface {
	// budget sets the tokens of recalled memory of an agent.
	budget(ctx context.Context, agent string, tokens int) error
	// context returns the turns that are recalled for a message, and their tokens.
	context(ctx context.Context, d dialogue, message string) (turns []string, tokens int, err error)
}

func (a overHTTP) budget(ctx context.Context, agent string, tokens int) error {
	body := map[string]any{"settings": map[string]any{"autoInjectMaxTokens": tokens}}
	return a.Call(ctx, http.MethodPatch, "/api/v1/agents/"+agent, body, nil)
}

func (a overHTTP) context(ctx context.Context, d dialogue, message string) (turns []string, tokens int, err error) {
	var made struct {
		Ledger   struct{ Recall int }
		Recalled []struct {
			Conversation       string
			StartLine, EndLine int
		}
	}
	body := map[string]any{"owner": owner, "message": message}
	if err := a.Call(ctx, http.MethodPost, "/api/v1/agents/"+d.agent+"/context", body, &made); err != nil {
		return nil, 0, err
	}
	for _, r := range made.Recalled {
		for _, s := range d.sessions {
			if messages := messagesOf(s); strconv.Itoa(s.number) == r.Conversation {
				for _, m := range messages[min(r.StartLine-1, len(messages)):min(r.EndLine, len(messages))] {
					turns = append(turns, m.ID)
				}
			}
		}
	}
	return turns, made.Ledger.Recall, nil
}

// injected asks for the context of every question that has evidence, and for the plain list.
func (b *bench) injected(ctx context.Context, s set) (*injection, error) {
	for _, d := range s.dialogues {
		if err := b.contexts.budget(ctx, d.agent, b.inject); err != nil {
			return nil, err
		}
	}
	out := &injection{Budget: b.inject}
	n := 0.0
	err := s.each(func(d dialogue, _ map[string]int, q question) error {
		turns, tokens, err := b.contexts.context(ctx, d, q.text)
		if err != nil {
			return err
		}
		out.Injected.add(turns, q.evidence, tokens)
		r := b.unlimited(q, nil)
		r.MaxResults = recall.MaxResults
		found, _, err := b.searches.search(ctx, d.agent, r)
		if err != nil {
			return err
		}
		turns, tokens = plainly(d, distinct(found), b.inject)
		out.Plain.add(turns, q.evidence, tokens)
		n++
		return nil
	})
	out.Injected.divide(n)
	out.Plain.divide(n)
	return out, err
}

// plainly returns the first of the turns found that fit as whole lines, in the form of a context.
func plainly(d dialogue, found []string, budget int) (turns []string, tokens int) {
	tokens = tokencount.Estimate(window.RecallPrefix + "\n\n" + window.RecallSuffix)
	for _, id := range found {
		for _, s := range d.sessions {
			for i, m := range messagesOf(s) {
				if m.ID != id {
					continue
				}
				cost := tokencount.Estimate(fmt.Sprintf("- [sessions/%d:%d · %s] %s\n", s.number, i+1, "January 2020", m.Content))
				if tokens+cost > budget {
					return turns, tokens
				}
				turns, tokens = append(turns, id), tokens+cost
			}
		}
	}
	return turns, tokens
}

func (f *injectedFigure) add(turns, evidence []string, tokens int) {
	found := 0
	for _, e := range evidence {
		if slices.Contains(turns, e) {
			found++
		}
	}
	if found == len(evidence) {
		f.Whole++
	}
	f.Evidence += float64(found) / float64(len(evidence))
	f.Turns += float64(len(turns))
	f.Tokens += float64(tokens)
}

func (f *injectedFigure) divide(n float64) {
	for _, x := range []*float64{&f.Whole, &f.Evidence, &f.Turns, &f.Tokens} {
		*x /= max(n, 1)
	}
}

func (i injection) print(w io.Writer) {
	fmt.Fprintf(w, "\nwithin %d tokens of recalled memory: questions with all of their evidence, evidence, turns, tokens\n", i.Budget)
	for _, row := range []struct {
		name string
		injectedFigure
	}{{"context", i.Injected}, {"plain list of a search", i.Plain}} {
		fmt.Fprintf(w, "  %-24s %.1f %%  %.1f %%  %.1f  %.0f\n", row.name, percent(row.Whole), percent(row.Evidence), row.Turns, row.Tokens)
	}
}
