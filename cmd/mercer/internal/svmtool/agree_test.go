package svmtool

import (
	"context"
	"io"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"gonum.org/v1/gonum/mat"
)

// The default solver ends at the optimum of LIBSVM's path: decision values at the training rows
// differ by a few tolerances at most and signs agree, for every formulation. (The tolerance of
// ν-SVC is one before its coefficients are divided by the margin, which is small here.)
func TestSolverAgreesWithPath(t *testing.T) {
	for _, c := range []struct {
		set     string
		options []string
	}{
		{"a1a", nil}, {"a1a", []string{"-c", "100"}}, {"a1a", []string{"-s", "1", "-n", "0.2", "-e", "1e-6"}},
		{"a1a", []string{"-s", "2", "-n", "0.1"}},
		{"splice", []string{"-c", "10", "-g", "0.0625"}}, {"splice", []string{"-s", "3"}},
		{"splice", []string{"-s", "4", "-n", "0.25"}},
		{"svmguide1", nil}, {"svmguide3", []string{"-c", "128", "-g", "0.125"}}, {"heart_scale", []string{"-t", "1"}},
		{"heart_scale", []string{"-t", "0"}},
		{"fourclass_scale", nil}, {"australian", nil}, {"diabetes_scale", []string{"-s", "3"}}, {"w1a", nil},
		{"agaricus_train", nil},
	} {
		if testing.Short() && !slices.Contains([]string{"a1a", "heart_scale", "diabetes_scale", "splice"}, c.set) {
			continue
		}
		rows, err := readTable(context.Background(), datatest.Path(t, c.set), false)
		if err != nil {
			t.Fatal(err)
		}
		p, err := parseTrain(append(append([]string{"-q"}, c.options...), filepath.Join(t.TempDir(), "rows")))
		if err != nil {
			t.Fatal(err)
		}
		if !p.GammaGiven {
			p.Kernel.Gamma = 1 / float64(rows.rows.Dim())
		}
		decisions := func(identical bool) *mat.Dense {
			tr := &trainer{params: *p, log: io.Discard, warn: io.Discard, random: newRand()}
			tr.Identical = identical
			problem, err := rows.sparseProblem(p.Kernel, 0)
			if err != nil {
				t.Fatal(err)
			}
			m, sv, err := fit(context.Background(), tr, problem)
			if err != nil {
				t.Fatal(err)
			}
			d, err := decide(context.Background(), m, problem.k, rowsAt(problem.x, sv), problem.x)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		ours, path := decisions(false), decisions(true)
		worst, signs := 0.0, 0
		n, outputs := path.Dims()
		for i := range n {
			for j := range outputs {
				a, b := ours.At(i, j), path.At(i, j)
				worst = max(worst, math.Abs(a-b)/(1+math.Abs(b)))
				if (a > 0) != (b > 0) && math.Abs(b) > 2e-3 {
					signs++
				}
			}
		}
		if worst > 5e-3 || !p.Type.regresses() && signs > 0 {
			t.Errorf("%s %v: decision values differ by %.2g, %d signs", c.set, c.options, worst, signs)
		}
	}
}

// A table that is laid out has the machine of its sparse rows.
func TestLaidOutRows(t *testing.T) {
	rows := data.SparseOf([]data.SparseVec{{Index: []int32{0, 2}, Value: []float64{1, 2}},
		{Index: []int32{1}, Value: []float64{3}}, {}}, 3)
	if !dense(rows) {
		t.Error("3 of 9 entries are not many zeros")
	}
	want := [][]float64{{1, 0, 2, 0}, {0, 3, 0, 0}, {0, 0, 0, 0}}
	got := laidOut(rows, 4)
	for i, r := range want {
		for j, v := range r {
			if got.At(i)[j] != v {
				t.Errorf("row %d is %v, want %v", i, got.At(i), r)
				break
			}
		}
	}
	if dense(data.SparseOf(make([]data.SparseVec, 4), 0)) {
		t.Error("rows without columns are laid out")
	}
}

// Weights of classes are in the machines of the folds and not in the likelihood of the sigmoid, on
// LIBSVM's path (svm_binary_svc_probability) and by the default solver.
func TestWeightedSigmoidsAgreeWithPath(t *testing.T) {
	for _, set := range []string{"heart_scale", "diabetes_scale"} {
		rows, err := readTable(context.Background(), datatest.Path(t, set), false)
		if err != nil {
			t.Fatal(err)
		}
		p, err := parseTrain([]string{"-q", "-b", "1", "-w1", "6", "-e", "1e-5", filepath.Join(t.TempDir(), "rows")})
		if err != nil {
			t.Fatal(err)
		}
		p.Kernel.Gamma = 1 / float64(rows.rows.Dim())
		sigmoid := func(identical bool) [2]float64 {
			tr := &trainer{params: *p, log: io.Discard, warn: io.Discard, random: newRand()}
			tr.Identical = identical
			problem, err := rows.sparseProblem(p.Kernel, 0)
			if err != nil {
				t.Fatal(err)
			}
			m, _, err := fit(context.Background(), tr, problem)
			if err != nil {
				t.Fatal(err)
			}
			return [2]float64{m.ProbA[0], m.ProbB[0]}
		}
		ours, path := sigmoid(false), sigmoid(true)
		for i := range path {
			if math.Abs(ours[i]-path[i]) > 1e-3*(1+math.Abs(path[i])) {
				t.Errorf("%s: the sigmoid is %v, LIBSVM's %v", set, ours, path)
				break
			}
		}
	}
}
