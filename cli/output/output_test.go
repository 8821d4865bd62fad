package output

import "testing"

func TestATerminalIsNotAtTheMercyOfAMemory(t *testing.T) {
	if got, want := visible("a\x1b]0;pwned\x07b\r\tc\n"), "a\uFFFD]0;pwned\uFFFDb\uFFFD\tc\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := OneLine("a\tb\n\n c\x1b[31m and more", 10), "a b c\uFFFD[31…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
