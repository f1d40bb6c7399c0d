package mixing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/kernel/seq"
)

var (
	letters = mixed.Column{Name: "sequence", Kind: data.Text, Object: 0}
	notes   = mixed.Column{Name: "heptad", Kind: data.Text, Object: 1}
)

func notedRows(pairs ...string) data.Slice[mixed.Row] {
	var out data.Slice[mixed.Row]
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, mixed.Row{Objects: []any{pairs[i], pairs[i+1]}})
	}
	return out
}

func ExampleOnNoted() {
	k := mixing.OnNoted(letters, notes, seq.Spectrum{K: 1})
	x := notedRows("LAL", "abc", "LAL", "abb")
	fmt.Println(k.Eval(x[0], x[0]), k.Eval(x[0], x[1])) // L and A have the same notes there
	fmt.Println(k.(mixing.Noted).Columns())
	// Output:
	// 3 2
	// [sequence heptad]
}

func ExampleCanNote() {
	fmt.Println(mixing.CanNote("LAL", "abc"), mixing.CanNote("LAL", "ab"))
	// Output: true false
}

// Two noted letters count as one where both letter and note are the same: pairs of places, by a
// double loop.
func TestNotedLettersEqualPairsOfBoth(t *testing.T) {
	x := notedRows("ACCA", "abab", "CCAA", "aabb", "AC", "ba", "", "", "αAα", "a b")
	k := mixing.OnNoted(letters, notes, seq.Spectrum{K: 1})
	for i := range x {
		for j := range x {
			want := 0.0
			a, b := []rune(x[i].Objects[0].(string)), []rune(x[j].Objects[0].(string))
			u, v := []rune(x[i].Objects[1].(string)), []rune(x[j].Objects[1].(string))
			for p := range a {
				for q := range b {
					if a[p] == b[q] && u[p] == v[q] {
						want++
					}
				}
			}
			if got := k.Eval(x[i], x[j]); got != want {
				t.Errorf("rows %d and %d: %g, want %g", i, j, got, want)
			}
		}
	}
	kerneltest.Run(t, mixing.OnNoted(letters, notes, kernel.Normalize[string](seq.GappyPairs{K: 1, Gap: 3})),
		kerneltest.Options[mixed.Row]{Points: x})
}

func TestNotesAreChecked(t *testing.T) {
	k := mixing.OnNoted(letters, notes, seq.Spectrum{K: 1})
	for want, x := range map[string]data.Slice[mixed.Row]{
		`row 1: column "sequence" with the notes of "heptad": 3 letters and 2 notes`: notedRows("A", "a", "ABC", "ab"),
		`letter 2 is '猫'`: notedRows("A猫", "ab"),
		`note 1 is 'é'`:   notedRows("A", "é"),
	} {
		if err := kernel.Check(k, data.Points[mixed.Row](x)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if err := kernel.Check(k, data.Points[mixed.Row](notedRows("AC", "ab"))); err != nil {
		t.Error(err)
	}
}
