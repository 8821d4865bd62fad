// Package chat implements the command to chat with an agent in the terminal.
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

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

// Command returns `reverie chat`.
func Command(s *session.Session) *cobra.Command {
	var conversation, model, speaker string
	c := &cobra.Command{
		Use:   "chat [message]",
		Short: "Talk to an agent, and see which memories it uses",
		Long: "Talk to an agent in the terminal, over the HTTP API of a running Reverie. Answers appear word by word, with the memories they\n" +
			"use; /help lists the commands. Ctrl-C stops an answer, not the program; Ctrl-D ends it.\n\n" +
			"With a message as argument, it is the only one. Without a terminal, each line of standard input is a message.\n" +
			"Without a model (REVERIE_LLM_PROVIDER of the server), answers quote memory, with citations.",
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
	c.Flags().StringVar(&conversation, "conversation", "", "id of a conversation to continue; empty: a new one")
	c.Flags().StringVar(&model, "model", "", "model to use, instead of the agent's")
	c.Flags().StringVar(&speaker, "speaker", "", "where the owner is a group: the person who speaks, such as feishu:ou_1")
	return c
}

// talk is one run of `reverie chat`.
type talk struct {
	*session.Session
	client       *wire.Client
	conversation string
	model        string
	speaker      string // of a group
	out, notes   io.Writer
	person       bool // a person types
	interrupts   <-chan os.Signal

	card       wire.MorningCard // that was shown; without an id: none
	last       lastTurn
	talked     bool // the conversation has a message of this run
	unanswered int  // messages without an answer
	failed     int  // commands that failed
}

// errNoOwner means that no owner is named: memory is kept for each person.
var errNoOwner = errors.New("owner required: --owner user:you (or --channel and --sender, or --end-user)")

func newTalk(cmd *cobra.Command, s *session.Session, conversation, model string) (*talk, error) {
	client, err := s.AgentClient()
	if err != nil {
		return nil, err
	}
	if !s.NamesOwner() {
		return nil, errNoOwner
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

// run talks until the input ends. It handles Ctrl-C itself, so that it does not end the program.
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

// linesOf sends each line of in.
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

// greet checks that the agent exists and prints the usage for interactive users.
func (t *talk) greet(ctx context.Context) error {
	if _, err := t.client.GetAgent(ctx, t.Agent); err != nil {
		if refused, is := errors.AsType[*wire.Error](err); is && refused.Status == http.StatusNotFound {
			return session.WithHint(err, "`reverie memory agents list` shows the agents, `reverie memory agents create "+
				output.OneLine(t.Agent, 63)+"` creates this one")
		}
		return err
	}
	if t.person {
		fmt.Fprintf(t.notes, "Talking to %s, in the conversation %s. /help lists the commands; Ctrl-C stops an answer, Ctrl-D ends.\n",
			t.Agent, t.conversation)
		return t.showCard(ctx)
	}
	return nil
}

// showCard shows the morning card that the person has not seen, and marks it as seen. Without one, it prints nothing.
func (t *talk) showCard(ctx context.Context) error {
	card, err := t.client.MorningCard(ctx, t.Agent, wire.MorningCardParams{Person: t.Person()})
	if refused, is := errors.AsType[*wire.Error](err); is && refused.Status == http.StatusGone {
		return nil
	}
	if err != nil || card.Data.ReportID == "" {
		return err
	}
	fmt.Fprintln(t.notes)
	t.card = card.Data
	if err := t.printCard(t.notes); err != nil {
		return err
	}
	_, err = t.client.SeeMorningCard(ctx, t.Agent, wire.SeeMorningCardParams{Person: t.Person()}, wire.SeenBody{ReportID: card.Data.ReportID})
	return err
}

// loop handles line after line. A second Ctrl-C at an empty line ends it.
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

// errStopped means that the user pressed Ctrl-C.
var errStopped = errors.New("stopped; this answer is not stored")

// take handles a line, prints its error, and reports whether the talk continues.
func (t *talk) take(ctx context.Context, line string) bool {
	quit, err := t.obey(ctx, line)
	switch {
	case err == nil:
		return !quit
	case strings.HasPrefix(strings.TrimSpace(line), "/"):
		t.failed++
	default:
		t.unanswered++
	}
	if errors.Is(err, errStopped) {
		fmt.Fprintln(t.notes, "\n"+err.Error())
	} else {
		fmt.Fprintln(t.notes, output.Emphasised(t.notes, "! ")+err.Error())
	}
	return true
}

// longestTyped is the number of bytes of a line that a Linux terminal passes on. It drops the rest silently.
const longestTyped = 4095

// errCut means that the terminal has cut a line.
var errCut = fmt.Errorf("the terminal limits a line to %d bytes and has cut this one, so it is not sent; "+
	"send a longer message from a file: reverie chat \"$(cat file)\"", longestTyped)

// obey runs a command or sends a message, until Ctrl-C.
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

// interruptible cancels the returned context at Ctrl-C, until release is called.
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
		fmt.Fprintf(t.notes, "\nTo continue this conversation: --conversation %s\n", t.conversation)
	}
}

// verdict returns the error of a non-interactive run in which a command failed.
func (t *talk) verdict() error {
	switch {
	case t.person:
		return nil
	case t.unanswered > 0:
		return fmt.Errorf("%s without an answer", output.Count(t.unanswered, "message"))
	case t.failed > 0:
		return fmt.Errorf("%s failed", output.Count(t.failed, "command"))
	}
	return nil
}
