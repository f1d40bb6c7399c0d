package archtest

import (
	"os/exec"
	"strings"
	"testing"
)

// The plain program is static: what loads libraries at run time is there with the tag cuda alone.
func TestPlainProgramLoadsNoLibraries(t *testing.T) {
	for tags, want := range map[string]bool{"": false, "cuda": true} {
		c := exec.Command("go", "list", "-deps", "-tags", tags, "./cmd/mercer")
		c.Dir = "../.."
		c.Env = append(c.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(out), "ebitengine/purego"); got != want {
			t.Errorf("tags %q: purego is there: %v", tags, got)
		}
	}
}
