package searching

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/language/analysis"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/search/choose"
)

// Answer is what the API answers to a search.
type Answer struct {
	Results  []Result `json:"results"`
	Mode     string   `json:"mode"`
	Degraded bool     `json:"degraded"`
	Fallback *struct {
		Text string `json:"text"`
	} `json:"fallback"`
	Staleness struct {
		Pending int64 `json:"pending"`
	} `json:"staleness"`
	Error   string         `json:"error"`
	Action  string         `json:"action"`
	Explain *searchExplain `json:"explain"`
}

// Result is one passage.
type Result struct {
	Corpus    search.Corpus       `json:"corpus"`
	Path      string              `json:"path"`
	StartLine int                 `json:"startLine"`
	EndLine   int                 `json:"endLine"`
	Score     float64             `json:"score"`
	Snippet   string              `json:"snippet"`
	Agent     string              `json:"agent"`
	Scope     memory.Scope        `json:"scope"`
	Role      string              `json:"role"`
	Name      string              `json:"name"`
	At        *time.Time          `json:"at"`
	Explain   *recall.Explanation `json:"explain"`
}

// searchExplain is how a search went.
type searchExplain struct {
	Terms []struct {
		Text string `json:"text"`
		Stop bool   `json:"stop"`
	} `json:"terms"`
	Corpora []struct {
		Corpus  search.Corpus `json:"corpus"`
		Units   int           `json:"units"`
		Lexical int           `json:"lexical"`
		Dense   int           `json:"dense"`
	} `json:"corpora"`
	Dropped []struct {
		Path      string            `json:"path"`
		StartLine int               `json:"startLine"`
		EndLine   int               `json:"endLine"`
		Score     float64           `json:"score"`
		Reason    choose.DropReason `json:"reason"`
	} `json:"dropped"`
	Stages []struct {
		Name string  `json:"name"`
		Ms   float64 `json:"ms"`
	} `json:"stages"`
}

// searchQuestion is the body of a search.
type searchQuestion struct {
	Query      string   `json:"query"`
	Corpus     string   `json:"corpus,omitempty"`
	MaxResults *int     `json:"maxResults,omitempty"`
	MinScore   *float64 `json:"minScore,omitempty"`
	From       string   `json:"from,omitempty"`
	To         string   `json:"to,omitempty"`
	Explain    bool     `json:"explain,omitempty"`
	Synthetic  bool     `json:"synthetic,omitempty"`
}

func (s commands) searchCommand() *cobra.Command {
	var (
		q          searchQuestion
		maxResults int
		minScore   float64
		used       bool
	)
	c := &cobra.Command{
		Use:   "search <query>",
		Short: "Find passages of documents and messages",
		Long: "Find passages of documents and messages: shared ones, and the owner's. Phrases in quotes and identifiers count where\n" +
			"they stand literally, and days or months that the question names count for what was said then.\n\n" +
			"What is found here does not count as recalled, because an operator looks, unless --count says that it does.",
		Args: session.NeedsArgs(1, 1000, "what to look for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Query, q.Synthetic = strings.Join(args, " "), !used
			if cmd.Flags().Changed("max-results") {
				q.MaxResults = &maxResults
			}
			if cmd.Flags().Changed("min-score") {
				q.MinScore = &minScore
			}
			path, err := s.AgentPath("memory", "search")
			if err != nil {
				return err
			}
			client, err := s.Client()
			if err != nil {
				return err
			}
			found, a, err := session.DataOf[Answer](client.Call(cmd.Context(), session.Request{Method: http.MethodPost, Path: path, Query: s.OwnerQuery(), Body: q}))
			if err != nil {
				return err
			}
			if err := s.Print(cmd, a, func(w io.Writer) error { return s.showFound(w, found, q.Query) }); err != nil {
				return err
			}
			found.remark(cmd.ErrOrStderr())
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&q.Corpus, "corpus", "", "where: memory (documents), sessions (what was said) or all; empty: all")
	f.IntVar(&maxResults, "max-results", 0, "how many results; not given: the agent's setting")
	f.Float64Var(&minScore, "min-score", 0, "least score, 0 to 1; not given: the agent's setting")
	f.StringVar(&q.From, "from", "", "only from then on: a date, or a time as 2026-01-31T08:00:00Z")
	f.StringVar(&q.To, "to", "", "only before then; a date includes its day")
	f.BoolVar(&q.Explain, "explain", false, "show what made each score, and what was dropped")
	f.BoolVar(&used, "count", false, "count what is found as recalled")
	return c
}

// remark says what a reader of the results should know.
func (a Answer) remark(w io.Writer) {
	if a.Error != "" {
		fmt.Fprintf(w, "! %s\n  %s\n", a.Error, a.Action)
	}
	if a.Degraded && a.Fallback != nil {
		fmt.Fprintf(w, "! by words alone: %s\n", a.Fallback.Text)
	}
	if a.Staleness.Pending > 0 {
		fmt.Fprintf(w, "! %s for vectors; words find them already\n", output.Plural(int(a.Staleness.Pending), "source waits", "sources wait"))
	}
}

func (s commands) showFound(w io.Writer, a Answer, query string) error {
	if len(a.Results) == 0 && a.Error == "" {
		fmt.Fprintln(w, "nothing found")
	}
	highlight := highlighter(w, query)
	for i, r := range a.Results {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%.2f  %s  %s\n", r.Score, output.Emphasised(w, output.Place(r.Path, r.StartLine, r.EndLine)), s.origin(r))
		for line := range strings.Lines(highlight(output.Shown(w, r.Snippet))) {
			if line = strings.TrimRight(line, " \r\n"); line != "" {
				fmt.Fprintf(w, "      %s\n", line)
			}
		}
		if r.Explain != nil {
			Explain(w, *r.Explain)
		}
	}
	if a.Explain != nil {
		return a.Explain.show(w)
	}
	return nil
}

// origin is whose document it is, or who said it when.
func (s commands) origin(r Result) string {
	if r.Corpus == search.Memory {
		return s.ScopeOf(r.Scope, r.Agent)
	}
	who := r.Name
	if who == "" {
		who = r.Role
	}
	if r.At != nil {
		who += ", " + output.When(*r.At)
	}
	return output.OneLine(who, 80)
}

// Explain shows what made a score.
func Explain(w io.Writer, e recall.Explanation) {
	var parts []string
	add := func(name string, value float64) {
		if value != 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f", name, value))
		}
	}
	if l := e.Lexical; l != nil {
		p := l.Parts
		add("body", p.Body)
		add("speaker", p.Speaker)
		add("neighbours", p.Neighbours)
		add("enclosing", p.Enclosing)
		add("together", p.Together)
		add("period", p.Period)
		add("first", p.First)
		add("phrase", p.Phrase)
		add("closeness", p.Closeness)
		add("asking", p.Asking)
		fmt.Fprintf(w, "      words  %.2f = %s\n", l.Score, strings.Join(parts, ", "))
		fmt.Fprintf(w, "             covers %.0f %% of the question, rank %d\n", 100*p.Coverage, e.Fused.TextRank)
	}
	if e.Fused.VectorRank > 0 {
		fmt.Fprintf(w, "      vector similarity %.3f, rank %d\n", e.Fused.Similarity, e.Fused.VectorRank)
	}
	fmt.Fprintf(w, "      score  %.2f from text %.2f and vector %.2f, times %.2f (boost) and %.2f (age)\n",
		e.Selected.Base, e.Fused.Text, e.Fused.Vector, e.Selected.Boost, e.Selected.Decay)
	if e.Selected.Relaxed {
		fmt.Fprintln(w, "             below the floor, shown because nothing is above it")
	}
}

func (x searchExplain) show(w io.Writer) error {
	fmt.Fprintln(w)
	var words []string
	for _, term := range x.Terms {
		if term.Stop {
			words = append(words, "("+output.OneLine(term.Text, 40)+")")
		} else {
			words = append(words, output.OneLine(term.Text, 40))
		}
	}
	fmt.Fprintf(w, "words: %s\n", strings.Join(words, " "))
	for _, c := range x.Corpora {
		fmt.Fprintf(w, "%s: %d passages in view, %d by words, %d by vectors\n", c.Corpus, c.Units, c.Lexical, c.Dense)
	}
	var stages []string
	for _, stage := range x.Stages {
		stages = append(stages, fmt.Sprintf("%s %.1f ms", stage.Name, stage.Ms))
	}
	fmt.Fprintf(w, "took: %s\n", strings.Join(stages, ", "))
	if len(x.Dropped) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	rows := [][]string{{"DROPPED", "SCORE", "WHY"}}
	for _, d := range x.Dropped {
		rows = append(rows, []string{output.Place(d.Path, d.StartLine, d.EndLine), fmt.Sprintf("%.2f", d.Score), string(d.Reason)})
	}
	return output.Table(w, rows)
}

// highlighter marks the words of a question in a text, on a terminal with colour.
func highlighter(w io.Writer, query string) func(string) string {
	if !output.Coloured(w) {
		return func(text string) string { return text }
	}
	return func(text string) string { return marked(text, query, output.Green, output.Plain) }
}

// marked puts marks around the words of a text that a question asks for.
func marked(text, query, begin, end string) string {
	wanted := map[string]bool{}
	for _, term := range analysis.NewQuery(query, time.Now()).Terms {
		if !term.Stop {
			for _, form := range term.Forms {
				wanted[form] = true
			}
		}
	}
	var b strings.Builder
	done := 0
	for _, token := range analysis.Analyse(text) {
		if token.Start < done || !slices.ContainsFunc(token.Forms, func(form string) bool { return wanted[form] }) {
			continue
		}
		b.WriteString(text[done:token.Start] + begin + text[token.Start:token.End] + end)
		done = token.End
	}
	return b.String() + text[done:]
}

// excerpt is a part of a document or of a conversation.
type excerpt struct {
	Text   string `json:"text"`
	Corpus string `json:"corpus"`
	Notice string `json:"notice"`
	Error  string `json:"error"`
}

func (s commands) getCommand() *cobra.Command {
	var (
		scope             session.Scope
		from, lines, skip int
	)
	c := &cobra.Command{
		Use:   "get <path>",
		Short: "Print lines of a document, or messages of a conversation, as an agent reads them",
		Long: "Print lines of a document, or messages of a conversation (sessions/ and its id), as an agent reads what it found: at\n" +
			"most 120 lines and 12,000 characters at once. `reverie memory cat` prints a whole document.",
		Args: session.NeedsArgs(1, 1, "what `reverie memory search` has found"),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := scope.Query()
			query.Set("path", args[0])
			for name, value := range map[string]int{"from": from, "lines": lines, "skip": skip} {
				if value != 0 {
					query.Set(name, strconv.Itoa(value))
				}
			}
			e, a, err := session.DataOf[excerpt](s.Get(cmd, query, "memory", "get"))
			if err != nil {
				return err
			}
			if err := s.Print(cmd, a, func(w io.Writer) error {
				if e.Text == "" {
					return nil
				}
				_, err := fmt.Fprintln(w, output.Shown(w, e.Text))
				return err
			}); err != nil {
				return err
			}
			switch {
			case e.Error != "":
				fmt.Fprintf(cmd.ErrOrStderr(), "! %s\n", e.Error)
			case e.Corpus == "":
				fmt.Fprintf(cmd.ErrOrStderr(), "! there is no %s\n", output.OneLine(args[0], 200))
			case e.Notice != "":
				fmt.Fprintf(cmd.ErrOrStderr(), "! %s\n", e.Notice)
			}
			return nil
		},
	}
	f := c.Flags()
	f.IntVar(&from, "from", 0, "first line, or number of the first message; not given: 1")
	f.IntVar(&lines, "lines", 0, "how many; not given: 120")
	f.IntVar(&skip, "skip", 0, "characters of the first line that were read already")
	scope.Register(c)
	return c
}
