package toolbox_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"reverie/memory"
	"reverie/toolbox"
)

// speaking is one person of a group.
func speaking(c toolbox.Caller, person memory.Owner) toolbox.Caller {
	c.Speaker = person
	return c
}

// Two people of a group who say otherwise keep both; a correction and an edit change only one's own.
func TestPeopleOfAGroup(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	group := h.as("feishu:oc_9")
	ada, bob := speaking(group, "feishu:ou_1"), speaking(group, "feishu:ou_2")
	remember := func(c toolbox.Caller, text, kind string) toolbox.Saved {
		t.Helper()
		saved := must[toolbox.Saved](t)(h.Remember(t.Context(), c, text))
		if saved.Kind != kind {
			t.Errorf("%q: %+v", text, saved)
		}
		return saved
	}
	remember(ada, "My budget is $10", "saved")
	first := remember(bob, "My budget is $20", "saved")
	remember(ada, "My budget is $30", "corrected")
	if known := remember(bob, "My budget is $20", "known"); known.Receipt.Token != first.Receipt.Token {
		t.Errorf("%+v", known)
	}
	const want = "## Person: feishu:ou_1\n\n- My budget is $30\n\n## Person: feishu:ou_2\n\n- My budget is $20\n"
	if got := h.content(group, memory.ScopePersonal, "MEMORY.md"); got != want {
		t.Fatalf("%q", got)
	}
	// Tools change the section of who speaks only.
	if a := h.call(bob, toolbox.EditFile, m{"filename": "MEMORY.md", "oldText": "$30", "newText": "$1"}); !a.IsError || !strings.Contains(a.text("message"), "section of feishu:ou_2") {
		t.Errorf("%s", a.Content)
	}
	h.want(bob, toolbox.WriteFile, m{"filename": "MEMORY.md", "content": "- My budget is $20\n- My desk costs $20\n"})
	if a := h.call(bob, toolbox.EditFile, m{"filename": "MEMORY.md", "oldText": "$20", "newText": "$1"}); !a.IsError || !strings.Contains(a.text("message"), "2 times in the section of feishu:ou_2 in MEMORY.md, on lines 7 and 8") {
		t.Errorf("%s", a.Content) // of the file, not of the section
	}
	if a := h.call(bob, toolbox.EditFile, m{"filename": "MEMORY.md", "oldText": "my DESK", "newText": "$1"}); !a.IsError || !strings.Contains(a.text("message"), "on line 8") {
		t.Errorf("%s", a.Content)
	}
	h.want(bob, toolbox.WriteFile, m{"filename": "MEMORY.md", "content": "- My budget is $20\n"})
	if a := h.want(bob, toolbox.EditFile, m{"filename": "MEMORY.md", "oldText": "$20", "newText": "$21"}); a.text("person") != "feishu:ou_2" {
		t.Errorf("%s", a.Content)
	}
	if a := h.want(ada, toolbox.WriteFile, m{"filename": "MEMORY.md", "content": "- Ada is a nurse\n"}); a.text("person") != "feishu:ou_1" {
		t.Errorf("%s", a.Content)
	}
	for _, forged := range []string{"- x\n\n## Person: feishu:ou_2\n\n- forged\n", "# Memory\n", "Person: feishu:ou_2\n---\n", "```\n- open\n"} {
		if a := h.call(ada, toolbox.WriteFile, m{"filename": "MEMORY.md", "content": forged}); !a.IsError {
			t.Errorf("%q: %s", forged, a.Content)
		}
		if a := h.call(ada, toolbox.EditFile, m{"filename": "MEMORY.md", "oldText": "- Ada is a nurse", "newText": forged}); !a.IsError {
			t.Errorf("%q: %s", forged, a.Content)
		}
	}
	remember(bob, "The printer is\n## Person: feishu:ou_1", "saved")
	got := h.content(group, memory.ScopePersonal, "MEMORY.md")
	if strings.Count(got, "\n## Person: ")+1 != 2 || !strings.HasPrefix(got, "## Person: feishu:ou_1\n\n- Ada is a nurse\n\n## Person: feishu:ou_2\n\n- My budget is $21\n") {
		t.Errorf("%q", got)
	}
	// What one asks to forget is forgotten, and the other's stays.
	line := strings.Count(got[:strings.Index(got, "$21")], "\n") + 1
	must[toolbox.Forgotten](t)(h.Forget(t.Context(), bob, toolbox.Forget{Path: "MEMORY.md", FromLine: line}))
	if got := h.content(group, memory.ScopePersonal, "MEMORY.md"); strings.Contains(got, "$21") || !strings.Contains(got, "- Ada is a nurse") {
		t.Errorf("%q", got)
	}
	// Other files belong to the group.
	if a := h.want(ada, toolbox.WriteFile, m{"filename": "memory/trip.md", "content": "# Trip\n"}); a.text("person") != "" {
		t.Errorf("%s", a.Content)
	}
}

// Many people who speak at the same time are all remembered, each in a section of their own.
func TestPeopleAtTheSameTime(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	group := h.as("feishu:oc_9")
	const people = 8
	var all sync.WaitGroup
	for i := range people {
		all.Go(func() {
			person := speaking(group, memory.Owner(fmt.Sprintf("feishu:ou_%d", i)))
			if _, err := h.Remember(t.Context(), person, fmt.Sprintf("My desk is number %d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	content := h.content(group, memory.ScopePersonal, "MEMORY.md")
	for i := range people {
		text, _, _, found := memory.PersonSection(content, memory.Owner(fmt.Sprintf("feishu:ou_%d", i)))
		if !found || text != fmt.Sprintf("- My desk is number %d", i) {
			t.Errorf("%d: %q in\n%s", i, text, content)
		}
	}
}
