package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clockFunctions are how a test comes to depend on the speed of the machine. Cancellation is
// counted in steps, evaluations or looks at the context; budgets by a clock that the test moves; a
// hang is told by the time limit of the tests, or by a watchdog of minutes; how long something
// takes is measured in bench.
var clockFunctions = map[string][]string{
	"time":    {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
	"context": {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"},
}

// clockReaders are the functions of tests that may, with the reason.
var clockReaders = map[string]string{
	"cmd/mercer/internal/cli/script_test.go waitForLines": "waits for what a program writes, with " +
		"a watchdog of minutes",
	"cmd/mercer/internal/cli/stop_test.go start": "looks again for a file; and a while " +
		"more into a phase, at every point of which the same is wanted",
	"cmd/mercer/internal/cli/stop_test.go interrupt": "tells how long the end took; a verdict " +
		"only where MERCER_TIMING asks for it",
	"data/load/throughput_test.go TestMemory":                                  "looks at the memory again and again",
	"data/load/throughput_test.go TestBesidePandas":                            "a measurement that is asked for",
	"internal/engine/linalg/context_test.go TestContextEndsFactorisationsSoon": "a measurement that is asked for",
	"internal/engine/linalg/context_test.go awaitGoroutines": "waits for goroutines to be gone, with " +
		"a watchdog of minutes",
	"internal/files/atomic_test.go TestWriteFileUntilLeavesNothing": "waits for a file to be gone, with a " +
		"watchdog of minutes",
	"internal/host/tls_hostile_test.go TestSlowHeaders": "a client that sends slowly, until it is shown out",
	"tune/better_study_test.go further":                 "a study that is asked for",
	"internal/play/browser/browser_test.go wait":        "looks at a page again and again, with a watchdog of minutes",
	"tune/auto_study_test.go TestStudy":                 "a study that is asked for",
	"tune/auto_study_test.go study":                     "a study that is asked for",
	"tune/budget_data_test.go TestAutoBudgetOnData":     "a measurement that is asked for",
	"tune/journal_kill_test.go slowSearch":              "a process waits to be killed",
	"tune/journal_kill_test.go killedSearch":            "waits for what a process writes",
	"tune/state_kill_test.go TestFitOfAKilledProcess":   "a process waits to be killed",
	"tune/state_kill_test.go killInFit":                 "waits for what a process writes",
}

// No test depends on the clock: the verdict is the same on a busy machine. Benchmarks (bench,
// *_bench_test.go) may; the tests of learn are not looked at yet.
func TestNoTestReadsTheClock(t *testing.T) {
	unused := maps.Clone(clockReaders)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() && (rel == "bench" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && rel != ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(rel, "_test.go") || strings.HasSuffix(rel, "_bench_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, name := range readsClock(f) {
			if _, ok := clockReaders[rel+" "+name]; !ok {
				t.Errorf("%s: %s reads the clock; count steps, or move a clock by hand", rel, name)
			}
			delete(unused, rel+" "+name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("%s does not read the clock, or is gone: take it off the list", name)
	}
}

// readsClock names the functions, and variables outside of any, that do.
func readsClock(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		name := "a variable"
		if fn, ok := d.(*ast.FuncDecl); ok {
			name = fn.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(clockFunctions[x.Name], s.Sel.Name) &&
				!slices.Contains(names, name) {
				names = append(names, name)
			}
			return true
		})
	}
	return names
}

// The rule finds what it looks for, and nothing else.
func TestClockRule(t *testing.T) {
	for code, want := range map[string]int{
		"func f() { if time.Since(start) > time.Second { fail() } }":        1,
		"func f() { took := time.Now().Sub(start); _ = took }":              1,
		"func f() { ctx, _ := context.WithTimeout(parent, time.Second) }":   1,
		"func f() { time.AfterFunc(1, cancel); time.Sleep(2) }":             1,
		"func f() { time.Sleep(2) }\nfunc g() { <-time.After(1) }":          2,
		"var start = time.Now()":                                            1,
		"func f() { wait := time.Minute; _ = time.Duration(3) * wait }":     0,
		"func f() { clock.Now(); ctx, _ := context.WithCancel(parent) }":    0,
		"func f() { p := newPace(clock, time.Second); p.now(); c.Sleep() }": 0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n"+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := readsClock(f); len(got) != want {
			t.Errorf("%s: found %q, want %d", code, got, want)
		}
	}
}
