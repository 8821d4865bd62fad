package main

import (
	"fmt"
	"time"

	"reverie/imports"
	"reverie/memory"
)

// begin is the day of the first conversation.
var begin = time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC)

var said = []string{
	"Please remember that the label of box %d is crate %d.",
	"My name is Ada %d, and I moved to the house at number %d.",
	"I have decided to keep plan %d for the garden with %d oaks.",
	"What is the weather like in place %d on day %d?",
	"I like tea of brand %d more than coffee of brand %d.",
}

// conversation is the nth one: an hour of talk, each on a day of its own for its owner.
func (b *bench) conversation(n int) imports.Conversation {
	c := imports.Conversation{
		ID: fmt.Sprintf("bench:%05d", n), Owner: memory.Owner(fmt.Sprintf("user:%d", n%b.owners)), Title: fmt.Sprint("Talk ", n),
	}
	at := begin.AddDate(0, 0, n/b.owners)
	for m := range b.messages {
		message := memory.Message{ID: fmt.Sprintf("%d-%d", n, m), Role: memory.RoleOfUser, CreatedAt: at.Add(time.Duration(m) * 3 * time.Minute)}
		if m%2 == 0 {
			message.Content = fmt.Sprintf(said[(n+m/2)%len(said)], n, m)
		} else {
			message.Role = memory.RoleOfAssistant
			message.Content = "I see. The lamps stay as they are, and the roof is looked at in spring; tell me when that changes."
		}
		c.Messages = append(c.Messages, message)
	}
	return c
}
