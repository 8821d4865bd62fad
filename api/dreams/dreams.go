package dreams

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/dream"
	"reverie/memory"
	"reverie/store"
)

// Paths of dreams: one place for all of them, and the original ones.
const (
	dreamsPath = "/api/v1/agents/{agent}/dreams"
	dreamPath  = dreamsPath + "/{report}"

	originalPath     = "/api/v1/memory/{agent}"
	originalDreaming = originalPath + "/dreaming"
	originalReports  = originalPath + "/dream/reports"
	originalReport   = originalReports + "/{report}"
	originalEntry    = originalReport + "/entries/{entry}"
)

// maxReportCandidates is how many candidates a report comes with at most; their own list has pages.
const maxReportCandidates = 200

// Room serves dreams.
type Room struct {
	*rest.Server
	followers *rest.Followers
	nights    *rest.Announcer // of when agents dream
}

// Register adds the operations about dreams.
func Register(k *rest.Server) *Room {
	s := &Room{Server: k}
	s.followers = rest.NewFollowers(k, "dreams", s.lookForDreams)
	s.nights = k.NewAnnouncer(s.ensureNights)
	s.dreamRoutes()
	return s
}

func (s *Room) dreamRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-dreams", Method: http.MethodGet, Path: dreamsPath, Original: originalReports, Tag: "dreams", Need: memory.RoleViewer,
		Summary: "List dreams with their outcomes, newest first",
		Doc: "Of the owner that is named or that the key is pinned to. Naming nobody, of all owners: an admin sees them whole, others an outline without words. " +
			"A list leaves out diffs and what a model said.",
	}, s.listDreams)
	rest.Register(s.Server, rest.Route{
		ID: "get-dream", Method: http.MethodGet, Path: dreamPath, Original: originalReport, Tag: "dreams", Need: memory.RoleViewer,
		Summary: "Read the report of one dream",
		Doc:     "Everything that is known of it: what it looked at and at which versions, with which settings, what it decided and why, what it wrote and what that changed. Shown as in the list.",
	}, s.getDream)
	rest.Register(s.Server, rest.Route{
		ID: "list-dream-candidates", Method: http.MethodGet, Path: dreamPath + "/candidates", Original: originalReport + "/candidates", Tag: "dreams", Need: memory.RoleViewer,
		Summary: "List the candidates of one dream, best first", Doc: "Each with its signals, score, gates and verdict. Shown as in the list of dreams.",
	}, s.listDreamCandidates)
	s.dreamRunRoutes()
	s.dreamStatusRoutes()
	s.dreamCandidateRoutes()
	s.dreamDiaryRoutes()
	s.dreamEditRoutes()
	s.dreamReplayRoutes()
	s.dreamEventRoutes()
}

type dreamsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
	Mode    memory.DreamMode `query:"mode" enum:"nightly,focused,promote,rem" doc:"Only of this mode."`
	Outcome memory.Outcome   `query:"outcome" enum:"running,waiting,written,nothing,skipped,quarantined,failed" doc:"Only with this outcome."`
	Real    bool             `query:"real" doc:"Without dry runs and replays."`
}

func (s *Room) listDreams(ctx context.Context, in *dreamsInput) (*rest.Reply[rest.Page[dreamView]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, full := rest.AcrossOwners(id)
	listed, err := s.Store.Dreams(ctx, id, store.DreamFilter{Mode: in.Mode, Outcome: in.Outcome, Real: in.Real}, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[dreamView]{Items: rest.Views(listed.Items, s.dreamViewer(full)), Next: listed.Next}), nil
}

// ReportParam is the dream that a request is about.
type ReportParam struct {
	Report string `path:"report" format:"uuid" doc:"Id of the dream."`
}

func (p ReportParam) id() (uuid.UUID, error) {
	id, err := uuid.Parse(p.Report)
	if err != nil {
		return id, fault.InvalidAt("path.report", "it is not a UUID")
	}
	return id, nil
}

// DreamInput is a request about one dream.
type DreamInput struct {
	rest.AgentParam
	ReportParam
	rest.PersonParams
}

// foundDream is the record that a request is about.
type foundDream struct {
	record store.Dream
	id     memory.Identity // of the caller; of every owner when the request names nobody
	agent  store.Agent
	full   bool // the caller may see it whole
}

func (s *Room) dream(ctx context.Context, in *DreamInput) (found foundDream, err error) {
	record, err := in.ReportParam.id()
	if err != nil {
		return found, err
	}
	if found.id, found.agent, err = s.Enter(ctx, in.Agent, in.Person()); err != nil {
		return found, err
	}
	found.id, found.full = rest.AcrossOwners(found.id)
	found.record, err = s.Store.Dream(ctx, found.id, record)
	if err == nil && !found.id.AnyOwner && found.record.Owner != found.id.Owner {
		// The shared memory's dreams are no secret of the store's, but they are not this owner's.
		err = fault.New(fault.NotFound, "there is no dream %s of this owner", record)
	}
	return found, err
}

// owner is the identity of the caller, who works on the dream as its owner: for a personal one, for whom the caller would have
// been allowed to speak, and for the shared memory as when a shared document is written.
func (f foundDream) owner() memory.Identity {
	id := f.id
	id.AnyOwner = false
	return id.For(id.Agent, f.record.Owner)
}

type getDreamInput struct {
	DreamInput
	Candidates int `query:"candidates" minimum:"0" maximum:"200" default:"50" doc:"How many of the best candidates come with it."`
}

func (s *Room) getDream(ctx context.Context, in *getDreamInput) (*rest.Reply[reportView], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	view, err := s.report(ctx, found, in.Candidates)
	if err != nil {
		return nil, err
	}
	return rest.OK(view), nil
}

// report is a dream with the best of its candidates.
func (s *Room) report(ctx context.Context, found foundDream, candidates int) (reportView, error) {
	view := reportView{DreamFields: s.dreamViewer(found.full)(found.record), Candidates: []candidateView{}}
	if candidates == 0 {
		return view, nil
	}
	listed, err := s.Store.DreamCandidates(ctx, found.id, found.record.ID, "", store.Page{Limit: min(candidates, maxReportCandidates)})
	if err != nil {
		return view, err
	}
	view.Candidates, view.MoreCandidates = rest.Views(listed.Items, candidateViewer(found.full)), listed.Next != ""
	return view, nil
}

type dreamCandidatesInput struct {
	DreamInput
	rest.PageParams
	VerdictParam
}

// VerdictParam chooses candidates by what was decided about them.
type VerdictParam struct {
	Verdict dream.Verdict `query:"verdict" enum:"promoted,kept,rejected" doc:"Only with this verdict."`
}

func (s *Room) listDreamCandidates(ctx context.Context, in *dreamCandidatesInput) (*rest.Reply[rest.Page[candidateView]], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	listed, err := s.Store.DreamCandidates(ctx, found.id, found.record.ID, in.Verdict, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[candidateView]{Items: rest.Views(listed.Items, candidateViewer(found.full)), Next: listed.Next}), nil
}
