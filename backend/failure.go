package backend

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/sony/gobreaker/v2"
)

// Kind says why the backend did not do what it was asked for.
type Kind string

// Kinds. The first four are MicroClaw's.
const (
	InvalidPayload Kind = "invalid_payload"       // the answer is not what the protocol of statements asks for, or too large
	Timeout        Kind = "timeout"               // there was no answer in time
	Transport      Kind = "transport"             // it could not be reached, or the connection ended
	Unsupported    Kind = "unsupported_operation" // it does not know the tool or the operation
	Refused        Kind = "refused"               // it answered that it does not do it
	CircuitOpen    Kind = "circuit_open"          // it was not asked, because it failed before
	Busy           Kind = "busy"                  // too many owners use it at once
	Absent         Kind = "absent"                // no server keeps this owner's statements
	NotTheirs      Kind = "not_found"             // the owner has no statement with this id
)

// Failure is the reason why an operation failed. It never contains words of the backend or of the configuration.
type Failure struct {
	Kind   Kind
	Status int // of HTTP, where it explains the failure; else 0
}

func (f *Failure) Error() string {
	if f.Status != 0 {
		return fmt.Sprintf("memory backend: %s (HTTP %d)", f.Kind, f.Status)
	}
	return "memory backend: " + string(f.Kind)
}

// failed returns a failure of a kind.
func failed(kind Kind) error { return &Failure{Kind: kind} }

// away reports whether a failure says something about the server, not only about one request or one owner. Owners must not be able to
// close the backend for each other, so refusals and odd rows do not count.
func away(err error) bool {
	f, is := errors.AsType[*Failure](err)
	return is && (f.Kind == Timeout || f.Kind == Transport)
}

// failureOf classifies an error of a call. seen records its HTTP requests.
func failureOf(ctx context.Context, err error, seen *wire) error {
	if _, is := errors.AsType[*Failure](err); is {
		return err
	}
	status, tooLarge, broken := seen.result()
	f := &Failure{Kind: Transport, Status: status}
	switch {
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		f.Kind = CircuitOpen
	case tooLarge:
		f.Kind = InvalidPayload
	case ctx.Err() != nil:
		f.Kind = Timeout
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
	case status >= http.StatusMultipleChoices:
		f.Kind = Refused
	case broken:
	case protocolFault(err, f):
	case status >= http.StatusOK: // an answer that the client could not read
		f.Kind = InvalidPayload
	}
	if f.Status < http.StatusMultipleChoices {
		f.Status = 0
	}
	return f
}

// ownCodes are the codes by which the SDK says that a connection is closing, or that a message was not sent.
var ownCodes = []int64{-32003, -32004, -32005}

// protocolFault classifies an error of the protocol, and reports whether err is one.
func protocolFault(err error, f *Failure) bool {
	e, is := errors.AsType[*jsonrpc.Error](err)
	if !is || slices.Contains(ownCodes, e.Code) {
		return false
	}
	switch e.Code {
	case jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams: // a tool that does not exist is an invalid parameter
		f.Kind = Unsupported
	default:
		f.Kind = Refused
	}
	return true
}
