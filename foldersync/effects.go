package foldersync

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/memory/markdown"
)

// do carries out the action for a place and updates the state of both sides.
func (p *pass) do(action Action, where string, ref memory.Ref) error {
	switch action {
	case Remember:
		return p.remember(where)
	case Forget:
		return p.folder.records.drop(where)
	case Pull:
		return p.pull(where, ref)
	case Push:
		return p.push(where, ref)
	case DeleteLocal:
		return p.deleteLocal(where)
	case DeleteRemote:
		return p.deleteRemote(where, ref)
	case Merge:
		return p.merge(where, ref)
	case Nothing:
	}
	return nil
}

// based records the common text of both sides.
func (p *pass) based(where, text string) error {
	p.folder.step("remember " + where)
	return p.folder.records.put(&record{Place: where, Base: &text})
}

func (p *pass) remember(where string) error {
	text, err := p.folder.text(p.listing.Files[where])
	if err != nil {
		return err
	}
	return p.based(where, text)
}

// replaced updates the listing after the file at a place was replaced or, if sum is empty, deleted.
func (p *pass) replaced(where string, sum Sum) {
	file := p.listing.Files[where]
	if sum == "" {
		delete(p.listing.Files, where)
		return
	}
	if file.name == "" {
		file.name = where
	}
	file.Sum = sum
	p.listing.Files[where] = file
}

func (p *pass) pull(where string, ref memory.Ref) error {
	there, err := p.Sync.remote.Read(p.ctx, ref)
	if err != nil {
		return err
	}
	p.remote[where] = there.Entry
	return p.take(where, there)
}

// take replaces the content of the file with the server's document.
func (p *pass) take(where string, there Document) error {
	file := p.listing.Files[where]
	was := ""
	if file.Sum != "" {
		var err error
		if was, err = p.folder.text(file); err != nil {
			return err
		}
	}
	if err := p.folder.put(where, file, there.Content); err != nil {
		return err
	}
	p.replaced(where, there.Sum)
	if err := p.based(where, there.Content); err != nil {
		return err
	}
	if p.finishing == where { // an event has reported it
		return nil
	}
	added, removed := markdown.DiffStat(was, there.Content)
	p.say(Event{Kind: Pulled, Place: where, Scope: string(there.Ref.Scope), Version: there.Version, Added: added, Removed: removed})
	return nil
}

func (p *pass) push(where string, ref memory.Ref) error {
	text, err := p.folder.text(p.listing.Files[where])
	if err != nil {
		return err
	}
	return p.send(where, ref, pending{Local: text, Match: p.remote[where].ETag}, Pushed)
}

// send writes to the server. It records the write first, so that an interrupted write is repeated with the same key.
func (p *pass) send(where string, ref memory.Ref, w pending, kind Kind) error {
	rec, err := p.folder.records.get(where)
	if err != nil {
		return err
	}
	w.Key = "folder-" + uuid.NewString()
	rec.Pending = &w
	if err := p.folder.records.put(rec); err != nil {
		return err
	}
	p.folder.step("send " + where)
	return p.deliver(where, ref, rec, kind)
}

// resume repeats a write whose outcome is unknown.
func (p *pass) resume(where string, ref memory.Ref) error {
	rec, err := p.folder.records.get(where)
	if err != nil || rec.Pending == nil {
		return p.folder.records.drop(where)
	}
	return p.deliver(where, ref, rec, Pushed)
}

// deliver sends the pending write. The text of the file becomes the new base even if the server stored a different one,
// because that one is derived from it and pulled afterwards.
func (p *pass) deliver(where string, ref memory.Ref, rec *record, kind Kind) error {
	w := rec.Pending
	receipt, err := p.Sync.remote.Write(p.ctx, Write{Ref: ref, Content: w.content(), Match: w.Match, Key: w.Key})
	if _, refused := errors.AsType[*Refusal](err); refused || errors.Is(err, ErrStale) {
		rec.Pending = nil
		return errors.Join(err, p.settled(rec))
	}
	if err != nil {
		return err
	}
	p.folder.step("sent " + where)
	if receipt.Redacted {
		if err := p.keepWhole(where, ref, w.Local); err != nil {
			return err
		}
	}
	if err := p.based(where, w.Local); err != nil {
		return err
	}
	if receipt.Merged {
		kind = Merged
	}
	p.finishing = where
	p.remote[where] = Entry{Ref: ref, Sum: receipt.Sum, ETag: receipt.ETag, Version: receipt.Version}
	p.say(Event{Kind: kind, Place: where, Scope: string(ref.Scope), Version: receipt.Version, Added: receipt.Added, Removed: receipt.Removed})
	return nil
}

// settled stores a record without a pending write.
func (p *pass) settled(rec *record) error {
	if rec.Base == nil {
		return p.folder.records.drop(rec.Place)
	}
	return p.folder.records.put(rec)
}

// keepWhole keeps the full text in a conflict file after the server removed a part, unless it removed only invisible characters.
func (p *pass) keepWhole(where string, ref memory.Ref, text string) error {
	there, err := p.Sync.remote.Read(p.ctx, ref)
	if err != nil && !errors.Is(err, ErrGone) {
		return err
	}
	if err == nil && plain(there.Content) == plain(text) {
		return nil
	}
	name, err := p.folder.keep(where, text)
	if err != nil {
		return err
	}
	p.outcome.Kept++
	p.say(Event{Kind: Redacted, Place: where, Scope: string(ref.Scope), Keeps: name})
	return nil
}

// plain returns text without invisible characters.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

func (p *pass) deleteLocal(where string) error {
	if err := p.folder.remove(where, p.listing.Files[where]); err != nil {
		return err
	}
	p.replaced(where, "")
	p.folder.step("forget " + where)
	if err := p.folder.records.drop(where); err != nil {
		return err
	}
	p.say(Event{Kind: DeletedHere, Place: where})
	return nil
}

// fewFiles is the maximum number of known files that may all be deleted without DeleteAll.
const fewFiles = 2

// deleteRemote deletes a document whose file was deleted, unless the deletion is withheld.
func (p *pass) deleteRemote(where string, ref memory.Ref) error {
	if p.folder.records.known[where].held && !p.DeleteAll {
		p.outcome.Held++
		if !p.held {
			p.held = true
			p.say(Event{Kind: Held, Count: p.heldCount()})
		}
		return errSkip
	}
	if err := p.Sync.remote.Delete(p.ctx, ref, p.remote[where].ETag, "folder-"+uuid.NewString()); err != nil {
		return err
	}
	delete(p.remote, where)
	p.folder.step("forget " + where)
	if err := p.folder.records.drop(where); err != nil {
		return err
	}
	p.say(Event{Kind: DeletedThere, Place: where, Scope: string(ref.Scope)})
	return nil
}

// withhold marks the known files as held if all of them are missing: that is probably a mistake. A mark stays, also when other files come
// back in the meantime, until the file does.
func (p *pass) withhold() error {
	gone := 0
	for place, k := range p.folder.records.known {
		if k.base == "" {
			continue
		}
		_, missing := p.folder.gone[place] // perhaps only for a moment
		if _, there := p.listing.Files[place]; there || p.listing.Moving[place] && !missing {
			gone = 0
			break
		}
		gone++
	}
	for place, k := range p.folder.records.known {
		_, there := p.listing.Files[place]
		held := gone > fewFiles && k.base != "" || k.held && !there
		if held == k.held {
			continue
		}
		rec, err := p.folder.records.get(place)
		if err != nil {
			return err
		}
		rec.Held = held
		if err := p.folder.records.put(rec); err != nil {
			return err
		}
	}
	return nil
}

// heldCount returns the number of files that are held.
func (p *pass) heldCount() (count int) {
	for _, k := range p.folder.records.known {
		if k.held {
			count++
		}
	}
	return count
}

// merge merges the changes of both sides: on the server, from which the result is pulled, or in the folder if OneWay is set.
// On a conflict the file gets the server's text, and the local text is kept in a conflict file.
func (p *pass) merge(where string, ref memory.Ref) error {
	mine, err := p.folder.text(p.listing.Files[where])
	if err != nil {
		return err
	}
	theirs, err := p.Sync.remote.Read(p.ctx, ref)
	if err != nil {
		return err
	}
	p.remote[where] = theirs.Entry
	rec, err := p.folder.records.get(where)
	if err != nil {
		return err
	}
	base := ""
	if rec.Base != nil {
		base = *rec.Base
	}
	merged, conflicts := markdown.Merge3(base, mine, theirs.Content)
	switch {
	case len(conflicts) > 0:
		return p.conflict(where, mine, theirs)
	case merged == theirs.Content:
		return p.take(where, theirs)
	case p.sides(where).OneWay:
		return p.mergeHere(where, merged, theirs)
	}
	w := pending{Local: mine, Match: theirs.ETag}
	if merged != mine {
		w.Content = &merged
	}
	return p.send(where, ref, w, Merged)
}

// mergeHere writes the merged text to the file. The server's text becomes the base.
func (p *pass) mergeHere(where, merged string, theirs Document) error {
	if err := p.folder.put(where, p.listing.Files[where], merged); err != nil {
		return err
	}
	p.replaced(where, SumOf(merged))
	if err := p.based(where, theirs.Content); err != nil {
		return err
	}
	p.say(Event{Kind: Merged, Place: where, Scope: string(theirs.Ref.Scope), Version: theirs.Version})
	return nil
}

func (p *pass) conflict(where, mine string, theirs Document) error {
	name, err := p.folder.keep(where, mine)
	if err != nil {
		return err
	}
	p.outcome.Kept++
	if err := p.folder.put(where, p.listing.Files[where], theirs.Content); err != nil {
		return err
	}
	p.replaced(where, theirs.Sum)
	if err := p.based(where, theirs.Content); err != nil {
		return err
	}
	p.say(Event{Kind: Conflicted, Place: where, Scope: string(theirs.Ref.Scope), Version: theirs.Version, Keeps: name})
	return nil
}

// isLocal reports whether an error concerns a single local file.
func isLocal(err error) bool {
	_, ofPath := errors.AsType[*fs.PathError](err)
	_, ofLink := errors.AsType[*os.LinkError](err)
	_, unusable := errors.AsType[*unusableError](err)
	return ofPath || ofLink || unusable
}
