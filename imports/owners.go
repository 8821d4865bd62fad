package imports

import "reverie/memory"

// Owners says whose the things of a source are. The zero value leaves things without a person to whoever imports, and
// makes owners of the source's own ids.
type Owners struct {
	// Default is the owner of what the source says no person of; memory.NoOwner: nobody.
	Default memory.Owner
	// Shared moves documents without a person into the memory that everybody reads who uses the agent.
	Shared bool
	// Map says who a person of the source is: by the source's id, or by the owner that it would become.
	Map map[string]memory.Owner
}

// of returns the owner for a person of the source: an id that is an owner key already stays what it is, others get the prefix.
// An id that cannot be a part of an owner key gives no owner.
func (o Owners) of(prefix, id string) (memory.Owner, bool) {
	if id == "" {
		return o.Default, true
	}
	if to, mapped := o.Map[id]; mapped {
		return to, true
	}
	owner, err := memory.ParseOwner(id)
	if err != nil || owner == memory.SystemOwner {
		owner, err = memory.ParseOwner(prefix + ":" + id)
	}
	if to, mapped := o.Map[string(owner)]; mapped && err == nil {
		return to, true
	}
	return owner, err == nil
}

const reasonOwner = "its person cannot be an owner here: say who it is with an owner map"
