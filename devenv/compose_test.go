package devenv

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// composeFile is the part of docker-compose.yml that these tests check. Docker itself reads it only in CI; these
// tests run everywhere.
type composeFile struct {
	Services map[string]composeService
	Volumes  map[string]any
	Configs  map[string]struct{ Content string }
}

type composeService struct {
	Image       string
	Build       map[string]any
	Restart     string
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Environment map[string]string
	Healthcheck struct{ Test any }
	Ports       []string
	Volumes     []string
	Configs     []struct{ Source, Target string }
}

// isLasting reports whether the service is meant to stay up, by its restart policy.
func (s composeService) isLasting() bool { return s.Restart == "unless-stopped" }

func readCompose(t *testing.T) composeFile {
	t.Helper()
	content, err := os.ReadFile("../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var compose composeFile
	if err := yaml.Unmarshal(content, &compose); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"postgres", "temporal", "temporal-ui", "migrate", "api", "worker"} {
		if _, ok := compose.Services[name]; !ok {
			t.Fatalf("the service %s is missing", name)
		}
	}
	return compose
}

// pinned matches an image with the version of one release.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9-]+)?$`)

func TestComposePinsItsImages(t *testing.T) {
	for name, service := range readCompose(t).Services {
		if service.Build == nil && !pinned.MatchString(service.Image) {
			t.Errorf("%s: the image %q names no release", name, service.Image)
		}
	}
	dockerfile, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	bases := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(string(dockerfile), -1)
	if len(bases) < 2 {
		t.Fatalf("the Dockerfile has %d stages", len(bases))
	}
	for _, base := range bases {
		if base[1] != "scratch" && !pinned.MatchString(base[1]) {
			t.Errorf("Dockerfile: the image %q names no release", base[1])
		}
	}
}

// The same Go and the same PostgreSQL everywhere.
func TestComposeAgreesWithTheRest(t *testing.T) {
	module, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	dockerfile, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(module)
	if release == nil || !strings.Contains(string(dockerfile), "golang:"+string(release[1])+"-") {
		t.Errorf("the Dockerfile builds with another Go than go.mod's %s", release)
	}
	if image := readCompose(t).Services["postgres"].Image; !strings.Contains(image, fmt.Sprintf("-pg%d", recommendedMajor)) {
		t.Errorf("the image %s is not of PostgreSQL %d, which errors recommend", image, recommendedMajor)
	}
}

func TestComposeChecksLastingServices(t *testing.T) {
	compose := readCompose(t)
	for name, service := range compose.Services {
		awaited := false
		for _, other := range compose.Services {
			awaited = awaited || other.DependsOn[name].Condition == "service_completed_successfully"
		}
		switch {
		case service.isLasting() && service.Healthcheck.Test == nil:
			t.Errorf("%s stays up without a health check", name)
		case !service.isLasting() && !strings.HasPrefix(service.Restart, "on-failure"):
			t.Errorf("%s: restart %q is neither a server's nor a one-shot's", name, service.Restart)
		case !service.isLasting() && !awaited:
			t.Errorf("nobody waits for the end of the one-shot %s, so that `up --wait` would take its end for a failure", name)
		}
		for other, wait := range service.DependsOn {
			want := "service_completed_successfully"
			if compose.Services[other].isLasting() {
				want = "service_healthy"
			}
			if _, ok := compose.Services[other]; !ok || wait.Condition != want {
				t.Errorf("%s waits for %s with %q; want %q", name, other, wait.Condition, want)
			}
		}
	}
}

func TestComposeDeclaresWhatItUses(t *testing.T) {
	compose := readCompose(t)
	for name, service := range compose.Services {
		for _, volume := range service.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if _, ok := compose.Volumes[source]; !ok {
				t.Errorf("%s: the volume %s is not a named one", name, volume)
			}
		}
		for _, config := range service.Configs {
			if compose.Configs[config.Source].Content == "" {
				t.Errorf("%s: the config %s is not there", name, config.Source)
			}
		}
	}
}

func TestComposeOpensNothingByDefault(t *testing.T) {
	for name, service := range readCompose(t).Services {
		for _, port := range service.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s: port %s is open to other machines", name, port)
			}
		}
		for variable, value := range service.Environment {
			secret := regexp.MustCompile(`PASSWORD|PWD|_KEY$|DATABASE_URL`).MatchString(variable)
			if secret && !strings.Contains(value, ":?") && !strings.HasSuffix(value, ":-}") {
				t.Errorf("%s: %s has a value that everybody can read", name, variable)
			}
		}
	}
}

// The variables are those that Reverie reads; docs/configuration.md is generated from its configuration.
func TestComposeSetsWhatReverieReads(t *testing.T) {
	table, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	known := regexp.MustCompile(`REVERIE_[A-Z_]+`).FindAllString(string(table), -1)
	compose := readCompose(t)
	for _, name := range []string{"migrate", "api", "worker"} {
		environment := compose.Services[name].Environment
		for variable := range environment {
			if !slices.Contains(known, variable) {
				t.Errorf("%s: Reverie does not read %s", name, variable)
			}
		}
		for _, needed := range []string{
			"REVERIE_DATABASE_URL", "REVERIE_TEMPORAL_ADDRESS", "REVERIE_ADMIN_KEY", "REVERIE_LLM_PROVIDER",
			"REVERIE_ENCRYPTION_KEYS",
		} {
			if _, ok := environment[needed]; !ok {
				t.Errorf("%s: %s is not passed on", name, needed)
			}
		}
	}
}

func TestTaskfileDescribesItsVerbs(t *testing.T) {
	content, err := os.ReadFile("../Taskfile.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Tasks map[string]struct {
			Desc string
			Cmds []any
		}
	}
	if err := yaml.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"dev", "test", "lint", "bench", "generate", "ci"} {
		if _, ok := file.Tasks[verb]; !ok {
			t.Errorf("the verb %s is missing", verb)
		}
	}
	for name, task := range file.Tasks {
		if task.Desc == "" || len(task.Cmds) == 0 {
			t.Errorf("%s says not what it does, or does nothing", name)
		}
	}
}

// ciJob is a job of the workflow.
type ciJob struct {
	Env   map[string]string
	Steps []struct {
		Uses, Run string
		With      map[string]any
	}
}

// jobsThatRun returns the jobs of CI that run a command.
func jobsThatRun(t *testing.T, command string) (found []ciJob) {
	t.Helper()
	content, err := os.ReadFile("../.github/workflows/ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct{ Jobs map[string]ciJob }
	if err := yaml.Unmarshal(content, &workflow); err != nil {
		t.Fatal(err)
	}
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			if strings.HasPrefix(step.Run, command) {
				found = append(found, job)
				break
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("no job runs %s", command)
	}
	return found
}

// CI sets every variable without which Compose does not start.
func TestCISetsWhatComposeDemands(t *testing.T) {
	content, err := os.ReadFile("../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	demanded := regexp.MustCompile(`\$\{([A-Z_]+):\?`).FindAllStringSubmatch(string(content), -1)
	if len(demanded) == 0 {
		t.Fatal("Compose demands nothing")
	}
	for _, job := range jobsThatRun(t, "docker compose up") {
		for _, variable := range demanded {
			if job.Env[variable[1]] == "" {
				t.Errorf("%s is not set", variable[1])
			}
		}
	}
}

// Tests build a former release from the history, which a checkout leaves out by default.
func TestCIHasTheHistory(t *testing.T) {
	for _, job := range jobsThatRun(t, ".ci/run") {
		for _, step := range job.Steps {
			if strings.HasPrefix(step.Uses, "actions/checkout@") && fmt.Sprint(step.With["fetch-depth"]) != "0" {
				t.Errorf("the checkout has fetch-depth %v", step.With["fetch-depth"])
			}
		}
	}
}

// An action is pinned by its commit: a tag can be moved.
func TestWorkflowActionsArePinned(t *testing.T) {
	content, err := os.ReadFile("../.github/workflows/ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	var parsed map[string]any
	if err := yaml.Unmarshal(content, &parsed); err != nil {
		t.Fatal(err)
	}
	uses := regexp.MustCompile(`uses: (\S+)`).FindAllStringSubmatch(string(content), -1)
	if len(uses) == 0 || !strings.Contains(string(content), "run: .ci/run") {
		t.Error("the workflow does not run .ci/run")
	}
	for _, action := range uses {
		if !regexp.MustCompile(`@[0-9a-f]{40}$`).MatchString(action[1]) {
			t.Errorf("%s is not pinned to a commit", action[1])
		}
	}
}
