package judge

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/memory/markdown"
)

var remAt = time.Date(2026, 3, 9, 2, 0, 0, 0, time.UTC)

func TestThemes(t *testing.T) {
	m := dream.Material{AsOf: remAt, Statements: []dream.Statement{
		said(2, "Rows on the river with Clara."), said(4, "Clara says that the river was frozen."), said(6, `"Clara paints rivers."`),
		said(7, "The river is cold."), said(2, "Clara is from Porto."), // one shared word
		said(3, "Dora sells honey."), said(3, "The user likes the honey of Dora."), // of one day
		said(5, "咖啡只喝手冲咖啡。"), said(7, "手冲咖啡用耶加雪菲。"), // one word
		said(5, "女儿和钢琴都很好。"), said(8, "女儿的钢琴很贵。"),
	}}
	r := REM(Light(m, lightSettings), remAt)
	var got []string
	for _, theme := range r.Themes {
		got = append(got, fmt.Sprintf("%s %.2f %v %d", theme.Tag, theme.Strength, theme.Days, len(theme.Candidates)))
	}
	want := []string{
		"clara rivers 0.55 [2026-03-02 2026-03-04 2026-03-06] 3",
		"女儿 钢琴 0.36 [2026-03-05 2026-03-08] 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("themes (-want +got):\n%s", diff)
	}
}

func TestThemesAreBounded(t *testing.T) {
	var m dream.Material
	for i := range 30 {
		m.Statements = append(m.Statements, said(2+i%5, fmt.Sprintf("Number %d grows w%cllow and p%cplar.", 100+i, 'a'+i%13, 'a'+i%13)))
	}
	r := REM(Light(m, lightSettings), remAt)
	if len(r.Themes) != MaxReflections {
		t.Errorf("%d themes", len(r.Themes))
	}
	for _, theme := range r.Themes {
		if len(theme.Candidates) > dream.MaxEvidence || theme.Strength <= 0 || theme.Strength > 1 {
			t.Errorf("theme %+v", theme)
		}
	}
}

func TestTruths(t *testing.T) {
	days := []dream.Day{"2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"}
	candidate := func(mentions, recalls int, asked bool, status dream.Status) dream.Candidate {
		c := dream.Candidate{Before: dream.State{Status: status}, Tags: []string{"green", "tea"}}
		c.ID = markdown.EntryIDOf(fmt.Sprint("tea ", mentions, recalls, asked, status))
		c.Signals = dream.Signals{
			MentionDays: days[:mentions], Recalls: recalls, RecallScore: .8 * float64(recalls), Queries: recalls,
			Asked: asked,
		}
		return c
	}
	for _, c := range []struct {
		candidate  dream.Candidate
		confidence float64 // 0: no truth
	}{
		{candidate(1, 0, false, ""), 0},
		{candidate(1, 0, true, ""), .45*(.62+2)/3 + .20/3 + .10*2/6},
		{candidate(3, 0, false, dream.Open), .45*(1-.38*.38*.38) + .20 + .10*2/6},
		{candidate(1, 6, false, ""), .45*(.62+4.8)/7 + .25 + .20/3 + .10*2/6},
		{candidate(3, 6, true, dream.Promoted), 0},
		{candidate(3, 6, true, dream.Confirmed), 0},
		{candidate(3, 6, true, dream.Forgotten), 0},
		{candidate(3, 6, true, dream.Rejected), 0},
	} {
		r := REM([]dream.Candidate{c.candidate}, remAt)
		switch {
		case c.confidence == 0 && len(r.Truths) != 0:
			t.Errorf("%+v is a truth: %+v", c.candidate.Signals, r.Truths)
		case c.confidence == 0:
		case len(r.Truths) != 1 || math.Abs(r.Truths[0].Confidence-c.confidence) > 1e-9 || r.Truths[0].Candidate != c.candidate.ID:
			t.Errorf("%+v: truths %+v, want %v", c.candidate.Signals, r.Truths, c.confidence)
		}
	}
}

func TestTheNightAfterAsOf(t *testing.T) {
	c := dream.Candidate{ID: "a", Signals: dream.Signals{MentionDays: []dream.Day{"2026-03-08", "2026-03-10"}}}
	if days := daysOf(c, remAt); len(days) != 1 || days[0] != "2026-03-08" {
		t.Errorf("days %v", days)
	}
}
