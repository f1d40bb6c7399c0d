package tune

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// Whatever a journal holds, reading it ends in its lines or in one of the errors that say whose it
// is; every line was sealed for the search, and those that were stay readable beside anything else.
func FuzzJournal(f *testing.F) {
	const search = "0123456789abcdef"
	seal := func(line any) []byte {
		text, err := seal(line, search)
		if err != nil {
			f.Fatal(err)
		}
		return text
	}
	head := seal(journalHead{Journal: journalVersion, Search: search, Metric: "rmse"})
	line := seal(journalLine{Cells: []journalCell{{Cell: "c", Theta: []float64{1, 0.5}, Scores: []journalScore{0.25, 3},
		Fits: 2}}})
	f.Add([]byte{})
	f.Add(head)
	f.Add(append(bytes.Clone(head), line...))
	f.Add(append(append(bytes.Clone(head), line[:len(line)/2]...), line...))
	f.Add([]byte(journalMark))
	f.Add([]byte(`{"journal":"mercer tune 4","search":"0123456789abcdef","metric":"rmse"}` + "\n" + `{"cells":[]}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := readJournal(bytes.NewReader(text), search)
		if err != nil {
			if !errors.Is(err, ErrNotJournal) && !errors.Is(err, ErrOtherSearch) {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		if got.size > int64(len(text)) || got.size > 0 && text[got.size-1] != '\n' {
			t.Fatalf("%d bytes of whole lines in %d", got.size, len(text))
		}
		if sealed := bytes.Count(text, []byte(sumMark)); len(got.lines) > sealed {
			t.Fatalf("%d lines of %d checksums", len(got.lines), sealed)
		}
		// What is written after it is found again.
		if got.size == 0 {
			return
		}
		more, err := readJournal(io.MultiReader(bytes.NewReader(text[:got.size]), bytes.NewReader(line)), search)
		if err != nil || len(more.lines) != len(got.lines)+1 {
			t.Fatalf("%d lines, and %d with one more: %v", len(got.lines), len(more.lines), err)
		}
	})
}
