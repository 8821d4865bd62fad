package talk

import (
	"reverie/api/rest"
	"reverie/chat"
)

// talkRoom serves conversations: messages, turns, contexts, extractions and compactions.
type talkRoom struct {
	*rest.Server
	turns *chat.Service
}

// Register adds the operations about conversations.
func Register(k *rest.Server) {
	s := &talkRoom{Server: k}
	s.turns = s.chatService()
	s.conversationRoutes()
	s.messageRoutes()
	s.summarizeRoutes()
	s.extractionRoutes()
	s.chatRoutes()
	s.contextRoutes()
	s.compactionRoutes()
	s.rememberRoutes()
	s.toolRoutes()
}
