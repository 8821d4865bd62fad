package prompts

// ChatVersion identifies the template of a conversation by a hash of its content.
var ChatVersion = version("chat", "chat_system.tmpl")

// Chat is the input of chat_system.tmpl.
type Chat struct {
	SummaryPrefix string // beginning of the message that summarises earlier turns
	MemoryTools   bool   // the memory tools are offered
	Client        bool   // it follows instructions of the client, which sends the conversation itself
}

// ChatSystem renders the part of a conversation's system text that follows the agent's documents: which of the rest is data, and how
// memory works. It is the same for everyone, so that providers can cache it.
func ChatSystem(c Chat) (string, error) { return render("chat_system.tmpl", c) }
