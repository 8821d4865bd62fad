// Package sdk holds the clients of other languages, and generates from api/openapi.yaml what clients share with the server.
package sdk

//go:generate go run ./gen/golang ../api/openapi.yaml ../client/wire/wire.gen.go
//go:generate go run ./gen/types ../api/openapi.yaml .
