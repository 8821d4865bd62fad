package stance

import "testing"

// A line of code begins with a keyword and goes on as code. Prose begins with the same letters.
func TestLinesOfCode(t *testing.T) {
	for _, line := range []string{
		"import os", "import (", "import { x } from 'y';", "import numpy as np", "from os import path", "package main", "func main() {",
		"def f(x):", "class A:", "class Foo extends Bar {", "public class Foo {", "const x = 3;", "let y = 4", "var z = []", "return a + b",
		"return nil, err", "return f(x)", "private int x;", "public static void main(String[] args) {", "SELECT * FROM a", "npm install",
	} {
		if !isCode(line) {
			t.Errorf("%q is code", line)
		}
	}
	for _, line := range []string{
		"varfarina 5 mg", "importante: sono allergico alle noci", "important: I'm allergic to nuts",
		"let me know, I'm vegan", "class starts at 9 on Mondays", "return flight is on 3 May", "public transport is how I get to work",
		"private lessons on Fridays", "default is fine", "constant headaches", "from Leeds", "import taxes were 30 €", "returning on Friday",
		"package arrived late", "functional training twice a week", "return it (the red one) please", "classe di Marco (3B) finisce alle 13",
		"variable hours at work", "letzte Woche war ich in Bonn", "lets go on Friday", "letters from my aunt", "definitivamente vegano", "classic cars, mostly",
	} {
		if isCode(line) {
			t.Errorf("%q is no code", line)
		}
	}
}
