package svmtool

import (
	"bytes"
	"context"
	"io"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// What svm-train prints of ν-SVC is scaled by C = 1/ρ, also where no coefficient is at its bound:
// both solvers print the same.
func TestNuPrintsLIBSVMsScale(t *testing.T) {
	// Two rows each: with ν = 0.4, Σα = 0.8 on each side, so that no α of 1 is in use.
	rows := []data.SparseVec{
		{Index: []int32{0}, Value: []float64{1}}, {Index: []int32{0, 1}, Value: []float64{1, 0.5}},
		{Index: []int32{0}, Value: []float64{-1}}, {Index: []int32{0, 1}, Value: []float64{-1, 0.5}},
	}
	table := &table{name: "four", rows: data.SparseOf(rows, 2), y: []float64{1, 1, -1, -1}}
	p, err := parseTrain([]string{"-s", "1", "-n", "0.4", "-g", "0.5", "-e", "1e-6", "four"})
	if err != nil {
		t.Fatal(err)
	}
	printed := func(identical bool) (price, objective float64) {
		var said bytes.Buffer
		tr := &trainer{params: *p, log: &said, warn: io.Discard, random: newRand()}
		tr.Identical = identical
		problem, err := table.sparseProblem(p.Kernel, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := fit(context.Background(), tr, problem); err != nil {
			t.Fatal(err)
		}
		number := func(pattern string) float64 {
			m := regexp.MustCompile(pattern).FindStringSubmatch(said.String())
			if m == nil {
				t.Fatalf("no %s in %q", pattern, said.String())
			}
			v, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		return number(`(?m)^C = (\S+)$`), number(`(?m)^obj = (\S+),`)
	}
	price, objective := printed(false)
	wantPrice, wantObjective := printed(true)
	if math.Abs(price-wantPrice) > 1e-4*wantPrice || math.Abs(objective-wantObjective) > 1e-4*wantObjective {
		t.Errorf("C = %g, obj = %g; LIBSVM's path prints %g and %g", price, objective, wantPrice, wantObjective)
	}
}
