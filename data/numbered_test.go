package data

import (
	"slices"
	"testing"
)

// Numbers survive Gather, Own and runs; points of another whole have none.
func TestNumbered(t *testing.T) {
	words := Slice[string]{"a", "b", "c", "d", "e"}
	all := Number[string](words)
	part := Own(Gather[string](Gather[string](all, []int{4, 2, 0, 3}), []int{3, 1, 0, 0})).(*Numbered[string]).Run(1, 4)
	numbers, ok := part.NumbersIn(all)
	if !ok || !slices.Equal(numbers, []int{2, 4, 4}) {
		t.Fatalf("numbers %v, %v", numbers, ok)
	}
	for i, n := range numbers {
		if part.At(i) != words[n] {
			t.Errorf("point %d is %q, number %d of the whole is %q", i, part.At(i), n, words[n])
		}
	}
	if part.Len() != 3 {
		t.Errorf("%d points", part.Len())
	}
	if _, ok := part.NumbersIn(Number[string](words)); ok {
		t.Error("numbers in another whole")
	}
	// The whole is a copy.
	rows := Slice[[]float64]{{1}, {2}}
	numbered := Number[[]float64](rows)
	rows[1][0] = 9
	if got := numbered.At(1)[0]; got != 2 {
		t.Errorf("row changed to %v", got)
	}
}
