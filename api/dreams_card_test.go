package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"reverie/api"
	"reverie/memory"
	"reverie/store/dreams"
)

const cardPath = "/api/v1/memory/ada/dream/morning-card"

type morningCard struct {
	ReportID         uuid.UUID
	Mode, MemoryDiff string
	Owner            memory.Owner
	PromotedCount    int
	Facts            []struct{ Entry, Text, Status string }
}

// A person sees what the latest dream changed, once: until they have seen it by the API, and with the first context of a day.
func TestTheMorningCard(t *testing.T) {
	h := start(t)
	h.agent("ada")
	pinned, other := h.key("pinned", memory.RoleMember, "api:42"), h.key("other", memory.RoleMember, "api:43")
	card := func(key string) *morningCard {
		t.Helper()
		return as[*morningCard](h, h.want(h.do(request{method: "GET", path: cardPath, key: key}), 200))
	}
	if got := card(pinned); got != nil {
		t.Errorf("%+v", got)
	}
	h.want(h.put("MEMORY.md?endUserId=42", "# Memory\n\n- Likes tea.\n", nil), 201)
	record := h.dreamt("api:42", dreams.NewDream{})
	got := card(pinned)
	if got == nil || got.ReportID != record.ID || got.PromotedCount != 1 || len(got.Facts) != 1 || got.Facts[0].Text != statement ||
		!strings.Contains(got.MemoryDiff, statement) {
		t.Fatalf("%+v", got)
	}
	if got := card(other); got != nil {
		t.Errorf("another person sees %+v", got)
	}
	type made struct{ MorningCard *morningCard }
	for i, want := range []bool{true, false} {
		body := map[string]any{"message": "Good morning"}
		first := as[made](h, h.want(h.postTo(pinned, contextPath, body), 200))
		if (first.MorningCard != nil) != want {
			t.Errorf("context %d: %+v", i, first.MorningCard)
		}
	}
	entry := dreamReports + "/" + record.ID.String() + "/entries/" + got.Facts[0].Entry
	h.want(h.postTo(pinned, entry+"/confirm", nil), 200)
	if got := card(pinned); got == nil || len(got.Facts) != 1 || got.Facts[0].Status != "confirmed" {
		t.Errorf("confirmed: %+v", got)
	}
	h.want(h.postTo(pinned, entry+"/edit", map[string]any{"content": "Drinks green tea."}), 200)
	if got := card(pinned); got == nil || len(got.Facts) != 1 || got.Facts[0].Status != "edited" || got.Facts[0].Text != "Drinks green tea." {
		t.Errorf("edited: %+v", got)
	}
	h.want(h.postTo(pinned, entry+"/forget", nil), 200)
	if got := card(pinned); got == nil || len(got.Facts) != 0 {
		t.Errorf("forgotten: %+v", got)
	}
	h.wantError(h.postTo(pinned, entry+"/confirm", nil), 409, "conflict")

	seen := map[string]any{"reportId": record.ID}
	h.wantError(h.postTo(other, cardPath+"/seen", seen), 404, "not_found")
	h.wantError(h.postTo(h.key("viewer", memory.RoleViewer, "api:42"), cardPath+"/seen", seen), 403, "forbidden")
	h.want(h.postTo(pinned, cardPath+"/seen", seen), 200)
	if got := card(pinned); got != nil {
		t.Errorf("seen, and shown again: %+v", got)
	}
}

func TestMorningCardsCanBeSwitchedOff(t *testing.T) {
	h := start(t, func(o *api.Options) { o.CardsOff = true })
	h.agent("ada")
	h.wantError(h.do(request{method: "GET", path: cardPath + "?endUserId=42", key: h.admin}), 410, "morning_card_off")
	h.wantError(h.postTo(h.admin, cardPath+"/seen?endUserId=42", map[string]any{"reportId": uuid.New()}), 410, "morning_card_off")
	h.assemble(map[string]any{"endUserId": "42", "message": "Good morning"})
}
