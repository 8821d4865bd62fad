// Package chat has the command that talks to an agent in the terminal.
package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"reverie/cli/output"
	"reverie/cli/session"
)

// Command returns `reverie chat`: a conversation with an agent, in which its memory is seen at work.
func Command(s *session.Session) *cobra.Command {
	var conversation, model, speaker string
	c := &cobra.Command{
		Use:   "chat [message]",
		Short: "Talk to an agent, and see which memories it uses",
		Long: "Talk to an agent in the terminal, over the HTTP API of a running Reverie. Answers come word by word, with the memories that were used;\n" +
			"/help tells what else there is. Ctrl-C stops an answer and not the program; Ctrl-D ends it.\n\n" +
			"With a message, it is the only one. With standard input that is no terminal, each line is a message.\n" +
			"Without a model (REVERIE_LLM_PROVIDER of the server), answers are what memory holds, with citations.",
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := newTalk(cmd, s, conversation, model)
			if err != nil {
				return err
			}
			t.speaker = speaker
			return t.run(cmd, strings.Join(args, " "))
		},
	}
	s.Register(c)
	c.Flags().StringVar(&conversation, "conversation", "", "id of a conversation to go on with; empty: a new one")
	c.Flags().StringVar(&model, "model", "", "model to ask, in place of the agent's")
	c.Flags().StringVar(&speaker, "speaker", "", "where the owner is a group: the person who speaks, such as feishu:ou_1")
	return c
}

// talk is one run of `reverie chat`.
type talk struct {
	*session.Session
	client       *session.Client
	conversation string
	model        string
	speaker      string // of a group
	out, notes   io.Writer
	person       bool // somebody types
	interrupts   <-chan os.Signal

	last     lastTurn
	talked   bool // the conversation has a message of this run
	unheard  int  // messages without an answer
	commands int  // commands that could not be done
}

// errNoOwner asks who is talking: memory is kept for each person.
var errNoOwner = errors.New("say who is talking: --owner user:you (or --channel and --sender, or --end-user)")

func newTalk(cmd *cobra.Command, s *session.Session, conversation, model string) (*talk, error) {
	if _, err := s.AgentPath(); err != nil {
		return nil, err
	}
	if len(s.OwnerQuery()) == 0 {
		return nil, errNoOwner
	}
	client, err := s.Client()
	if err != nil {
		return nil, err
	}
	if conversation == "" {
		conversation = fmt.Sprintf("cli-%s-%s", time.Now().Format("20060102-150405"), uuid.NewString()[:8])
	}
	typed, isFile := cmd.InOrStdin().(*os.File)
	return &talk{
		Session: s, client: client, conversation: conversation, model: model, out: cmd.OutOrStdout(), notes: cmd.ErrOrStderr(),
		person: isFile && term.IsTerminal(int(typed.Fd())),
	}, nil
}

// run talks until there is nothing more to say. Ctrl-C is the talk's: what main does with it would end the program.
func (t *talk) run(cmd *cobra.Command, message string) error {
	ctx, stop := signal.NotifyContext(context.WithoutCancel(cmd.Context()), syscall.SIGTERM)
	defer stop()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	t.interrupts = interrupts
	t.person = t.person && message == ""
	if err := t.greet(ctx); err != nil {
		return err
	}
	if message != "" {
		_, err := t.obey(ctx, message)
		return err
	}
	t.loop(ctx, linesOf(cmd.InOrStdin()))
	return t.verdict()
}

// linesOf reads lines as they come in.
func linesOf(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for reader := bufio.NewReader(in); ; {
			line, err := reader.ReadString('\n')
			if line != "" {
				lines <- strings.TrimRight(line, "\r\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// greet tells a person with whom they talk, and finds out whether the agent is there.
func (t *talk) greet(ctx context.Context) error {
	path, err := t.AgentPath()
	if err != nil {
		return err
	}
	if _, err := t.client.Call(ctx, session.Request{Method: "GET", Path: path}); err != nil {
		if refused, is := errors.AsType[*session.Error](err); is && refused.Status == http.StatusNotFound {
			refused.Hint = "see `reverie memory agents list`, or make it: `reverie memory agents create " + output.OneLine(t.Agent, 63) + "`"
		}
		return err
	}
	if t.person {
		fmt.Fprintf(t.notes, "Talking to %s, in the conversation %s. /help tells what there is; Ctrl-C stops an answer, Ctrl-D ends.\n", t.Agent, t.conversation)
	}
	return nil
}

// loop takes line after line. A second Ctrl-C in front of an empty line ends it.
func (t *talk) loop(ctx context.Context, lines <-chan string) {
	warned := false
	for {
		if t.person {
			fmt.Fprint(t.notes, "\n"+output.Emphasised(t.notes, "> "))
		}
		select {
		case line, more := <-lines:
			if !more || !t.take(ctx, line) {
				t.farewell()
				return
			}
			warned = false
		case <-t.interrupts:
			if warned || !t.person {
				t.farewell()
				return
			}
			warned = true
			fmt.Fprintln(t.notes, "\nCtrl-C again, Ctrl-D or /quit ends the talk.")
		case <-ctx.Done():
			return
		}
	}
}

// errStopped means that somebody pressed Ctrl-C.
var errStopped = errors.New("stopped; nothing of this answer is kept")

// take does what a line says, tells what failed, and reports whether the talk goes on.
func (t *talk) take(ctx context.Context, line string) bool {
	quit, err := t.obey(ctx, line)
	switch {
	case err == nil:
		return !quit
	case strings.HasPrefix(strings.TrimSpace(line), "/"):
		t.commands++
	default:
		t.unheard++
	}
	if errors.Is(err, errStopped) {
		fmt.Fprintln(t.notes, "\n"+err.Error())
	} else {
		fmt.Fprintln(t.notes, output.Emphasised(t.notes, "! ")+err.Error())
	}
	return true
}

// longestTyped is how many bytes of a line a terminal of Linux passes on. It drops the rest without a word.
const longestTyped = 4095

// errCut means that a line is not what was typed or pasted.
var errCut = fmt.Errorf("the terminal passes on %d bytes of a line and has cut this one, so it is not sent; a longer message may come from a file: reverie chat \"$(cat file)\"", longestTyped)

// obey does what a line says, until a Ctrl-C.
func (t *talk) obey(ctx context.Context, line string) (quit bool, err error) {
	ctx, release := t.interruptible(ctx)
	defer release()
	cut := t.person && len(line) >= longestTyped
	line = strings.TrimSpace(line)
	switch {
	case line == "":
		return false, nil
	case cut:
		return false, errCut
	case strings.HasPrefix(line, "/"):
		quit, err = t.command(ctx, line)
	default:
		err = t.say(ctx, line)
	}
	if err != nil && ctx.Err() != nil {
		err = errStopped
	}
	return quit, err
}

// interruptible ends what is done with ctx at a Ctrl-C, until release is called.
func (t *talk) interruptible(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		select {
		case <-t.interrupts:
			cancel()
		case <-done:
		}
	}()
	return ctx, func() { close(done); cancel() }
}

func (t *talk) farewell() {
	if t.person && t.talked {
		fmt.Fprintf(t.notes, "\nTo go on with this conversation: --conversation %s\n", t.conversation)
	}
}

// verdict is the error with which the command ends when nobody was there to see what failed.
func (t *talk) verdict() error {
	switch {
	case t.person:
		return nil
	case t.unheard > 0:
		return fmt.Errorf("%s without an answer", output.Count(t.unheard, "message"))
	case t.commands > 0:
		return fmt.Errorf("%s could not be done", output.Count(t.commands, "command"))
	}
	return nil
}
