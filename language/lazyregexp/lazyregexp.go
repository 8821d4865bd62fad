// Package lazyregexp wraps regexp for a program of many hundred expressions, of which most match nothing in a text.
//
// An expression of a package variable is compiled when it is first used and not when the program starts: compiling those of all
// languages takes a tenth of a second, and most commands use few of them. And a text is first searched for the strings of which every
// match contains at least one, which are derived from the expression: it costs a fiftieth of what the expression costs.
package lazyregexp

import (
	"regexp"
	"slices"
	"sync"
)

var made struct {
	sync.Mutex
	all []*Regexp
}

// Regexp is a regular expression. Its methods are those of [regexp.Regexp] and may be called at the same time.
type Regexp struct {
	expr     string
	filter   func() *filter
	compiled func() *regexp.Regexp
}

// New returns an expression for use in a package variable. Using it panics if it cannot be compiled.
func New(expr string) *Regexp {
	r := &Regexp{
		expr:     expr,
		filter:   sync.OnceValue(func() *filter { return newFilter(expr) }),
		compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }),
	}
	made.Lock()
	made.all = append(made.all, r)
	made.Unlock()
	return r
}

// All compiles all expressions that New has returned, and returns them. It panics if one cannot be compiled. Tests call it.
func All() []*Regexp {
	made.Lock()
	defer made.Unlock()
	for _, r := range made.all {
		r.compiled()
	}
	return slices.Clone(made.all)
}

// MatchString is that of [regexp.Regexp].
func (r *Regexp) MatchString(s string) bool { return r.filter().may(s) && r.compiled().MatchString(s) }

// FindString is that of [regexp.Regexp].
func (r *Regexp) FindString(s string) string {
	if !r.filter().may(s) {
		return ""
	}
	return r.compiled().FindString(s)
}

// FindStringIndex is that of [regexp.Regexp].
func (r *Regexp) FindStringIndex(s string) []int {
	if !r.filter().may(s) {
		return nil
	}
	return r.compiled().FindStringIndex(s)
}

// FindStringSubmatch is that of [regexp.Regexp].
func (r *Regexp) FindStringSubmatch(s string) []string {
	if !r.filter().may(s) {
		return nil
	}
	return r.compiled().FindStringSubmatch(s)
}

// FindStringSubmatchIndex is that of [regexp.Regexp].
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	if !r.filter().may(s) {
		return nil
	}
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindAllString is that of [regexp.Regexp].
func (r *Regexp) FindAllString(s string, n int) []string {
	if !r.filter().may(s) {
		return nil
	}
	return r.compiled().FindAllString(s, n)
}

// FindAllStringIndex is that of [regexp.Regexp].
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	if !r.filter().may(s) {
		return nil
	}
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is that of [regexp.Regexp].
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if !r.filter().may(s) {
		return nil
	}
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of [regexp.Regexp].
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !r.filter().may(s) {
		return nil
	}
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is that of [regexp.Regexp].
func (r *Regexp) ReplaceAllString(src, repl string) string {
	if !r.filter().may(src) {
		return src
	}
	return r.compiled().ReplaceAllString(src, repl)
}

// ReplaceAllStringFunc is that of [regexp.Regexp].
func (r *Regexp) ReplaceAllStringFunc(src string, repl func(string) string) string {
	if !r.filter().may(src) {
		return src
	}
	return r.compiled().ReplaceAllStringFunc(src, repl)
}

// Split is that of [regexp.Regexp].
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }

// SubexpIndex is that of [regexp.Regexp].
func (r *Regexp) SubexpIndex(name string) int { return r.compiled().SubexpIndex(name) }

// SubexpNames is that of [regexp.Regexp].
func (r *Regexp) SubexpNames() []string { return r.compiled().SubexpNames() }

// String is that of [regexp.Regexp].
func (r *Regexp) String() string { return r.expr }
