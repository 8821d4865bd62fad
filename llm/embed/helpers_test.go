package embed_test

import (
	"encoding/json"
	"errors"
	"testing"

	"reverie/llm"
)

const testKey = "test-key-0123456789abcdef"

func failureOf(tb testing.TB, err error) *llm.Error {
	tb.Helper()
	failure := new(llm.Error)
	if !errors.As(err, &failure) {
		tb.Fatalf("error is %T (%v), want *llm.Error", err, err)
	}
	return failure
}

func fields(tb testing.TB, body []byte) map[string]any {
	tb.Helper()
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		tb.Fatal(err)
	}
	return m
}
