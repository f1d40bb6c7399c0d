package tune

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// withTime searches some rows within a budget of counted work, with a journal.
func withTime(t *testing.T, d *data.Dataset, budget time.Duration, journal string) *AutoResult {
	t.Helper()
	clock := newWorkClock()
	r, err := Auto(t.Context(), d, AutoOptions{Budget: budget, Seed: 1, Threads: 1, clock: clock,
		Learners: []string{"ridge"}, Journal: journal,
		Metric: costly(RMSE(), func(int) { clock.pass(time.Millisecond) })})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A search whose time was up goes on when it has more: whatever was tried counts, on rows that a
// search takes all of, on more of them than the first budget was good for, and where few rows would
// be judged more often in the longer time.
func TestMoreTimeGoesOn(t *testing.T) {
	t.Parallel()
	for _, n := range []int{100, 400, 1400} {
		journal := filepath.Join(t.TempDir(), "journal")
		d := data.Friedman1(n, 1, 1)
		first := withTime(t, d, time.Second, journal)
		judged := 0
		for _, c := range first.Cells {
			if c.complete() {
				judged++
			}
		}
		if !first.Interrupted || judged < 3 || first.Resumed != 0 {
			t.Fatalf("%d rows: %d cells in the first second, interrupted %v, resumed %d", n, judged, first.Interrupted,
				first.Resumed)
		}
		second := withTime(t, d, 6*time.Second, journal)
		// The first answer, and the model of all rows, are not of the journal.
		if second.Resumed < judged-2 || len(second.Cells) <= len(first.Cells) {
			t.Errorf("%d rows: of %d cells %d are taken up, and there are %d in the end", n, judged, second.Resumed,
				len(second.Cells))
		}
		if second.Metric.better(first.Chosen.Mean, second.Chosen.Mean) {
			t.Errorf("%d rows: more time has %g, less %g", n, second.Chosen.Mean, first.Chosen.Mean)
		}
	}
}

// A model that is there is replaced only by one that is no worse by the same rows; a file that
// somebody changed is no model of this search.
func TestWorseModelIsNotWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	journal, file := filepath.Join(dir, "journal"), filepath.Join(dir, "model")
	d := data.Friedman1(100, 1, 1)
	first := withTime(t, d, time.Second, journal)
	m, err := first.Model(model.Info{})
	if err == nil {
		err = m.Save(file)
	}
	if err == nil {
		err = first.NoteModel(journal, file)
	}
	if err != nil {
		t.Fatal(err)
	}
	second := withTime(t, d, 2*time.Second, journal)
	if now, before, worse := second.Worse(journal, file); worse {
		t.Errorf("the second is worse: %g beside %g", now, before)
	}
	found := resultOf(second)
	for by, score := range found.scored {
		found.scored[by] = 10 * score
	}
	now, before, worse := second.Worse(journal, file)
	if !worse || before != first.Chosen.Mean || now != 10*second.Chosen.Mean {
		t.Errorf("a score of %g beside %g is worse: %v", now, before, worse)
	}
	if err := os.WriteFile(file, []byte("something else"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, worse := second.Worse(journal, file); worse {
		t.Error("a file that is another model stays")
	}
	if _, _, worse := second.Worse(filepath.Join(dir, "none"), file); worse {
		t.Error("without a journal a file stays")
	}
}
