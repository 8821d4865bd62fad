package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/reverie-memory/reverie/client"
)

// A program writes over HTTP; repeating it is harmless.
func ExampleClient_Write() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"code":200,"msg":"success","data":{"requestId":"close-case-41","outcome":"refused","reasonCode":"memory_off"}}`)
	}))
	defer server.Close()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	data, err := client.Data(map[string]any{"id": 41, "solution": "a new fuse"})
	if err != nil {
		fmt.Println(err)
		return
	}
	receipt, err := client.New(server.URL, "rv_…", nil).Write(ctx, client.Request{
		RequestID: "close-case-41", Agent: "ada", Owner: "user:7",
		Target: "memory/cases.md", Strategy: client.ReplaceSection, Content: "## Case {{id}}\n\n- solved: {{solution}}\n", Data: data,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if refused, ok := errors.AsType[*client.RefusedError](receipt.Err()); ok {
		fmt.Println("not written:", refused.ReasonCode)
	}
	// Output: not written: memory_off
}
