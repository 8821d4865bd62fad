package toolbox

import (
	"context"
	"errors"

	"reverie/memory"
	"reverie/store"
)

// written is the answer to a write or an edit.
type written struct {
	AgentID  string `json:"agentId"`
	Filename string `json:"filename"`

	Created      *bool `json:"created,omitempty"` // of a write
	Overwritten  *bool `json:"overwritten,omitempty"`
	BytesWritten *int  `json:"bytesWritten,omitempty"`

	Replacements  *int  `json:"replacements,omitempty"` // of an edit
	ReplaceAll    *bool `json:"replaceAll,omitempty"`
	FileSizeAfter *int  `json:"fileSizeAfter,omitempty"`

	Enabled  bool         `json:"enabled"`
	Person   memory.Owner `json:"person,omitempty"` // whose section of the file it is, in a group
	Scope    memory.Scope `json:"scope"`
	OwnerKey memory.Owner `json:"ownerKey"`
	Version  int          `json:"version"`
	Merged   bool         `json:"merged,omitempty"`
	Receipt  string       `json:"receipt,omitempty"`
	Message  string       `json:"message"`
}

// mayChange refuses files of everybody that say what the agent is and may do: a conversation is no place to change them.
func (k *call) mayChange(ref memory.Ref) error {
	if ref.Scope == memory.ScopeTeam && (ref.Path == memory.AgentsPath || ref.Path == memory.SoulPath) {
		return faultf("%s is shared by everybody who uses this agent and is changed by people only. Tell the user", ref.Path)
	}
	return nil
}

// target is the file that a write is about, in the scope that the caller writes.
func (k *call) target() (memory.Ref, error) {
	path, err := k.filename("filename")
	if err != nil {
		return memory.Ref{}, err
	}
	ref := memory.Ref{Scope: k.scope(k.Caller), Path: path}
	return ref, k.mayChange(ref)
}

// current is a document as it is; found is false when there is none.
func (b *Box) current(ctx context.Context, id memory.Identity, ref memory.Ref) (d memory.Document, found bool, err error) {
	d, err = b.Store.Document(ctx, id, ref)
	if errors.Is(err, store.ErrNotFound) {
		return memory.Document{}, false, nil
	}
	return d, err == nil, err
}

// replayed is the receipt of the same call before.
func (b *Box) replayed(ctx context.Context, id memory.Identity, key string) (memory.Receipt, bool, error) {
	if key == "" {
		return memory.Receipt{}, false, nil
	}
	return b.Store.Receipt(ctx, id, key)
}

// by is the caller's identity with the tool as the author.
func (c Caller) by(author memory.Author) memory.Identity {
	id := c.Identity
	id.Author = author
	return id
}

// sources says where a write comes from.
func (c Caller) sources(lines ...string) memory.Sources {
	s := memory.Sources{Conversation: c.Conversation, From: c.Message, To: c.Message}
	if c.Conversation == "" || c.Message == 0 {
		return memory.Sources{Conversation: c.Conversation}
	}
	for _, line := range lines {
		s.Lines = append(s.Lines, memory.LineSource{Line: line, Messages: []int64{c.Message}})
	}
	return s
}

// write answers write_workspace_memory_file.
func (k *call) write(ctx context.Context) (any, error) {
	ref, err := k.target()
	if err != nil {
		return nil, err
	}
	content := given(k.args, "content", "")
	id := k.by(memory.Author{Kind: memory.AuthorTool, ID: WriteFile})
	receipt, again, err := k.replayed(ctx, id, k.key)
	if err != nil {
		return nil, err
	}
	switch {
	case again:
	case k.ofPerson(ref.Path):
		if receipt, err = k.writeOwn(ctx, id, ref, content); err != nil {
			return nil, err
		}
	default:
		change := memory.Change{Ref: ref, Op: memory.OpReplace, Content: content, Reason: "written by the agent", Sources: k.sources()}
		if version, given := k.args["version"].(int); given {
			change.Base = version
		} else if d, _, err := k.current(ctx, id, ref); err != nil {
			return nil, err
		} else {
			change.Base = d.Version // what is changed between this moment and the write is merged
		}
		if receipt, err = k.Store.Apply(ctx, id, k.key, []memory.Change{change}); err != nil {
			return nil, writing(ref, change.Base, err)
		}
	}
	k.changed(id, receipt)
	k.result.Written = &receipt
	done := receipt.Changes[0]
	overwritten := !done.Created
	out := k.written(done, receipt)
	out.Created, out.Overwritten, out.BytesWritten = &done.Created, &overwritten, &done.Bytes
	out.Message = "Workspace memory file overwritten"
	switch {
	case out.Person != "" && done.Changed:
		out.Message = "The section of the person who speaks was written; the rest of the file stays"
	case done.Created:
		out.Message = "Workspace memory file created"
	case !done.Changed:
		out.Message = "Workspace memory file unchanged: it says that already"
	case done.Merged:
		out.Message = "Workspace memory file merged with what was changed meanwhile"
	}
	out.Message += redacted(done)
	out.Enabled = k.isEnabled(ctx, id, ref)
	return out, nil
}

// writing explains an error of a write that names a version.
func writing(ref memory.Ref, base int, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return faultf("version %d of %s is not there: read the file again and give the version that it tells", base, ref.Path)
	}
	return err
}

func (k *call) written(done memory.ChangeReceipt, receipt memory.Receipt) written {
	out := written{AgentID: k.Identity.Agent, Filename: done.Path, Scope: done.Scope, Version: done.Version, Merged: done.Merged, Receipt: receipt.Token}
	if k.ofPerson(done.Path) {
		out.Person = k.Speaker
	}
	if done.Scope == memory.ScopePersonal {
		out.OwnerKey = k.Identity.Owner
	}
	return out
}

// isEnabled reports whether a file that was just written is in the system prompt. The write is done: when it cannot be read
// now, it is said not to be.
func (k *call) isEnabled(ctx context.Context, id memory.Identity, ref memory.Ref) bool {
	d, found, err := k.current(ctx, id, ref)
	return err == nil && found && d.Enabled
}

func redacted(done memory.ChangeReceipt) string {
	if done.Verdict == memory.VerdictRedact {
		return ". Secrets in it were replaced by placeholders: do not write them again"
	}
	return ""
}
