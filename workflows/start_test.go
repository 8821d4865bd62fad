package workflows

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
)

// noting is a client that notes with which options workflows are started, and starts none.
type noting struct {
	client.Client
	started []client.StartWorkflowOptions
}

var errNotStarted = errors.New("only noted")

func (n *noting) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	n.started = append(n.started, o)
	return nil, errNotStarted
}

func (n *noting) SignalWithStartWorkflow(
	_ context.Context, _, _ string, _ any, o client.StartWorkflowOptions, _ any, _ ...any,
) (client.WorkflowRun, error) {
	n.started = append(n.started, o)
	return nil, errNotStarted
}

func (n *noting) NewWithStartWorkflowOperation(o client.StartWorkflowOptions, _ any, _ ...any) client.WithStartWorkflowOperation {
	n.started = append(n.started, o)
	return nil
}

func (n *noting) UpdateWithStartWorkflow(context.Context, client.UpdateWithStartWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	return nil, errNotStarted
}

// Whatever starts a workflow gives it the priority of who waits for it, and the share of its workspace.
func TestEveryStarterIsFair(t *testing.T) {
	t.Parallel()
	agent := activities.AgentRef{Workspace: "acme", Agent: "ada"}
	owner := memory.OwnerRef{Workspace: "acme", Agent: "ada", Owner: uuid.New()}
	conversation, timing, model := uuid.New(), setting.Timing{}, memory.EmbeddingIdentity{Provider: "test", Model: "new", Dimensions: 2}
	compaction := CompactInput{OwnerRef: owner, Conversation: conversation, To: 10}
	starters := map[string]struct {
		priority int
		start    func(context.Context, client.Client) error
	}{
		"TurnCompleted": {turnPriority, func(ctx context.Context, c client.Client) error { return TurnCompleted(ctx, c, owner, timing) }},
		"ExtractNow": {turnPriority, func(ctx context.Context, c client.Client) error { // of the Inbox; its Extract has its own
			_, err := ExtractNow(ctx, c, owner, timing, ExtractNowInput{RequestID: "r", Conversation: conversation})
			return err
		}},
		"StartCompact": {urgentPriority, func(ctx context.Context, c client.Client) error {
			_, err := StartCompact(ctx, c, compaction)
			return err
		}},
		"StartDream": {dreamPriority, func(ctx context.Context, c client.Client) error {
			_, err := StartDream(ctx, c, DreamInput{OwnerRef: owner, Mode: memory.DreamNightly})
			return err
		}},
		"StartImport": {importPriority, func(ctx context.Context, c client.Client) error {
			return StartImport(ctx, c, ImportInput{AgentRef: agent, Import: uuid.New()})
		}},
		"StartImportSnapshot": {importPriority, func(ctx context.Context, c client.Client) error {
			_, err := StartImportSnapshot(ctx, c, ImportSnapshotInput{AgentRef: agent, Import: uuid.New()})
			return err
		}},
		"IndexChanged": {turnPriority, func(ctx context.Context, c client.Client) error { return IndexChanged(ctx, c, agent, IndexChange{}) }},
		"EnsureIndex":  {turnPriority, func(ctx context.Context, c client.Client) error { return EnsureIndex(ctx, c, agent) }},
		"StartReindex": {importPriority, func(ctx context.Context, c client.Client) error {
			_, err := StartReindex(ctx, c, ReindexInput{AgentRef: agent, Identity: model})
			return err
		}},
		"OfferReindex": {importPriority, func(ctx context.Context, c client.Client) error {
			return OfferReindex(ctx, c, ReindexInput{AgentRef: agent})
		}},
		"StartWrite": {awaitedPriority, func(ctx context.Context, c client.Client) error {
			_, err := StartWrite(ctx, c, activities.WriteRef{Workspace: "acme", Agent: "ada", RequestID: "r"})
			return err
		}},
		"StartRevoke": {awaitedPriority, func(ctx context.Context, c client.Client) error {
			return StartRevoke(ctx, c, RevokeInput{AgentRef: agent, Revocation: uuid.New()})
		}},
		"StartDelete": {awaitedPriority, func(ctx context.Context, c client.Client) error {
			return StartDelete(ctx, c, DeleteInput{AgentRef: agent, Deletion: uuid.New()})
		}},
		"StartApprove": {turnPriority, func(ctx context.Context, c client.Client) error {
			return StartApprove(ctx, c, ApproveInput{AgentRef: agent, Approval: uuid.New()})
		}},
		"WebhookChanged": {turnPriority, func(ctx context.Context, c client.Client) error {
			return WebhookChanged(ctx, c, WebhookInput{AgentRef: agent, Webhook: uuid.New()})
		}},
		"PingWebhook": {turnPriority, func(ctx context.Context, c client.Client) error {
			_, err := PingWebhook(ctx, c, WebhookInput{AgentRef: agent, Webhook: uuid.New()}, uuid.New())
			return err
		}},
	}
	for name, s := range starters {
		n := &noting{}
		if err := s.start(t.Context(), n); !errors.Is(err, errNotStarted) || len(n.started) != 1 {
			t.Errorf("%s: %d started, %v", name, len(n.started), err)
			continue
		}
		if got := n.started[0].Priority; got != (temporal.Priority{PriorityKey: s.priority, FairnessKey: "acme"}) {
			t.Errorf("%s starts with %+v, want priority %d", name, got, s.priority)
		}
	}
	for _, name := range startersOfSources(t) {
		if _, known := starters[name]; !known {
			t.Errorf("%s starts a workflow and is not in the table", name)
		}
	}
	// Steps that wait for a turn have their own priority; the others have that of their workflow.
	flush, summary := setting.FlushSettings{}, setting.CompactSettings{}
	for name, got := range map[string]temporal.Priority{
		"ProposeFlush": flushCall(flush, time.Minute, owner).Priority, "Summarise": summaryCall(summary, time.Minute, owner).Priority,
	} {
		if got != (temporal.Priority{PriorityKey: urgentPriority, FairnessKey: "acme"}) {
			t.Errorf("%s has %+v", name, got)
		}
	}
	for name, got := range map[string]temporal.Priority{
		"Propose": modelCall(setting.ExtractSettings{}).Priority, "Consolidate": consolidateStep(setting.DreamSettings{}).Priority,
		"Tidy": tidyStep(setting.DreamSettings{Paid: true, SoulWrites: 1}).Priority, "Embed": embedStep.Priority, "ImportPage": importStep.Priority,
		"ReadSnapshot": snapshotStep.Priority, "StartDreams": nightStep.Priority,
	} {
		if got != (temporal.Priority{}) {
			t.Errorf("%s has %+v, not that of its workflow", name, got)
		}
	}
	for in, want := range map[ExtractNowInput]int{{Import: true}: importPriority, {}: awaitedPriority} {
		if got := in.priority(); got != want {
			t.Errorf("%+v is extracted with priority %d, want %d", in, got, want)
		}
	}
}

// startersOfSources returns the exported functions of this package that take a client and start a workflow, themselves or through others.
func startersOfSources(t *testing.T) (names []string) {
	t.Helper()
	starts := []string{"ExecuteWorkflow", "SignalWithStartWorkflow", "UpdateWithStartWorkflow"}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string][]string{}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && takesClient(f) {
				calls[f.Name.Name] = callsOf(f)
			}
		}
	}
	for more := true; more; {
		more = false
		for name, of := range calls {
			if !slices.Contains(starts, name) && slices.ContainsFunc(of, func(call string) bool { return slices.Contains(starts, call) }) {
				starts, more = append(starts, name), true
			}
		}
	}
	for _, name := range starts {
		if _, is := calls[name]; is && ast.IsExported(name) {
			names = append(names, name)
		}
	}
	return names
}

func takesClient(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		s, is := p.Type.(*ast.SelectorExpr)
		return is && s.Sel.Name == "Client"
	})
}

func callsOf(f *ast.FuncDecl) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is {
			switch of := call.Fun.(type) {
			case *ast.Ident:
				names = append(names, of.Name)
			case *ast.SelectorExpr:
				names = append(names, of.Sel.Name)
			}
		}
		return true
	})
	return names
}
