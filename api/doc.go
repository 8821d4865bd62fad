// Package api is Reverie's HTTP server: Echo routes requests, huma validates them and describes them in OpenAPI from the same Go
// types.
//
// The package composes its subpackages and serves agents, keys, status and documentation itself. Each subpackage registers its
// operations with rest.Server, the kernel that all of them share. Contents of memories and secrets are never logged.
package api

//go:generate go run ./gen openapi.yaml
