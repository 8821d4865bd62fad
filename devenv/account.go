package devenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the operating system user that a PostgreSQL server runs as. PostgreSQL refuses to run as root; so when this
// process is root, the server gets an ordinary user. A nil account is this process's own user.
type account struct {
	name     string
	uid, gid int
}

// serverAccounts are the users that a root process may lend to its server, best first: those that PostgreSQL's packages
// make, then the one that every Unix has.
var serverAccounts = []string{"postgres", "_postgres", "nobody"}

// newServerAccount chooses the account for a new cluster.
func newServerAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range serverAccounts {
		if found, err := user.Lookup(name); err == nil {
			return accountOf(found)
		}
	}
	return nil, fmt.Errorf("PostgreSQL does not run as root, and none of the users %q exists: run as an ordinary user", serverAccounts)
}

// ownerAccount is the account of an existing cluster: whoever owns its data runs its server.
func ownerAccount(data string) (*account, error) {
	info, err := os.Stat(data)
	if err != nil {
		return nil, err
	}
	uid := os.Geteuid()
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		uid = int(stat.Uid)
	}
	if uid == os.Geteuid() && uid != 0 {
		return nil, nil
	}
	owner, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return nil, fmt.Errorf("find the owner of %s: %w", data, err)
	}
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("the cluster %s belongs to user %q: start it as that user or as root, or choose another folder", data, owner.Username)
	}
	if uid == 0 {
		return nil, fmt.Errorf("the cluster %s belongs to root, as which PostgreSQL does not run", data)
	}
	return accountOf(owner)
}

func accountOf(u *user.User) (*account, error) {
	uid, uidErr := strconv.Atoi(u.Uid)
	gid, gidErr := strconv.Atoi(u.Gid)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return nil, fmt.Errorf("user %s: %w", u.Username, err)
	}
	return &account{name: u.Username, uid: uid, gid: gid}, nil
}

// become has cmd run as the account.
func (a *account) become(cmd *exec.Cmd) {
	if a == nil {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{
		Uid: uint32(a.uid), Gid: uint32(a.gid),
	}
}

// own gives a file to the account.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// reaches says whether the account can enter a folder. Whether it can depends on every folder above it, on access lists
// and on mounts; so the account tries.
func (a *account) reaches(ctx context.Context, folder string) bool {
	if a == nil {
		return true
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `cd -- "$1"`, "sh", folder)
	cmd.Dir = "/"
	a.become(cmd)
	return cmd.Run() == nil
}
