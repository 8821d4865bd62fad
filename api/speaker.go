package api

import "reverie/memory"

// SpeakerParam names who speaks where the owner is a group.
type SpeakerParam struct {
	Speaker string `query:"speaker" maxLength:"128" doc:"Who speaks, where the owner is a group: MEMORY.md is then written in the section of that person only." example:"feishu:ou_1"`
}

// speakerOf checks the id of who speaks.
func speakerOf(id, location string) (memory.Owner, error) {
	if id == "" {
		return memory.NoOwner, nil
	}
	person, err := memory.ParsePerson(id)
	if err != nil {
		return memory.NoOwner, invalidAt(location, "%s", err)
	}
	return person, nil
}
