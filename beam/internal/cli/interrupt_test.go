//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestInterrupt: Ctrl-C in the middle of a job ends the program with 130, without a model and
// without the folder of the job. The job cannot end before: one of its shards is a pipe that nobody
// writes to.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	writeShards(t, filepath.Join(dir, "rows"), 2, 30)
	if err := syscall.Mkfifo(filepath.Join(dir, "rows", "part-9.csv"), 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	c := exec.Command(os.Args[0], "fit", "rows/*", "--target", "y", "--ignore", "kind", "--missing", "mean", "--output",
		"m.mercer")
	c.Dir, c.Env = dir, append(os.Environ(), "MERCER_BEAM_PROGRAM=1")
	said, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c.Stdout = &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines, all := bufio.NewScanner(said), ""
	for lines.Scan() {
		if all += lines.Text() + "\n"; strings.Contains(lines.Text(), "looking through 3 shards") {
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = c.Wait()
	if status := c.ProcessState.ExitCode(); status != 130 || !strings.Contains(all, "interrupted") {
		t.Errorf("status %d\n%s%s", status, out.String(), all)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "rows" {
		t.Errorf("left: %v, %v", left, err)
	}
}
