package rest

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/fault"
)

// Envelope is the form of every answer. Errors add a name (fault.Problem).
type Envelope[T any] struct {
	Code int    `json:"code" doc:"The HTTP status." example:"200"`
	Msg  string `json:"msg" example:"success"`
	Data T      `json:"data"`
}

const success = "success"

// Reply is a successful answer with its status.
type Reply[T any] struct {
	Status int
	Body   Envelope[T]
}

func answer[T any](status int, data T) *Reply[T] {
	return &Reply[T]{Status: status, Body: Envelope[T]{Code: status, Msg: success, Data: data}}
}

// OK answers 200.
func OK[T any](data T) *Reply[T] { return answer(http.StatusOK, data) }

// Created answers 201.
func Created[T any](data T) *Reply[T] { return answer(http.StatusCreated, data) }

// Accepted answers 202: the request was taken, and what it asks for happens later.
func Accepted[T any](data T) *Reply[T] { return answer(http.StatusAccepted, data) }

// Tagged is a successful answer about one version of a document.
type Tagged[T any] struct {
	Status       int
	ETag         string `header:"ETag" doc:"Names the version; send it as If-Match or If-None-Match."`
	CacheControl string `header:"Cache-Control"`
	Body         Envelope[T]
}

// Tag answers with data about one version of a document, named by its entity tag.
func Tag[T any](status int, etag string, data T) *Tagged[T] {
	return &Tagged[T]{Status: status, ETag: etag, CacheControl: fault.Revalidate, Body: Envelope[T]{Code: status, Msg: success, Data: data}}
}

// Page is a part of a list.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty" doc:"Send it as cursor to get the next page; missing on the last one."`
}

// PageParams ask for a part of a list.
type PageParams struct {
	Cursor string `query:"cursor" maxLength:"500" doc:"The value of next on the previous page; missing: from the start."`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Maximum number of items."`
}

// ListParams ask for a part of a list that is short enough to be read at once.
type ListParams struct {
	Cursor string `query:"cursor" maxLength:"500" doc:"The value of next on the previous page; missing: from the start."`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" doc:"Maximum number of items; missing: all."`
}

// Part returns a part of a whole list. Its cursors are numbers of items.
func Part[T, V any](all []T, in ListParams, view func(T) V) (*Reply[Page[V]], error) {
	begin := 0
	if in.Cursor != "" {
		var err error
		if begin, err = strconv.Atoi(in.Cursor); err != nil || begin < 0 {
			return nil, fault.InvalidAt("query.cursor", "use next of the previous page")
		}
	}
	all = all[min(begin, len(all)):]
	next := ""
	if in.Limit > 0 && in.Limit < len(all) {
		all, next = all[:in.Limit], strconv.Itoa(begin+in.Limit)
	}
	return OK(Page[V]{Items: Views(all, view), Next: next}), nil
}

// OptionalInt is a number in the query of which 0 and nothing mean different things.
type OptionalInt struct {
	Value int  `json:"-"`
	Given bool `json:"-"`
}

// Schema describes a number.
func (OptionalInt) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[int]())
}

// Receiver returns the field that huma sets.
func (o *OptionalInt) Receiver() reflect.Value { return reflect.ValueOf(o).Elem().Field(0) }

// OnParamSet records whether the parameter was sent.
func (o *OptionalInt) OnParamSet(given bool, _ any) { o.Given = given }

// Views converts items of the store to items of the API; the result is never nil.
func Views[T, V any](items []T, view func(T) V) []V {
	out := make([]V, 0, len(items))
	for _, item := range items {
		out = append(out, view(item))
	}
	return out
}

// Link returns an address of this API, for answers that point elsewhere.
func Link(format string, args ...any) string { return fmt.Sprintf("/api/v1"+format, args...) }

// Milliseconds returns a duration in the form of the API's answers.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
