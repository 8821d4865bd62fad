package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/dream/compose"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/web/view"
)

func (b *Browser) replayRoutes() {
	const replay = base + "/dreams/{report}/replay"
	b.page(rest.Route{
		ID: "page-replay", Path: replay, Summary: "Choose other settings for a dream", Need: memory.RoleMember,
	}, (*request).replayForm)
	b.page(rest.Route{
		ID: "page-replay-now", Method: http.MethodPost, Path: replay, Summary: "Replay a dream with other settings, without writing",
		Need: memory.RoleMember, Act: rest.Changes, Body: maxForm, Timeout: rest.MaxWait,
	}, (*request).replay)
	b.page(rest.Route{
		ID: "page-difference", Path: base + "/dreams/{report}/difference", Summary: "A replay beside its original", Need: memory.RoleViewer,
	}, (*request).difference)
}

// knob is a setting of a dream that a replay may change, as the API's parameters of the same name.
type knob struct {
	name, label string
	most        float64
	real        *float64
	whole       *int
}

// knobs are the settings that a page offers.
func knobs(s *setting.DreamSettings) []knob {
	return []knob{
		{name: "frequency", label: "Weight of frequency", most: 1, real: &s.Weights.Frequency},
		{name: "relevance", label: "Weight of relevance", most: 1, real: &s.Weights.Relevance},
		{name: "diversity", label: "Weight of diversity", most: 1, real: &s.Weights.Diversity},
		{name: "recency", label: "Weight of recency", most: 1, real: &s.Weights.Recency},
		{name: "consolidation", label: "Weight of consolidation", most: 1, real: &s.Weights.Consolidation},
		{name: "conceptual", label: "Weight of concepts", most: 1, real: &s.Weights.Conceptual},
		{name: "lightBoost", label: "Boost of the light phase", most: 1, real: &s.LightBoost},
		{name: "remBoost", label: "Boost of the REM phase", most: 1, real: &s.REMBoost},
		{name: "minScore", label: "Minimum score", most: 1, real: &s.MinScore},
		{name: "minSignals", label: "Minimum signals", most: 1000, whole: &s.MinSignals},
		{name: "minDiversity", label: "Minimum days or questions", most: 1000, whole: &s.MinDiversity},
		{name: "maxPromotions", label: "Most promotions", most: 1000, whole: &s.MaxPromotions},
	}
}

func (k knob) text() string {
	if k.whole != nil {
		return strconv.Itoa(*k.whole)
	}
	return strconv.FormatFloat(*k.real, 'f', -1, 64)
}

// set reads a value as somebody wrote it.
func (k knob) set(text string) bool {
	value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case err != nil || !(value >= 0 && value <= k.most) || k.whole != nil && value != float64(int(value)): // NaN is neither
		return false
	case k.whole != nil:
		*k.whole = int(value)
	default:
		*k.real = value
	}
	return true
}

func (q *request) replayForm() (templ.Component, error) {
	d, _, err := q.dreamOf()
	if err != nil {
		return nil, err
	}
	page := view.Replay{Dream: viewDream(d), Models: q.Dreams.Paid, ByModel: d.Settings.Paid && q.Dreams.Paid}
	for _, k := range knobs(&d.Settings) {
		page.Knobs = append(page.Knobs, view.Knob{Name: k.name, Label: k.label, Value: k.text(), Most: k.most, Whole: k.whole != nil})
	}
	return view.ReplayPage(q.frame("timeline", "Replay a dream"), page), nil
}

func (q *request) replay() (templ.Component, error) {
	d, _, err := q.dreamOf()
	if err != nil {
		return nil, err
	}
	settings := d.Settings
	page := view.Replay{Dream: viewDream(d), Models: q.Dreams.Paid, ByModel: q.r.PostFormValue("byModel") == "true"}
	for _, k := range knobs(&settings) {
		text := q.r.PostFormValue(k.name)
		if !k.set(text) {
			page.Problem = k.label + ": write a number from 0 to " + strconv.FormatFloat(k.most, 'f', -1, 64) + "."
		}
		page.Knobs = append(page.Knobs, view.Knob{Name: k.name, Label: k.label, Value: text, Most: k.most, Whole: k.whole != nil})
	}
	if page.Problem != "" {
		return view.ReplayPage(q.frame("timeline", "Replay a dream"), page), nil
	}
	settings.Paid = page.ByModel && q.Dreams.Paid
	made, err := q.DreamHandlers.Replay(q.Context, q.agent.ID, d.Owner, d.ID, settings)
	if err != nil {
		return nil, err
	}
	return q.redirect(view.DreamURL(q.frame("", ""), made.String()) + "/difference")
}

// difference compares a replay with its original, or says that the replay is running.
func (q *request) difference() (templ.Component, error) {
	d, id, err := q.dreamOf()
	if err == nil && d.ReplayOf == uuid.Nil {
		err = fault.New(fault.NotFound, "This dream is not a replay")
	}
	if err != nil {
		return nil, err
	}
	page := view.Difference{Dream: viewDream(d), Original: d.ReplayOf.String()}
	frame := q.frame("timeline", "A replay beside its original")
	if d.Open() {
		return view.DifferencePage(frame, page), nil
	}
	original, err := q.Store.Dream(q.Context, id, d.ReplayOf)
	if err != nil {
		return nil, err
	}
	found, err := q.DreamHandlers.Difference(q.Context, q.agent.ID, d.Owner, d.ID)
	if err != nil {
		return nil, err
	}
	page.Was, page.Is = viewDream(original), viewDream(d)
	page.SameMaterial, page.SameMemory = found.SameMaterial, found.SameMemory
	page.Settings, page.Ended = viewChanged(found.Settings), viewChanged(found.Ended)
	page.WasDiff, page.IsDiff = view.SideBySide(original.Diff), view.SideBySide(d.Diff)
	for _, c := range found.Candidates[:min(len(found.Candidates), maxCandidates)] {
		page.Candidates = append(page.Candidates, view.Rejudged{Text: c.Text, Was: viewJudgement(c.Was), Is: viewJudgement(c.Is)})
	}
	page.More = len(found.Candidates) - len(page.Candidates)
	return view.DifferencePage(frame, page), nil
}

func viewChanged(values []compose.ChangedValue) (out []view.ChangedValue) {
	for _, v := range values {
		out = append(out, view.ChangedValue(v))
	}
	return out
}

func viewJudgement(j *compose.Judgement) *view.Judgement {
	if j == nil {
		return nil
	}
	return &view.Judgement{Verdict: string(j.Verdict), Code: j.ReasonCode, Score: j.Score}
}
