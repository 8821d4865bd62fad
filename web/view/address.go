package view

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/a-h/templ"
)

// MemoryURL is the address of the documents of an agent and an owner.
func MemoryURL(agent, whom string) string {
	return "/agents/" + url.PathEscape(agent) + "/of/" + url.PathEscape(whom) + "/memory"
}

// URL is the address of a page about the memory of a frame.
func URL(f Frame, page string) string {
	return strings.TrimSuffix(MemoryURL(f.Agent, f.Whom), "memory") + page
}

// DocumentURL is the address of a page about a document: memory, history, edit, compare, restore or delete. It has a query.
func DocumentURL(f Frame, page, path, scope string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return URL(f, page) + "/" + strings.Join(segments, "/") + "?scope=" + url.QueryEscape(scope)
}

// TalkURL is the address of a conversation at a message.
func TalkURL(f Frame, id string, message int64) string {
	return fmt.Sprintf("%s/%s?at=%d#m%d", URL(f, "conversations"), id, message, message)
}

// DreamURL is the address of the report of a dream.
func DreamURL(f Frame, id string) string { return URL(f, "dreams") + "/" + id }

// ChatURL is the address of a conversation to go on with.
func ChatURL(f Frame, id string) string { return URL(f, "chat") + "/" + id }

// InjectionURL is the address of what was put into a context.
func InjectionURL(f Frame, id string) string { return URL(f, "injections") + "/" + id }

func runURL(f Frame, id string) string { return URL(f, "extractions") + "/" + id }

// whyItStays says why a statement of a source stays.
func whyItStays(why string) string {
	return map[string]string{
		"person": "a person wrote it", "elsewhere": "it came from elsewhere too", "said": "it was said elsewhere too",
		"mixed": "a part of it came from elsewhere",
	}[why]
}

func safe(address string) templ.SafeURL { return templ.SafeURL(address) }

// hitURL is the address of a result.
func hitURL(g Found, h Hit) string {
	f := Frame{Agent: g.Agent, Whom: g.Whom}
	if h.Said {
		return TalkURL(f, h.Talk, int64(h.From))
	}
	return fmt.Sprintf("%s#L%d", DocumentURL(f, "memory", h.Path, h.Scope), h.From)
}
