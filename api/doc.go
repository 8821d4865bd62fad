// Package api is Reverie's HTTP server: Echo routes requests, huma validates them and describes them in OpenAPI from the
// same Go types, and one file for each resource holds its handlers.
//
// A handler never sees the router. It gets a context with the caller's key and a typed input, and returns a typed answer
// or an error; errors.go turns every error into its HTTP form in one place. Contents and secrets are never logged.
//
// Of the types that describe requests and answers, those that others embed are exported: huma looks into no others.
package api

//go:generate go run ./gen openapi.yaml
