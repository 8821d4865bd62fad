package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"

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

// dreamRoom serves dreams.
type dreamRoom struct {
	*kernel
	followers *followers
	nights    *announcer // of when agents dream
}

// registerDreams adds the operations about dreams.
func registerDreams(k *kernel) *dreamRoom {
	s := &dreamRoom{kernel: k}
	s.followers = newFollowers(k, "dreams", s.lookForDreams)
	s.nights = k.newAnnouncer(s.ensureNights)
	s.dreamRoutes()
	return s
}

func (s *dreamRoom) dreamRoutes() {
	register(s.kernel, route{
		id: "list-dreams", method: http.MethodGet, path: dreamsPath, original: originalReports, tag: "dreams", need: memory.RoleViewer,
		summary: "List dreams with their outcomes, newest first",
		doc: "Of the owner that is named or that the key is pinned to. Naming nobody, of all owners: an admin sees them whole, others an outline without words. " +
			"A list leaves out diffs and what a model said.",
	}, s.listDreams)
	register(s.kernel, route{
		id: "get-dream", method: http.MethodGet, path: dreamPath, original: originalReport, tag: "dreams", need: memory.RoleViewer,
		summary: "Read the report of one dream",
		doc:     "Everything that is known of it: what it looked at and at which versions, with which settings, what it decided and why, what it wrote and what that changed. Shown as in the list.",
	}, s.getDream)
	register(s.kernel, route{
		id: "list-dream-candidates", method: http.MethodGet, path: dreamPath + "/candidates", original: originalReport + "/candidates", tag: "dreams", need: memory.RoleViewer,
		summary: "List the candidates of one dream, best first", doc: "Each with its signals, score, gates and verdict. Shown as in the list of dreams.",
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
	AgentParam
	PersonParams
	PageParams
	Mode    memory.DreamMode `query:"mode" enum:"nightly,focused,promote,rem" doc:"Only of this mode."`
	Outcome memory.Outcome   `query:"outcome" enum:"running,waiting,written,nothing,skipped,quarantined,failed" doc:"Only with this outcome."`
	Real    bool             `query:"real" doc:"Without dry runs and replays."`
}

func (s *dreamRoom) listDreams(ctx context.Context, in *dreamsInput) (*reply[page[dreamView]], error) {
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	id, full := acrossOwners(id)
	listed, err := s.Store.Dreams(ctx, id, store.DreamFilter{Mode: in.Mode, Outcome: in.Outcome, Real: in.Real}, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return ok(page[dreamView]{Items: views(listed.Items, s.dreamViewer(full)), Next: listed.Next}), nil
}

// ReportParam is the dream that a request is about.
type ReportParam struct {
	Report string `path:"report" format:"uuid" doc:"Id of the dream."`
}

func (p ReportParam) id() (uuid.UUID, error) {
	id, err := uuid.Parse(p.Report)
	if err != nil {
		return id, invalidAt("path.report", "it is not a UUID")
	}
	return id, nil
}

// DreamInput is a request about one dream.
type DreamInput struct {
	AgentParam
	ReportParam
	PersonParams
}

// foundDream is the record that a request is about.
type foundDream struct {
	record store.Dream
	id     memory.Identity // of the caller; of every owner when the request names nobody
	agent  store.Agent
	full   bool // the caller may see it whole
}

func (s *dreamRoom) dream(ctx context.Context, in *DreamInput) (found foundDream, err error) {
	record, err := in.ReportParam.id()
	if err != nil {
		return found, err
	}
	if found.id, found.agent, err = s.enter(ctx, in.Agent, in.person()); err != nil {
		return found, err
	}
	found.id, found.full = acrossOwners(found.id)
	found.record, err = s.Store.Dream(ctx, found.id, record)
	if err == nil && !found.id.AnyOwner && found.record.Owner != found.id.Owner {
		// The shared memory's dreams are no secret of the store's, but they are not this owner's.
		err = problem(nameNotFound, "there is no dream %s of this owner", record)
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

func (s *dreamRoom) getDream(ctx context.Context, in *getDreamInput) (*reply[reportView], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	view, err := s.report(ctx, found, in.Candidates)
	if err != nil {
		return nil, err
	}
	return ok(view), nil
}

// report is a dream with the best of its candidates.
func (s *dreamRoom) report(ctx context.Context, found foundDream, candidates int) (reportView, error) {
	view := reportView{DreamFields: s.dreamViewer(found.full)(found.record), Candidates: []candidateView{}}
	if candidates == 0 {
		return view, nil
	}
	listed, err := s.Store.DreamCandidates(ctx, found.id, found.record.ID, "", store.Page{Limit: min(candidates, maxReportCandidates)})
	if err != nil {
		return view, err
	}
	view.Candidates, view.MoreCandidates = views(listed.Items, candidateViewer(found.full)), listed.Next != ""
	return view, nil
}

type dreamCandidatesInput struct {
	DreamInput
	PageParams
	VerdictParam
}

// VerdictParam chooses candidates by what was decided about them.
type VerdictParam struct {
	Verdict dream.Verdict `query:"verdict" enum:"promoted,kept,rejected" doc:"Only with this verdict."`
}

func (s *dreamRoom) listDreamCandidates(ctx context.Context, in *dreamCandidatesInput) (*reply[page[candidateView]], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	listed, err := s.Store.DreamCandidates(ctx, found.id, found.record.ID, in.Verdict, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return ok(page[candidateView]{Items: views(listed.Items, candidateViewer(found.full)), Next: listed.Next}), nil
}
