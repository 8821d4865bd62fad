package store

import (
	"maps"

	"pgregory.net/rapid"

	"reverie/memory"
)

func init() { maps.Copy(calls, forgetCalls) }

// forgetCalls are the calls of what people want forgotten.
var forgetCalls = map[string]call{
	"Forget": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		ref := anyRef(t)
		receipt, err := w.Forget(t.Context(), id, ForgetRequest{Ref: ref, FromLine: 1, ToLine: rapid.IntRange(1, 50).Draw(t, "to")})
		return receipt, nil, err
	},
}
