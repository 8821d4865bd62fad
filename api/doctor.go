package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

const doctorPath = "/api/v1/agents/{agent}/doctor"

// stuckAfter is how long messages wait before it counts whether a workflow is at them: the worker's sweep has looked by then.
const stuckAfter = time.Hour

func (s *Server) doctorRoutes() {
	register(s, route{
		id: "examine-agent", method: http.MethodGet, path: doctorPath, tag: "doctor", need: memory.RoleAdmin,
		summary: "Look for damage in what an agent has, and change nothing",
		doc:     "Each finding says what it means, what fix would do, how many there are, and names some by reference. What could not be looked at because workflows do not answer is in unchecked.",
	}, s.examineAgent)
	register(s, route{
		id: "fix-agent", method: http.MethodPost, path: doctorPath + "/fix", tag: "doctor", need: memory.RoleAdmin,
		summary: "Put right what the doctor finds", body: maxSmallBody,
		doc: "Answers with what is left afterwards, and how many of each finding were put right. It may be called again; every call that changed something is in the journal.",
	}, s.fixAgent)
}

// Codes of findings. docs/operations.md lists them.
const (
	ailIndexMissing    = "index_missing"
	ailIndexSuperseded = "index_superseded"
	ailIndexOrphans    = "index_orphans"
	ailHash            = "hash_mismatch"
	ailWaiting         = "messages_stuck"
	ailOpen            = "record_abandoned"
	ailWrite           = "write_stuck"
	ailImport          = "import_stuck"
	ailSnapshot        = "snapshot_stuck"
	ailSchedule        = "schedule_differs"
	ailFed             = "candidate_contaminated"
	ailFedNote         = "note_contaminated"
)

// ailment is what is said of a code.
type ailment struct{ means, fix string }

// ailments are all of them, in the order in which they are told. An empty fix is a matter of people.
var ailments = []struct {
	code string
	ailment
}{
	{ailIndexMissing, ailment{"documents that no search finds: the index has no entry of them", "index them"}},
	{ailIndexSuperseded, ailment{"entries of the index whose document or conversation is gone, or at another version", "index what is there now, and forget the rest"}},
	{ailIndexOrphans, ailment{"rows of words and vectors that belong to no entry of the index", "remove them"}},
	{ailHash, ailment{"the content of a document is not what its hash says: it was changed in the database, past every rule", "restore the latest version whose hash holds, as a new version; where there is none, write the document again by hand"}},
	{ailWaiting, ailment{"messages have waited for an hour and no workflow is at them", "tell the owner's Inbox once more"}},
	{ailOpen, ailment{"an extraction, flush or dream is open and its workflow is gone, or none has taken it up for an hour", "end it, or hand it to the owner's Inbox while messages wait"}},
	{ailWrite, ailment{"what business processes asked to have written has waited for an hour and no workflow is at it", "start its workflow"}},
	{ailImport, ailment{"an import has been running for an hour, or was cancelled with something left, and no workflow is at it", "start its workflow; of a cancelled one leave out what waits"}},
	{ailSnapshot, ailment{"the import of a snapshot has waited for an hour and no workflow is at it", "start its workflow"}},
	{ailSchedule, ailment{"the schedule of the agent's nights is not what its settings ask for", "make, change or remove the schedule"}},
	{ailFed, ailment{"candidates that a dream wrote itself: promoting them would feed dreams on dreams", "reject them"}},
	{ailFedNote, ailment{"daily notes with text that a dream wrote; dreams pass over it, and it is found by searches", ""}},
}

// ailmentView is one kind of damage.
type ailmentView struct {
	Code     string   `json:"code" doc:"Stable; docs/operations.md lists them."`
	Means    string   `json:"means"`
	Fix      string   `json:"fix" doc:"What fix does about it; empty: it is a matter of people."`
	Count    int      `json:"count"`
	Examples []string `json:"examples" nullable:"false" doc:"Some of them, by reference."`
}

// fixedView is what was put right.
type fixedView struct {
	Code  string `json:"code"`
	Count int    `json:"count"`
}

// examinationView is what the doctor says of an agent.
type examinationView struct {
	Agent     string        `json:"agent"`
	Healthy   bool          `json:"healthy" doc:"There are no findings, and everything could be looked at."`
	Findings  []ailmentView `json:"findings" nullable:"false"`
	Unchecked []string      `json:"unchecked,omitempty" doc:"What could not be looked at: workflows, schedules."`
	Fixed     []fixedView   `json:"fixed,omitempty" doc:"What was put right by this call."`
}

// maxExamples is how many of a finding are named.
const maxExamples = 5

type doctorInput struct {
	AgentParam
}

func (s *Server) examineAgent(ctx context.Context, in *doctorInput) (*reply[examinationView], error) {
	p, err := s.patient(ctx, in.Agent)
	if err != nil {
		return nil, err
	}
	if err := p.examine(ctx); err != nil {
		return nil, err
	}
	return ok(p.view(nil)), nil
}

func (s *Server) fixAgent(ctx context.Context, in *doctorInput) (*reply[examinationView], error) {
	p, err := s.patient(ctx, in.Agent)
	if err != nil {
		return nil, err
	}
	if err := p.examine(ctx); err != nil {
		return nil, err
	}
	fixed, err := p.treat(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.examine(ctx); err != nil {
		return nil, err
	}
	return ok(p.view(fixed)), nil
}

// patient is an agent that is looked at.
type patient struct {
	*Server

	id    memory.Identity
	agent store.Agent
	known store.Examination

	waiting   []store.WaitingOwner // whose Inbox does not run
	abandoned []store.OpenRun      // whose workflow does not run
	staged    []store.StagedWork   // likewise
	schedule  bool                 // differs
	unchecked []string
}

func (s *Server) patient(ctx context.Context, agent string) (*patient, error) {
	id, found, err := s.enter(ctx, agent, person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, problem(nameForbidden, "a key that is pinned to an owner examines no agent")
	}
	id.AnyOwner = true
	return &patient{Server: s, id: id, agent: found}, nil
}

// examine looks at everything. Without an answer from Temporal what only it knows is unchecked.
func (p *patient) examine(ctx context.Context) error {
	known, err := p.Store.Examine(ctx, p.id, p.Now().Add(-stuckAfter))
	if err != nil {
		return err
	}
	p.known, p.waiting, p.abandoned, p.staged, p.schedule, p.unchecked = known, nil, nil, nil, false, nil
	if err := p.lookAtWorkflows(ctx); err != nil {
		if !errors.Is(err, errWorkflowsAway) {
			return err
		}
		p.unchecked = []string{"workflows", "schedules"}
	}
	return nil
}

func (p *patient) lookAtWorkflows(ctx context.Context) error {
	if err := p.workflows.reach(ctx); err != nil {
		return err
	}
	atWork := map[memory.Owner]bool{}
	runs := func(owner store.WaitingOwner) (bool, error) {
		if known, asked := atWork[owner.Owner]; asked {
			return known, nil
		}
		running, err := p.workflows.runs(ctx, workflows.InboxID(p.ref(owner)), "")
		atWork[owner.Owner] = running
		return running, err
	}
	for _, owner := range p.known.Waiting {
		running, err := runs(owner)
		if err != nil {
			return err
		}
		if !running {
			p.waiting = append(p.waiting, owner)
		}
	}
	for _, x := range p.known.Open {
		running, err := p.workflows.runs(ctx, x.WorkflowID, x.Run)
		if err == nil && !running && x.Kind == "extraction" { // the Inbox takes it over
			running, err = runs(store.WaitingOwner{Owner: x.Owner, OwnerID: x.OwnerID})
		}
		if err != nil {
			return err
		}
		if !running {
			p.abandoned = append(p.abandoned, x)
		}
	}
	if err := p.lookAtStaged(ctx); err != nil {
		return err
	}
	follows, err := p.followsSettings(ctx)
	p.schedule = !follows
	return err
}

func (p *patient) ref(owner store.WaitingOwner) memory.OwnerRef {
	return memory.OwnerRef{Workspace: p.id.Workspace, Agent: p.id.Agent, Owner: owner.OwnerID}
}

// followsSettings compares the schedule of the agent's nights with what the reconciliation wants.
func (p *patient) followsSettings(ctx context.Context) (bool, error) {
	ref := store.AgentRef{Workspace: p.id.Workspace, Agent: p.id.Agent}
	plan, err := p.dreamPlan(ctx, ref)
	if err != nil {
		return false, err
	}
	follows, err := workflows.ScheduleFollows(ctx, p.Temporal, plan, p.Now())
	if err != nil && temporalAway(err) {
		return false, fmt.Errorf("%w: %w", errWorkflowsAway, err)
	}
	return follows, err
}

// runs reports whether a workflow is under way; with an empty run, whether any of its id is.
func (s *starter) runs(ctx context.Context, workflow, run string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	described, err := s.client.DescribeWorkflowExecution(ctx, workflow, run)
	var none *serviceerror.NotFound
	var bad *serviceerror.InvalidArgument
	switch {
	case errors.As(err, &none), errors.As(err, &bad): // a run that Temporal cannot have
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w: %w", errWorkflowsAway, err)
	}
	return described.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}
