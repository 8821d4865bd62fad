package memory

import (
	"errors"
	"strings"
	"testing"
)

func TestRoles(t *testing.T) {
	roles := []Role{RoleViewer, RoleMember, RoleAdmin}
	for i, r := range roles {
		if !r.Valid() {
			t.Errorf("%s is not valid", r)
		}
		for j, need := range roles {
			if r.Includes(need) != (i >= j) {
				t.Errorf("%s includes %s: %v", r, need, r.Includes(need))
			}
		}
		if r.Includes("owner") || Role("owner").Includes(r) {
			t.Errorf("an unknown role and %s", r)
		}
	}
	if Role("").Valid() || Role("").Includes("") {
		t.Error("no role is valid")
	}
}

func TestParseOwner(t *testing.T) {
	for _, good := range []string{"system", "user:7", "feishu:ou_1", "api:a:b", "api:Zoë 张", "x:" + strings.Repeat("a", MaxOwnerBytes-2)} {
		if got, err := ParseOwner(good); err != nil || string(got) != good {
			t.Errorf("%q is read as %q, %v", good, got, err)
		}
	}
	for _, bad := range []string{"", "7", ":7", "user:", "user: 7", "user:7 ", " user:7", "user " +
		":7", "user:\n", "user:\u202e7", "user:\xff", "x:" + strings.Repeat("a", MaxOwnerBytes-1)} {
		if got, err := ParseOwner(bad); !errors.Is(err, ErrInvalidOwner) || got != NoOwner {
			t.Errorf("%q is read as %q, %v", bad, got, err)
		}
	}
}

func TestOwnerOf(t *testing.T) {
	for _, c := range []struct {
		owner, channel, sender, endUser string
		want                            Owner
		fails                           bool
	}{
		{want: NoOwner},
		{owner: "user:7", want: "user:7"},
		{channel: "feishu", sender: "ou_1", want: "feishu:ou_1"},
		{channel: "web", sender: "7", want: "user:7"},
		{endUser: "42", want: "api:42"},
		{owner: "api:42", endUser: "42", want: "api:42"},
		{owner: "user:7", channel: "web", sender: "7", want: "user:7"},
		{owner: "user:7", endUser: "42", fails: true},
		{channel: "feishu", fails: true},
		{sender: "ou_1", fails: true},
		{channel: "feishu", sender: " ou_1", fails: true},
		{owner: "nobody", fails: true},
	} {
		got, err := OwnerOf(c.owner, c.channel, c.sender, c.endUser)
		if got != c.want || (err != nil) != c.fails || err != nil && !errors.Is(err, ErrInvalidOwner) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

func TestValidSlug(t *testing.T) {
	for slug, want := range map[string]bool{
		"a": true, "ada": true, "a-1_b": true, "9": true, strings.Repeat("a", 63): true,
		"": false, "-a": false, "_a": false, "A": false, "a.b": false, "a/b": false, "a\n": false, "é": false,
		strings.Repeat("a", 64): false,
	} {
		if ValidSlug(slug) != want {
			t.Errorf("%q: %v", slug, !want)
		}
	}
}

func TestIdentity(t *testing.T) {
	id := Identity{Workspace: "w", Agents: []string{"ada"}}
	if !id.MayUseAgent("ada") || id.MayUseAgent("bob") {
		t.Error("a credential for one agent")
	}
	if !(Identity{}).MayUseAgent("bob") {
		t.Error("a credential without a limit")
	}
	if (Identity{Agents: []string{}}).MayUseAgent("bob") {
		t.Error("a credential for no agent")
	}
	if got := id.For("ada", "user:7"); got.Agent != "ada" || got.Owner != "user:7" || got.Workspace != "w" || id.Agent != "" {
		t.Errorf("%+v of %+v", got, id)
	}
}
