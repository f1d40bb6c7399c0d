package all

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// answers is all that a fitted machine has to say, the numbers in bits: of itself, and of points.
func answers[T any](t *testing.T, m learn.Model[T], x data.Points[T]) map[string]string {
	t.Helper()
	f, r := m.Func(), m.Report()
	out := map[string]string{
		"bias": learntest.Bits(f.Bias),
		"report": fmt.Sprint(r.Learner, r.Iterations, math.Float64bits(r.Objective), math.Float64bits(r.Certificate),
			r.Certified, r.Converged, r.Bytes),
		"says": fmt.Sprintf("%q %q", r.Warnings, r.Notes),
	}
	if f.Coef != nil {
		out["coefficients"] = matrixBits(f.Coef)
	}
	// the wrapper of machines on vectors has nil where they have none
	if s, ok := m.(interface{ Support() []int }); ok && s.Support() != nil {
		out["support"] = fmt.Sprint(s.Support())
	}
	switch p := m.(type) {
	case learn.Classifier[T, int]:
		out["Predict"] = fmt.Sprint(modeltest.Predict(t, p, x))
		out["Decision"] = matrixBits(modeltest.Decision(t, p, x))
	case learn.Classifier[T, bool]:
		out["Predict"] = fmt.Sprint(modeltest.Predict(t, p, x))
		out["Decision"] = matrixBits(modeltest.Decision(t, p, x))
	case learn.Regressor[T]:
		out["Predict"] = learntest.Bits(modeltest.Predict(t, p, x))
	default:
		t.Fatalf("a %T predicts nothing", m)
	}
	if p, ok := m.(learn.Probabilistic[T]); ok {
		out["HasProba"] = fmt.Sprint(p.HasProba())
		if p.HasProba() {
			out["Proba"] = matrixBits(modeltest.Proba(t, p, x))
		}
	}
	if p, ok := m.(learn.Uncertain[T]); ok {
		out["Std"] = learntest.Bits(modeltest.Std(t, p, x))
		out["ObservationStd"] = learntest.Bits(modeltest.Must(p.ObservationStd(t.Context(), x))(t))
	}
	if p, ok := m.(interface {
		Variance(context.Context, data.Points[T]) ([]float64, error)
	}); ok {
		out["Variance"] = learntest.Bits(modeltest.Variance(t, p, x))
	}
	if p, ok := m.(interface {
		Variance(context.Context, data.Points[T]) (*mat.Dense, error)
	}); ok {
		out["Variance"] = matrixBits(modeltest.Variance(t, p, x))
	}
	if p, ok := m.(interface {
		Votes(context.Context, data.Points[T]) (*mat.Dense, error)
	}); ok {
		out["Votes"] = matrixBits(modeltest.Votes(t, p, x))
	}
	if p, ok := m.(interface{ LogMarginal() float64 }); ok {
		out["LogMarginal"] = learntest.Bits([]float64{p.LogMarginal()})
	}
	return out
}

func matrixBits(m *mat.Dense) string {
	rows, cols := m.Dims()
	s := fmt.Sprint(rows, cols)
	for i := range rows {
		s += learntest.Bits(m.RawRowView(i))
	}
	return s
}

// agree wants two machines to say the same.
func agree(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, of := range slices.Sorted(maps.Keys(want)) {
		if g, ok := got[of]; !ok {
			t.Errorf("%s: no %s of erased points", what, of)
		} else if g != want[of] {
			t.Errorf("%s: %s differs\nof erased points %.300s\nof typed ones    %.300s", what, of, g, want[of])
		}
	}
	for of := range got {
		if _, ok := want[of]; !ok {
			t.Errorf("%s: %s of erased points alone", what, of)
		}
	}
}

// kindOf is points of one type with kernels on them.
type kindOf[T any] struct {
	name     string
	kernels  map[string]kernel.Kernel[T]
	x, query data.Points[T]
}

// without forgets what points are to the last: they are values of any type, one by one.
func without[T any](x data.Points[T]) data.Points[any] {
	out := make(data.Slice[any], x.Len())
	for i := range out {
		out[i] = x.At(i)
	}
	return out
}

// caught is a fit whose panic is an error, so that one machine does not hide the others.
func caught[M any](fit func() (M, error)) (m M, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return fit()
}

// erasedAgrees fits every machine to points and to the same erased.
func erasedAgrees[T any](t *testing.T, kind kindOf[T], targets map[string][]int, y []float64) {
	forgetful := allMachines[any]()
	_, slice := kind.x.(data.Slice[T])
	values, compared := valueMachines[T](), 0
	for name, fit := range allMachines[T]() {
		if forgetful[name] == nil {
			continue // on vectors alone: TestErasedVectorMachines
		}
		for kernelName, k := range kind.kernels {
			if name == "hard margin" && kernelName != "gaussian" {
				continue // no margin there: it would climb for ever
			}
			for classes, code := range targets {
				if values[name] != nil && classes != "2 classes" {
					continue // values have no classes
				}
				o := fitOptions[int]{Resources: learn.Resources{Threads: 2}, sample: learntest.WeightsWith(len(y), 3, 2)}
				if unweighted[name] {
					o.sample = nil
				}
				what := fmt.Sprintf("%s, %s, %s, %s", kind.name, name, kernelName, classes)
				want, failed := fit(t.Context(), k, o, kind.x, code, y)
				ways := map[string]func(data.Points[T]) data.Points[any]{"": data.Erase[T]}
				if slice {
					ways[", one by one"] = without[T]
				}
				for way, erase := range ways {
					got, err := caught(func() (fittedMachine[any], error) {
						return forgetful[name](t.Context(), kernel.Erase(k), o, erase(kind.x), code, y)
					})
					if failed != nil || err != nil {
						if fmt.Sprint(err) != fmt.Sprint(failed) {
							t.Errorf("%s%s: error %v, of typed points %v", what, way, err, failed)
						}
						continue
					}
					agree(t, what+way, answers(t, got.Model, erase(kind.query)), answers(t, want.Model, kind.query))
					compared++
				}
			}
		}
	}
	if compared < 30 {
		t.Errorf("%s: %d machines were compared", kind.name, compared)
	}
	t.Logf("%s: %d machines compared", kind.name, compared)
}

// TestErasedMachines: every machine on points that have forgotten their type is the machine on the
// points, to the last bit of all it says: on rows of a matrix, vectors that are no matrix, sparse
// rows, sparse vectors, places in a matrix and points of one's own.
func TestErasedMachines(t *testing.T) {
	n, fresh := datatest.Size(70, 40), 17
	all, code := learntest.Blobs(n+fresh, 2, 3, 0.9, 97)
	rows, planes := make([]data.SparseVec, n+fresh), make(data.Slice[learntest.Plane], n+fresh)
	vectors := make(data.Slice[kernel.Vec], n+fresh)
	y, two := make([]float64, n), make([]int, n)
	for i := range n + fresh {
		if i%4 == 0 {
			all.Set(i, 1, 0)
		}
		for j := range 2 {
			if v := all.At(i, j); v != 0 {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, v)
			}
		}
		vectors[i] = slices.Clone(all.RawRowView(i))
		planes[i] = learntest.Plane{A: all.At(i, 0), B: all.At(i, 1)}
	}
	for i := range n {
		y[i], two[i] = math.Sin(all.At(i, 0))+all.At(i, 1), min(code[i], 1)
	}
	targets := map[string][]int{"2 classes": two, "3 classes": code[:n]}
	dense := func(from, to int) data.Points[kernel.Vec] {
		return data.Rows(mat.DenseCopyOf(all.Slice(from, to, 0, 2)))
	}

	onVec := map[string]kernel.Kernel[kernel.Vec]{
		"gaussian": kernel.Gaussian{Lengthscale: 1.2},
		"linear":   kernel.Linear{},
		"poly":     kernel.Polynomial{Offset: 1, Degree: 2},
		"sum": kernel.Sum[kernel.Vec](kernel.Scale[kernel.Vec](0.5, kernel.Gaussian{Lengthscale: 2}),
			kernel.Gaussian{Lengthscale: 0.6}),
	}
	if testing.Short() {
		delete(onVec, "poly")
	}
	onSparse := map[string]kernel.Kernel[data.SparseVec]{}
	for name, k := range onVec {
		onSparse[name] = modeltest.Must(kernel.OnSparse(k, 2))(t)
	}
	g := mat.NewDense(n+fresh, n+fresh, nil)
	if err := kernel.Block(t.Context(), onVec["gaussian"], g, dense(0, n+fresh), dense(0, n+fresh)); err != nil {
		t.Fatal(err)
	}
	places := make(data.Slice[int], n+fresh)
	for i := range places {
		places[i] = i
	}
	t.Run("rows", func(t *testing.T) {
		erasedAgrees(t, kindOf[kernel.Vec]{"rows", onVec, dense(0, n), dense(n, n+fresh)}, targets, y)
	})
	t.Run("vectors", func(t *testing.T) {
		erasedAgrees(t, kindOf[kernel.Vec]{"vectors", onVec, vectors[:n], vectors[n:]}, targets, y)
	})
	t.Run("sparse rows", func(t *testing.T) {
		erasedAgrees(t, kindOf[data.SparseVec]{"sparse rows", onSparse, data.SparseOf(rows[:n], 2),
			data.SparseOf(rows[n:], 2)}, targets, y)
	})
	t.Run("sparse vectors", func(t *testing.T) {
		erasedAgrees(t, kindOf[data.SparseVec]{"sparse vectors", onSparse, data.Slice[data.SparseVec](rows[:n]),
			data.Slice[data.SparseVec](rows[n:])}, targets, y)
	})
	t.Run("places", func(t *testing.T) {
		erasedAgrees(t, kindOf[int]{"places", map[string]kernel.Kernel[int]{"precomputed": kernel.Precomputed{K: g}},
			places[:n], places[n:]}, targets, y)
	})
	t.Run("planes", func(t *testing.T) {
		erasedAgrees(t, kindOf[learntest.Plane]{"planes",
			map[string]kernel.Kernel[learntest.Plane]{"eval": learntest.EvalOnly{}}, planes[:n], planes[n:]}, targets, y)
	})
}

// TestErasedDetector: so is the machine that has no labels.
func TestErasedDetector(t *testing.T) {
	x, _ := learntest.Blobs(60, 2, 3, 0.9, 98)
	query, _ := learntest.Blobs(20, 2, 3, 1.5, 99)
	var k kernel.Kernel[kernel.Vec] = kernel.Gaussian{Lengthscale: 1}
	vectors := make(data.Slice[kernel.Vec], 60)
	for i := range vectors {
		vectors[i] = slices.Clone(x.RawRowView(i))
	}
	for what, p := range map[string]data.Points[kernel.Vec]{"rows": data.Rows(x), "vectors": vectors} {
		want := modeltest.Must(svm.OneClass[kernel.Vec]{Kernel: k, Nu: 0.3}.Fit(t.Context(), p))(t)
		got := modeltest.Must(svm.OneClass[any]{Kernel: kernel.Erase(k), Nu: 0.3}.Fit(t.Context(), data.Erase(p)))(t)
		agree(t, what, answers(t, learn.Model[any](got), data.Erase[kernel.Vec](data.Rows(query))),
			answers(t, learn.Model[kernel.Vec](want), data.Rows(query)))
	}
}

// TestErasedVectorMachines: those that have vectors alone are the same by the table of learners,
// which wraps them; and they come back from plain data.
func TestErasedVectorMachines(t *testing.T) {
	plane, y := learntest.Wave(50, 2, 100)
	fresh, _ := learntest.Wave(20, 2, 101)
	line, more := firstOf(data.Rows(plane)), firstOf(data.Rows(fresh))
	k := kernel.Gaussian{Lengthscale: 1}
	type fitted = func(x data.Points[kernel.Vec]) (learn.Model[kernel.Vec], error)
	for name, c := range map[string]struct {
		params   map[string]float64
		x, query data.Points[kernel.Vec]
		fit      fitted
	}{
		"spline": {map[string]float64{"lambda": 0.1}, line, more,
			func(x data.Points[kernel.Vec]) (learn.Model[kernel.Vec], error) {
				return model[kernel.Vec](ridge.Spline{Lambda: 0.1}.Fit(t.Context(), x, y))
			}},
		"thinplate": {map[string]float64{"lambda": 0.01}, data.Rows(plane), data.Rows(fresh),
			func(x data.Points[kernel.Vec]) (learn.Model[kernel.Vec], error) {
				return model[kernel.Vec](ridge.ThinPlate{Lambda: 0.01}.Fit(t.Context(), x, y))
			}},
		"local": {nil, data.Rows(plane), data.Rows(fresh), func(x data.Points[kernel.Vec]) (learn.Model[kernel.Vec], error) {
			return model[kernel.Vec](neighbours.Local{Kernel: k, Degree: 1}.Fit(t.Context(), x, y))
		}},
	} {
		l := modeltest.Must(ByName(name))(t)
		vectors := make(data.Slice[kernel.Vec], c.x.Len())
		for i := range vectors {
			vectors[i] = slices.Clone(c.x.At(i))
		}
		for what, x := range map[string]data.Points[kernel.Vec]{name + " of rows": c.x, name + " of vectors": vectors} {
			for way, erased := range map[string]data.Points[any]{"": data.Erase(x), ", one by one": without(x)} {
				m, err := l.Fit(t.Context(), learn.Settings{Kernel: kernel.Erase[kernel.Vec](k), Params: c.params},
					learn.Regress(erased, y))
				if err != nil {
					t.Errorf("%s%s: %v", what, way, err)
					continue
				}
				want := answers(t, modeltest.Must(c.fit(x))(t), c.query)
				agree(t, what+way, answers(t, m, data.Erase(c.query)), want)
				back := modeltest.Must(Restore(m.(learn.Saver[any]).Saved()))(t)
				if again := answers(t, back, data.Erase(c.query)); again["Predict"] != want["Predict"] {
					t.Errorf("%s%s: other predictions after a file", what, way)
				}
			}
		}
	}
}
