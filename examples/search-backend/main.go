// The program search-backend is a search backend for Reverie: it ranks passages in place of the built-in index. It keeps them in
// memory and scores a passage by how rare the words are that it shares with the question. Take it as the frame for an engine of your
// own: the protocol is all here, in requests and answers of one JSON object a line.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"unicode"
)

// request is a line that Reverie sends.
type request struct {
	ID       int64     `json:"id"`       // the answer repeats it
	Op       string    `json:"op"`       // open, put, delete, drop or search
	Space    string    `json:"space"`    // what one person sees of one agent's memory; nothing is found beyond it
	Passages []passage `json:"passages"` // of put
	IDs      []string  `json:"ids"`      // of delete
	Query    string    `json:"query"`    // of search
	Limit    int       `json:"limit"`    // of search
}

type passage struct {
	ID   string `json:"id"` // the text of an id never changes
	Path string `json:"path"`
	Text string `json:"text"`
}

// answer is a line that Reverie reads.
type answer struct {
	ID      int64  `json:"id"`
	Error   string `json:"error,omitempty"`
	Results []hit  `json:"results,omitempty"`
}

// hit is a passage that was found: its id, never its text. Reverie reads the text itself.
type hit struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"` // 0 to 1
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// spaces are the words of each passage, by space and id.
type spaces map[string]map[string]map[string]bool

// serve answers requests in their order, until there are no more. A slow engine may answer in any order.
func serve(in io.Reader, out io.Writer) error {
	known := spaces{}
	lines, answers := bufio.NewReader(in), json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		if err := answers.Encode(known.do(r)); err != nil {
			return err
		}
	}
}

// do executes one request.
func (s spaces) do(r request) answer {
	switch r.Op {
	case "open": // the first request: load models, open files
	case "put":
		if s[r.Space] == nil {
			s[r.Space] = map[string]map[string]bool{}
		}
		for _, p := range r.Passages {
			s[r.Space][p.ID] = words(p.Path + " " + p.Text)
		}
	case "delete":
		for _, id := range r.IDs {
			delete(s[r.Space], id)
		}
	case "drop":
		delete(s, r.Space)
	case "search":
		return answer{ID: r.ID, Results: search(s[r.Space], r.Query, r.Limit)}
	default:
		return answer{ID: r.ID, Error: "unknown operation"}
	}
	return answer{ID: r.ID}
}

// search returns the best passages: the weight of the words that they share with the question, of that of all its words.
func search(passages map[string]map[string]bool, query string, limit int) (found []hit) {
	weights, total := map[string]float64{}, 0.0
	for word := range words(query) {
		in := 0
		for _, has := range passages {
			if has[word] {
				in++
			}
		}
		weights[word] = math.Log1p(float64(len(passages)) / float64(1+in))
		total += weights[word]
	}
	for id, has := range passages {
		score := 0.0
		for word, weight := range weights {
			if has[word] {
				score += weight
			}
		}
		if score > 0 {
			found = append(found, hit{id, math.Round(1000*score/total) / 1000})
		}
	}
	slices.SortFunc(found, func(a, b hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID)) })
	return found[:min(len(found), limit)]
}

// words returns the words of a text, without case.
func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		all[word] = true
	}
	return all
}
