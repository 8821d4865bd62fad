package web

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/web/static"
)

func (b *Browser) assetRoutes() {
	b.page(rest.Route{ID: "page-asset", Path: "/static/{asset}", Summary: "Styles and scripts"}, (*request).asset)
	b.page(rest.Route{ID: "page-icon", Path: "/favicon.ico", Summary: "Icon"}, func(q *request) (templ.Component, error) {
		return q.file("icon.svg")
	})
}

func (q *request) asset() (templ.Component, error) { return q.file(q.r.PathValue("asset")) }

// file serves an asset, which browsers keep as long as it is the same.
func (q *request) file(name string) (templ.Component, error) {
	content, err := fs.ReadFile(static.Files, name)
	if err != nil {
		return nil, fault.New(fault.NotFound, "No file %q", name)
	}
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	q.w.Header().Set("Cache-Control", "no-cache")
	q.w.Header().Set("ETag", tag)
	if rest.MatchesAny(q.r.Header.Get("If-None-Match"), tag) {
		q.w.WriteHeader(http.StatusNotModified)
		return nil, nil
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "text/plain; charset=utf-8"
	}
	q.w.Header().Set("Content-Type", kind)
	_, err = q.w.Write(content)
	return nil, err
}
