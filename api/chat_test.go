package api_test

const chatPath = "/api/v1/chat"
