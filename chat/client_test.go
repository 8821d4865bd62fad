package chat_test

import (
	"strings"
	"testing"

	"reverie/chat"
	"reverie/memory"
)

func said(role, content string) memory.Message { return memory.Message{Role: role, Content: content} }

// A client that sends the conversation itself gets documents and recalled passages, and nothing that it sends.
func TestMemoryForClients(t *testing.T) {
	w := open(t)
	w.write(grace, "notes/boat.md", "- The boat Heron lies at pier 4.\n")
	w.write(grace, "notes/sail.md", "- The boat Heron has a red sail.\n")
	w.write(grace, memory.MemoryPath, "# Memory\n\n- Grace sails on Sundays.\n")
	ask := func(messages ...memory.Message) chat.Memory {
		t.Helper()
		m, err := w.Memory(t.Context(), as(grace), w.agent, chat.MemoryRequest{Messages: messages})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const question = "At which pier does the boat Heron lie, and what colour has the sail of the boat?"
	m := ask(said(memory.RoleOfSystem, "Be brief."), said(memory.RoleOfUser, question))
	if !strings.Contains(m.Block, "pier 4") || !strings.Contains(m.Block, "red sail") || strings.Contains(m.Instructions, "pier 4") || len(m.Recalled) == 0 {
		t.Errorf("%+v", m)
	}
	if !strings.Contains(m.Instructions, "AGENTS.md") || !strings.Contains(m.Instructions, "sails on Sundays") || len(m.Documents) == 0 || m.Tokens == 0 ||
		strings.Contains(m.Instructions, "[Summary") || strings.Contains(m.Instructions, "memory_search") {
		t.Errorf("%s", m.Instructions)
	}
	m = ask(said(memory.RoleOfUser, "The boat Heron lies at pier 4."), said(memory.RoleOfAssistant, "Noted."), said(memory.RoleOfUser, question))
	if strings.Contains(m.Block, "pier 4") || !strings.Contains(m.Block, "red sail") {
		t.Errorf("it repeats what the client sends: %s", m.Block)
	}
	// A short message is understood with the one before it, and results of tools ask nothing.
	m = ask(said(memory.RoleOfUser, "Tell me about the boat Heron and its sail."), said(memory.RoleOfAssistant, "What?"), said(memory.RoleOfUser, "and now?"),
		said(memory.RoleOfAssistant, ""), said(memory.RoleOfTool, "12:30"))
	if !strings.Contains(m.Block, "red sail") {
		t.Errorf("%q %s", m.Block, m.Skipped)
	}
	if m = ask(said(memory.RoleOfUser, "Hi!")); m.Block != "" || m.Skipped != "trivial" || m.Instructions == "" {
		t.Errorf("%q %s", m.Block, m.Skipped)
	}
	if m = ask(said(memory.RoleOfSystem, "Be brief.")); m.Block != "" || m.Skipped == "" {
		t.Errorf("%q %s", m.Block, m.Skipped)
	}
	off := false
	w.agent.Settings.MemoryEnabled = &off
	if m = ask(said(memory.RoleOfUser, question)); m.Block != "" || m.Skipped != "off" {
		t.Errorf("%q %s", m.Block, m.Skipped)
	}
}
