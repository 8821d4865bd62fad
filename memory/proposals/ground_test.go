package proposals_test

import (
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

func TestGround(t *testing.T) {
	in := proposals.ExtractionInput{
		Today:   time.Date(2026, 3, 12, 18, 0, 0, 0, time.UTC),
		Memory:  "# Memory\n\n## Home\n\n- Rent is 900 euros\n- Lives in Leeds\n",
		Profile: "# Profile\n\n- Likes tea\n",
		Transcript: []transcripts.Line{
			{Seq: 1, Role: "user", Text: "The rent went up to 950 euros. My son Max broke his arm."},
		},
	}
	p := proposals.Proposal{
		ShouldUpdate: true, Reason: "news",
		DailyEntry:    "## 09:12 Family\n\n- Son Max broke his arm\n- Son Karl broke his leg\n  - Karl's cast is blue\n\n### Money\n\n- Pays 77 for parking\n",
		MemoryUpdate:  "# Memory\n\n## Home\n\n- Rent is 990 euros\n- Lives in Leeds\n",
		ProfileUpdate: "# Profile\n\n- Likes tea\n- Has a son, Max\n",
	}
	got, dropped := proposals.Ground(p, in)
	if want := "## 09:12 Family\n\n- Son Max broke his arm\n\n\n"; got.DailyEntry != want {
		t.Errorf("daily entry %q, want %q", got.DailyEntry, want)
	}
	if got.MemoryUpdate != "" { // the old line came back, so that nothing changes
		t.Errorf("memory update %q", got.MemoryUpdate)
	}
	if got.ProfileUpdate != p.ProfileUpdate {
		t.Errorf("profile update %q", got.ProfileUpdate)
	}
	if len(dropped) != 4 || dropped[3].Restored != "- Rent is 900 euros" {
		t.Errorf("dropped %+v", dropped)
	}
	violations := proposals.Ungrounded(dropped)
	if v := violations[0]; v.Code != proposals.ViolationUngrounded || !strings.Contains(v.Message, `name "Karl"`) {
		t.Errorf("violation %+v", v)
	}
}

func TestGroundLeavesWhatWasSaid(t *testing.T) {
	in := proposals.ExtractionInput{
		Today: time.Date(2026, 3, 12, 18, 0, 0, 0, time.UTC), Transcript: []transcripts.Line{{Seq: 1, Role: "user", Text: "my name is Ada"}},
	}
	p := proposals.Proposal{ShouldUpdate: true, DailyEntry: "- \"my name is Ada\"\r\n\r\n- Name is Ada"}
	if got, dropped := proposals.Ground(p, in); got.DailyEntry != p.DailyEntry || dropped != nil {
		t.Errorf("%q, %v", got.DailyEntry, dropped)
	}
	p = proposals.Proposal{ShouldUpdate: true, DailyEntry: "## Family\n\n- Has 3 sisters\n"}
	if got, dropped := proposals.Ground(p, in); got.DailyEntry != "" || len(dropped) != 1 {
		t.Errorf("%q, %v", got.DailyEntry, dropped)
	}
}

func TestGroundSummary(t *testing.T) {
	in := proposals.SummaryInput{Previous: "- Budget is 4,000\n"}
	if got := proposals.GroundSummary("- Budget is 4,000\n- Deadline on 2026-05-05\n- Discussed colours", in); got != "- Budget is 4,000\n- Discussed colours" {
		t.Errorf("%q", got)
	}
}

// A summary neither denies what was said nor says it of somebody else. What the assistant said may be in it.
func TestGroundSummaryComparesStatements(t *testing.T) {
	at := time.Date(2026, 3, 12, 18, 0, 0, 0, time.UTC)
	var in proposals.SummaryInput
	for i, text := range []string{
		"My daughter Ivy is allergic to eggs, and my mother is a nurse.", "Then try the lemon cake without eggs.",
		"The garden party is not on Sunday. I take warfarin.",
	} {
		in.Messages = append(in.Messages, memory.Message{Role: []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2], Content: text, CreatedAt: at})
	}
	for line, kept := range map[string]bool{
		"- Ivy is allergic to eggs": true, "- The assistant suggested the lemon cake": true, "- The user takes warfarin": true,
		"- The garden party is not on Sunday": true,
		"- Ivy is not allergic to eggs":       false, "- The user is allergic to eggs": false, "- The user does not take warfarin": false,
		"- The user is a nurse": false, "- Brother takes warfarin": false, "- The garden party is on Monday 2026-04-13": false,
	} {
		if got := proposals.GroundSummary("## Facts\n"+line, in); strings.Contains(got, line) != kept {
			t.Errorf("%s: %q, kept must be %v", line, got, kept)
		}
	}
}
