package workflows

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/testsuite"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/talk"
)

// proposer adds a line to MEMORY.md, at its end or in front of a text, and calls between before it answers.
type proposer struct {
	line    string
	front   string
	between func(call int)
	calls   int
}

func (p *proposer) Propose(_ context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	p.calls++
	if p.between != nil {
		p.between(p.calls)
	}
	proposal := proposals.Proposal{ShouldUpdate: true, Reason: "said", DailyEntry: "## 10:00 Said\n\n" + p.line}
	if !strings.Contains(in.Memory, p.line) {
		proposal.MemoryUpdate = strings.TrimRight(in.Memory, "\n") + "\n" + p.line
		if p.front != "" {
			proposal.MemoryUpdate = strings.Replace(in.Memory, p.front, p.line+p.front, 1)
		}
	}
	raw, err := json.Marshal(proposal)
	return proposals.Answer{Raw: string(raw), Model: "scripted", PromptVersion: "p@1"}, err
}

// says stores a conversation of four messages and extracts it with the real steps, in virtual time.
func (w *dreamWorld) says(t *testing.T, conversation, text string, p *proposer) (ExtractResult, error) {
	t.Helper()
	batch := talk.Batch{Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: true}
	for i, role := range []string{memory.RoleOfUser, memory.RoleOfAssistant, memory.RoleOfUser, memory.RoleOfAssistant} {
		content := text
		if role == memory.RoleOfAssistant {
			content = "I see."
		}
		batch.Messages = append(batch.Messages, memory.Message{ID: fmt.Sprint(conversation, i), Role: role, Content: content})
	}
	if _, err := w.AppendMessages(t.Context(), w.owner, batch); err != nil {
		t.Fatal(err)
	}
	next, found, err := w.NextRange(t.Context(), w.owner)
	if err != nil || !found {
		t.Fatalf("nothing is pending: %v", err)
	}
	var suite testsuite.WorkflowTestSuite
	w.env = suite.NewTestWorkflowEnvironment()
	w.env.SetStartTime(w.asOf)
	w.env.SetTestTimeout(10 * time.Minute)
	w.options.Proposer = p
	steps, err := activities.New(w.options)
	if err != nil {
		t.Fatal(err)
	}
	w.env.RegisterActivity(steps)
	w.env.ExecuteWorkflow(Extract, ExtractInput{
		OwnerRef: w.ref(t), Conversation: next.ConversationUID, From: next.From, To: next.To,
		Settings: cmp.Or(w.options.Defaults, setting.DefaultExtractSettings()),
	})
	var out ExtractResult
	if err := w.env.GetWorkflowError(); err != nil {
		return out, err
	}
	return out, w.env.GetWorkflowResult(&out)
}

// A dream promotes a statement between an extraction's proposal of the same one and its commit: MEMORY.md has it once.
func TestAFactIsInMemoryOnce(t *testing.T) {
	const rex = "The dog of Ada is called Rex."
	w := newDreamWorld(t)
	asleep := *w
	p := &proposer{line: "- " + rex + "\n", front: "- Boris"} // the dream writes at the end, so that the texts merge
	p.between = func(int) {
		if out, err := asleep.run(t, asleep.nightly()); err != nil || out.Promoted != 1 {
			t.Errorf("the dream ended as %+v (%v)", out, err)
		}
	}
	out, err := w.says(t, "c", rex, p)
	if err != nil || out.Outcome != memory.OutcomeWritten || p.calls != 1 {
		t.Fatalf("the extraction ended as %+v (%v) after %d proposals", out, err, p.calls)
	}
	if got := w.read(t, memory.MemoryPath); strings.Count(got, rex) != 1 {
		t.Errorf("MEMORY.md became:\n%s", got)
	}
}

// writer writes lines at the end of MEMORY.md as fast as it can until it is stopped.
type writer struct {
	stop  context.CancelFunc
	done  sync.WaitGroup
	lines []string
	err   error
}

func (w *dreamWorld) writesOn(t *testing.T) *writer {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out := &writer{stop: stop}
	ref := memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath}
	out.done.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			line := fmt.Sprintf("- Note %d of the person.", n)
			for {
				d, err := w.Document(context.WithoutCancel(ctx), w.owner, ref)
				if err == nil {
					_, err = w.Apply(context.WithoutCancel(ctx), w.owner, uuid.NewString(), []memory.Change{{
						Ref: ref, Op: memory.OpReplace, Base: d.Version, Content: strings.TrimRight(d.Content, "\n") + "\n" + line + "\n",
					}})
				}
				if errors.As(err, new(*store.StaleBaseError)) {
					continue
				}
				if err != nil {
					out.err = err
					return
				}
				break
			}
			out.lines = append(out.lines, line)
		}
	})
	return out
}

// An owner writes to MEMORY.md without a pause while dreams and extractions commit: none fails, and nothing is lost.
func TestAnOwnerWhoNeverStops(t *testing.T) {
	w := newDreamWorld(t)
	w.options.DreamDefaults.MemoryMaxChars, w.options.Defaults = 1_000_000, setting.DefaultExtractSettings()
	w.options.Defaults.MemoryMaxChars = 1_000_000 // the person writes much meanwhile
	const rounds = 4
	var facts []string
	for round := range rounds {
		fact := []string{
			"The bakery of Carla opens at seven.", "The cabin of Dora lies in Chur.", "The boat of Emil is painted green.",
			"The piano of Fritz is a Steinway.",
		}[round]
		for day := range 3 {
			date := w.asOf.AddDate(0, 0, day-3).Format("2006-01-02")
			w.write(t, "memory/"+date+".md", w.read(t, "memory/"+date+".md")+"\n- "+fact+"\n")
		}
		facts = append(facts, fact)
		busy := w.writesOn(t)
		out, err := w.run(t, w.nightly())
		if err != nil || out.Outcome != memory.OutcomeWritten {
			t.Errorf("round %d: the dream ended as %+v (%v)", round, out, err)
		}
		said := fmt.Sprintf("Gustav has a neighbour called Person%d.", round)
		got, err := w.says(t, fmt.Sprint("c", round), said, &proposer{line: "- " + said + "\n"})
		if err != nil || got.Outcome != memory.OutcomeWritten {
			t.Errorf("round %d: the extraction ended as %+v (%v)", round, got, err)
		}
		facts = append(facts, said)
		busy.stop()
		busy.done.Wait()
		if busy.err != nil || len(busy.lines) == 0 {
			t.Fatalf("round %d: the person wrote %d lines (%v)", round, len(busy.lines), busy.err)
		}
		text := w.read(t, memory.MemoryPath)
		for _, line := range busy.lines {
			if strings.Count(text, line+"\n") != 1 {
				t.Fatalf("round %d: %q is there %d times", round, line, strings.Count(text, line+"\n"))
			}
		}
		t.Logf("round %d: %d lines of the person", round, len(busy.lines))
		w.write(t, memory.MemoryPath, without(text, "of the person."))
		w.asOf = w.asOf.AddDate(0, 0, 1)
	}
	text := w.read(t, memory.MemoryPath)
	for _, fact := range facts {
		if strings.Count(text, fact) != 1 {
			t.Errorf("%q is there %d times", fact, strings.Count(text, fact))
		}
	}
}

// without removes the lines with some words.
func without(text, words string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, words) {
			out.WriteString(line)
		}
	}
	return out.String()
}
