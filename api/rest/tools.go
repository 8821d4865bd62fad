package rest

import (
	"context"
	"encoding/json"

	"reverie/api/fault"
	"reverie/memory"
	"reverie/toolbox"
)

// MayCall refuses a tool that writes to a key that only reads.
func MayCall(ctx context.Context, tool toolbox.Definition) error {
	if tool.Writes && !CallerOf(ctx).Role.Includes(memory.RoleMember) {
		return fault.New(fault.Forbidden, "%s writes: it needs a member key", tool.Name)
	}
	return nil
}

// CallTool runs a memory tool for a caller whose identity comes from Enter. Whatever a model should read is a result; an error reports a failure
// that the model cannot correct: a tool that does not exist, a key without the right, a write without an owner, an outage.
func (s *Server) CallTool(ctx context.Context, c toolbox.Caller, name string, arguments json.RawMessage) (toolbox.Result, error) {
	tool, known := toolbox.DefinitionOf(name)
	if !known {
		return toolbox.Result{}, fault.New(fault.NotFound, "No such tool: list them with GET /api/v1/agents/%s/tools", c.Identity.Agent)
	}
	if err := MayCall(ctx, tool); err != nil {
		return toolbox.Result{}, err
	}
	if tool.Writes {
		if err := ownerNeeded(c.Identity, "query"); err != nil {
			return toolbox.Result{}, err
		}
	}
	result, err := s.Tools.Call(ctx, c, name, arguments)
	if err == nil && result.Written != nil {
		s.Written(c.Identity, *result.Written)
	}
	return result, err
}

// Written announces the changes of a receipt, so that they are embedded soon.
func (s *Server) Written(id memory.Identity, receipt memory.Receipt) {
	if receipt.Replayed {
		return
	}
	for _, change := range receipt.Changes {
		if change.Changed {
			s.IndexChanged(id, change.Scope)
		}
	}
}
