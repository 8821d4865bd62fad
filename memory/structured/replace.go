package structured

import (
	"slices"
	"strings"
)

// Replaced is an entry that takes the place of others.
type Replaced struct {
	Key     string   // of one of them
	Content string   // of the new entry
	Keys    []string // of all of them
}

// Replace puts entries in place of others, with the source and the day of the one that was updated last, and returns the document and
// how many entries it has less. It leaves out those of which an entry was removed, archived or kept.
func Replace(document string, all []Replaced, keeps func(key string) bool) (replaced string, removed int, err error) {
	replaced = document
	for _, r := range all {
		current := Current(Parse(replaced))
		var last Entry
		gone := slices.ContainsFunc(r.Keys, func(key string) bool {
			e, found := Find(current, key)
			if found && !e.Updated.Before(last.Updated) {
				last = e
			}
			return !found || keeps(key)
		})
		if gone || len(r.Keys) < 2 || !slices.ContainsFunc(r.Keys, func(key string) bool { return strings.EqualFold(key, r.Key) }) { //nolint:mnd // see Keys
			continue
		}
		next := replaced
		for _, key := range r.Keys {
			if strings.EqualFold(key, r.Key) {
				continue
			}
			if next, _, err = Remove(next, key); err != nil {
				return document, 0, err
			}
		}
		last.Key, last.Content = r.Key, strings.TrimSpace(r.Content)
		if next, err = Set(next, last); err != nil {
			return document, 0, err
		}
		removed += len(current) - len(Current(Parse(next)))
		replaced = next
	}
	return replaced, removed, nil
}
