package recall

import (
	"context"
	"net/http"
	"time"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/recall"
	"reverie/search"
	"reverie/store/gate"
	"reverie/store/indexes"
)

func (s *recallHandlers) recallStatusRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "memory-status", Method: http.MethodGet, Path: recallPath + "/status", Tag: "recall", Need: memory.RoleViewer,
		Summary: "Read the status of the index", Invalid: fault.InvalidSearch,
		Doc: "Counts over all owners of the agent, and over one owner when one is named or the key is pinned to one. With deep, embedding " +
			"models are asked for a vector, and passages from the index are searched by their own words.",
	}, s.recallStatus)
}

type recallStatusInput struct {
	rest.AgentParam
	rest.PersonParams
	Deep bool `query:"deep" doc:"Probe the embedding models, and check that what is stored is found."`
}

type recallStatusView struct {
	Enabled   bool               `json:"enabled" doc:"Memory is switched on for the agent."`
	Mode      recall.Mode        `json:"mode" enum:"lexical,hybrid" doc:"How searches are answered: hybrid when embeddings are configured."`
	Corpora   []corpusStatusView `json:"corpora"`
	Vectors   vectorStatusView   `json:"vectors"`
	Providers []providerView     `json:"providers" doc:"Providers of memory, in their order."`
	Backend   *backendView       `json:"backend,omitempty" doc:"The search backend, if one is configured."`
	Recorded  recordedView       `json:"recorded" doc:"Searches whose results were recorded as used, by this server since its start."`
	Settings  recallSettingsView `json:"settings" doc:"Settings of a search that names no others."`
	Embedders []probeView        `json:"embedders,omitempty" nullable:"false" doc:"With deep: how the models answered."`
	SelfCheck []selfCheckView    `json:"selfCheck,omitempty" nullable:"false" doc:"With deep: whether what is stored is found."`
}

type corpusStatusView struct {
	Corpus   search.Corpus `json:"corpus" enum:"memory,sessions"`
	Sources  int64         `json:"sources" doc:"Documents or conversations."`
	Units    int64         `json:"units" doc:"Passages."`
	Fresh    int64         `json:"fresh" doc:"Writes that are not merged yet; searches still find them."`
	Segments int64         `json:"segments"`
	Stale    int64         `json:"stale" doc:"Sources waiting to be reindexed."`
	Bytes    int64         `json:"bytes" doc:"Size of the index, packed."`
}

type vectorStatusView struct {
	Configured bool        `json:"configured" doc:"An embedding provider is configured."`
	Spaces     []spaceView `json:"spaces" doc:"Vectors by what made them, oldest first."`
	Pending    int64       `json:"pending" doc:"Documents and conversations that wait for vectors."`
	Since      *time.Time  `json:"since,omitempty" doc:"When the oldest of them was written."`

	Waits *vectorWaitView `json:"waits,omitempty" doc:"What they wait for; missing: for nothing but their turn, or for the provider."`
}

// vectorWaitView says what vectors wait for.
type vectorWaitView struct {
	Code   string `json:"code" enum:"paused,budget,other_model" doc:"other_model: the live vectors were made with a model that is not configured."`
	Reason string `json:"reason" doc:"The reason, for people."`
}

// vectorWait returns what the vectors of an agent wait for, of which some are missing; nil: nothing that is known here. Vectors of another
// model wait even if none are missing.
func (s *recallHandlers) vectorWait(ctx context.Context, id memory.Identity, agent gate.Agent, missing int64) (*vectorWaitView, error) {
	for _, ref := range indexesOf(id) {
		of := id
		of.Agent = ref.Agent
		made, err := s.Search.OtherModel(ctx, of)
		if err != nil {
			return nil, err
		}
		if made != (memory.EmbeddingIdentity{}) {
			return &vectorWaitView{string(recall.ReasonOtherModel), "the live vectors " + recall.AdviceFor(made)}, nil
		}
	}
	if missing == 0 {
		return nil, nil
	}
	now := s.Now()
	use, err := s.Store.ModelUse(ctx, id, now)
	if err != nil {
		return nil, err
	}
	costs := memory.Budget{CostMicros: s.Chat.Budget.CostMicros} // vectors do not count towards a budget of tokens
	halt := s.Chat.Models.With(agent.Settings).Halt(costs, use.Workspace, use.Agent, now)
	if halt == (setting.Halt{}) {
		return nil, nil
	}
	return &vectorWaitView{string(halt.Code), halt.Explained()}, nil
}

type spaceView struct {
	ID         int64              `json:"id"`
	Provider   string             `json:"provider"`
	Model      string             `json:"model"`
	Dimensions int                `json:"dimensions"`
	State      indexes.SpaceState `json:"state" enum:"building,live,retired" doc:"live: searches look at it; building: it is filled beside the live one; retired: it can become live again."`
	Vectors    int64              `json:"vectors"`
	Due        int64              `json:"due" doc:"Sources of which some passage has no vector yet."`
	CreatedAt  time.Time          `json:"createdAt"`
	SwitchedAt *time.Time         `json:"switchedAt,omitempty"`
}

func viewSpace(p indexes.Space) spaceView {
	return spaceView{
		p.ID, p.Identity.Provider, p.Identity.Model, p.Identity.Dimensions, p.State, p.Vectors, p.Due, p.CreatedAt, p.SwitchedAt,
	}
}

type recordedView struct {
	Recorded int64 `json:"recorded"`
	Failed   int64 `json:"failed"`
}

type recallSettingsView struct {
	MaxResults        int     `json:"maxResults"`
	MinScore          float64 `json:"minScore"`
	VectorWeight      float64 `json:"vectorWeight"`
	TextWeight        float64 `json:"textWeight"`
	MMR               bool    `json:"mmr"`
	MMRLambda         float64 `json:"mmrLambda"`
	Decay             bool    `json:"decay"`
	DecayHalfLifeDays float64 `json:"decayHalfLifeDays"`
}

type probeView struct {
	Provider   string        `json:"provider"`
	Model      string        `json:"model"`
	Dimensions int           `json:"dimensions" doc:"0: not known."`
	OK         bool          `json:"ok"`
	Ms         float64       `json:"ms"`
	Reason     recall.Reason `json:"reason,omitempty" enum:"embedding_timeout,embedding_failed"`
	Text       string        `json:"text,omitempty" doc:"The reason, for people."`
}

type selfCheckView struct {
	Corpus  search.Corpus `json:"corpus" enum:"memory,sessions"`
	Checked int           `json:"checked" doc:"Passages that were searched by their own words."`
	Found   int           `json:"found" doc:"Number of them that were found."`
	Broken  int           `json:"broken" doc:"Number of them whose text is missing: rebuild the index."`
}

func (s *recallHandlers) recallStatus(ctx context.Context, in *recallStatusInput) (*rest.Reply[recallStatusView], error) {
	id, agent, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, _ = rest.AcrossOwners(id) // only counts are shown
	settings := s.Search.Defaults.With(agent.Settings)
	view := recallStatusView{Enabled: settings.Enabled, Mode: recall.Lexical, Settings: viewRecallSettings(settings)}
	if len(s.Search.Embedders) > 0 {
		view.Mode, view.Vectors.Configured = recall.Hybrid, true
	}
	view.addProviders(s, agent)
	view.Recorded.Recorded, view.Recorded.Failed = s.Search.Recorder.Counts()
	corpora, err := s.Store.IndexStatus(ctx, id)
	if err != nil {
		return nil, err
	}
	view.Corpora = rest.Views(corpora, func(c indexes.CorpusStatus) corpusStatusView { return corpusStatusView(c) })
	if err := s.addVectors(ctx, id, agent, &view.Vectors); err != nil {
		return nil, err
	}
	if in.Deep {
		view.Embedders = rest.Views(s.Search.ProbeEmbedders(ctx, id), viewProbe)
		checks, err := s.Search.SelfCheck(ctx, id)
		if err != nil {
			return nil, err
		}
		view.SelfCheck = rest.Views(checks, func(c recall.SelfCheck) selfCheckView { return selfCheckView(c) })
	}
	return rest.OK(view), nil
}

// addVectors adds the progress of vectors. Without an embedding provider nothing waits for one.
func (s *recallHandlers) addVectors(ctx context.Context, id memory.Identity, agent gate.Agent, view *vectorStatusView) error {
	spaces, err := s.Store.Spaces(ctx, id)
	if err != nil {
		return err
	}
	view.Spaces = rest.Views(spaces, viewSpace)
	if !view.Configured {
		return nil
	}
	lag, err := s.Store.IndexLag(ctx, id, search.Corpora(), 0)
	if err != nil {
		return err
	}
	view.Pending, view.Since = lag.Sources, lag.Since
	view.Waits, err = s.vectorWait(ctx, id, agent, lag.Sources)
	return err
}

func viewRecallSettings(s recall.Settings) recallSettingsView {
	return recallSettingsView{
		s.MaxResults, s.MinScore, s.VectorWeight, s.TextWeight, s.Diversity, s.Lambda, s.Decay, s.HalfLife.Hours() / 24,
	}
}

func viewProbe(p recall.Probe) probeView {
	v := probeView{
		Provider: p.Embedding.Provider, Model: p.Embedding.Model, Dimensions: p.Embedding.Dimensions, OK: p.Reason == "",
		Ms: rest.Milliseconds(p.Took), Reason: p.Reason,
	}
	if !v.OK {
		v.Text = p.Reason.String()
	}
	return v
}
