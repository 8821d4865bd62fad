package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

type agent struct {
	ID, Name, TimeZone string
	Settings           map[string]any
	CreatedAt          time.Time
}

func (h *harness) patchAgent(body any) answered {
	h.t.Helper()
	return h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: body})
}

func TestAgents(t *testing.T) {
	h := start(t)
	create := func(body any) answered {
		return h.do(request{method: "POST", path: "/api/v1/agents", key: h.admin, body: body})
	}
	ada := as[agent](h, h.want(create(map[string]any{
		"id": "ada", "name": "Ada", "timeZone": "Europe/Berlin", "settings": map[string]any{"quietSeconds": 5},
	}), 201))
	if ada.ID != "ada" || ada.Name != "Ada" || ada.TimeZone != "Europe/Berlin" || ada.Settings["quietSeconds"] != 5.0 {
		t.Errorf("%+v", ada)
	}
	h.wantError(create(map[string]any{"id": "ada"}), 409, "already_exists")
	if made := as[agent](h, h.want(create(map[string]any{}), 201)); !memory.ValidSlug(made.ID) {
		t.Errorf("made the id %q", made.ID)
	}
	for name, body := range map[string]map[string]any{
		"slug": {"id": "Ada Lovelace"}, "long slug": {"id": string(make([]byte, 64))}, "zone": {"timeZone": "Europe/Bielefeld"},
		"local zone": {"timeZone": "Local"}, "setting": {"settings": map[string]any{"quietSeconds": -1}},
		"unknown setting": {"settings": map[string]any{"quiteSeconds": 1}}, "unknown field": {"timeZon": "UTC"},
	} {
		if got := create(body); got.status != 422 || got.Error != "invalid_request" {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if listed := as[struct{ Items []agent }](h, h.get("/api/v1/agents")); len(listed.Items) != 2 {
		t.Errorf("%+v", listed)
	}
	h.wantError(h.get("/api/v1/agents/eve"), 404, "not_found")
}

// A PATCH changes what it names: a value sets, null resets, and what is left out stays.
// The layers of a context share its tokens: together they have at most all of them, whichever of the two settings an agent has.
func TestSharesOfLayersAreBounded(t *testing.T) {
	h := start(t)
	h.agent("ada")
	patch := func(settings map[string]any, status int) {
		t.Helper()
		reply := h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{"settings": settings}}), status)
		if body := string(reply.body); status == 422 && !strings.Contains(body, "injectIdentityShare and injectTrustedShare") {
			t.Errorf("%s", body)
		}
	}
	patch(map[string]any{"injectTrustedShare": 0.9}, 422) // and 0.2, the server's
	patch(map[string]any{"injectTrustedShare": 0.7, "injectIdentityShare": 0.7}, 422)
	patch(map[string]any{"injectTrustedShare": 0.8}, 200)
	patch(map[string]any{"injectIdentityShare": 0.5}, 422)
	patch(map[string]any{"injectTrustedShare": 1, "injectIdentityShare": 0}, 200)
	patch(map[string]any{"injectIdentityShare": nil}, 422)
	h.want(h.do(request{method: "POST", path: "/api/v1/agents", key: h.admin, body: map[string]any{
		"id": "bob", "settings": map[string]any{"injectTrustedShare": 0.9},
	}}), 422)
}

func TestSettingsArePatched(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.agent("lead")
	for _, c := range []struct{ patch, settings string }{
		{`{"settings":{"memoryEnabled":false,"quietSeconds":5,"model":"small"}}`, `{"memoryEnabled":false,"model":"small","quietSeconds":5}`},
		{`{"name":"Ada L."}`, `{"memoryEnabled":false,"model":"small","quietSeconds":5}`},
		{`{"settings":{}}`, `{"memoryEnabled":false,"model":"small","quietSeconds":5}`},
		{`{"settings":{"quietSeconds":null,"cooldownSeconds":0}}`, `{"cooldownSeconds":0,"memoryEnabled":false,"model":"small"}`},
		{`{"settings":{"model":null,"memoryEnabled":true}}`, `{"cooldownSeconds":0,"memoryEnabled":true}`},
		{
			`{"settings":{"ownerIsolation":false,"minMessages":1,"minUserChars":0,"profileMaxChars":200,"memoryMaxChars":200000,` +
				`"memoryEnabled":null,"cooldownSeconds":null}}`,
			`{"memoryMaxChars":200000,"minMessages":1,"minUserChars":0,"ownerIsolation":false,"profileMaxChars":200}`,
		},
		{
			`{"settings":{"memoryMaxChars":null,"minMessages":null,"minUserChars":null,"ownerIsolation":null,"profileMaxChars":null,
				"dreamingEnabled":false,"dreamCron":"0 */6 * * *","dreamDays":90,"dreamMinScore":0,"dreamMinSignals":1,"dreamMinDiversity":1,
				"dreamMaxPromotions":0,"dreamMaxRetiredShare":1,"dreamHalfLifeDays":0.5}}`,
			`{"dreamCron":"0 */6 * * *","dreamDays":90,"dreamHalfLifeDays":0.5,"dreamMaxPromotions":0,"dreamMaxRetiredShare":1,` +
				`"dreamMinDiversity":1,` +
				`"dreamMinScore":0,"dreamMinSignals":1,"dreamingEnabled":false}`,
		},
		{`{"settings":{"dreamCron":null,"dreamDays":null,"dreamMinScore":null}}`, `{"dreamHalfLifeDays":0.5,"dreamMaxPromotions":0,` +
			`"dreamMaxRetiredShare":1,` +
			`"dreamMinDiversity":1,"dreamMinSignals":1,"dreamingEnabled":false}`},
		{
			`{"settings":{"dreamHalfLifeDays":null,"dreamMaxPromotions":null,"dreamMaxRetiredShare":null,"dreamMinDiversity":null,"dreamMinSignals":null,
			"dreamingEnabled":null,"leader":"lead","writeTargets":["memory/cases/*.md","SOUL.md"]}}`,
			`{"leader":"lead","writeTargets":["memory/cases/*.md","SOUL.md"]}`,
		},
		{`{"settings":{"quietSeconds":5}}`, `{"leader":"lead","quietSeconds":5,"writeTargets":["memory/cases/*.md","SOUL.md"]}`},
		{`{"settings":{"writeTargets":[]}}`, `{"leader":"lead","quietSeconds":5,"writeTargets":[]}`}, // none at all
		{`{"name":"Ada L."}`, `{"leader":"lead","quietSeconds":5,"writeTargets":[]}`},
		{`{"settings":{"writeTargets":null,"leader":null}}`, `{"quietSeconds":5}`}, // the default
	} {
		patched := as[agent](h, h.want(h.patchAgent(c.patch), 200))
		if got, err := json.Marshal(patched.Settings); err != nil || string(got) != c.settings {
			t.Errorf("%s gives %s, want %s", c.patch, got, c.settings)
		}
	}
	if got := as[agent](h, h.get("/api/v1/agents/ada")); got.Name != "Ada L." {
		t.Errorf("%+v", got)
	}
	for _, body := range []string{
		`{"settings":{"minMessages":0}}`, `{"settings":{"minMessages":1001}}`, `{"settings":{"cooldownSeconds":604801}}`,
		`{"settings":{"profileMaxChars":199}}`, `{"settings":{"quietSeconds":"5"}}`, `{"settings":{"quietSeconds":1.5}}`,
		`{"timeZone":"Mars"}`, `{"name":""}`,
		`{"settings":{"dreamDays":0}}`, `{"settings":{"dreamDays":91}}`, `{"settings":{"dreamMinScore":1.1}}`,
		`{"settings":{"dreamMinSignals":0}}`,
		`{"settings":{"dreamMaxRetiredShare":-0.1}}`, `{"settings":{"dreamHalfLifeDays":0}}`,
		`{"settings":{"writeTargets":"memory/*.md"}}`, `{"settings":{"writeTargets":[1]}}`, `{"settings":{"writeTargets":[""]}}`,
		`{"settings":{"writeTargets":["memory/[.md"]}}`, `{"settings":{"writeTargets":["` + strings.Repeat("a", 300) + `"]}}`,
		`{"settings":{"writeTargets":[` + strings.Repeat(`"a",`, 100) + `"a"]}}`, `{"settings":{"leader":"nobody"}}`,
		`{"settings":{"leader":"ada"}}`, `{"settings":{"leader":1}}`,
	} {
		h.wantError(h.patchAgent(body), 422, "invalid_request")
	}
	for cron, advice := range map[string]string{
		"0 2 * *": "five fields", "@daily": "five fields", "TZ=UTC 0 2 * * *": "the time zone is the agent's",
		"0 2 31 2 *": "use a date that exists",
	} {
		refused := h.wantError(h.patchAgent(map[string]any{"settings": map[string]any{"dreamCron": cron}}), 422, "invalid_request")
		if body := string(refused.body); !strings.Contains(body, advice) || !strings.Contains(body, "body.settings.dreamCron") {
			t.Errorf("%s: %s does not say %q", cron, body, advice)
		}
		h.wantError(h.do(request{method: "POST", path: "/api/v1/agents", key: h.admin, body: map[string]any{
			"id": "eve", "settings": map[string]any{"dreamCron": cron},
		}}), 422, "invalid_request")
	}
}

// A list that can be read at once can be read in parts as well.
func TestListsInParts(t *testing.T) {
	h := start(t)
	for _, id := range []string{"ada", "bob", "eve"} {
		h.agent(id)
	}
	type list struct {
		Items []struct{ ID string }
		Next  string
	}
	for query, want := range map[string]list{
		"":                  {Items: []struct{ ID string }{{"ada"}, {"bob"}, {"eve"}}},
		"?limit=3":          {Items: []struct{ ID string }{{"ada"}, {"bob"}, {"eve"}}},
		"?limit=2":          {Items: []struct{ ID string }{{"ada"}, {"bob"}}, Next: "2"},
		"?limit=2&cursor=2": {Items: []struct{ ID string }{{"eve"}}},
		"?cursor=1":         {Items: []struct{ ID string }{{"bob"}, {"eve"}}},
		"?cursor=9":         {Items: []struct{ ID string }{}},
	} {
		got := as[list](h, h.want(h.get("/api/v1/agents"+query), 200))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
	for _, query := range []string{"cursor=x", "cursor=-1", "limit=0", "limit=501"} {
		h.wantError(h.get("/api/v1/agents?"+query), 422, "invalid_request")
	}
}
