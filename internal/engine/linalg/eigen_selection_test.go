package linalg

import "testing"

// TestSymEigenSelected compares with all pairs, bit for bit.
func TestSymEigenSelected(t *testing.T) {
	cases := append(hardSymmetric(), symmetricCase{"random", randomSym(150, 2)}, symmetricCase{"small", randomSym(20, 2)})
	for _, c := range cases {
		n := c.a.Rows
		all, _, err := SymEigen(0, c.a.Clone())
		if err != nil {
			t.Fatal(err)
		}
		check := func(sel Selection, first, last int) {
			t.Helper()
			values, v, err := SymEigenSelected(0, lowerOnly(c.a), sel)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			if len(values) != last-first {
				t.Errorf("%s: %d pairs, want %d", c.name, len(values), last-first)
				return
			}
			for i := range values {
				if values[i] != all[first+i] {
					t.Errorf("%s: selected value %d is %g, want %g", c.name, i, values[i], all[first+i])
				}
			}
			checkEigen(t, c.name, c.a, values, v)
		}
		check(IndexRange(3, 9), 3, 9)
		check(LargestPairs(7), n-7, n)
		if !testing.Short() || n < 100 { // the ends of the ranges: of small matrices with -short
			check(IndexRange(5, 5), 5, 5)
			check(IndexRange(-4, n+4), 0, n)
			check(LargestPairs(0), n, n)
			check(LargestPairs(n+3), 0, n)
			check(ValueRange(1, 0), 0, 0)
		}
		low, high := all[n/4], all[n/2]
		first, last := 0, 0
		for _, w := range all {
			if w <= low {
				first++
			}
			if w <= high {
				last++
			}
		}
		check(ValueRange(low, high), first, last)
	}
}
