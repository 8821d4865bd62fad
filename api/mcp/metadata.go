package mcp

import (
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"reverie/api/fault"
	"reverie/api/rest"
)

// metadataRoutes names the server where clients sign in (RFC 9728). Answers to requests without a valid key name this page.
func (m *handlers) metadataRoutes() {
	rest.RegisterRaw(m.Server, rest.Route{
		ID: "mcp-metadata", Method: http.MethodGet, Path: rest.ResourceMetadataPath, Tag: "operation",
		Summary: "Read the OAuth metadata of the MCP server", Errors: []int{http.StatusNotFound},
		Doc: "Protected resource metadata (RFC 9728), when an issuer is configured.",
	}, "application/json", func(hc huma.Context, w http.ResponseWriter, _ *http.Request) {
		if m.OAuthIssuer == "" {
			m.Refuse(hc, fault.New(fault.NotFound, "No OAuth issuer is configured: use an API key as the bearer token"))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Access-Control-Allow-Origin", "*") // clients in browsers read it
		err := json.NewEncoder(w).Encode(oauthex.ProtectedResourceMetadata{
			Resource: m.PublicURL + Path, AuthorizationServers: []string{m.OAuthIssuer}, BearerMethodsSupported: []string{"header"},
			ResourceName: "Reverie memory",
		})
		if err != nil {
			m.Log.DebugContext(hc.Context(), "The client did not take the answer", "error", err)
		}
	})
}
