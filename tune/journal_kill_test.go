package tune

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// slowSearch writes a line for each fit that it finishes to a file, and takes
// a while for each.
func slowSearch(journal, log string, pace time.Duration) Search[kernel.Vec] {
	c := Candidate[kernel.Vec]{Learner: "slow", Kernel: kernel.Gaussian{},
		Axes: []Axis{{Name: "gaussian.lengthscale", Values: learn.LogSpace(0.25, 4, 8)}, {Name: "shift", Values: []float64{0.1, 1}}},
		Custom: &Custom[kernel.Vec]{
			Params: []kernel.Param{{Name: "shift", Value: 1, Domain: learn.Positive}},
			Fit: func(_ context.Context, k kernel.Kernel[kernel.Vec], params map[string]float64, p learn.Problem[kernel.Vec]) (Predictor[kernel.Vec], error) {
				width := kernel.Values(k)[0]
				if log != "" {
					time.Sleep(pace)
					f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
					if err != nil {
						return nil, err
					}
					fmt.Fprintf(f, "%x %x %x\n", width, params["shift"], p.Y[0])
					f.Close()
				}
				return PredictorFunc[kernel.Vec](func(_ context.Context, x data.Points[kernel.Vec]) (learn.Predictions, error) {
					out := learn.Predictions{Value: make([]float64, x.Len())}
					for i := range out.Value {
						out.Value[i] = math.Sin(width*x.At(i)[0]) + params["shift"]
					}
					return out, nil
				}), nil
			}}}
	return Search[kernel.Vec]{Problem: toy(80, data.Regression, 2), Candidates: []Candidate[kernel.Vec]{c}, Journal: journal, Threads: 1, NoModel: true}
}

// killedSearch runs a search in a process that is killed after every few groups of cells, five times at most;
// it says how often.
func killedSearch(t *testing.T, folder string, pace time.Duration) (kills int) {
	t.Helper()
	journal := filepath.Join(folder, "journal")
	for run := 0; ; run++ {
		child := exec.Command(os.Args[0], "-test.run=^TestJournalOfAKilledProcess$")
		child.Env = append(os.Environ(), "MERCER_KILLED_SEARCH="+folder, "MERCER_KILLED_PACE="+pace.String())
		if err := child.Start(); err != nil {
			t.Skipf("no process can be started here: %v", err)
		}
		done := make(chan error, 1)
		go func() { done <- child.Wait() }()
		// Killed when two more groups of cells are in the journal, at no particular point of the next.
		enough := len(linesOf(journal)) + 2
		var err error
		for ended := false; !ended; {
			select {
			case err = <-done:
				ended = true
			case <-time.After(time.Millisecond):
				if len(linesOf(journal)) >= enough && kills < 5 {
					child.Process.Kill()
					err = <-done
					kills, ended = kills+1, true
				}
			}
		}
		if err == nil {
			return kills
		}
		if run > 20 {
			t.Fatalf("the search never ended: %v", err)
		}
	}
}

func linesOf(file string) []string {
	b, _ := os.ReadFile(file)
	return strings.SplitAfter(string(b), "\n")
}

// A search whose process is killed outright (SIGKILL), again and again, ends with what it
// would have found undisturbed; no cell that had reached the journal is fitted again.
func TestJournalOfAKilledProcess(t *testing.T) {
	if folder := os.Getenv("MERCER_KILLED_SEARCH"); folder != "" {
		pace, _ := time.ParseDuration(os.Getenv("MERCER_KILLED_PACE"))
		if _, err := slowSearch(filepath.Join(folder, "journal"), filepath.Join(folder, "fits"), pace).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := mustRun(t, slowSearch("", "", 0))
	folder, kills := "", 0
	// On a busy machine the search may be over before anybody looks: once more, slower.
	for pace := 2 * time.Millisecond; kills == 0 && pace < time.Second; pace *= 8 {
		folder = t.TempDir()
		kills = killedSearch(t, folder, pace)
	}
	if kills == 0 {
		t.Fatal("no process was killed: this test does not test it")
	}
	journal, fits := filepath.Join(folder, "journal"), filepath.Join(folder, "fits")
	got := mustRun(t, slowSearch(journal, "", 0))
	if got.Resumed != len(want.Cells) || got.Best.String() != want.Best.String() || len(got.Cells) != len(want.Cells) {
		t.Fatalf("%d of %d cells resumed, best %v, want %v", got.Resumed, len(want.Cells), got.Best, want.Best)
	}
	for i, c := range got.Cells {
		if c.String() != want.Cells[i].String() || c.Mean != want.Cells[i].Mean {
			t.Errorf("cell %d: %v %v, want %v %v", i, c, c.Mean, want.Cells[i], want.Cells[i].Mean)
		}
	}
	text, _ := os.ReadFile(journal)
	if n := journalCells(t, bytes.TrimSpace(text)); n != len(want.Cells) {
		t.Errorf("%d cells in the journal, want %d", n, len(want.Cells))
	}
	// Every kill may cost the fits of the one group that was under way: two cells, five folds.
	if done := len(linesOf(fits)) - 1; done < want.Fits || done > want.Fits+10*kills {
		t.Errorf("%d fits in all, of %d and %d kills", done, want.Fits, kills)
	}
}
