package rewrite_test

import (
	"testing"

	"reverie/dream/dreamtest"
	"reverie/dream/rewrite"
	"reverie/memory/setting"
)

// Whether new lines have a source: the second text passed from a note, the first is a line that a model made of it.
func TestSupport(t *testing.T) {
	for _, c := range []struct {
		line, note string
		want       bool
	}{
		{"Prefers short answers without bullet points", "User said he prefers short answers without bullet points", true},
		{
			"Alpha uses PostgreSQL instead of MySQL because of JSONB support (decided 2026-01-28)",
			"Decided on 2026-01-28 to use PostgreSQL instead of MySQL for Alpha because of JSONB support", true,
		},
		{"Fridays: works from home", "Works from home on Fridays", true},
		{"Vegetarian", "The user is a vegetarian", true},
		{"Commutes by bike (Canyon Grizl 7)", "Bought a new bike, a Canyon Grizl 7, for the commute to work", true},
		{"Dark mode preferred in all tools", "Prefers dark mode in all tools", true},
		{"Project Alpha: deadline 2026-04-30", "Project Alpha deadline moved to 2026-04-30", true},
		{
			"Staging namespace: alpha-stg (Kubernetes, deployed with Helm)",
			"Deploys to Kubernetes with Helm; staging namespace is alpha-stg",
			true,
		},
		{"Enjoys summer hiking in the Alps", "Likes hiking in the Alps in summer", true},
		{"Learning Japanese (N4)", "Is learning Japanese, currently at N4 level", true},
		{"Has a penicillin allergy", "Allergic to penicillin", true},
		{"正在学习日语（N4水平）", "用户正在学习日语，目前是N4水平", true},
		{"Arbeitet freitags von zu Hause", "Der Nutzer arbeitet freitags von zu Hause", true},
		{"Team standup on weekdays at 9:30", "The team standup is at 9:30 on weekdays", true},
		{"Plans a move to Lisbon in autumn 2026", "Plans to move to Lisbon in autumn 2026", true},
		{"Flies to Madrid on 2026-01-31", "Flies to Madrid tomorrow", true}, // the note is of 2026-01-30
		{"Flies to Madrid on 2026-02-03", "Flies to Madrid on 3 February 2026", true},

		{"Tax advisor: Mr. Weber (quarterly meetings)", "Meets the tax advisor Mr. Weber every quarter", true},

		{"Has a dog called Rex, who bites", "Has a dog called Rex", false},
		{"Prefers short answers without bullet points in angry letters", "Prefers short answers without bullet points", false},
		{"Flies to Madrid on 2026-02-01", "Flies to Madrid tomorrow", false},
		{"Moves to Lisbon in autumn 2026", "Plans to move to Lisbon in autumn 2026", false},
		{"Prefers black tea", "Prefers green tea", false},
		{"Drinks alcohol", "Never drinks alcohol", false},
		{"Likes biking", "Likes hiking", false},
		{"Dislikes green tea with milk and honey", "Likes green tea with milk and honey", false},
		{"Staging database password is hunter2", "The staging database password rotates every 90 days", false},
		{"Ben approves invoices over 5000 euros", "Anna approves invoices over 5000 euros", false},
		{"Anna approves invoices over 50000 euros", "Anna approves invoices over 5000 euros", false},
		{"Wants reminders a week before each deadline", "Wants reminders a day before each deadline", false},
		{"Prefers window seats on flights over two hours", "Prefers aisle seats on flights over two hours", false},
		{
			"The office in Berlin is closed on public holidays and on Fridays",
			"The office in Berlin is closed on public holidays and on Mondays", false,
		},
		{"用户住在上海", "用户住在北京", false},
		{"每周五不在家办公", "每周五在家办公", false},
	} {
		violations := rewrite.Check(rewrite.CheckInput{
			Before: "# Memory\n\n- Name: Grace\n", After: "# Memory\n\n- Name: Grace\n- " + c.line + "\n",
			Sources: []string{"# 2026-01-30\n\n## 09:05 Talk\n\n- " + c.note + "\n"},
			Ranking: ranked(dreamtest.Passing(c.note, .9, dreamtest.InNote)),
		}, setting.DefaultDreamSettings())
		if (len(violations) == 0) != c.want {
			t.Errorf("%q from %q: %v", c.line, c.note, violations)
		}
	}
}
