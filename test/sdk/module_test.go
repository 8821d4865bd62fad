package sdk

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The path of the Go client, and the version that the test publishes.
const (
	module  = "github.com/reverie-memory/reverie/client"
	version = "v0.0.1"
)

// program uses the client as its users do.
const program = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/reverie-memory/reverie/client"
	"github.com/reverie-memory/reverie/client/wire"
)

func main() {
	ctx, owner := context.Background(), "user:gopher"
	memory := client.New(os.Getenv("REVERIE_URL"), os.Getenv("REVERIE_KEY"), nil)
	if _, err := memory.Remember(ctx, "ada", wire.RememberParams{}, wire.RememberBody{Owner: owner, Text: "My boat is called Heron."}); err != nil {
		panic(err)
	}
	found, err := memory.SearchMemory(ctx, "ada", wire.SearchMemoryParams{}, wire.SearchBody{Owner: owner, Query: "What is the boat called?"})
	if err != nil {
		panic(err)
	}
	fmt.Println(found.Data.Results[0].Snippet)
}
`

// tryGo fetches the Go client from a module proxy into a new module, and runs a program with it.
func tryGo(t *testing.T, env []string) {
	t.Helper()
	work := t.TempDir()
	publish(t, filepath.Join(work, "proxy"))
	user := filepath.Join(work, "user")
	if err := os.Mkdir(user, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(user, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	// The modules that this one has are taken from the cache, which is a proxy too.
	known := strings.Fields(run(t, ".", nil, "go", "env", "GOMODCACHE", "GOPROXY"))
	proxies := []string{"file://" + filepath.Join(work, "proxy"), "file://" + filepath.Join(known[0], "cache", "download"), known[1]}
	env = append(slices.Clone(env), "GOPROXY="+strings.Join(proxies, ","), "GONOSUMDB="+module, "GOMODCACHE="+filepath.Join(work, "modules"),
		"GOFLAGS=-trimpath -modcacherw", "GOWORK=off")
	run(t, user, env, "go", "mod", "init", "example.com/user")
	run(t, user, env, "go", "get", module+"@"+version)
	if out := run(t, user, env, "go", "run", "."); !strings.Contains(out, "Heron") {
		t.Error(out)
	}
	var foreign []string
	for path := range strings.FieldsSeq(run(t, user, env, "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")) {
		if !strings.HasPrefix(path, module) && path != "example.com/user" {
			foreign = append(foreign, path)
		}
	}
	if want := []string{"github.com/google/uuid", "github.com/oapi-codegen/nullable"}; !slices.Equal(foreign, want) {
		t.Errorf("a program gets %q with the client, want %q", foreign, want)
	}
}

// publish writes the module as a proxy serves it.
func publish(t *testing.T, proxy string) {
	t.Helper()
	const source = "../../client"
	var zipped bytes.Buffer
	archive := zip.NewWriter(&zipped)
	err := fs.WalkDir(os.DirFS(source), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(source, path))
		if err != nil {
			return err
		}
		w, err := archive.Create(module + "@" + version + "/" + path)
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	})
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": []byte(`{"Version":"` + version + `"}`), version + ".mod": mod, version + ".zip": zipped.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
