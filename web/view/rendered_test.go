package view

import (
	"regexp"
	"strings"
	"testing"

	"reverie/memory"
)

// What documents hold is shown and never interpreted, and nothing of it is loaded.
func TestRenderedIsHarmless(t *testing.T) {
	harmful := regexp.MustCompile(`(?i)<(script|img|svg|style|iframe|form|input|link|object|math|base|meta)|<[^>]*\s(on\w+|style|class|id|src)=|` +
		`href="(javascript|data|vbscript|/)`)
	for _, text := range []string{
		"<script>alert(1)</script>", "a <script>alert(1)</script> b", "<img src=x onerror=alert(1)>", "![x](https://elsewhere.invalid/x.png)",
		"![x](javascript:alert(1))", "[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](data:text/html,x)", "[x](//elsewhere.invalid)",
		"[x](/sign-out)", "<javascript:alert(1)>", "<svg onload=alert(1)>", "<style>*{display:none}</style>", "<p style=\"position:fixed\">x</p>",
		"- <iframe src=x>", "# <form action=x>", "| a |\n|---|\n| <img src=x> |", "> <b onclick=x>y</b>", "```html\"onload=x\n<script>\n```",
		"<!-- <script> -->", "<math><mi//xlink:href=\"data:x,<script>\">", "[x]: javascript:alert(1)\n\n[x]", "**<base href=x>**", "&lt;script&gt;",
		"[a](https://e.invalid/\" onmouseover=alert(1) x=\")",
	} {
		for _, row := range Rendered(text, nil, func(memory.BlameLine) Origin { return Origin{} }) {
			if found := harmful.FindString(row.HTML); found != "" {
				t.Errorf("%q is rendered as %q, with %q", text, row.HTML, found)
			}
		}
	}
}

// Each block has its lines, so that a link to a line finds it.
func TestRenderedHasTheLines(t *testing.T) {
	rows := Rendered("# Title\n\n- one\n- two\n  more\n\nText\nof two lines.\n", nil, func(memory.BlameLine) Origin { return Origin{} })
	want := [][2]int{{1, 1}, {3, 3}, {4, 5}, {7, 8}}
	if len(rows) != len(want) {
		t.Fatalf("%d rows: %+v", len(rows), rows)
	}
	for i, row := range rows {
		if row.From != want[i][0] || row.To != want[i][1] {
			t.Errorf("row %d has the lines %d to %d, want %v", i, row.From, row.To, want[i])
		}
	}
}

// Invisible characters have names, and long lines are cut.
func TestHiddenCharactersAreShown(t *testing.T) {
	if got := Visible("gnp\u202etxt\u200b"); got != "gnp[U+202E]txt[U+200B]" {
		t.Errorf("%q", got)
	}
	rows := SourceRows([]memory.BlameLine{{Line: strings.Repeat("x", 1<<20)}}, func(memory.BlameLine) Origin { return Origin{} })
	if n := len(rows[0].Text); n > maxRow+100 {
		t.Errorf("a line of 1 MiB is shown with %d bytes", n)
	}
}
