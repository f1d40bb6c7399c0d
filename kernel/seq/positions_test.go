package seq_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"

	"github.com/mercer-ml/mercer/data"
)

// Every run of every length at every place, one by one.
func TestWeightedDegreeByEnumeration(t *testing.T) {
	strings := data.Slice[string]{"", "A", "ACGT", "ACGTACGTAC", "ACCTACGTAA", "TTTTTTTT", "été où", "éta où"}
	for _, n := range []int{1, 2, 3, 5, 20} {
		k := seq.WeightedDegree{K: n}
		for _, x := range strings {
			for _, y := range strings {
				a, b := []rune(x), []rune(y)
				want := 0.0
				for q := 1; q <= n; q++ {
					for at := 0; at+q <= min(len(a), len(b)); at++ {
						if string(a[at:at+q]) == string(b[at:at+q]) {
							want += 2 * float64(n-q+1) / float64(n*(n+1))
						}
					}
				}
				if got := k.Eval(x, y); math.Abs(got-want) > 1e-12*(1+want) {
					t.Errorf("K = %d: k(%q, %q) = %g, want %g", n, x, y, got, want)
				}
			}
		}
		kerneltest.Run(t, kernel.Kernel[string](k), kerneltest.Options[string]{Points: strings})
	}
}

func ExampleWeightedDegree() {
	k := seq.WeightedDegree{K: 2}
	// Both have A, G and GT where they stand: 3 letters at 2/3 and one run of two at 1/3.
	fmt.Printf("%.3f\n", k.Eval("ACGT", "ATGT"))
	// Output: 2.333
}
