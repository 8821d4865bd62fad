// Package doctor finds damage in what an agent has and repairs it.
package doctor

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/transfer"
	"reverie/workflows"
)

const doctorPath = "/api/v1/agents/{agent}/doctor"

// stuckAfter is the age at which waiting messages need a running workflow: the worker's sweep has run by then.
const stuckAfter = time.Hour

// Handlers find and repair damage of agents.
type Handlers struct{ *rest.Server }

// Register adds the operations of the doctor.
func Register(k *rest.Server) *Handlers {
	s := &Handlers{k}
	s.doctorRoutes()
	return s
}

func (s *Handlers) doctorRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "examine-agent", Method: http.MethodGet, Path: doctorPath, Tag: "doctor", Need: memory.RoleAdmin,
		Summary: "Examine an agent for damage",
		Doc: "Each finding has its meaning, the repair, a count and some examples by reference. Checks that need workflows while they cannot " +
			"be reached are in unchecked.",
	}, s.examineAgent)
	rest.Register(s.Server, rest.Route{
		ID: "fix-agent", Method: http.MethodPost, Act: rest.Changes, Path: doctorPath + "/fix", Tag: "doctor", Need: memory.RoleAdmin,
		Summary: "Repair what the doctor finds", Body: rest.MaxSmallBody,
		Doc: "Answers with the findings that are left, and the number of repairs of each kind. It may be called again; every call that " +
			"changed something is in the journal.",
	}, s.fixAgent)
}

// Codes of findings. docs/operations.md lists them.
const (
	findingIndexMissing    = "index_missing"
	findingIndexSuperseded = "index_superseded"
	findingIndexOrphans    = "index_orphans"
	findingHash            = "hash_mismatch"
	findingWaiting         = "messages_stuck"
	findingOpen            = "record_abandoned"
	findingWrite           = "write_stuck"
	findingImport          = "import_stuck"
	findingSnapshot        = "snapshot_stuck"
	findingSchedule        = "schedule_differs"
	findingFed             = "candidate_contaminated"
	findingFedNote         = "note_contaminated"
	findingHeld            = "journal_held"
)

// finding describes a kind of damage: its meaning, and what fix does about it.
type finding struct{ means, fix string }

// findings are all kinds of damage, in the order in which they are reported. People have to deal with those without a fix.
var findings = []struct {
	code string
	finding
}{
	{findingIndexMissing, finding{"documents that no search finds: the index has no entry of them", "index them"}},
	{
		findingIndexSuperseded,
		finding{
			"entries of the index whose document or conversation no longer exists, or has another version",
			"index what is there now, and forget the rest",
		},
	},
	{findingIndexOrphans, finding{"rows of words and vectors that belong to no entry of the index", "remove them"}},
	{
		findingHash,
		finding{
			"the content of a document is not what its hash says: it was changed in the database, past every rule",
			"restore the latest version whose hash holds, as a new version; where there is none, write the document again by hand",
		},
	},
	{findingWaiting, finding{"messages have waited for an hour and no workflow processes them", "signal the owner's Inbox again"}},
	{
		findingOpen,
		finding{
			"an extraction, flush, compaction or dream is open and its workflow no longer exists, or none has started for an hour",
			"end it, or pass it to the owner's Inbox while messages wait",
		},
	},
	{
		findingWrite,
		finding{"what business processes asked to have written has waited for an hour and no workflow is at it", "start its workflow"},
	},
	{
		findingImport,
		finding{
			"an import has been running for an hour, or was cancelled with something left, and no workflow is at it",
			"start its workflow; of a cancelled one leave out what waits",
		},
	},
	{findingSnapshot, finding{"the import of a snapshot has waited for an hour and no workflow is at it", "start its workflow"}},
	{
		findingSchedule,
		finding{"the schedule of the agent's nights is not what its settings ask for", "make, change or remove the schedule"},
	},
	{findingFed, finding{"candidates that a dream wrote itself: promoting them would feed dreams on dreams", "reject them"}},
	{findingFedNote, finding{"daily notes with text that a dream wrote; dreams pass over it, and it is found by searches", ""}},
	{findingHeld, finding{"open transactions of the database that hold back the events of all agents: end them", ""}},
}

// doctorFindingView is one kind of damage.
type doctorFindingView struct {
	Code     string   `json:"code" doc:"Stable code; docs/operations.md lists all."`
	Means    string   `json:"means"`
	Fix      string   `json:"fix" doc:"The repair; empty: it needs a person."`
	Count    int      `json:"count"`
	Examples []string `json:"examples" nullable:"false" doc:"Some examples, by reference."`
}

// FixedView counts the repairs of one kind of damage.
type FixedView struct {
	Code  string `json:"code"`
	Count int    `json:"count"`
}

// ExaminationView reports the damage of an agent.
type ExaminationView struct {
	Agent     string              `json:"agent"`
	Healthy   bool                `json:"healthy" doc:"No findings, and every check ran."`
	Findings  []doctorFindingView `json:"findings" nullable:"false"`
	Unchecked []string            `json:"unchecked,omitempty" doc:"Checks that did not run: workflows, schedules."`
	Fixed     []FixedView         `json:"fixed,omitempty" doc:"Repairs made by this call."`
}

// maxExamples limits the examples of a finding.
const maxExamples = 5

type doctorInput struct {
	rest.AgentParam
}

func (s *Handlers) examineAgent(ctx context.Context, in *doctorInput) (*rest.Reply[ExaminationView], error) {
	return reply(s.Examine(ctx, in.Agent))
}

func (s *Handlers) fixAgent(ctx context.Context, in *doctorInput) (*rest.Reply[ExaminationView], error) {
	return reply(s.Fix(ctx, in.Agent))
}

func reply(found ExaminationView, err error) (*rest.Reply[ExaminationView], error) {
	if err != nil {
		return nil, err
	}
	return rest.OK(found), nil
}

// Examine looks for damage of an agent, for the caller in ctx.
func (s *Handlers) Examine(ctx context.Context, agent string) (ExaminationView, error) {
	p, err := s.subject(ctx, agent)
	if err != nil {
		return ExaminationView{}, err
	}
	if err := p.examine(ctx); err != nil {
		return ExaminationView{}, err
	}
	return p.view(nil), nil
}

// Fix repairs what it finds, and returns what is left with the repairs made.
func (s *Handlers) Fix(ctx context.Context, agent string) (ExaminationView, error) {
	p, err := s.subject(ctx, agent)
	if err != nil {
		return ExaminationView{}, err
	}
	if err := p.examine(ctx); err != nil {
		return ExaminationView{}, err
	}
	fixed, err := p.treat(ctx)
	if err != nil {
		return ExaminationView{}, err
	}
	if err := p.examine(ctx); err != nil {
		return ExaminationView{}, err
	}
	return p.view(fixed), nil
}

// subject is an agent that is looked at.
type subject struct {
	*Handlers

	id    memory.Identity
	agent gate.Agent
	known admin.Examination

	waiting   []admin.WaitingOwner // whose Inbox does not run
	abandoned []admin.OpenRun      // whose workflow does not run
	staged    []admin.StagedWork   // likewise
	schedule  bool                 // differs
	held      []rest.Held
	unchecked []string
}

func (s *Handlers) subject(ctx context.Context, agent string) (*subject, error) {
	id, found, err := s.Enter(ctx, agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "A key pinned to an owner cannot examine agents")
	}
	id.AnyOwner = true
	return &subject{Handlers: s, id: id, agent: found}, nil
}

// examine looks at everything. Without an answer from Temporal what only it knows is unchecked.
func (p *subject) examine(ctx context.Context) error {
	known, err := p.Store.Examine(ctx, p.id, p.Now().Add(-stuckAfter))
	if err != nil {
		return err
	}
	p.known, p.waiting, p.abandoned, p.staged, p.schedule, p.unchecked = known, nil, nil, nil, false, nil
	if p.held, err = p.JournalHeld(ctx); err != nil {
		return err
	}
	if err := p.lookAtWorkflows(ctx); err != nil {
		if !errors.Is(err, rest.ErrWorkflowsAway) {
			return err
		}
		p.unchecked = []string{"workflows", "schedules"}
	}
	return nil
}

func (p *subject) lookAtWorkflows(ctx context.Context) error {
	if err := p.Workflows.Reach(ctx); err != nil {
		return err
	}
	atWork := map[memory.Owner]bool{}
	runs := func(owner admin.WaitingOwner) (bool, error) {
		if known, asked := atWork[owner.Owner]; asked {
			return known, nil
		}
		running, err := p.runs(ctx, workflows.InboxID(p.ref(owner)), "")
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
		running, err := p.runs(ctx, x.WorkflowID, "")         // a later run continues the record
		if err == nil && !running && x.Kind == "extraction" { // the Inbox takes it over
			running, err = runs(admin.WaitingOwner{Owner: x.Owner, OwnerID: x.OwnerID})
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

func (p *subject) ref(owner admin.WaitingOwner) memory.OwnerRef {
	return memory.OwnerRef{Workspace: p.id.Workspace, Agent: p.id.Agent, Owner: owner.OwnerID}
}

// followsSettings compares the schedule of the agent's nights with what the reconciliation wants.
func (p *subject) followsSettings(ctx context.Context) (bool, error) {
	ref := indexes.AgentRef{Workspace: p.id.Workspace, Agent: p.id.Agent}
	plan, err := p.DreamPlan(ctx, ref)
	if err != nil {
		return false, err
	}
	follows, err := workflows.ScheduleFollows(ctx, p.Temporal, plan, p.Now())
	if err != nil && rest.TemporalAway(err) {
		return false, fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	return follows, err
}

// runs reports whether a workflow is running; with an empty run, whether any run of its id is.
func (s *Handlers) runs(ctx context.Context, workflow, run string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, rest.ReachTimeout)
	defer cancel()
	described, err := s.Temporal.DescribeWorkflowExecution(ctx, workflow, run)
	var none *serviceerror.NotFound
	var bad *serviceerror.InvalidArgument
	switch {
	case errors.As(err, &none), errors.As(err, &bad): // a run that Temporal cannot have
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	return described.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}

// found counts a finding and names some examples by reference.
func (p *subject) found(code string) (n int, examples []string) {
	name := func(format string, args ...any) {
		if n++; len(examples) < maxExamples {
			examples = append(examples, fmt.Sprintf(format, args...))
		}
	}
	k := p.known
	switch code {
	case findingIndexMissing:
		for _, x := range k.Missing {
			name("%s %s (%s)", x.Scope, x.Path, x.UID)
		}
	case findingIndexSuperseded:
		for _, x := range k.Superseded {
			name("%s %s %s", x.Corpus, x.Scope, x.UID)
		}
	case findingIndexOrphans:
		n = k.Orphans
	case findingHash:
		for _, x := range k.Broken {
			name("%s %s, version %d (%s)", x.Scope, x.Path, x.Version, x.Document)
		}
	case findingWaiting:
		for _, x := range p.waiting {
			name("owner %s", x.OwnerID)
		}
	case findingHeld:
		for _, x := range p.held {
			name("%s", x)
		}
	case findingOpen:
		for _, x := range p.abandoned {
			name("%s %s", x.Kind, x.ID)
		}
	case findingWrite, findingImport, findingSnapshot:
		for _, x := range p.stagedFor(code) {
			name("%s", cmp.Or(x.RequestID, x.ID.String()))
		}
	case findingSchedule:
		if p.schedule {
			name("%s", workflows.DreamScheduleID(indexes.AgentRef{Workspace: p.id.Workspace, Agent: p.id.Agent}))
		}
	case findingFed:
		for _, x := range k.Fed {
			name("candidate %s", x.Entry)
		}
	case findingFedNote:
		for _, x := range k.FedNotes {
			name("%s %s (%s)", x.Scope, x.Path, x.UID)
		}
	}
	return n, examples
}

func (p *subject) view(fixed []FixedView) ExaminationView {
	view := ExaminationView{Agent: p.agent.ID, Findings: []doctorFindingView{}, Unchecked: p.unchecked, Fixed: fixed}
	for _, a := range findings {
		n, examples := p.found(a.code)
		if n == 0 {
			continue
		}
		if examples == nil {
			examples = []string{}
		}
		view.Findings = append(view.Findings, doctorFindingView{Code: a.code, Means: a.means, Fix: a.fix, Count: n, Examples: examples})
	}
	view.Healthy = len(view.Findings) == 0 && len(view.Unchecked) == 0
	return view
}

// treat puts right what was found and notes it in the journal.
func (p *subject) treat(ctx context.Context) ([]FixedView, error) {
	var fixed []FixedView
	for _, a := range findings {
		if n, _ := p.found(a.code); n == 0 {
			continue
		}
		n, err := p.fix(ctx, a.code)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		if err := p.Store.NoteFixed(ctx, p.id, a.code, n); err != nil {
			return nil, err
		}
		fixed = append(fixed, FixedView{a.code, n})
	}
	return fixed, nil
}

// fix puts one kind right and returns how many.
func (p *subject) fix(ctx context.Context, code string) (n int, err error) {
	switch code {
	case findingIndexMissing:
		return p.mend(ctx, p.known.Missing)
	case findingIndexSuperseded:
		return p.mend(ctx, p.known.Superseded)
	case findingIndexOrphans:
		return p.Store.DropOrphans(ctx, p.id)
	case findingHash:
		return p.restore(ctx)
	case findingWaiting:
		for _, owner := range p.waiting {
			if err := p.Workflows.TurnCompleted(ctx, p.ref(owner), p.agent); err != nil {
				return n, rest.WorkflowsAway("try again later")
			}
			n++
		}
	case findingOpen:
		for _, x := range p.abandoned {
			if err := p.takeOver(ctx, x); err != nil {
				return n, err
			}
			n++
		}
	case findingWrite, findingImport, findingSnapshot:
		return p.resume(ctx, p.stagedFor(code))
	case findingSchedule:
		ref := indexes.AgentRef{Workspace: p.id.Workspace, Agent: p.id.Agent}
		plan := func(ctx context.Context) (workflows.DreamPlan, error) { return p.DreamPlan(ctx, ref) }
		return 1, workflows.EnsureDreamSchedule(ctx, p.Temporal, plan, p.Now())
	case findingFed:
		for _, x := range p.known.Fed {
			if err := p.Store.RejectFed(ctx, p.as(x.Owner), x.Entry); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// as returns the identity about one owner.
func (p *subject) as(owner memory.Owner) memory.Identity {
	id := p.id.For(p.id.Agent, owner)
	id.AnyOwner = false
	return id
}

func (p *subject) mend(ctx context.Context, sources []admin.IndexSource) (n int, err error) {
	for _, x := range sources {
		if err := p.Store.MendIndex(ctx, p.id, x); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// restore takes the latest version whose hash holds, through the gate. Versions themselves are never rewritten: what the database had
// in between stays in the history, for people to compare.
func (p *subject) restore(ctx context.Context) (n int, err error) {
	for _, x := range p.known.Broken {
		if x.Proven == 0 {
			continue
		}
		_, err := p.Store.Apply(ctx, p.as(x.Owner), "", []memory.Change{{
			Ref: memory.Ref{Scope: x.Scope, Path: x.Path}, Op: memory.OpRestore, Restore: x.Proven, Base: x.Version,
			Reason: "the content of the version before is not what was written",
		}})
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// takeOver ends a record whose workflow no longer exists. The Inbox continues an extraction whose messages wait.
func (p *subject) takeOver(ctx context.Context, x admin.OpenRun) error {
	if x.Kind == "extraction" && x.Pending {
		if err := p.Workflows.TurnCompleted(ctx, p.ref(admin.WaitingOwner{Owner: x.Owner, OwnerID: x.OwnerID}), p.agent); err != nil {
			return rest.WorkflowsAway("try again later")
		}
		return nil
	}
	return p.Store.EndAbandoned(ctx, p.as(x.Owner), x)
}

// stagedCodes are the findings of work that waits for a workflow.
var stagedCodes = map[string]string{
	admin.StagedWrite:    findingWrite,
	admin.StagedImport:   findingImport,
	admin.StagedSnapshot: findingSnapshot,
}

// lookAtStaged keeps what waits and has no workflow.
func (p *subject) lookAtStaged(ctx context.Context) error {
	for _, x := range p.known.Staged {
		running := false
		for _, id := range p.workflowsOf(x) {
			runs, err := p.runs(ctx, id, "")
			if err != nil {
				return err
			}
			running = running || runs
		}
		if !running {
			p.staged = append(p.staged, x)
		}
	}
	return nil
}

// stagedFor returns the staged work of a finding.
func (p *subject) stagedFor(code string) (found []admin.StagedWork) {
	for _, x := range p.staged {
		if stagedCodes[x.Kind] == code {
			found = append(found, x)
		}
	}
	return found
}

// workflowsOf returns the ids that the workflow of x may have.
func (p *subject) workflowsOf(x admin.StagedWork) []string {
	switch x.Kind {
	case admin.StagedWrite:
		ref := p.writeRef(x)
		return []string{workflows.WriteMemoryID(ref), workflows.FormerWriteMemoryID(ref)}
	case admin.StagedImport:
		return []string{workflows.ImportID(p.id.Workspace, p.id.Agent, x.ID)}
	default:
		return []string{p.snapshotInput(x).ID()}
	}
}

func (p *subject) writeRef(x admin.StagedWork) transfer.WriteRef {
	return transfer.WriteRef{Workspace: p.id.Workspace, Agent: p.id.Agent, Write: x.ID, RequestID: x.RequestID}
}

func (p *subject) agentRef() indexes.AgentRef {
	return indexes.AgentRef{Workspace: p.id.Workspace, Agent: p.id.Agent}
}

func (p *subject) snapshotInput(x admin.StagedWork) workflows.ImportSnapshotInput {
	return workflows.ImportSnapshotInput{
		AgentRef:   p.agentRef(),
		Import:     x.ID,
		Archive:    hex.EncodeToString(x.Archive[:]),
		Particular: x.Particular,
	}
}

// resume starts the workflows of what waits. What is left of a cancelled import is left out.
func (p *subject) resume(ctx context.Context, staged []admin.StagedWork) (n int, err error) {
	for _, x := range staged {
		switch {
		case x.Cancelled:
			if _, err := p.Store.LeaveImport(ctx, p.as(x.Owner), x.ID); err != nil {
				return n, err
			}
		case x.Kind == admin.StagedWrite:
			_, err = workflows.StartWrite(ctx, p.Temporal, p.writeRef(x))
		case x.Kind == admin.StagedImport:
			err = workflows.StartImport(ctx, p.Temporal, workflows.ImportInput{AgentRef: p.agentRef(), Import: x.ID, Format: x.Format})
		default:
			_, err = workflows.StartImportSnapshot(ctx, p.Temporal, p.snapshotInput(x))
		}
		if err != nil {
			return n, rest.WorkflowsAway("try again later")
		}
		n++
	}
	return n, nil
}
