// Package process lets a program on this machine rank the passages of documents, in place of the built-in index. The program is a
// child of this one; requests and answers are JSON, one a line, over its standard input and output.
package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Operations of the protocol.
const (
	opOpen   = "open"   // the first request
	opPut    = "put"    // passages to be found in a space
	opDelete = "delete" // passages that must no longer be found
	opDrop   = "drop"   // a whole space
	opSearch = "search"
)

// protocol is the version of the protocol.
const protocol = 1

const (
	maxLine  = 1 << 20 // bytes of one answer
	killTime = 2 * time.Second
)

// request is one line to the program.
type request struct {
	ID       int64     `json:"id"`
	Op       string    `json:"op"`
	Protocol int       `json:"protocol,omitempty"`
	Space    string    `json:"space,omitempty"`
	Passages []passage `json:"passages,omitempty"`
	IDs      []string  `json:"ids,omitempty"`
	Query    string    `json:"query,omitempty"`
	Limit    int       `json:"limit,omitempty"`
}

type passage struct {
	ID   string    `json:"id"`
	Path string    `json:"path"`
	Text string    `json:"text"`
	At   time.Time `json:"at,omitzero"`
}

// answer is one line from the program.
type answer struct {
	ID      int64  `json:"id"`
	Error   string `json:"error"`
	Results []struct {
		ID    string  `json:"id"`
		Score float64 `json:"score"`
	} `json:"results"`
}

// Errors of a program.
var (
	errRefused   = errors.New("it has refused a request")
	errMalformed = errors.New("it has answered something else than JSON lines")
	errTooLong   = errors.New("it has answered a line that is too long")
	errEnded     = errors.New("it has ended")
)

// child is a running program. It ends with the first error of its stream, and all its requests with it.
type child struct {
	command *exec.Cmd
	input   io.WriteCloser
	writing sync.Mutex

	mu      sync.Mutex
	last    int64
	waiting map[int64]chan answer
	failed  error // set before ended is closed
	ended   chan struct{}
}

// start starts a program. It sees only the given environment, and its standard error is thrown away: it may quote memory.
func start(command []string, environment []string) (*child, error) {
	c := &child{waiting: map[int64]chan answer{}, ended: make(chan struct{})}
	c.command = exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // the command is the operator's; close ends it
	c.command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, environment...)
	c.command.WaitDelay = killTime
	output, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.input, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	go c.read(output)
	return c, nil
}

// read delivers answers until the stream ends or is broken.
func (c *child) read(output io.Reader) {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, maxLine)
	failed := errEnded
	for lines.Scan() {
		var a answer
		if json.Unmarshal(lines.Bytes(), &a) != nil || !c.deliver(a) {
			failed = errMalformed
			break
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		failed = errTooLong
	}
	c.end(failed)
	_ = c.command.Wait() // how it has ended changes nothing
}

// deliver passes an answer to its request; false: there never was such a request.
func (c *child) deliver(a answer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.ID < 1 || a.ID > c.last {
		return false
	}
	if waiting, found := c.waiting[a.ID]; found { // otherwise nobody waits for it
		delete(c.waiting, a.ID)
		waiting <- a
	}
	return true
}

// end ends the program and its requests. The first error stays.
func (c *child) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return
	}
	c.failed = err
	close(c.ended)
	_ = c.input.Close()
	_ = c.command.Process.Kill() // it may have ended already
}

// ask sends a request and waits for its answer.
func (c *child) ask(ctx context.Context, r request) (answer, error) {
	answered := make(chan answer, 1)
	c.mu.Lock()
	c.last++
	r.ID = c.last
	c.waiting[r.ID] = answered
	c.mu.Unlock()
	line, err := json.Marshal(r)
	if err != nil {
		return answer{}, err
	}
	written := make(chan error, 1)
	go func() { // a program that does not read blocks it until the program ends
		c.writing.Lock()
		defer c.writing.Unlock()
		_, err := c.input.Write(append(line, '\n'))
		written <- err
	}()
	for {
		select {
		case a := <-answered:
			if a.Error != "" {
				return a, errRefused
			}
			return a, nil
		case err := <-written:
			if err != nil {
				c.end(errEnded)
				return answer{}, errEnded
			}
			written = nil
		case <-c.ended:
			return answer{}, c.failed
		case <-ctx.Done():
			c.mu.Lock()
			delete(c.waiting, r.ID)
			c.mu.Unlock()
			return answer{}, ctx.Err()
		}
	}
}
