package extractive

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
	"reverie/test/corpus"
)

// bag is a line of the files of a conversation with the signs of all clauses that may take it back; it is enough if one does.
type bag struct {
	conversation int
	taken        bool
	foreign      bool // of a file of another conversation
	made         bool // by the engine
	clauses      []vector
	text         string
}

// Numbers of other conversations of the language against which the lines of a file are held, and of those of which a file is made. They
// take nothing back.
const (
	foreignFiles = 14
	foreignMade  = 8
)

// madeOf returns the conversations of each language, and the lines that the engine writes into the files of each.
func madeOf(tb testing.TB, all []corpus.Conversation) (peers map[string][]int, lines []string) {
	tb.Helper()
	peers, lines = map[string][]int{}, make([]string, len(all))
	for k := range all {
		in := inputOf(tb, &all[k])
		in.Profile, in.Memory = "", ""
		for _, l := range corpus.KeptOf(in, propose(in)).Lasting {
			lines[k] += "- " + l + "\n"
		}
		peers[all[k].Lang] = append(peers[all[k].Lang], k)
	}
	return peers, lines
}

// foreignMemory returns a MEMORY.md with what the engine made of other conversations than k.
func foreignMemory(k int, peers []int, made []string) string {
	at := slices.Index(peers, k)
	out := "# Memory\n\n## Facts\n\n"
	for i := 1; i <= foreignMade && i < len(peers); i++ {
		out += made[peers[(at+i)%len(peers)]]
	}
	return out
}

// bagsOf returns the lines of files with the conversations that may take them back: the files that the conversations have, what the engine
// made of other conversations of the language, and what it made of the first part of a conversation whose second part takes some of it back.
func bagsOf(tb testing.TB, all []corpus.Conversation) []bag {
	tb.Helper()
	peers, made := madeOf(tb, all)
	spoken := make([][]passage, len(all))
	for k := range all {
		in := inputOf(tb, &all[k])
		c := listen(in.Transcript, in.Today)
		spoken[k] = c.passages()
	}
	var out []bag
	add := func(b bag, c *claim, later []passage) {
		for i := range later {
			p := &later[i]
			windows := p.windows()
			for w := range windows {
				if v, ok := p.signsOf(&windows[w], c); ok {
					b.clauses = append(b.clauses, v)
				}
			}
		}
		b.text = c.text
		if len(b.clauses) > 0 {
			out = append(out, b)
		}
	}
	// each calls a function for the claims of files.
	each := func(lang string, in proposals.ExtractionInput, do func(*claim)) {
		n := newNotebook(in, objections{}, lang)
		for _, p := range []*page{n.memory, n.profile} {
			for i := range p.lines {
				if l := p.at(i); !l.code && len(l.terms) > 0 {
					do(n.claim(p, i))
				}
			}
		}
	}
	for k := range all {
		talk := &all[k]
		gone := func(text string) bool {
			return slices.ContainsFunc(talk.Gone, func(words []string) bool { return corpus.Has(text, words) })
		}
		in := inputOf(tb, talk)
		each(talk.Lang, in, func(c *claim) {
			add(bag{conversation: k, taken: gone(c.text)}, c, spoken[k])
			others := 0
			if c.set&aboutSelf != 0 { // what others say of their home and work is otherwise
				others = foreignFiles
			}
			for o := range all {
				if o != k && all[o].Lang == talk.Lang && others < foreignFiles {
					others++
					add(bag{conversation: k, foreign: true}, c, spoken[o])
				}
			}
		})
		in.Profile, in.Memory = "", foreignMemory(k, peers[talk.Lang], made)
		each(talk.Lang, in, func(c *claim) {
			if c.set&aboutSelf == 0 {
				add(bag{conversation: k, foreign: true, made: true}, c, spoken[k])
			}
		})
		for _, words := range talk.Gone {
			in := inputOf(tb, talk)
			said := slices.IndexFunc(in.Transcript, func(l transcripts.Line) bool {
				return l.Role == memory.RoleOfUser && corpus.Has(l.Text, words)
			})
			if said < 0 || said+1 >= len(in.Transcript) {
				continue
			}
			first := in
			first.Transcript = in.Transcript[:said+1]
			p := propose(first)
			later := listen(in.Transcript[said+1:], in.Today)
			passages := later.passages()
			in.Profile, in.Memory = cmp.Or(p.ProfileUpdate, in.Profile), cmp.Or(p.MemoryUpdate, in.Memory)
			each(talk.Lang, in, func(c *claim) {
				if corpus.Has(c.text, words) {
					add(bag{conversation: k, taken: true, made: true}, c, passages)
				}
			})
		}
	}
	return out
}

// trainSigns fits the weights of signs. Of the clauses of a claim that was taken back only the best counts, of other claims the best three.
func trainSigns(bags []bag) (weights []int32, bias int32) {
	weights = make([]int32, signs)
	for _, s := range []int{signShares, signOver, signForget, signCorrect, signChange, signNames, signUnit, signRestated} {
		weights[s] = weightScale
	}
	for range 6 {
		var vectors []vector
		var taken []bool
		for _, b := range bags {
			ordered := slices.Clone(b.clauses)
			slices.SortStableFunc(ordered, func(x, y vector) int { return cmp.Compare(y.score(weights, 0), x.score(weights, 0)) })
			n := 3
			if b.taken {
				n = 1
			}
			for _, v := range ordered[:min(n, len(ordered))] {
				vectors, taken = append(vectors, v), append(taken, b.taken)
			}
		}
		weights, bias = train(vectors, signs, 300, .004, func(i int) (bool, float64) {
			if taken[i] {
				return true, 4
			}
			return false, 1
		})
	}
	return weights, bias
}

// allSets returns the conversations of all sets, by id, but for traps: what is withdrawn there can only be inferred ("Lives in Leeds",
// and later an address in York), which signs do not show.
func allSets(tb testing.TB) []corpus.Conversation {
	tb.Helper()
	var all []corpus.Conversation
	for _, set := range []string{"dev", "test", "heldout", "hard", "blind", "blind6"} {
		all = append(all, loadSet(tb, corpusFolder+set)...)
	}
	slices.SortFunc(all, func(a, b corpus.Conversation) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// TestSigns measures on conversations that the weights were not trained on which lines are taken back: those that were, and others.
func TestSigns(t *testing.T) {
	all := allSets(t)
	bags := bagsOf(t, all)
	const folds = 5
	type tally struct{ hits, of int }
	var taken, kept, foreign, made tally
	for fold := range folds {
		var in []bag
		for _, b := range bags {
			if b.conversation%folds != fold {
				in = append(in, b)
			}
		}
		weights, bias := trainSigns(in)
		for i := range bags {
			b := &bags[i]
			if b.conversation%folds != fold {
				continue
			}
			of := &kept
			switch {
			case b.foreign && b.made:
				of = &made
			case b.foreign:
				of = &foreign
			case b.taken:
				of = &taken
			}
			hit := slices.ContainsFunc(b.clauses, func(v vector) bool {
				return isProof(v) || v.score(weights, bias) > minScore(v)
			})
			if of.of++; hit {
				of.hits++
			}
			if *show == "signs" && hit != b.taken {
				t.Logf("%v %s: %s", b.taken, all[b.conversation].ID, b.text)
			}
		}
	}
	t.Logf("unseen, of lines with a word in common: taken back %v, not %v; of other conversations %v, written by the engine %v", taken, kept, foreign, made)
	// Without blind6, these were 89, 8, 31 and 26 of 127, 32, 250 and 1088; the rules before these, which did not see how long a line is,
	// took back 86, 14, 40 and 76.
	if taken.hits < 105 || kept.hits > 13 || foreign.hits > 39 || made.hits > 36 {
		t.Error("most lines that were taken back should be found, and few others")
	}
}

// TestOtherConversations holds what conversations take back of files that the engine made of conversations of other people, to none of
// which the weights are fitted: nothing of that was meant.
func TestOtherConversations(t *testing.T) {
	lines, lost := 0, 0
	for _, set := range []string{"blind2", "blind3", "blind4", "blind5"} {
		all := loadSet(t, corpusFolder+set)
		peers, made := madeOf(t, all)
		for k := range all {
			in := inputOf(t, &all[k])
			in.Profile, in.Memory, in.MemoryMaxChars = "", foreignMemory(k, peers[all[k].Lang], made), 100_000
			before := strings.Split(in.Memory, "\n")
			after := in.Memory
			if p := propose(in); p.MemoryUpdate != "" {
				after = p.MemoryUpdate
			}
			n := newNotebook(in, objections{}, all[k].Lang)
			for i := range n.memory.lines {
				if l := n.memory.at(i); l.code || len(l.terms) == 0 || n.claim(n.memory, i).set&aboutSelf != 0 {
					continue
				}
				if lines++; !strings.Contains(after, before[i]) {
					lost++
					if *show == "lost" {
						t.Logf("%s: %s", all[k].ID, before[i])
					}
				}
			}
		}
	}
	t.Logf("%d of %d lines were taken back", lost, lines)
	if lines < 1500 || lost*1000 > lines*6 {
		t.Errorf("%d of %d lines were taken back; at most six of a thousand are allowed", lost, lines)
	}
}
