// Package session gives every command the same access to the API: address, key, agent, owner, and one client that
// retries, reads answers and explains errors.
package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/memory"
)

// KeyFile is the name of the file in the data folder of `reverie dev` that holds its admin key.
const KeyFile = "admin-key"

const defaultURL = "http://127.0.0.1:8080"

// Session holds the flags that commands share.
type Session struct {
	URL, Key, Data string
	Agent          string
	// Owner, or Channel and Sender, or EndUser name the owner of the requested memory; none: shared memory.
	Owner, Channel, Sender, EndUser string
	JSON                            bool // print answers as JSON
	Version                         string
}

// Register adds the shared flags to c and the commands below it.
func (s *Session) Register(c *cobra.Command) {
	f := c.PersistentFlags()
	f.StringVar(&s.URL, "url", cmp.Or(os.Getenv("REVERIE_URL"), defaultURL), "address of the API (REVERIE_URL)")
	f.StringVar(&s.Key, "key", "", "API key (REVERIE_KEY); other users of this machine see it in the process list")
	f.StringVar(&s.Data, "data", "./.reverie", "data folder of reverie dev, whose admin key is used when no other is given")
	f.StringVar(&s.Agent, "agent", os.Getenv("REVERIE_AGENT"), "the agent (REVERIE_AGENT)")
	f.StringVar(&s.Owner, "owner", "", "whose memory, as an owner key such as user:7")
	f.StringVar(&s.Channel, "channel", "", "whose memory: the channel of --sender")
	f.StringVar(&s.Sender, "sender", "", "whose memory: a person of --channel")
	f.StringVar(&s.EndUser, "end-user", "", "whose memory: the id of an end user of your application")
	f.BoolVar(&s.JSON, "json", false, "print the API's answers as JSON")
}

// findKey returns the key and its source: --key, REVERIE_KEY, or the key file of `reverie dev`. No key is not an error:
// some requests need none, and the server refuses the others.
func (s *Session) findKey() (key, source string, err error) {
	if s.Key != "" {
		return s.Key, "--key", nil
	}
	if key := os.Getenv("REVERIE_KEY"); key != "" {
		return key, "REVERIE_KEY", nil
	}
	path := filepath.Join(s.Data, KeyFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	return strings.TrimSpace(string(content)), path, nil
}

// FindKey returns the key that applies; empty: there is none.
func (s *Session) FindKey() (string, error) {
	key, _, err := s.findKey()
	return key, err
}

// NeedAgent returns an error when no agent is named.
func (s *Session) NeedAgent() error {
	if s.Agent == "" {
		return errors.New("name an agent with --agent or REVERIE_AGENT (`reverie memory agents list` shows them)")
	}
	return nil
}

// Person returns the owner that the flags name; empty without one.
func (s *Session) Person() wire.Person {
	return wire.Person{Owner: s.Owner, Channel: s.Channel, Sender: s.Sender, EndUserID: s.EndUser}
}

// NamesOwner reports whether the flags name an owner.
func (s *Session) NamesOwner() bool { return s.Person() != wire.Person{} }

// HasOwner reports whether requests are about an owner: flags name one, or the key is pinned to one.
func (s *Session) HasOwner(ctx context.Context) (bool, error) {
	client, err := s.AgentClient()
	if err != nil {
		return false, err
	}
	_, err = client.ReadFile(ctx, s.Agent, memory.MemoryPath, wire.ReadFileParams{Person: s.Person(), Scope: string(memory.ScopePersonal)})
	refused, is := errors.AsType[*wire.Error](err)
	switch {
	case is && refused.Name == "owner_required":
		return false, nil
	case is && refused.Status == http.StatusNotFound:
		return true, nil
	}
	return err == nil, err
}

// Print writes an answer as JSON with --json, else as text.
func (s *Session) Print(cmd *cobra.Command, raw json.RawMessage, text func(w io.Writer) error) error {
	if s.JSON {
		return output.JSON(cmd.OutOrStdout(), raw)
	}
	return text(cmd.OutOrStdout())
}

// ScopeOf formats a document's scope. That of a document of the leader of the agent's team names the leader.
func (s *Session) ScopeOf(scope, agent string) string {
	if agent == "" || agent == s.Agent {
		return scope
	}
	return scope + " of " + agent
}

// Page holds the flags of lists.
type Page struct {
	Cursor string
	Limit  int
}

// Register adds the flags to c; limit is the default number of items.
func (p *Page) Register(c *cobra.Command, limit int) {
	c.Flags().IntVar(&p.Limit, "limit", limit, "how many")
	c.Flags().StringVar(&p.Cursor, "cursor", "", "continue an earlier list: the cursor printed at its end")
}

// ScopeFlag adds the flag that selects between documents with one path.
func ScopeFlag(c *cobra.Command, scope *string) {
	c.Flags().StringVar(scope, "scope", "",
		"whose document: PERSONAL, TEAM or GLOBAL; empty: the owner's if there is one, else the agent's, else the workspace's")
}

// NeedsArgs accepts from least to most arguments, otherwise the error names the missing ones.
func NeedsArgs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("name %s (see `%s --help`)", what, cmd.CommandPath())
		}
		return nil
	}
}

// suggestionDistance bounds the letters in which a suggested command differs; cobra's default for its first level.
const suggestionDistance = 2

// NeedsCommand makes a command group reject unknown commands; without a command it shows its help.
func NeedsCommand(group *cobra.Command) {
	group.DisableFlagsInUseLine = true
	group.SuggestionsMinimumDistance = suggestionDistance
	group.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		text := fmt.Sprintf("%s has no command %q", cmd.CommandPath(), output.OneLine(args[0], 60))
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			text += "; did you mean " + strings.Join(near, " or ") + "?"
		}
		return fmt.Errorf("%s (see `%s --help`)", text, cmd.CommandPath())
	}
}

// ReadFile reads a file, or stdin for "-".
func ReadFile(stdin io.Reader, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}

// OwnerQuery returns the owner that the flags name as the query of a URL; empty without one.
func (s *Session) OwnerQuery() string {
	q := url.Values{}
	for name, value := range map[string]string{"owner": s.Owner, "channel": s.Channel, "sender": s.Sender, "endUserId": s.EndUser} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q.Encode()
}
