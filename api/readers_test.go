package api_test

import "reverie/memory"

// reader holds a caller that reads what was made of the memory of the person 42.
type reader struct {
	name, key, query string
	whole            bool // with words and owner; else times, counts and outcomes
	items            int  // how many of one there are to see
}

// readers returns one reader of each kind.
func (h *harness) readers() []reader {
	h.t.Helper()
	viewer, member := h.key("viewer", memory.RoleViewer, ""), h.key("member", memory.RoleMember, "")
	pinned, stranger := h.key("pinned", memory.RoleViewer, "api:42"), h.key("stranger", memory.RoleViewer, "api:43")
	return []reader{
		{"viewer", viewer, "", false, 1},
		{"member", member, "", false, 1},
		{"member naming the owner", member, "?endUserId=42", true, 1},
		{"member naming another", member, "?endUserId=43", true, 0},
		{"pinned", pinned, "", true, 1},
		{"stranger", stranger, "", true, 0},
		{"admin", h.admin, "", true, 1},
	}
}
