// Package client is what other programs import to write memory: over HTTP, or from their own Temporal workflows.
package client
