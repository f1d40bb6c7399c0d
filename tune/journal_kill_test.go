package tune

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// slowSearch writes a line for each fit that it finishes to a file. After some fits it
// says so in another file and goes no further; 0: never.
func slowSearch(journal, log string, hold int) Search {
	done := 0
	c := Candidate{Learner: "slow", Kernel: vec(kernel.Gaussian{}),
		Axes: []Axis{{Name: "gaussian.lengthscale", Values: learn.LogSpace(0.25, 4, 8)},
			{Name: "shift", Values: []float64{0.1, 1}}},
		Custom: &Custom{
			Params: []kernel.Param{{Name: "shift", Value: 1, Domain: fitting.Positive}},
			Fit: func(_ context.Context, k kernel.Kernel[any], params map[string]float64, p learn.Problem[any]) (Predictor,
				error) {
				width := kernel.Values(k)[0]
				if log != "" {
					if done++; done == hold {
						if err := os.WriteFile(log+".held", nil, 0o666); err != nil {
							return nil, err
						}
						time.Sleep(10 * time.Minute) // to be killed
					}
					f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
					if err != nil {
						return nil, err
					}
					fmt.Fprintf(f, "%x %x %x\n", width, params["shift"], p.Y[0])
					f.Close()
				}
				return PredictorFunc(func(_ context.Context, x data.Points[any]) (learn.Predictions, error) {
					out := learn.Predictions{Value: make([]float64, x.Len())}
					for i := range out.Value {
						out.Value[i] = math.Sin(width*x.At(i).(kernel.Vec)[0]) + params["shift"]
					}
					return out, nil
				}), nil
			}}}
	return Search{Problem: toy(80, data.Regression, 2), Candidates: []Candidate{c}, Journal: journal, Threads: 1,
		NoModel: true}
}

// killedSearch runs a search in a process that is killed after a group of cells and some fits of
// the next, five times at other fits, and then left to its end.
func killedSearch(t *testing.T, folder string) (kills int) {
	t.Helper()
	held := filepath.Join(folder, "fits.held")
	for kills = 0; kills <= 5; kills++ {
		hold := 11 + 2*kills // of ten fits for a group
		if kills == 5 {
			hold = 0
		}
		child := exec.Command(os.Args[0], "-test.run=^TestJournalOfAKilledProcess$")
		child.Env = append(os.Environ(), "MERCER_KILLED_SEARCH="+folder, fmt.Sprintf("MERCER_KILLED_AT=%d", hold))
		if err := child.Start(); err != nil {
			t.Skipf("no process can be started here: %v", err)
		}
		done := make(chan error, 1)
		go func() { done <- child.Wait() }()
		for waiting := true; waiting; {
			select {
			case err := <-done:
				if err != nil {
					t.Fatalf("the search failed: %v", err)
				}
				return kills
			case <-time.After(time.Millisecond):
				_, err := os.Stat(held)
				waiting = err != nil
			}
		}
		child.Process.Kill()
		<-done
		os.Remove(held)
	}
	t.Fatal("the search did not end")
	return kills
}

func linesOf(file string) []string {
	b, _ := os.ReadFile(file)
	return strings.SplitAfter(string(b), "\n")
}

// A search whose process is killed outright (SIGKILL), again and again, ends with what it
// would have found undisturbed; no cell that had reached the journal is fitted again.
func TestJournalOfAKilledProcess(t *testing.T) {
	if folder := os.Getenv("MERCER_KILLED_SEARCH"); folder != "" {
		hold, _ := strconv.Atoi(os.Getenv("MERCER_KILLED_AT"))
		if _, err := slowSearch(filepath.Join(folder, "journal"), filepath.Join(folder, "fits"),
			hold).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := mustRun(t, slowSearch("", "", 0))
	folder := t.TempDir()
	kills := killedSearch(t, folder)
	if kills != 5 {
		t.Fatalf("killed %d times", kills)
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
	// Every kill costs the fits of the one group that was under way: 0, 2, 4, 6 and 8, of two cells
	// and five folds.
	if done := len(linesOf(fits)) - 1; done != want.Fits+20 {
		t.Errorf("%d fits in all, of %d and %d kills", done, want.Fits, kills)
	}
}
