package main

import (
	"testing"

	"reverie/language/lazyregexp"
)

// The program contains all packages with expressions that are compiled when they are used.
func TestExpressionsCompile(t *testing.T) {
	t.Parallel()
	if n := lazyregexp.CompileAll(); n < 500 {
		t.Errorf("%d expressions were made, there are more", n)
	}
}
