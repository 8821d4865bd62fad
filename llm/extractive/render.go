package extractive

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
)

// section is a section of a file: its heading, and other headings that mean the same.
type section struct{ names []string }

// sections holds the section of each kind. Headings are compared in lower case, without emoji and punctuation around them.
var sections = map[kind]section{
	kindIdentity: {[]string{
		"identity", "about", "about me", "about the user", "basics", "basic information", "personal information", "who i am", "background", "bio", "身份",
		"基本信息", "个人信息", "基本资料", "关于我", "关于用户", "背景", "背景信息",
	}},
	kindPerson: {[]string{"people", "family", "relationships", "family and friends", "family & friends", "人物", "家人", "人际关系", "家庭", "家人和朋友"}},
	kindPreference: {[]string{
		"preferences", "likes and dislikes", "likes", "preference", "user preferences", "偏好", "喜好", "个人偏好", "偏好设置", "用户偏好",
	}},
	kindDecision:   {[]string{"decisions", "key decisions", "decisions made", "决定", "决策", "重要决定", "关键决策"}},
	kindFact:       {factNames},
	kindNone:       {factNames},
	kindCorrection: {factNames},
	kindTask:       {[]string{"tasks", "todo", "to-do", "todos", "to do", "to-dos", "open tasks", "待办", "任务", "待办事项"}},
	kindPlan:       {[]string{"dates", "calendar", "appointments", "deadlines", "important dates", "plans", "日期", "日程", "重要日期", "日程安排", "计划"}},
	kindRemember:   {[]string{"remembered", "remember", "notes", "misc", "记住", "备忘", "备忘录", "其他", "其它"}},
}

var factNames = []string{"facts", "key facts", "stable facts", "health", "事实", "关键事实", "重要事实", "稳定事实"}

// sectionOrder is the order in which new sections are written.
var sectionOrder = []kind{kindIdentity, kindPerson, kindPreference, kindDecision, kindFact, kindTask, kindPlan, kindRemember}

// sectionRank orders the engine's sections; -1 means none of them.
func sectionRank(heading string) int {
	return slices.IndexFunc(sectionOrder, func(k kind) bool { return slices.Contains(sections[k].names, heading) })
}

// Limits of a daily entry, in characters.
const (
	maxTopic = markdown.MaxDailyHeading - len("15:04 ")
	maxDaily = proposals.MaxDailyChars - 200
)

// proposal returns the proposal for the content of the notebook.
func (n *notebook) proposal() proposals.Proposal {
	var p proposals.Proposal
	// A conversation that says and corrects something may end where the files are already.
	if text := n.profile.String(); text != n.in.Profile {
		p.ProfileUpdate = text
	}
	if text := n.memory.String(); text != n.in.Memory {
		p.MemoryUpdate = text
	}
	n.shorten()
	if !n.objected.daily {
		p.DailyEntry = n.daily()
	}
	p.ShouldUpdate = p.ProfileUpdate != "" || p.MemoryUpdate != "" || p.DailyEntry != ""
	p.Reason = n.reason(p)
	if p.ShouldUpdate {
		p.Evidence = n.evidence(p.DailyEntry)
	}
	return p
}

// daily returns the entry for today's note: a heading with the time of the last message and the passage with the highest
// score, and a line for each passage that the note does not have.
func (n *notebook) daily() string {
	var b strings.Builder
	var best *entry
	for _, e := range n.entries {
		if !e.noted {
			continue
		}
		b.WriteString("- " + e.text + "\n")
		if best == nil || e.lasting > best.lasting {
			best = e
		}
	}
	if best == nil {
		return ""
	}
	return "## " + n.clock().Format("15:04") + " " + topic(best.passage.text) + "\n\n" + b.String()
}

// clock returns the time of the last message of the conversation, in the owner's zone.
func (n *notebook) clock() time.Time {
	for _, v := range slices.Backward(n.in.Transcript) {
		if at := v.At; !at.IsZero() {
			return at.In(n.in.Today.Location())
		}
	}
	return n.in.Today
}

// topic shortens a text to a heading, at a word.
func topic(text string) string {
	text = strings.TrimRight(strings.TrimLeft(text, "#-*> "), ".。 ")
	if utf8.RuneCountInString(text) <= maxTopic {
		return text
	}
	runes := []rune(text)[:maxTopic]
	for k := maxTopic - 2; k > maxTopic/2; k-- {
		if runes[k] == ' ' {
			return strings.TrimRight(string(runes[:k]), ",;:，、 ") + "…"
		}
	}
	return string(runes[:maxTopic-1]) + "…"
}

// evidence links every line that was added to its messages.
func (n *notebook) evidence(daily string) []memory.LineSource {
	var out []memory.LineSource
	index := map[string]int{}
	link := func(line string, seqs []int64) {
		if i, ok := index[line]; ok {
			out[i].Messages = withSeqs(out[i].Messages, seqs)
			return
		}
		index[line] = len(out)
		out = append(out, memory.LineSource{Line: line, Messages: slices.Clone(seqs)})
	}
	heading, _, _ := strings.Cut(daily, "\n")
	for _, e := range n.entries {
		if !e.removed {
			for _, l := range e.lines {
				link(l, e.seqs)
			}
		}
		if e.noted && daily != "" {
			link("- "+e.text, e.seqs)
			link(heading, e.seqs)
		}
	}
	return out
}

// reason summarizes the proposal in counts, without its contents.
func (n *notebook) reason(p proposals.Proposal) string {
	reason := n.chosen(p)
	if n.unfit > 0 {
		reason += fmt.Sprintf("; left out because of active HTML, an attack or a secret: %d", n.unfit)
	}
	return reason
}

func (n *notebook) chosen(p proposals.Proposal) string {
	if !p.ShouldUpdate {
		switch {
		case n.objected.any():
			return "what was objected to is left out; nothing else is left to propose"
		case len(n.entries) > 0:
			return "everything worth keeping is known already"
		}
		return "nothing durable was said"
	}
	var parts []string
	for k, c := range n.counts {
		if c > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", kind(k), c))
		}
	}
	if n.corrected > 0 {
		parts = append(parts, fmt.Sprintf("corrected %d", n.corrected))
	}
	s := "notes of the day"
	if len(parts) > 0 {
		s = "quoted: " + strings.Join(parts, ", ")
	}
	if n.full {
		s += "; some lines are in the daily note only, because the file they belong to has no room or may not change so much at once"
	}
	if n.kept {
		s += "; a line that a person wrote was left alone and the new statement put beside it"
	}
	if n.objected.any() {
		s += "; what was objected to is left out"
	}
	return s
}

// objections are the parts of the first proposal that were refused.
type objections struct{ profile, memory, daily, all bool }

func (o objections) any() bool { return o.profile || o.memory || o.daily || o.all }

// readObjections reads from the guards' messages, which name their field, what to omit in the repair.
func readObjections(violations []string) objections {
	var o objections
	for _, v := range violations {
		low := strings.ToLower(v)
		p := strings.Contains(low, "profile")
		m := strings.Contains(low, "memory_update") || strings.Contains(low, "memory.md")
		d := strings.Contains(low, "daily")
		o.profile, o.memory, o.daily = o.profile || p, o.memory || m, o.daily || d && !p && !m
		if !p && !m && !d {
			o.all = true
		}
	}
	return o
}
