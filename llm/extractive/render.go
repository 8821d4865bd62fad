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

// sectionNames are the headings of each place, the engine's own first, then others by which people and templates call it.
// They are compared in lower case, without emoji and punctuation around them.
var sectionNames = map[place][]string{
	identity: {
		"identity", "about", "about me", "about the user", "basics", "basic information", "personal information", "who i am", "身份",
		"基本信息", "个人信息", "基本资料", "关于我", "关于用户",
	},
	background:  {"background", "bio", "背景", "背景信息", "经历", "个人背景"},
	people:      {"people", "family", "relationships", "family and friends", "family & friends", "人物", "家人", "人际关系", "家庭", "家人和朋友"},
	preferences: {"preferences", "likes and dislikes", "likes", "preference", "user preferences", "偏好", "喜好", "个人偏好", "偏好设置", "用户偏好"},
	decisions:   {"decisions", "key decisions", "decisions made", "决定", "决策", "重要决定", "关键决策"},
	facts:       {"facts", "key facts", "stable facts", "事实", "关键事实", "重要事实", "稳定事实"},
	tasks:       {"tasks", "todo", "to-do", "todos", "to do", "to-dos", "open tasks", "plans", "待办", "任务", "待办事项", "计划"},
	dates:       {"dates", "calendar", "appointments", "deadlines", "important dates", "日期", "日程", "重要日期", "日程安排"},
	remembered:  {"remembered", "remember", "notes", "misc", "记住", "备忘", "备忘录", "其他", "其它"},
}

// sectionRank orders the engine's sections; -1 is none of them.
func sectionRank(heading string) int {
	for p := identity; p <= remembered; p++ {
		if slices.Contains(sectionNames[p], heading) {
			return int(p)
		}
	}
	return -1
}

// proposal returns the proposal for the content of the notebook.
func (n *notebook) proposal() proposals.Proposal {
	var p proposals.Proposal
	// A conversation that says and corrects something may end where the files stand already.
	if text := n.profile.String(); text != n.in.Profile {
		p.ProfileUpdate = text
	}
	if text := n.memory.String(); text != n.in.Memory {
		p.MemoryUpdate = text
	}
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

// Limits of a daily entry, in characters.
const (
	maxTopic = markdown.MaxDailyHeading - len("15:04 ")
	maxDaily = proposals.MaxDailyChars - 200
)

// daily writes the entry for today's note: a heading with the time of the last message, and a line for everything learnt
// that the note does not have.
func (n *notebook) daily() string {
	var b strings.Builder
	var best *entry
	size := 0
	for _, e := range n.entries {
		if !n.noted(e) {
			continue
		}
		if size += lineSize(e); size > maxDaily {
			break
		}
		b.WriteString("- " + e.text + "\n")
		if best == nil || e.place > best.place && best.place < decisions || best.place == noteOnly && e.place != noteOnly {
			best = e
		}
	}
	if best == nil {
		return ""
	}
	return n.dailyHeading(best) + "\n\n" + b.String()
}

func (n *notebook) dailyHeading(best *entry) string {
	return "## " + n.clock().Format("15:04") + " " + topic(best.text)
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

// topic shortens a line to a heading, at a word.
func topic(line string) string {
	line = strings.TrimRight(line, ".。")
	if utf8.RuneCountInString(line) <= maxTopic {
		return line
	}
	runes := []rune(line)[:maxTopic+1]
	cut := maxTopic
	for k := maxTopic; k > maxTopic/2; k-- {
		if runes[k] == ' ' {
			cut = k
			break
		}
	}
	words := strings.Fields(string(runes[:cut]))
	for len(words) > 1 && (prepositions[strings.ToLower(words[len(words)-1])] || determiners[strings.ToLower(words[len(words)-1])] ||
		coordinators[strings.ToLower(words[len(words)-1])]) {
		words = words[:len(words)-1]
	}
	return strings.TrimRight(strings.Join(words, " "), ",;:，、")
}

// evidence ties every line that was added to the messages it came from.
func (n *notebook) evidence(daily string) []memory.LineSource {
	var out []memory.LineSource
	index := map[string]int{}
	tie := func(line string, seqs []int64) {
		if i, ok := index[line]; ok {
			out[i].Messages = withSeqs(out[i].Messages, seqs)
			return
		}
		index[line] = len(out)
		out = append(out, memory.LineSource{Line: line, Messages: slices.Clone(seqs)})
	}
	heading, _, _ := strings.Cut(daily, "\n")
	for _, e := range n.entries {
		if e.gone {
			continue
		}
		for _, l := range e.lines {
			tie(l, e.seqs)
		}
		if daily != "" && strings.Contains(daily, "\n- "+e.text+"\n") {
			tie("- "+e.text, e.seqs)
			tie(heading, e.seqs)
		}
	}
	for i := range out {
		slices.Sort(out[i].Messages)
	}
	return out
}

// placeLabels name places in reasons.
var placeLabels = [...]string{"", "identity", "background", "people", "preferences", "decisions", "facts", "tasks", "dates", "remembered"}

// reason summarizes the proposal in counts, without its contents.
func (n *notebook) reason(p proposals.Proposal) string {
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
	for i, c := range n.counts {
		if c > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", placeLabels[i], c))
		}
	}
	if n.corrected > 0 {
		parts = append(parts, fmt.Sprintf("corrected %d", n.corrected))
	}
	if n.finished > 0 {
		parts = append(parts, fmt.Sprintf("done %d", n.finished))
	}
	s := "notes of the day"
	if len(parts) > 0 {
		s = "by rules: " + strings.Join(parts, ", ")
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
