package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// interruption is a command line and the moment at which Ctrl-C comes: when all of its input is
// taken, or its journal has some lines, and the phase has begun. A while more makes it the middle
// of the phase; what is wanted is the same there.
type interruption struct {
	phase  string
	args   []string
	rows   int           // of big.csv
	stdin  string        // repeated until the program has begun to read; the pipe stays open
	fed    string        // a pipe in the place of a file: training begins when all rows are read
	begun  string        // what the name of a file begins with, which shows it
	lines  int           // of the journal, which show it
	wait   time.Duration // after that
	says   string
	also   string    // what it may say in place of that, with the same files
	or     string    // what it says where there was no time for a first model
	leaves []string  // files, beside what was there before, where it says the first
	resume bool      // the same command again goes on
	signal os.Signal // nil: that of Ctrl-C
	screen bool      // in a terminal
	long   bool
	hasty  bool // the patience of the program is nothing: what is written does not depend on it
}

// Ctrl-C ends the program whatever it is doing: the work heeds it, for nothing else ends it here
// within ten minutes (a read of a pipe does not, and is abandoned); and it says what is kept. That
// it takes no longer than a second is the patience of Main, and measured where MERCER_TIMING asks
// for it.
func TestInterrupt(t *testing.T) {
	const again = "the same command again goes on"
	found := []string{"model.mercer", "model.mercer.journal", "model.report.html"}
	slowFit := []string{"fit", "big.csv", "--time", "5m", "--learner", "svm", "--kernel", "gaussian(lengthscale=1)",
		"--grid", "C=30", "--grid", "lengthscale=1", "--grid", "epsilon=0.01", "--folds", "2"}
	train := func(more ...string) []string {
		return append(append([]string{"svm-train"}, more...), "-s", "3", "-c", "1000", "-g", "10", "-e", "1e-9", "big.libsvm")
	}
	const nothing = "stopped; nothing was written"
	for _, c := range []interruption{
		{phase: "reading", args: []string{"fit", "-"}, stdin: "x,y\n1,2\n", says: nothing},
		{phase: "reading, ended by the system", args: []string{"fit", "-"}, stdin: "x,y\n1,2\n", signal: syscall.SIGTERM,
			says: nothing},
		{phase: "searching, ended by the system", args: []string{"fit", "friedman1", "--time", "5m"}, lines: 3,
			signal: syscall.SIGTERM, says: again, leaves: found},
		{phase: "predicting", args: []string{"predict", "m.mercer", "-"}, stdin: "x0,x1,x2,x3,x4\n1,1,1,1,1\n",
			says: "stopped"},
		{phase: "predicting to a file", args: []string{"predict", "m.mercer", "big.csv", "-o", "p.csv"}, rows: 400_000,
			begun: ".p.csv", says: nothing, long: true},
		{phase: "searching", args: []string{"fit", "friedman1", "--time", "5m"}, lines: 3, wait: 100 * time.Millisecond,
			says: again, leaves: found, resume: true},
		{phase: "searching on a machine that is too busy", args: []string{"fit", "friedman1", "--time", "5m"}, lines: 3,
			hasty: true, says: again, leaves: found},
		{phase: "searching on a terminal", args: []string{"fit", "friedman1", "--time", "5m"}, lines: 3,
			wait: 100 * time.Millisecond, says: again, leaves: found, screen: true},
		{phase: "searching thousands of rows", args: []string{"fit", "big.csv", "--time", "5m"}, rows: 8000, lines: 2,
			wait: 2 * time.Second, says: again, long: true},
		{phase: "searching before a path has ended", args: []string{"fit", "big.csv", "--time", "5m"}, rows: 8000, lines: 1,
			wait: 600 * time.Millisecond, says: again, also: "searches from the start", or: "nothing is kept",
			leaves: []string{"model.mercer", "model.report.html"}},
		{phase: "the last fit", args: slowFit, rows: 8000, lines: 2, wait: 300 * time.Millisecond, says: again, long: true},
		{phase: "the last fit on a terminal", args: slowFit, rows: 8000, lines: 2, wait: 300 * time.Millisecond, says: again,
			screen: true, long: true},
		{phase: "svm-train", args: train(), rows: 3000, fed: "big.libsvm", wait: 100 * time.Millisecond, says: nothing},
		{phase: "svm-train on a terminal", args: train(), rows: 3000, fed: "big.libsvm", wait: 100 * time.Millisecond,
			says: nothing, screen: true},
		{phase: "svm-train -v", args: train("-v", "5"), rows: 3000, fed: "big.libsvm", wait: 100 * time.Millisecond,
			says: nothing},
	} {
		t.Run(c.phase, func(t *testing.T) {
			if c.long && testing.Short() {
				t.Skip("takes some seconds")
			}
			if c.screen {
				needsTerminal(t)
			}
			dir := t.TempDir()
			if c.args[0] == "predict" {
				writeRows(t, filepath.Join(dir, "small.csv"), 40)
				run(t, dir, "fit", "small.csv", "-q", "--learner", "ridge", "--grid", "lambda=1", "--grid", "lengthscale=1",
					"--report", "none", "-o", "m.mercer")
			}
			if c.rows > 0 {
				writeRows(t, filepath.Join(dir, "big.csv"), c.rows)
			}
			if c.fed != "" {
				run(t, dir, "data", "big.csv", "--target", "y", "--convert", "rows.libsvm", "--to", "libsvm")
				if err := exec.Command("mkfifo", filepath.Join(dir, c.fed)).Run(); err != nil {
					t.Skipf("no named pipes here: %v", err)
				}
			}
			c.interrupt(t, dir, c.lines)
			if c.resume {
				if said := c.interrupt(t, dir, c.lines+1); !strings.Contains(said, "resumed: ") {
					t.Errorf("the same command does not go on where it stopped:\n%s", said)
				}
			}
		})
	}
}

// start runs the program until its phase has begun, and a while more.
func (c interruption) start(t *testing.T, dir string, lines int, said io.Writer) (cmd *exec.Cmd, in io.Writer) {
	cmd = exec.Command("mercer", c.args...)
	if c.screen {
		cmd = onScreen(c.args)
	}
	patience := "10m"
	if c.stdin != "" {
		patience = "50ms" // nothing but the end of the program ends the wait for a pipe
	}
	if c.hasty {
		patience = "1ns"
	}
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "MERCER_TEST_PATIENCE="+patience)
	if os.Getenv("MERCER_TIMING") != "" {
		cmd.Env = os.Environ()
	}
	cmd.Stdout, cmd.Stderr = said, said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if header, row, ok := strings.Cut(c.stdin, "\n"); ok {
		// More than a pipe holds: when all of it is written, most is read.
		if _, err := io.WriteString(in, header+"\n"+strings.Repeat(row, 1<<20/len(row))); err != nil {
			t.Fatal(err)
		}
	}
	if c.fed != "" {
		rows, err := os.ReadFile(filepath.Join(dir, "rows.libsvm"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, c.fed), rows, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if lines > 0 && !waitForLines(filepath.Join(dir, "model.mercer.journal"), lines) {
		t.Fatalf("the journal never had %d lines", lines)
	}
	for c.begun != "" && !slices.ContainsFunc(list(t, dir),
		func(name string) bool { return strings.HasPrefix(name, c.begun) }) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(c.wait)
	return cmd, in
}

// interrupt starts the program, interrupts it, and returns what it said.
func (c interruption) interrupt(t *testing.T, dir string, lines int) string {
	before := list(t, dir)
	var said strings.Builder
	cmd, in := c.start(t, dir, lines, &said)
	var err error
	begun := time.Now()
	if c.screen {
		_, err = io.WriteString(in, "\x03") // the terminal makes a signal of it
	} else {
		err = cmd.Process.Signal(cmp.Or(c.signal, os.Interrupt))
	}
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	took := time.Since(begun)
	t.Logf("ended after %v:\n%s", took.Round(time.Millisecond), said.String())
	if os.Getenv("MERCER_TIMING") != "" && took > time.Second {
		t.Errorf("took %v to end; want at most a second", took)
	}
	if cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("exit code %d (%v); want %d", cmd.ProcessState.ExitCode(), err, exitInterrupted)
	}
	first := strings.Contains(said.String(), c.says) || c.also != "" && strings.Contains(said.String(), c.also)
	if !first && (c.or == "" || !strings.Contains(said.String(), c.or)) {
		t.Errorf("it does not say %q", c.says)
	}
	c.checkFiles(t, dir, before, first)
	return said.String()
}

// checkFiles looks for what should be there, and for unfinished files.
func (c interruption) checkFiles(t *testing.T, dir string, before []string, kept bool) {
	after := list(t, dir)
	for _, name := range after {
		if strings.HasPrefix(name, ".") || (c.leaves == nil && !strings.HasPrefix(c.args[0], "fit") || !kept) &&
			!slices.Contains(before, name) {
			t.Errorf("left %s behind", name)
		}
	}
	for _, name := range c.leaves {
		if kept && !slices.Contains(after, name) {
			t.Errorf("there is no %s: %q", name, after)
		}
	}
}

// Work that does not heed Ctrl-C is abandoned when the patience is over, and what is kept is said.
func TestInterruptAbandonsWork(t *testing.T) {
	if os.Getenv("MERCER_ABANDON") == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestInterruptAbandonsWork$")
		child.Env = append(os.Environ(), "MERCER_ABANDON=1")
		said, err := child.CombinedOutput()
		if child.ProcessState.ExitCode() != exitInterrupted ||
			!strings.Contains(string(said), "stopped; nothing was written") {
			t.Errorf("%v:\n%s", err, said)
		}
		return
	}
	// A reader that interrupts its own program and then never returns.
	os.Exit(mainWith(func() time.Duration { return time.Millisecond }, []string{"mercer", "fit", "-"}, deafReader{},
		os.Stdout, os.Stderr))
}

type deafReader struct{}

func (deafReader) Read([]byte) (int, error) {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Signal(os.Interrupt)
	}
	if err != nil {
		return 0, err
	}
	select {}
}

// A verb has no more than a second to wind up, whatever memory the system has to take back.
func TestPatience(t *testing.T) {
	if d := patience(); d < 400*time.Millisecond || d > 800*time.Millisecond {
		t.Errorf("the patience is %v", d)
	}
}

// needsTerminal skips a test where no terminal can be made: the program "script" is missing, or the
// system has no pseudo-terminals (a bare root).
func needsTerminal(t *testing.T) {
	if text, err := exec.Command("script", "-qefc", "true", os.DevNull).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: the program \"script\" makes no terminal here: %v %s", err, text)
	}
}

// onScreen is the program in a terminal of 80 columns that reads what is typed
// from the command's standard input.
func onScreen(args []string) *exec.Cmd {
	quoted := "stty cols 80 2>/dev/null; exec mercer"
	for _, a := range args {
		quoted += " '" + a + "'"
	}
	return exec.Command("script", "-qefc", quoted, os.DevNull)
}

// list names the files in a folder.
func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// writeRows writes a regression of five columns with noise.
func writeRows(t *testing.T, path string, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("x0,x1,x2,x3,x4,y\n")
	for range n {
		y := rng.NormFloat64()
		for range 5 {
			x := rng.Float64()
			y += math.Sin(9 * x)
			fmt.Fprintf(&b, "%.6f,", x)
		}
		fmt.Fprintf(&b, "%.6f\n", y)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// run runs the program to its end and returns what it said.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("mercer", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("mercer %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
