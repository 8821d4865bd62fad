package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/toolbox"
)

// progressEvery is the interval at which a call that takes longer says that it is still at work: clients give up on calls without a
// sign of life.
const progressEvery = time.Second

// addTools adds every tool. Their definitions are those of package toolbox.
func (m *handlers) addTools(s *mcp.Server) {
	closed := false
	for _, o := range toolbox.Offers() {
		replaces := o.Replaces
		s.AddTool(&mcp.Tool{
			Name: o.Name, Title: o.Title, Description: o.Description, InputSchema: o.Parameters, OutputSchema: o.Result,
			Annotations: &mcp.ToolAnnotations{
				Title: o.Title, ReadOnlyHint: !o.Writes, DestructiveHint: &replaces, IdempotentHint: o.Repeats || !o.Writes, OpenWorldHint: &closed,
			},
		}, m.callTool)
	}
}

// listTools leaves out what the key may not call.
func (m *handlers) listTools(ctx context.Context, request mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	result, err := next(ctx, "tools/list", request)
	list, is := result.(*mcp.ListToolsResult)
	if err != nil || !is {
		return result, err
	}
	allowed := make([]*mcp.Tool, 0, len(list.Tools))
	for _, t := range list.Tools {
		tool, _ := toolbox.DefinitionOf(t.Name)
		if rest.MayCall(ctx, tool) == nil {
			allowed = append(allowed, t)
		}
	}
	list.Tools = allowed
	return list, nil
}

func (m *handlers) callTool(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	v := visitOf(ctx)
	c := v.caller
	c.Key = rest.RequestLedgerKey(ctx, v.message.Params.Meta.IdempotencyKey, "tool", c.Identity.Agent, string(c.Identity.Owner), request.Params.Name)
	defer m.working(ctx, request)()
	result, err := m.CallTool(ctx, c, request.Params.Name, request.Params.Arguments)
	if err != nil {
		return m.failed(ctx, err)
	}
	answer := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: result.Content}}, IsError: result.IsError}
	if !result.IsError {
		answer.StructuredContent = json.RawMessage(result.Content)
	}
	return answer, nil
}

// refusal is the result of a call that the API refuses, in the form of the tools' own refusals.
type refusal struct {
	Error      bool       `json:"error"`
	Name       fault.Name `json:"name"`
	Status     int        `json:"status"` // that the API answers with
	Message    string     `json:"message"`
	RetryAfter int        `json:"retryAfter,omitempty"` // seconds
}

// failed returns the result of a call that failed: models and people read it, unlike an error of the protocol.
func (m *handlers) failed(ctx context.Context, err error) (*mcp.CallToolResult, error) {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil, err
	}
	text, err := json.Marshal(m.refusal(ctx, err))
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, IsError: true}, err
}

func (m *handlers) refusal(ctx context.Context, err error) refusal {
	p := m.Problem(ctx, err)
	wait, _ := strconv.Atoi(p.GetHeaders().Get("Retry-After"))
	return refusal{Error: true, Name: p.Name, Status: p.Code, Message: p.Msg, RetryAfter: wait}
}

// wireError returns an error of the protocol, with what the API says of it as data.
func (m *handlers) wireError(ctx context.Context, err error) error {
	r := m.refusal(ctx, err)
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	code := int64(jsonrpc.CodeInternalError)
	if r.Status < http.StatusInternalServerError {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: r.Message, Data: data}
}

// working notifies a client that asked for progress while its call takes long. The returned function ends that.
func (m *handlers) working(ctx context.Context, request *mcp.CallToolRequest) (done func()) {
	token := request.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var notifying sync.WaitGroup
	notifying.Go(func() {
		tick := time.NewTicker(m.progress)
		defer tick.Stop()
		for n := 1.0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			err := request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: n, Message: fmt.Sprintf("%s is still at work", request.Params.Name),
			})
			if err != nil {
				return
			}
		}
	})
	return func() {
		cancel()
		notifying.Wait()
	}
}
