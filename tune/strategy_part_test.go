package tune

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// TestPartsAreTheGrid: parts of a grid, each with a journal of its own, merged, leave a search of
// the whole grid nothing to judge, and its result is that of a search that was never cut.
func TestPartsAreTheGrid(t *testing.T) {
	dir := t.TempDir()
	s := Search{Problem: toy(60, data.Binary, 2), Candidates: []Candidate{grid("svm"), grid("ridge")}}
	want := mustRun(t, s)
	groups, err := s.Groups()
	if err != nil || groups < 4 {
		t.Fatalf("%d groups, %v", groups, err)
	}
	const parts = 3
	var journals []string
	cells := 0
	for p := range parts {
		part := s
		part.Strategy, part.NoModel = GridPart{p, parts}, true
		part.Journal = filepath.Join(dir, fmt.Sprint("part", p))
		cells += len(mustRun(t, part).Cells)
		journals = append(journals, part.Journal)
	}
	if cells != len(want.Cells) {
		t.Errorf("the parts have %d cells, the whole %d", cells, len(want.Cells))
	}
	whole := s
	whole.Journal = filepath.Join(dir, "whole")
	if err := MergeJournals(whole.Journal, journals...); err != nil {
		t.Fatal(err)
	}
	got := mustRun(t, whole)
	sameResult(t, "merged", got, want, s.Problem)
	if got.Resumed != len(want.Cells) || len(got.JournalFaults) > 0 {
		t.Errorf("%d of %d cells were known, %q", got.Resumed, len(want.Cells), got.JournalFaults)
	}

	// What is no journal of the same search is refused; a line that was cut off is left out.
	if err := MergeJournals(whole.Journal, journals...); !errors.Is(err, os.ErrExist) {
		t.Errorf("over another: %v", err)
	}
	other := s
	other.Problem, other.Journal = toy(50, data.Binary, 2), filepath.Join(dir, "other")
	mustRun(t, other)
	if err := MergeJournals(filepath.Join(dir, "a"), journals[0], other.Journal); !errors.Is(err, ErrOtherSearch) {
		t.Errorf("of another search: %v", err)
	}
	note := filepath.Join(dir, "note")
	if err := os.WriteFile(note, []byte("no journal\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := MergeJournals(filepath.Join(dir, "b"), note); !errors.Is(err, ErrNotJournal) {
		t.Errorf("a note: %v", err)
	}
	text, err := os.ReadFile(journals[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journals[0], text[:len(text)-5], 0o666); err != nil {
		t.Fatal(err)
	}
	again := s
	again.Journal = filepath.Join(dir, "again")
	if err := MergeJournals(again.Journal, journals...); err != nil {
		t.Fatal(err)
	}
	got = mustRun(t, again)
	sameResult(t, "cut off", got, want, s.Problem)
	if got.Resumed >= len(want.Cells) {
		t.Error("a line that was cut off counts")
	}
	for _, bad := range []GridPart{{-1, 3}, {3, 3}, {0, 0}} {
		refused := s
		refused.Strategy = bad
		if _, err := refused.Run(t.Context()); err == nil {
			t.Errorf("%v was run", bad)
		}
	}
}
