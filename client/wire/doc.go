// Package wire is the generated part of the client: one method and the types of each operation of the HTTP API.
//
// Programs use it through package client, whose Client embeds the one here. Methods return the data of a success without its
// envelope; a refusal is an [*Error]. A client is safe for concurrent use.
package wire
