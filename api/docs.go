package api

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/swaggest/swgui/v5/static"

	"reverie/api/fault"
	"reverie/api/rest"
)

//go:embed page
var pageFiles embed.FS

// pagePolicy lets the page load what this server serves and nothing else; Swagger UI sets styles inline.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (s *Server) pageRoutes() {
	rest.RegisterRaw(s.Server, rest.Route{
		ID: "docs", Method: http.MethodGet, Path: "/docs", Tag: "operation", Summary: "API reference as a page",
	}, "text/html", s.servePage)
	rest.RegisterRaw(s.Server, rest.Route{
		ID: "docs-asset", Method: http.MethodGet, Path: "/docs/{asset}", Tag: "operation", Summary: "Scripts and styles of the page",
	}, "application/octet-stream", s.serveAsset)
}

// assets are the files of the page and where they come from: ours, and Swagger UI's, of which a module holds a copy.
var assets = map[string]struct {
	contentType string
	swagger     bool
}{
	"start.js":             {"text/javascript; charset=utf-8", false},
	"page.css":             {"text/css; charset=utf-8", false},
	"swagger-ui.css":       {"text/css; charset=utf-8", true},
	"swagger-ui-bundle.js": {"text/javascript; charset=utf-8", true},
	"favicon-32x32.png":    {"image/png", true},
}

func (s *Server) servePage(ctx huma.Context, w http.ResponseWriter, _ *http.Request) {
	page, err := pageFiles.ReadFile("page/index.html")
	if err != nil {
		s.Refuse(ctx, err)
		return
	}
	w.Header().Set("Content-Security-Policy", pagePolicy)
	s.writeAsset(w, "text/html; charset=utf-8", page)
}

func (s *Server) serveAsset(ctx huma.Context, w http.ResponseWriter, r *http.Request) {
	name := ctx.Param("asset")
	asset, known := assets[name]
	if !known {
		s.Refuse(ctx, fault.New(fault.NotFound, "No file %q", name))
		return
	}
	content, packed, err := readAsset(name, asset.swagger)
	if err == nil && packed {
		if acceptsGzip(r) {
			w.Header().Set("Content-Encoding", "gzip")
		} else {
			content, err = unpack(content)
		}
	}
	if err != nil {
		s.Refuse(ctx, err)
		return
	}
	s.writeAsset(w, asset.contentType, content)
}

// readAsset returns a file, and whether it is gzipped.
func readAsset(name string, swagger bool) (content []byte, packed bool, err error) {
	if !swagger {
		content, err = pageFiles.ReadFile(path.Join("page", name))
		return content, false, err
	}
	if content, err = static.FS.ReadFile(name + ".gz"); err == nil {
		return content, true, nil
	}
	content, err = static.FS.ReadFile(name)
	return content, false, err
}

func acceptsGzip(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func (s *Server) writeAsset(w http.ResponseWriter, contentType string, content []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Add("Vary", "Accept-Encoding")
	if _, err := w.Write(content); err != nil {
		s.Log.Debug("The client did not take the answer", "error", err)
	}
}

func (s *Server) documentationRoutes() {
	rest.RegisterRaw(s.Server, rest.Route{
		ID: "openapi-json", Method: http.MethodGet, Path: "/openapi.json", Tag: "operation", Summary: "OpenAPI document as JSON",
	}, "application/json", s.serveDocument("application/json", func() ([]byte, error) { return json.Marshal(s.API.OpenAPI()) }))
	rest.RegisterRaw(s.Server, rest.Route{
		ID: "openapi-yaml", Method: http.MethodGet, Path: "/openapi.yaml", Tag: "operation", Summary: "OpenAPI document as YAML",
	}, "application/yaml", s.serveDocument("application/yaml", func() ([]byte, error) { return s.API.OpenAPI().YAML() }))
	s.pageRoutes()
}

// serveDocument serves what build makes, once: the routes do not change after the start.
func (s *Server) serveDocument(contentType string, build func() ([]byte, error)) rest.RawHandler {
	once := sync.OnceValues(build)
	return func(ctx huma.Context, w http.ResponseWriter, _ *http.Request) {
		document, err := once()
		if err != nil {
			s.Refuse(ctx, err)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "no-cache")
		if _, err := w.Write(document); err != nil {
			s.Log.Debug("The client did not take the answer", "error", err)
		}
	}
}
