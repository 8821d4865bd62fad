// Package snapshot is an agent's documents as one archive: writing it so that the same documents give the same bytes, and
// reading it as something that anybody may have made. It is pure.
package snapshot
