package prompts

// ChatVersion names the template of a conversation by its content.
var ChatVersion = version("chat", "chat_system.tmpl")

// Chat is the input of chat_system.tmpl.
type Chat struct {
	SummaryPrefix string // how the message begins that sums up earlier turns
	MemoryTools   bool   // the model is offered the tools of its memory
}

// ChatSystem is what stands behind an agent's documents in the system prompt of a conversation: what of all that follows is data,
// and how memory works. It is the same for everyone, so that providers can cache it.
func ChatSystem(c Chat) (string, error) { return render("chat_system.tmpl", c) }
