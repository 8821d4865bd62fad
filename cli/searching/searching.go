// Package searching implements the commands that search memory, read results and show the state of the index.
package searching

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/reverie-memory/reverie/client/wire"
	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/language/analysis"
	"reverie/memory"
	"reverie/search"
)

// Commands returns the commands of this package.
func Commands(s *session.Session) []*cobra.Command {
	c := commands{s}
	return []*cobra.Command{c.searchCommand(), c.contextCommand(), c.getCommand(), c.indexCommand(), c.statusCommand()}
}

type commands struct{ *session.Session }

func (s commands) searchCommand() *cobra.Command {
	var (
		q          wire.SearchBody
		maxResults int
		minScore   float64
		explain    bool
		used       bool
		asOf       string
		archived   bool
	)
	c := &cobra.Command{
		Use:   "search <query>",
		Short: "Search documents and messages",
		Long: "Search the passages of documents and messages: the shared ones and the owner's. Phrases in quotes and identifiers match\n" +
			"literally; days or months in the query match what was said then.\n\n" +
			"A search from the shell does not count as a recall, unless --count says so.",
		Args: session.NeedsArgs(1, 1000, "what to look for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Query = strings.Join(args, " ")
			if !used {
				q.Synthetic = new(true)
			}
			if cmd.Flags().Changed("max-results") {
				q.MaxResults = &maxResults
			}
			if cmd.Flags().Changed("min-score") {
				q.MinScore = &minScore
			}
			if archived {
				q.IncludeArchived = &archived
			}
			if explain {
				q.Explain = &explain
			}
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			found, err := client.SearchMemory(cmd.Context(), s.Agent, wire.SearchMemoryParams{Person: s.Person(), AsOf: asOf}, q)
			if err != nil {
				return err
			}
			if err := s.Print(cmd, found.Raw, func(w io.Writer) error { return s.showFound(w, found.Data, q.Query) }); err != nil {
				return err
			}
			showRemarks(cmd.ErrOrStderr(), found.Data)
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&q.Corpus, "corpus", "", "where: memory (documents), sessions (messages), the id of a provider, or all; empty: all")
	f.IntVar(&maxResults, "max-results", 0, "how many results; default: the agent's setting")
	f.Float64Var(&minScore, "min-score", 0, "minimum score, 0 to 1; default: the agent's setting")
	f.StringVar(&q.From, "from", "", "only from then on: a date, or a time as 2026-01-31T08:00:00Z")
	f.StringVar(&q.To, "to", "", "only before then; a date includes its day")
	f.StringVar(&asOf, "as-of", "", "what was known at that time, such as 2026-01-31")
	f.BoolVar(&archived, "archived", false, "also what is archived in documents")
	f.BoolVar(&explain, "explain", false, "show the parts of each score, and what was dropped")
	f.BoolVar(&used, "count", false, "count the results as recalled")
	return c
}

// showRemarks prints limitations of the results: errors, missing vectors, pending sources.
func showRemarks(w io.Writer, a wire.Search) {
	if a.Error != "" {
		fmt.Fprintf(w, "! %s\n  %s\n", a.Error, a.Action)
	}
	if a.Degraded && a.Fallback.Text != "" {
		fmt.Fprintf(w, "! by words alone: %s\n", a.Fallback.Text)
	}
	for _, d := range a.Disagreements {
		say := "nobody has decided which holds"
		if d.Superseded {
			say = "the second one is newer and counts"
		}
		fmt.Fprintf(w, "! %q and %q disagree: %s\n", output.Shown(w, d.Older), output.Shown(w, d.Newer), say)
	}
	if a.Staleness.Pending > 0 {
		fmt.Fprintf(w, "! %s for vectors; words find them already\n", memory.Plural(a.Staleness.Pending, "source waits", "sources wait"))
	}
}

// maxCited bounds the characters of a citation.
const maxCited = 120

func (s commands) showFound(w io.Writer, a wire.Search, query string) error {
	if len(a.Results) == 0 && a.Error == "" {
		fmt.Fprintln(w, "nothing found")
	}
	highlight := highlighter(w, query)
	for i, r := range a.Results {
		if i > 0 {
			fmt.Fprintln(w)
		}
		place := output.Emphasised(w, output.Place(r.Path, r.StartLine, r.EndLine))
		newer := ""
		if r.SupersededBy != "" {
			newer = ", superseded by " + output.OneLine(r.SupersededBy, maxCited)
		}
		fmt.Fprintf(w, "%.2f  %s  %s%s\n", r.Score, place, s.origin(r), newer)
		for line := range strings.Lines(highlight(output.Shown(w, r.Snippet))) {
			if line = strings.TrimRight(line, " \r\n"); line != "" {
				fmt.Fprintf(w, "      %s\n", line)
			}
		}
		ShowExplanation(w, r.Explain)
	}
	if len(a.Explain.Stages) > 0 {
		return showSearch(w, a.Explain)
	}
	return nil
}

// origin returns the scope of a document's passage, or the speaker and time of a message.
func (s commands) origin(r wire.Found) string {
	if r.Corpus == string(search.Memory) {
		return s.ScopeOf(r.Scope, r.Agent)
	}
	who := r.Name
	if who == "" {
		who = r.Role
	}
	if !r.At.IsZero() {
		who += ", " + output.When(r.At)
	}
	return output.OneLine(who, 80)
}

// ShowExplanation prints the parts of a result's score; nothing when the search was not to explain.
func ShowExplanation(w io.Writer, e wire.Explanation) {
	if e == (wire.Explanation{}) {
		return
	}
	if e.Fused.TextRank > 0 || e.Lexical.Score != 0 {
		p := e.Lexical.Parts
		var parts []string
		for _, part := range []struct {
			name  string
			value float64
		}{
			{"body", p.Body},
			{"speaker", p.Speaker},
			{"neighbours", p.Neighbours},
			{"enclosing", p.Enclosing},
			{"together", p.Together},
			{"period", p.Period},
			{"first", p.First},
			{"prose", p.Prose},
			{"rule", p.Rule},
			{"question", p.Question},
			{"asking", p.Asking},
			{"answer", p.Answer},
			{"feedback", p.Feedback},
		} {
			if part.value != 0 {
				parts = append(parts, fmt.Sprintf("%s %.2f", part.name, part.value))
			}
		}
		fmt.Fprintf(w, "      words  %.2f = %s\n", e.Lexical.Score, strings.Join(parts, ", "))
		fmt.Fprintf(w, "             covers %.0f %% of the question, rank %d\n", 100*p.Coverage, e.Fused.TextRank)
	}
	if e.Fused.VectorRank > 0 {
		fmt.Fprintf(w, "      vector similarity %.3f, rank %d\n", e.Fused.Similarity, e.Fused.VectorRank)
	}
	fmt.Fprintf(w, "      score  %.2f from text %.2f and vector %.2f, times %.2f (boost) and %.2f (age)\n",
		e.Selected.Base, e.Fused.Text, e.Fused.Vector, e.Selected.Boost, e.Selected.Decay)
	if e.Selected.Relaxed {
		fmt.Fprintln(w, "             below the minimum score, shown because nothing is above it")
	}
}

// showSearch prints the statistics of the search.
func showSearch(w io.Writer, x wire.Explain) error {
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
		rows = append(rows, []string{output.Place(d.Path, d.StartLine, d.EndLine), fmt.Sprintf("%.2f", d.Score), d.Reason})
	}
	return output.Table(w, rows)
}

// highlighter returns a function that marks the words of a query in a text, where w shows colour.
func highlighter(w io.Writer, query string) func(string) string {
	if !output.Coloured(w) {
		return func(text string) string { return text }
	}
	return func(text string) string { return marked(text, query, output.Green, output.Plain) }
}

// marked puts marks around the words of a query in a text.
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

func (s commands) getCommand() *cobra.Command {
	var params wire.GetMemoryParams
	var skip int
	c := &cobra.Command{
		Use:   "get <path>",
		Short: "Print lines of a document, or messages of a conversation, as an agent reads them",
		Long: "Print lines of a document, or messages of a conversation (sessions/ and its id), as an agent reads a search result: at\n" +
			"most 120 lines and 12,000 characters. `reverie memory cat` prints a whole document.",
		Args: session.NeedsArgs(1, 1, "a path that `reverie memory search` found"),
		RunE: func(cmd *cobra.Command, args []string) error {
			params.Person, params.Path = s.Person(), args[0]
			if skip > 0 {
				params.Skip = &skip
			}
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			e, err := client.GetMemory(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			if err := s.Print(cmd, e.Raw, func(w io.Writer) error {
				if e.Data.Text == "" {
					return nil
				}
				_, err := fmt.Fprintln(w, output.Shown(w, e.Data.Text))
				return err
			}); err != nil {
				return err
			}
			switch {
			case e.Data.Error != "":
				fmt.Fprintf(cmd.ErrOrStderr(), "! %s\n", e.Data.Error)
			case e.Data.Corpus == "":
				fmt.Fprintf(cmd.ErrOrStderr(), "! there is no %s\n", output.OneLine(args[0], 200))
			case e.Data.Notice != "":
				fmt.Fprintf(cmd.ErrOrStderr(), "! %s\n", e.Data.Notice)
			}
			return nil
		},
	}
	f := c.Flags()
	f.IntVar(&params.From, "from", 0, "first line, or number of the first message; default: 1")
	f.IntVar(&params.Lines, "lines", 0, "how many; default: 120")
	f.IntVar(&skip, "skip", 0, "characters of the first line that were read before")
	session.ScopeFlag(c, &params.Scope)
	return c
}

func (s commands) contextCommand() *cobra.Command {
	var asOf string
	c := &cobra.Command{
		Use:   "context <message>",
		Short: "Show the context of a message: what a model is sent with it",
		Long: "Show what a model is sent with a message without a conversation: the documents of the system prompt, and what memory recalls.\n" +
			"With --as-of, as it was known then.",
		Args: session.NeedsArgs(1, 1000, "the message"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			made, err := client.AssembleContext(cmd.Context(), s.Agent, wire.AssembleContextParams{AsOf: asOf}, wire.ContextBody{
				Owner: s.Owner, Channel: s.Channel, Sender: s.Sender, EndUserID: s.EndUser, Message: strings.Join(args, " "),
			})
			if err != nil {
				return err
			}
			return s.Print(cmd, made.Raw, func(w io.Writer) error {
				for _, m := range made.Data.Messages {
					fmt.Fprintf(w, "%s\n%s\n\n", output.Emphasised(w, fmt.Sprintf("%s, %d tokens", m.Kind, m.Tokens)), output.Shown(w, m.Content))
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&asOf, "as-of", "", "as it was known at that time, such as 2026-01-31")
	return c
}
