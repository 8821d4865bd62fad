package markdown

import (
	"errors"
	"strings"
	"testing"
)

// vector is a merge with its expected result. deviates explains an intended difference from the system that introduced the
// four strategies: there, any line that begins with "## " was a heading, and any ASCII word before a colon a key.
type vector struct {
	name               string
	strategy           Strategy
	existing, incoming string
	want               string
	deviates           string
}

func TestMergeVectors(t *testing.T) {
	for _, vectors := range [][]vector{appendVectors, sectionVectors, upsertVectors, overwriteVectors} {
		for _, v := range vectors {
			t.Run(string(v.strategy)+"/"+v.name, func(t *testing.T) {
				got, err := v.strategy.Merge(v.existing, v.incoming)
				if err != nil {
					t.Fatal(err)
				}
				if got != v.want {
					t.Fatalf("%q\nwant\n%q", got, v.want)
				}
				if v.strategy == StrategyAppend || strings.HasPrefix(v.name, "appended") {
					return
				}
				if again, err := v.strategy.Merge(got, v.incoming); err != nil || again != got {
					t.Errorf("a second time: %q, %v", again, err)
				}
			})
		}
	}
}

var appendVectors = []vector{
	{"to nothing", StrategyAppend, "", "b", "b", ""},
	{"nothing", StrategyAppend, "a\n", "", "a\n", ""},
	{"without a line break", StrategyAppend, "a", "b", "a\n\nb", ""},
	{"with a line break", StrategyAppend, "a\n", "b\n", "a\n\nb\n", ""},
	{
		"blank lines on both sides", StrategyAppend, "a\n\n \t\n", "\n\n  b\n\n", "a\n\n  b\n\n",
		"exactly one blank line, with spaces in it as well",
	},
	{"a hard break stays", StrategyAppend, "a  \n", "b", "a  \n\nb", ""},
	{"blank text", StrategyAppend, "a\n", " \n", "a\n", "blank lines alone are nothing"},
	{"Windows line breaks", StrategyAppend, "a\r\nb\r\n", "c\nd\n", "a\r\nb\r\n\r\nc\r\nd\r\n", "the document's line breaks"},
	{"from Windows", StrategyAppend, "a\n", "b\r\nc\r\n", "a\n\nb\nc\n", "the document's line breaks"},
}

var overwriteVectors = []vector{
	{"verbatim", StrategyOverwrite, "# A\n\na\n", " b\r\n\n", " b\r\n\n", ""},
	{"with nothing", StrategyOverwrite, "# A\n\na\n", "", "", ""},
}

const sections = "# T\n\n## A\na\n\n## B\nb\n\n## C\nc\n"

var sectionVectors = []vector{
	{"in the middle", StrategySection, sections, "## B\nnew", "# T\n\n## A\na\n\n## B\nnew\n\n## C\nc\n", "the blank line behind it stays"},
	{"at the end", StrategySection, sections, "## C\nnew", "# T\n\n## A\na\n\n## B\nb\n\n## C\nnew\n", ""},
	{"spaces behind the heading", StrategySection, sections, "## B  \nnew\n", "# T\n\n## A\na\n\n## B  \nnew\n\n## C\nc\n", ""},
	{"one blank line for many", StrategySection, "## A\na\n\n\n\n## B\nb\n", "## A\nnew\n\n\n", "## A\nnew\n\n## B\nb\n", ""},
	{"one blank line for none", StrategySection, "## A\na\n## B\nb\n", "## A\nnew", "## A\nnew\n\n## B\nb\n", ""},
	{"that is not there", StrategySection, "## A\na\n", "## D\nd\n", "## A\na\n\n## D\nd\n", ""},
	{"in an empty document", StrategySection, "", "## D\nd", "## D\nd\n", "ends in a line break"},
	{
		"the same", StrategySection, "## A\na\n\n\n## B\nb", "## B\nb\n\n## A\na\n", "## A\na\n\n\n## B\nb",
		"what is the same stays, blank lines included",
	},
	{"appended without heading", StrategySection, "## A\na\n", "text\n", "## A\na\n\ntext\n", ""},
	{
		"several at once", StrategySection, sections, "## C\nc2\n\n## D\nd\n\n## A\na2\n",
		"# T\n\n## A\na2\n\n## B\nb\n\n## C\nc2\n\n## D\nd\n", "each finds its own place",
	},
	{
		"nested ones go along", StrategySection, "## A\n### x\n1\n### y\n2\n## B\nb\n", "## A\n### z\n3\n", "## A\n### z\n3\n\n## B\nb\n",
		"a deeper heading is part of the section",
	},
	{
		"a nested one alone", StrategySection, "## A\n### x\n1\n\n### y\n2\n## B\nb\n", "### x\nnew",
		"## A\n### x\nnew\n\n### y\n2\n## B\nb\n", "sections of every level",
	},
	{
		"a higher level ends it", StrategySection, "## A\na\n# T\nt\n", "## A\nnew\n", "## A\nnew\n\n# T\nt\n",
		"a heading of a higher level is no part of the section",
	},
	{"another level", StrategySection, "### A\na\n", "## A\nb\n", "### A\na\n\n## A\nb\n", ""},
	{"the first of two", StrategySection, "## A\n1\n\n## A\n2\n", "## A\nnew\n", "## A\nnew\n\n## A\n2\n", ""},
	{
		"a fence is no heading", StrategySection, "```\n## A\n```\n\n## A\na\n", "## A\nnew\n", "```\n## A\n```\n\n## A\nnew\n",
		"headings in code do not match",
	},
	{
		"indented code is no heading", StrategySection, "text\n\n    ## A\n\n## A\na\n", "## A\nnew\n", "text\n\n    ## A\n\n## A\nnew\n",
		"headings in code do not match",
	},
	{
		"a comment is no heading", StrategySection, "<!--\n## A\n-->\n\n## A\na\n", "## A\nnew\n", "<!--\n## A\n-->\n\n## A\nnew\n",
		"headings in comments do not match",
	},
	{
		"a quotation is no section", StrategySection, "> ## A\n\n## A\na\n", "## A\nnew\n", "> ## A\n\n## A\nnew\n",
		"headings of a quotation do not match",
	},
	{
		"a fence in the text", StrategySection, "## A\na\n\n## B\nb\n", "## A\n```\n## B\n```\n", "## A\n```\n## B\n```\n\n## B\nb\n",
		"headings in code do not match",
	},
	{"front matter", StrategySection, "---\nA: 1\n---\n\n## A\na\n", "## A\nnew\n", "---\nA: 1\n---\n\n## A\nnew\n", ""},
	{
		"setext", StrategySection, "Title\n=====\n\nA\n---\na\n\n## B\nb\n", "## A\nnew\n", "Title\n=====\n\n## A\nnew\n\n## B\nb\n",
		"both forms of headings",
	},
	{"to setext", StrategySection, "## A\na\n\n## B\nb\n", "A\n---\nnew\n", "A\n---\nnew\n\n## B\nb\n", "both forms of headings"},
	{"closed headings", StrategySection, "## A ##\na\n", "## A\nnew\n", "## A\nnew\n", "closing signs are no part of the heading"},
	{"Unicode forms", StrategySection, "## Cafe\u0301\na\n", "## Caf\u00e9\nnew\n", "## Caf\u00e9\nnew\n", "one spelling"},
	{"Chinese", StrategySection, "## 决定\n旧\n\n## 其他\nx\n", "## 决定\n新\n", "## 决定\n新\n\n## 其他\nx\n", ""},
	{
		"Windows line breaks", StrategySection, "## A\r\na\r\n\r\n## B\r\nb\r\n", "## A\nnew\nlines\n",
		"## A\r\nnew\r\nlines\r\n\r\n## B\r\nb\r\n", "the document's line breaks",
	},
	{"inside of another one that is replaced", StrategySection, "## A\n### N\nold\n", "### N\nn\n\n## A\na\n", "## A\na\n\n### N\nn\n", ""},
	{
		"behind one that is replaced", StrategySection, "## A\n### N\nold\n\n## B\n### N\nold\n", "### N\nn\n\n## A\na\n",
		"## A\na\n\n## B\n### N\nn\n", "",
	},
}

var upsertVectors = []vector{
	{"first occurrence", StrategyUpsert, "a: 1\nb: 2\na: 3\n", "a: 9", "a: 9\nb: 2\na: 3\n", ""},
	{"new keys in order", StrategyUpsert, "a: 1\n", "c: 3\nb: 2\n", "a: 1\nc: 3\nb: 2\n", ""},
	{"the last value counts", StrategyUpsert, "a: 1\n", "a: 2\nb: 1\na: 3\nb: 2", "a: 3\nb: 2\n", ""},
	{"other lines are left out", StrategyUpsert, "a: 1\n", "# Title\n\nSome text\nb: 2\n", "a: 1\nb: 2\n", ""},
	{"without keys", StrategyUpsert, "a: 1", "some text", "a: 1", ""},
	{"other lines stay", StrategyUpsert, "# Facts\n\n text \na: 1\n\nmore\n", "a: 2", "# Facts\n\n text \na: 2\n\nmore\n", ""},
	{
		"below text", StrategyUpsert, "# Facts\n\nmore\n", "a: 2", "# Facts\n\nmore\n\na: 2\n",
		"one blank line, so that it is no part of the paragraph",
	},
	{"in an empty document", StrategyUpsert, "", "text\na: 1\nb: 2", "a: 1\nb: 2", ""},
	{"indentation stays", StrategyUpsert, "server:\n  host: x\n", "host: y", "server:\n  host: y\n", "the indentation is not lost"},
	{"without a space", StrategyUpsert, "a:1\n", "a: 2", "a:2\n", ""},
	{"an empty value", StrategyUpsert, "a: 1\nb:\n", "a:\nb: 2", "a:\nb: 2\n", ""},
	{
		"bullets stay", StrategyUpsert, "- a: 1\n* **b**: 2\n+ **c:** 3\n1. d: 4\n- [ ] e: 5\n", "a: 9\nb: 9\nc: 9\nd: 9\ne: 9",
		"- a: 9\n* **b**: 9\n+ **c:** 9\n1. d: 9\n- [ ] e: 9\n", "keys in lists",
	},
	{"new bullets", StrategyUpsert, "- a: 1\n", "- b: 2\n- **c**: 3", "- a: 1\n- b: 2\n- **c**: 3\n", "keys in lists"},
	{"no bullet below one", StrategyUpsert, "- a: 1\n", "b: 2\n", "- a: 1\n\nb: 2\n", "keys in lists"},
	{"spaces in a key", StrategyUpsert, "Birth day: 1990\n", "Birth  day: 1991", "Birth day: 1991\n", "keys with spaces"},
	{
		"Chinese", StrategyUpsert, "喜欢的颜色: 红\n城市：北京\n", "喜欢的颜色: 蓝\n城市：上海\n职业：医生", "喜欢的颜色: 蓝\n城市：上海\n职业：医生\n",
		"keys of every script, and the wide colon",
	},
	{
		"values with colons", StrategyUpsert, "time: 10:30\n", "time: 12:45:00\nquote: he said: yes",
		"time: 12:45:00\nquote: he said: yes\n", "",
	},
	{"an address is a value", StrategyUpsert, "url: https://old\n", "url: https://new/a:b", "url: https://new/a:b\n", ""},
	{"an address is no key", StrategyUpsert, "https://x\n", "https://y\na: 1", "https://x\n\na: 1\n", "https is no key"},
	{"an address behind a colon", StrategyUpsert, "a:b\n", "a: //host/x", "a: //host/x\n", ""},
	{"times and drives are no keys", StrategyUpsert, "a: 1\n", "12:30 lunch\nC:\\x\nb: 2", "a: 1\nb: 2\n", "12 and C are no keys"},
	{"code is no key", StrategyUpsert, "```\na: 1\n```\n\na: 2\n", "a: 3", "```\na: 1\n```\n\na: 3\n", "keys in code do not match"},
	{"code in the text is no key", StrategyUpsert, "a: 1\n", "```yaml\na: 2\n```\nb: 3", "a: 1\nb: 3\n", "keys in code are left out"},
	{
		"comments are no keys", StrategyUpsert, "<!--\na: 1\n-->\n\na: 2\n", "a: 3", "<!--\na: 1\n-->\n\na: 3\n",
		"keys in comments do not match",
	},
	{"headings are no keys", StrategyUpsert, "## a: b\n", "a: 1", "## a: b\n\na: 1\n", ""},
	{"front matter is no memory", StrategyUpsert, "---\na: 1\n---\na: 2\n", "a: 3", "---\na: 1\n---\na: 3\n", "front matter stays"},
	{"Windows line breaks", StrategyUpsert, "a: 1\r\nb: 2\r\n", "a: 3\nc: 4\n", "a: 3\r\nb: 2\r\nc: 4\r\n", "line breaks stay"},
	{"no line break at the end", StrategyUpsert, "a: 1", "b: 2\n", "a: 1\nb: 2", ""},
}

func TestMergeRefusals(t *testing.T) {
	for _, c := range []struct {
		name               string
		strategy           Strategy
		existing, incoming string
		line               int
	}{
		{"text in front of the first heading", StrategySection, "## A\na\n", "hello\n\n## A\nb\n", 1},
		{"a heading twice", StrategySection, "## A\na\n", "## A\nb\n\n## B\nb\n\n##  A\nc\n", 7},
		{"an open fence would swallow what follows", StrategySection, "## A\na\n\n## B\nb\n", "## A\n```\ncode\n", 0},
		{"an open comment would swallow what follows", StrategySection, "## A\na\n\n## B\nb\n", "## A\n<!-- x\n", 0},
		{"an open fence swallows what is added", StrategySection, "## A\n```\ncode\n", "## B\nb\n", 0},
		{"an open fence is closed by a text that opens one", StrategySection, "```", "# T\n```\n# T\n", 0},
		{"lower levels in front of higher ones, of which one is there", StrategySection, "# T\n", "## A\n\n# T\n\n# U\n", 3},
		{"an open fence swallows a key", StrategyUpsert, "```\ncode\n", "b: 2", 0},
		{"another word", "insert", "a", "b", 0},
	} {
		got, err := c.strategy.Merge(c.existing, c.incoming)
		var refused *StrategyError
		if !errors.As(err, &refused) || got != "" || refused.Line != c.line || refused.Strategy != c.strategy {
			t.Errorf("%s: %q, %v", c.name, got, err)
			continue
		}
		if text := err.Error(); strings.Contains(text, "hello") || strings.Contains(text, "code\n") {
			t.Errorf("%s: the error repeats the text: %s", c.name, text)
		}
	}
}
