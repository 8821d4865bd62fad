// Package session gives every command the same access to the API: address, key, agent, owner, and one client that
// retries, reads answers and explains errors.
package session

import (
	"cmp"
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

	"reverie/cli/output"
)

// KeyFile is the name of the file in the data folder of `reverie dev` that holds its admin key.
const KeyFile = "admin-key"

const defaultURL = "http://127.0.0.1:8080"

// Session holds the flags that commands share.
type Session struct {
	URL, Key, Data string
	Agent          string
	// Owner, or Channel and Sender, or EndUser name the owner whose memory a request is about; none: the shared memory.
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

// Client returns a client with the key that applies.
func (s *Session) Client() (*Client, error) {
	key, source, err := s.findKey()
	if err != nil {
		return nil, err
	}
	return newClient(s.URL, key, source, s.Version)
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

// NeedAgent returns an error when no agent is named.
func (s *Session) NeedAgent() error {
	if s.Agent == "" {
		return errors.New("name an agent with --agent or REVERIE_AGENT (`reverie memory agents list` shows them)")
	}
	return nil
}

// AgentClient returns a client for requests about the agent, which must be named.
func (s *Session) AgentClient() (*Client, error) {
	if err := s.NeedAgent(); err != nil {
		return nil, err
	}
	return s.Client()
}

// AgentPath returns the path of a resource of the agent.
func (s *Session) AgentPath(segments ...string) (string, error) {
	if err := s.NeedAgent(); err != nil {
		return "", err
	}
	return "/api/v1/agents" + Path(append([]string{s.Agent}, segments...)...), nil
}

// MemoryPath returns the path of a resource of the agent's memory.
func (s *Session) MemoryPath(segments ...string) (string, error) {
	if err := s.NeedAgent(); err != nil {
		return "", err
	}
	return "/api/v1/memory" + Path(append([]string{s.Agent}, segments...)...), nil
}

// OwnerQuery returns the query parameters that name the owner; empty without an owner.
func (s *Session) OwnerQuery() url.Values {
	q := url.Values{}
	SetQuery(q, "owner", s.Owner)
	SetQuery(q, "channel", s.Channel)
	SetQuery(q, "sender", s.Sender)
	SetQuery(q, "endUserId", s.EndUser)
	return q
}

// HasOwner reports whether requests are about an owner: flags name one, or the key is pinned to one.
func (s *Session) HasOwner(cmd *cobra.Command) (bool, error) {
	path, err := s.AgentPath("workspace", "files", "MEMORY.md")
	if err != nil {
		return false, err
	}
	client, err := s.Client()
	if err != nil {
		return false, err
	}
	query := s.OwnerQuery()
	query.Set("scope", "PERSONAL")
	_, err = client.Call(cmd.Context(), Request{Method: http.MethodGet, Path: path, Query: query})
	refused, is := errors.AsType[*Error](err)
	switch {
	case is && refused.Name == "owner_required":
		return false, nil
	case is && refused.Status == http.StatusNotFound:
		return true, nil
	}
	return err == nil, err
}

// Print writes an answer as JSON with --json, else as text.
func (s *Session) Print(cmd *cobra.Command, a Answer, text func(w io.Writer) error) error {
	if s.JSON {
		return output.JSON(cmd.OutOrStdout(), a.Data)
	}
	return text(cmd.OutOrStdout())
}

// NeedsArgs accepts from least to most arguments, else names what is missing.
func NeedsArgs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("name %s (see `%s --help`)", what, cmd.CommandPath())
		}
		return nil
	}
}

// suggestionDistance is how many letters a suggested command may differ in; cobra's default for its first level.
const suggestionDistance = 2

// NeedsCommand makes a group of commands refuse an unknown one; without any it shows its help.
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

// SetQuery sets a query parameter, unless its value is empty.
func SetQuery(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

// ReadFile reads a file, or stdin for "-".
func ReadFile(stdin io.Reader, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}
