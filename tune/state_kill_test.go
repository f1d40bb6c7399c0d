package tune

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
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

// smoothRows is rows of a smooth function of three columns with noise, and what is known of the
// columns.
func smoothRows(t *testing.T, n int) (learn.Problem[any], vectorColumns) {
	t.Helper()
	rng := rand.New(rand.NewPCG(2, 1))
	columns := make([][]float64, 4)
	for range n {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		for j, v := range []float64{a, b, c, 5*math.Sin(2*a*b) + c + 0.5*rng.NormFloat64()} {
			columns[j] = append(columns[j], v)
		}
	}
	d := &data.Dataset{Name: "smooth", Target: "y"}
	for j, name := range []string{"a", "b", "c", "y"} {
		d.Columns = append(d.Columns, data.NumberColumn(name, columns[j]))
	}
	e, err := data.FitEncoder(d, data.EncoderOptions{Task: data.Regression})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	return learn.Problem[any]{Points: data.Erase(x.Dense), Y: x.Target, Task: data.Regression},
		vectorColumns{encoder: e, given: true}
}

const killedRows = 5000

// centresFit is the end of Auto by conjugate gradients on few centres of all rows, with a journal
// where there is a name for one.
func centresFit(t *testing.T, journal string) *Result {
	t.Helper()
	p, columns := smoothRows(t, killedRows)
	rows := someRows(p, 200, 1)
	clock := newWorkClock() // what is done does not depend on the machine
	s := Search{Problem: p.Gather(rows), NoModel: true, Budget: time.Hour, Seed: 1, Journal: journal, clock: clock,
		Candidates: []Candidate{{Learner: "ridge", Kernel: vec(kernel.Gaussian{Lengthscale: 2})}}}
	res := mustRun(t, s)
	w := wholeFit{search: s, p: p, rows: rows, clock: clock, end: clock.now().Add(time.Hour), only: onlyCenters,
		centers: 60, columns: columns, solver: solverNamed("falkon").centers}
	if err := w.fit(t.Context(), res); err != nil {
		t.Fatal(err)
	}
	return res
}

// A process that is killed outright (SIGKILL) in the iterations of the last fit is followed by one
// that goes on from the last of them, again and again, to the model that it would have come to
// undisturbed.
func TestFitOfAKilledProcess(t *testing.T) {
	folder := os.Getenv("MERCER_KILLED_FIT")
	if folder == "" && testing.Short() {
		t.Skip("starts processes")
	}
	journal := filepath.Join(folder, "journal")
	if folder != "" {
		stateEvery, stateKept = 0, func(iteration int) {
			if iteration == 1 {
				os.WriteFile(filepath.Join(folder, "held"), nil, 0o666)
				time.Sleep(10 * time.Minute) // to be killed
			}
		}
		centresFit(t, journal)
		return
	}
	want := centresFit(t, "")
	steps := want.Model.Model.Report().Iterations
	if steps < 2 {
		t.Fatalf("%d iterations are too few to be killed in", steps)
	}
	folder = t.TempDir()
	journal = filepath.Join(folder, "journal")
	before := ""
	for kill := range 2 {
		done := 1 + kill // iterations of both processes
		killInFit(t, folder)
		s, err := os.ReadFile(stateFile(journal))
		if err != nil || string(s) == before {
			t.Fatalf("kill %d: no new state: %v", kill, err)
		}
		if before = string(s); !strings.Contains(before, fmt.Sprintf(`"steps":%d,`, done)) {
			t.Errorf("kill %d: the state is not of iteration %d", kill, done)
		}
	}
	got := centresFit(t, journal)
	if !strings.Contains(got.wide, "taken up after 2 iterations") {
		t.Errorf("%q", got.wide)
	}
	if n := got.Model.Model.Report().Iterations; n >= steps {
		t.Errorf("%d iterations after two kills, %d undisturbed: nothing was kept", n, steps)
	}
	a, b := answers(t, got), answers(t, want)
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-3*(1+math.Abs(b[i])) {
			t.Fatalf("row %d: %v, undisturbed %v", i, a[i], b[i])
		}
	}
}

// killInFit starts a process and kills it when it has kept its first iteration.
func killInFit(t *testing.T, folder string) {
	t.Helper()
	held := filepath.Join(folder, "held")
	child := exec.Command(os.Args[0], "-test.run=^TestFitOfAKilledProcess$")
	child.Env = append(os.Environ(), "MERCER_KILLED_FIT="+folder)
	if err := child.Start(); err != nil {
		t.Skipf("no process can be started here: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- child.Wait() }()
	for {
		select {
		case err := <-done:
			t.Fatalf("the fit ended before it was killed: %v", err)
		case <-time.After(time.Millisecond):
		}
		if _, err := os.Stat(held); err == nil {
			child.Process.Kill()
			<-done
			os.Remove(held)
			return
		}
	}
}

// answers is what a model says of some rows.
func answers(t *testing.T, r *Result) []float64 {
	t.Helper()
	p, _ := smoothRows(t, killedRows)
	said, err := r.Model.PredictAll(t.Context(), data.Span(p.Points, 0, 100))
	if err != nil {
		t.Fatal(err)
	}
	return said.Value
}

// A state that no fit can go on from, of another number of centres, is none: the fit begins anew
// and says nothing of going on.
func TestStateOfOtherCentres(t *testing.T) {
	if testing.Short() {
		t.Skip("fits thousands of rows twice")
	}
	journal := filepath.Join(t.TempDir(), "journal")
	var kept []byte
	defer func(d time.Duration) { stateEvery, stateKept = d, nil }(stateEvery)
	stateEvery, stateKept = 0, func(int) { kept, _ = os.ReadFile(stateFile(journal)) }
	want := centresFit(t, journal)
	stateKept = nil
	var s fitState
	if err := json.Unmarshal(kept, &s); err != nil || len(s.Vector) < 16 {
		t.Fatalf("%v: %s", err, kept)
	}
	s.Vector = s.Vector[8:]
	s.Sum = crc32.ChecksumIEEE(s.Vector)
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stateFile(journal), text, 0o666); err != nil {
		t.Fatal(err)
	}
	got := centresFit(t, journal)
	if strings.Contains(got.wide, "taken up") {
		t.Errorf("%q", got.wide)
	}
	a, b := answers(t, got), answers(t, want)
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("row %d: %v, without the state %v", i, a[i], b[i])
		}
	}
}
