package api

import (
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// envelope is what every answer looks like. Errors have the same shape with the error's name in addition (Problem).
type envelope[T any] struct {
	Code int    `json:"code" doc:"The HTTP status." example:"200"`
	Msg  string `json:"msg" example:"success"`
	Data T      `json:"data"`
}

const success = "success"

// reply is a successful answer with its status.
type reply[T any] struct {
	Status int
	Body   envelope[T]
}

func answer[T any](status int, data T) *reply[T] {
	return &reply[T]{Status: status, Body: envelope[T]{Code: status, Msg: success, Data: data}}
}

// ok answers 200.
func ok[T any](data T) *reply[T] { return answer(http.StatusOK, data) }

// created answers 201.
func created[T any](data T) *reply[T] { return answer(http.StatusCreated, data) }

// accepted answers 202: the request was taken, and what it asks for happens later.
func accepted[T any](data T) *reply[T] { return answer(http.StatusAccepted, data) }

// tagged is a successful answer about one version of a document.
type tagged[T any] struct {
	Status       int
	ETag         string `header:"ETag" doc:"Names the version; send it as If-Match or If-None-Match."`
	CacheControl string `header:"Cache-Control"`
	Body         envelope[T]
}

// revalidate lets a client keep a document, but ask every time whether it is still the same.
const revalidate = "private, no-cache"

func tag[T any](status int, etag string, data T) *tagged[T] {
	return &tagged[T]{Status: status, ETag: etag, CacheControl: revalidate, Body: envelope[T]{Code: status, Msg: success, Data: data}}
}

// page is a part of a list.
type page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty" doc:"Send it as cursor to get the next part; missing when this was the last one."`
}

// PageParams ask for a part of a list.
type PageParams struct {
	Cursor string `query:"cursor" maxLength:"500" doc:"The next of the part before; empty: from the start."`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Rows."`
}

// optionalInt is a number in the query of which 0 and nothing mean different things.
type optionalInt struct {
	Value int
	Given bool
}

// Schema is that of a number.
func (optionalInt) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[int]())
}

// Receiver is where huma puts the number.
func (o *optionalInt) Receiver() reflect.Value { return reflect.ValueOf(o).Elem().Field(0) }

// OnParamSet is told by huma whether there was one.
func (o *optionalInt) OnParamSet(given bool, _ any) { o.Given = given }

// views turns what the store returned into what clients see; the list is never null.
func views[T, V any](items []T, view func(T) V) []V {
	out := make([]V, 0, len(items))
	for _, item := range items {
		out = append(out, view(item))
	}
	return out
}

// link is an address of this API, for answers that point elsewhere.
func link(format string, args ...any) string { return fmt.Sprintf("/api/v1"+format, args...) }

// milliseconds is a duration as answers have it.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
