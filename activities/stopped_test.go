package activities

import (
	"testing"

	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/admin"
)

// Nothing is written for an agent that has a leader or whose memory is off: an extraction, a flush and a dream end
// with the reason, without asking a model, even if they began earlier with other settings.
func TestStoppedAgentsAskNoModel(t *testing.T) {
	for name, c := range map[string]struct {
		agent  setting.AgentSettings
		server bool // off by default
		reason memory.ReasonCode
	}{
		"a member of a team": {agent: setting.AgentSettings{Leader: "bob"}, reason: memory.GateTeamMember},
		"a member whose memory is on": {
			agent:  setting.AgentSettings{Leader: "bob", MemoryEnabled: new(true)},
			reason: memory.GateTeamMember,
		},
		"off by the agent": {agent: setting.AgentSettings{MemoryEnabled: new(false)}, reason: memory.GateMemoryOff},
		"off by default":   {server: true, reason: memory.GateMemoryOff},
		"a member whose memory is off": {
			agent:  setting.AgentSettings{Leader: "bob", MemoryEnabled: new(false)},
			reason: memory.GateMemoryOff,
		},
		"on by the agent, off by default":   {agent: setting.AgentSettings{MemoryEnabled: new(true)}, server: true},
		"neither a member nor switched off": {},
	} {
		for _, known := range []bool{true, false} { // at the beginning
			t.Run(name+map[bool]string{true: "", false: " since it began"}[known], func(t *testing.T) {
				w := newFlushWorld(t, llmtest.Always(llmtest.Answer(flushEntry)))
				extract, dreams := setting.DefaultExtractSettings(), setting.DefaultDreamSettings()
				extract.MemoryEnabled, dreams.MemoryEnabled = !c.server, !c.server
				w.options.Defaults, w.options.DreamDefaults = extract, dreams
				w.use(t, w.options)
				if known {
					w.settings.Extract = extract.With(c.agent)
				}
				note := memory.Change{
					Ref: memory.Ref{Scope: memory.ScopePersonal, Path: "memory/2026-11-20.md"}, Op: memory.OpReplace,
					Content: "# 2026-11-20\n\n- Has an oak.\n",
				}
				if _, err := w.Store.Apply(t.Context(), w.id, "", []memory.Change{note}); err != nil { // news, of before
					t.Fatal(err)
				}
				root := memory.Identity{
					Workspace: "acme", Agent: "ada", Role: memory.RoleAdmin,
					Author: memory.Author{Kind: memory.AuthorUser, ID: "root"},
				}
				if _, err := w.Store.UpdateAgent(t.Context(), root, admin.AgentPatch{Settings: &c.agent}); err != nil {
					t.Fatal(err)
				}

				flush := must(t, w.world, w.ProposeFlush, w.plan(t))
				extraction := must(t, w.world, w.Propose, ProposeInput{
					OwnerRef: w.ref, Conversation: w.conversation, From: 1, To: 4, First: true, Settings: w.settings.Extract,
				})
				asked := w.model.Stats().Requests
				dream := must(t, w.world, w.OpenDream,
					OpenDreamInput{OwnerRef: w.ref, Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: "2026-11-21"})
				news := must(t, w.world, w.FindNews, FindNewsInput{AgentRef: ada})
				if c.reason == "" {
					if !flush.HasDraft || !extraction.HasDraft || asked < 2 || dream.Outcome != memory.OutcomeRunning || len(news.Owners) != 1 ||
						news.ReasonCode != "" {
						t.Errorf("nothing stops it: %+v\n%+v\n%+v\n%+v\nafter %d questions", flush, extraction, dream, news, asked)
					}
					return
				}
				if asked != 0 {
					t.Errorf("%d questions were asked", asked)
				}
				if !flush.Acknowledged || flush.Outcome != memory.OutcomeNothing || flush.ReasonCode != c.reason {
					t.Errorf("the flush is %+v", flush)
				}
				if extraction.HasDraft || extraction.Outcome != memory.OutcomeSkipped || extraction.ReasonCode != c.reason {
					t.Errorf("the extraction is %+v", extraction)
				}
				if dream.Outcome != memory.OutcomeSkipped || dream.ReasonCode != c.reason {
					t.Errorf("the dream is %+v", dream)
				}
				if len(news.Owners) != 0 || news.ReasonCode != c.reason {
					t.Errorf("the night finds %+v", news)
				}
				if n := w.count(t, "select count(*) from document_versions where author_kind in ('workflow', 'dream')"); n != 0 {
					t.Errorf("%d versions were written", n)
				}
			})
		}
	}
}
