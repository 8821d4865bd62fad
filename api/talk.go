package api

import (
	"reverie/chat"
)

// talkRoom serves conversations: messages, turns, contexts, extractions and compactions.
type talkRoom struct {
	*kernel
	turns *chat.Service
}

// registerTalk adds the operations about conversations.
func registerTalk(k *kernel) {
	s := &talkRoom{kernel: k}
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
