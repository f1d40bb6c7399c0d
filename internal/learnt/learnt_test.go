package learnt_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/internal/learnt"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

var strands = data.Slice[string]{"ABBABA", "BBAAB", "ABABAB", "AAB", "BABBAAB", "", "A"}

// codes are the strands with A as 0 and B as 1.
func codes() data.Slice[[]int] {
	var out data.Slice[[]int]
	for _, s := range strands {
		x := []int{}
		for _, r := range s {
			x = append(x, int(r-'A'))
		}
		out = append(out, x)
	}
	return out
}

func learn[T any](t *testing.T, k kernel.Kernel[T], x data.Points[T], y []float64, classes int) kernel.Kernel[T] {
	t.Helper()
	erased := kernel.Erase(k)
	if !kernel.Learns(erased) {
		t.Fatalf("%T does not learn", k)
	}
	fitted, err := kernel.Learn(context.Background(), erased,
		kernel.Examples{Points: data.Erase(x), Targets: y, Classes: classes})
	if err != nil {
		t.Fatal(err)
	}
	if kernel.Learns(fitted) {
		t.Fatalf("%T still learns", kernel.Concrete(fitted))
	}
	typed, ok := kernel.Typed[T](fitted)
	if !ok {
		t.Fatalf("%T is on other points", kernel.Concrete(fitted))
	}
	return typed
}

// agree compares two kernels on points that stand for each other.
func agree[T, U any](
	t *testing.T, name string, k kernel.Kernel[T], x data.Slice[T], want kernel.Kernel[U], u data.Slice[U],
) {
	t.Helper()
	if err := kernel.Check(k, data.Points[T](x)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	got := mat.NewDense(len(x), len(x), nil)
	kernel.Block(context.Background(), k, got, data.Points[T](x), data.Points[T](x))
	for i := range x {
		for j := range x {
			w := want.Eval(u[i], u[j])
			for _, v := range []float64{k.Eval(x[i], x[j]), got.At(i, j)} {
				if !(math.Abs(v-w) <= 1e-9*(1+math.Abs(w))) {
					t.Fatalf("%s: k(%v, %v) = %v, want %v", name, x[i], x[j], v, w)
				}
			}
		}
	}
}

func must[V any](v V, err error) func(t *testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Kernels of models of strings are those of package prob of the models fitted there.
func TestTextModelsAreThoseOfTheLibrary(t *testing.T) {
	x, u := strands, codes()
	for _, order := range []int{1, 2} {
		chain := must(prob.NewMarkovChain(u, order, 2, 0.5))(t)
		m := learnt.Markov{Order: order, Smoothing: 0.5, Alphabet: "AB"}
		agree[string, []int](t, "markov exact", learn[string](t, learnt.Fisher[string]{Model: m}, x, nil, 0), x,
			must(prob.FisherExact[[]int](chain))(t), u)
		agree[string, []int](t, "markov empirical", learn[string](t,
			learnt.Fisher[string]{Model: m, Information: learnt.Empirical}, x, nil, 0), x,
			must(prob.FisherEmpirical[[]int](chain, u))(t), u)
		agree[string, []int](t, "markov identity", learn[string](t,
			learnt.Fisher[string]{Model: m, Information: learnt.Identity}, x, nil, 0), x,
			must(prob.FisherIdentity[[]int](chain))(t), u)
	}
	hmm, _, err := prob.BaumWelch{States: 2, Symbols: 2, Smoothing: 0.1, Seed: 3}.Fit(context.Background(), u)
	if err != nil {
		t.Fatal(err)
	}
	m := learnt.HMM{Seed: 3, Alphabet: "AB"}
	agree[string, []int](t, "hmm", learn[string](t, learnt.Fisher[string]{Model: m}, x, nil, 0), x,
		must(prob.FisherEmpirical[[]int](hmm, u))(t), u)
	agree[string, []int](t, "hmm exact", learn[string](t, learnt.Fisher[string]{Model: m, Information: learnt.Exact}, x,
		nil, 0), x, must(prob.FisherExact[[]int](hmm))(t), u)
	agree[string, []int](t, "hmm simulated", learn[string](t,
		learnt.Fisher[string]{Model: m, Information: learnt.Simulated, Draws: 50, Seed: 2}, x, nil, 0), x,
		must(prob.FisherSimulated[[]int](hmm, 50, 2))(t), u)
	agree[string, []int](t, "hmm sum", learn[string](t, learnt.Latent[string]{Model: m}, x, nil, 0), x,
		prob.HMMProduct{Model: hmm}, u)
	agree[string, []int](t, "hmm counts", learn[string](t, learnt.MarginalizedCount{Model: m, Order: 2}, x, nil, 0), x,
		prob.MarginalizedCount{Model: hmm, Order: 2}, u)
}

// A model without an alphabet has one place for all letters that it has not seen.
func TestUnseenLettersShareAPlace(t *testing.T) {
	for _, m := range []learnt.Model[string]{learnt.Markov{}, learnt.HMM{}, learnt.Terms{Of: learnt.Letters}} {
		k := learn[string](t, learnt.Fisher[string]{Model: m}, strands, nil, 0)
		x := data.Slice[string]{"ABXA", "ABYA", "ABAA"}
		if err := kernel.Check[string](k, x); err != nil {
			t.Fatalf("%T: %v", m, err)
		}
		if a, b := k.Eval(x[0], strands[0]), k.Eval(x[1], strands[0]); a != b || math.IsNaN(a) {
			t.Errorf("%T: X has %v, Y %v", m, a, b)
		}
	}
	k := learn[string](t, learnt.Fisher[string]{Model: learnt.Markov{Alphabet: "AB"}}, strands, nil, 0)
	if err := kernel.Check[string](k, data.Slice[string]{"AB", "ABXA"}); err == nil ||
		!strings.Contains(err.Error(), `row 1: letter 3 is 'X', which is not of the alphabet "AB"`) {
		t.Errorf("a letter of no alphabet: %v", err)
	}
}

// The exact kernel of a multinomial model by its definition, on words and on counts.
func TestMultinomialByDefinition(t *testing.T) {
	x := data.Slice[string]{"a b a", "b c", "a", ""}
	words := []string{"a", "b", "c"}
	p := []float64{4.0 / 10, 3.0 / 10, 2.0 / 10, 1.0 / 10} // of 6 words, one added to each and to all others
	count := func(s string) []float64 {
		out := make([]float64, 4)
		for _, w := range strings.Fields(s) {
			at := 3
			for i := range words {
				if words[i] == w {
					at = i
				}
			}
			out[at]++
		}
		return out
	}
	const length = 6.0 / 4
	value := func(a, b []float64) float64 {
		n, m, s := 0.0, 0.0, 0.0
		for i := range a {
			n, m = n+a[i], m+b[i]
		}
		for i := range a {
			s += (a[i] - n*p[i]) * (b[i] - m*p[i]) / (p[i] * length)
		}
		return s
	}
	k := learn[string](t, learnt.Fisher[string]{Model: learnt.Terms{}}, x, nil, 0)
	for _, a := range append(x, "a z z") {
		for _, b := range x {
			if got, want := k.Eval(a, b), value(count(a), count(b)); math.Abs(got-want) > 1e-12 {
				t.Errorf("k(%q, %q) = %v, want %v", a, b, got, want)
			}
		}
	}
	rows := data.Slice[kernel.Vec]{{2, 1, 0}, {0, 1, 1}, {1, 0, 0}}
	fit := prob.Multinomial{P: []float64{4.0 / 9, 3.0 / 9, 2.0 / 9}, Length: 2}
	agree[kernel.Vec, kernel.Vec](t, "counts", learn[kernel.Vec](t, learnt.Fisher[kernel.Vec]{Model: learnt.Counts{}},
		rows, nil, 0), rows, must(prob.FisherExact[kernel.Vec](fit))(t), rows)
}

func vectors(n, d int) data.Slice[kernel.Vec] {
	v := kerneltest.Vectors(7, n, d)
	var out data.Slice[kernel.Vec]
	for i := range v.Len() {
		out = append(out, v.At(i))
	}
	return out
}

// The Fisher kernel of a normal mean is Mahalanobis' inner product with the mean and the covariance
// of the rows; p(x)p(y) is the product of densities.
func TestNormalByDefinition(t *testing.T) {
	x := vectors(9, 3)
	mean, cov := make([]float64, 3), mat.NewSymDense(3, nil)
	for _, r := range x {
		for j, v := range r {
			mean[j] += v / 9
		}
	}
	for i := range 3 {
		for j := range i + 1 {
			s := 0.0
			for _, r := range x {
				s += (r[i] - mean[i]) * (r[j] - mean[j]) / 9
			}
			cov.SetSym(i, j, s)
		}
	}
	top := max(cov.At(0, 0), cov.At(1, 1), cov.At(2, 2))
	for i := range 3 {
		cov.SetSym(i, i, cov.At(i, i)+1e-6*top)
	}
	n := prob.Normal{Mean: mean, Cov: cov}
	for _, free := range []bool{false, true} {
		m := learnt.Normal{Covariance: free}
		agree[kernel.Vec, kernel.Vec](t, "normal", learn[kernel.Vec](t, learnt.Fisher[kernel.Vec]{Model: m}, x, nil, 0), x,
			must(prob.FisherExact[kernel.Vec](prob.NormalModel{Normal: n, FreeCovariance: free}))(t), x)
	}
	k := learn[kernel.Vec](t, learnt.Latent[kernel.Vec]{Model: learnt.Normal{}}, x, nil, 0)
	for _, a := range x {
		if got, want := k.Eval(a, x[0]), math.Exp(n.LogDensity(a)+n.LogDensity(x[0])); math.Abs(got-want) > 1e-9*want {
			t.Errorf("p(x)p(y) = %v, want %v", got, want)
		}
	}
	// Rows that are all the same have a covariance of the ridge alone.
	alike := data.Slice[kernel.Vec]{{5, 5}, {5, 5}, {5, 5}}
	if k := learn[kernel.Vec](t, learnt.Fisher[kernel.Vec]{Model: learnt.Normal{}}, alike, nil, 0); k.Eval(alike[0],
		alike[1]) != 0 {
		t.Errorf("rows that are the same have %v", k.Eval(alike[0], alike[1]))
	}
}

// Kernels of a mixture by their definitions, on the mixture that was fitted.
func TestMixtureByDefinition(t *testing.T) {
	x := vectors(20, 2)
	m := learnt.Mixture{Components: 2, Seed: 1}
	k := learn[kernel.Vec](t, learnt.Latent[kernel.Vec]{Model: m}, x, nil, 0)
	form := k.(learnt.Written).Form().(learnt.Latent[kernel.Vec]).Model.(learnt.Mixture)
	var mix prob.Mixture
	mix.Weights = form.Weights
	for i, mean := range form.Means {
		c := mat.NewSymDense(2, nil)
		for a := range 2 {
			for b := range a + 1 {
				c.SetSym(a, b, form.Covariances[i][a][b])
			}
		}
		mix.Parts = append(mix.Parts, prob.Normal{Mean: mean, Cov: c})
	}
	agree[kernel.Vec, kernel.Vec](t, "latent", k, x, mix.Latent(), x)
	agree[kernel.Vec, kernel.Vec](t, "empirical", learn[kernel.Vec](t,
		learnt.Fisher[kernel.Vec]{Model: m, Information: learnt.Empirical}, x, nil, 0), x,
		must(prob.FisherEmpirical[kernel.Vec](prob.MixtureModel{Mixture: mix}, x))(t), x)
	kappa := kernel.Gaussian{Lengthscale: 2}
	same := prob.Marginalized[kernel.Vec]{Posterior: func(x kernel.Vec) []float64 { return mix.Posterior(x) },
		Kernel: sameState{kappa}}
	agree[kernel.Vec, kernel.Vec](t, "marginalized", learn[kernel.Vec](t, learnt.Marginalized{Model: m, Inside: kappa}, x,
		nil, 0), x, same, x)
}

// sameState is κ of points that have one hidden state.
type sameState struct{ kernel.Kernel[kernel.Vec] }

func (k sameState) Eval(x, y prob.Caused[kernel.Vec]) float64 {
	if x.State != y.State {
		return 0
	}
	return k.Kernel.Eval(x.Point, y.Point)
}

// A forest is the one of the library with the same settings.
func TestForestIsTheLibrarys(t *testing.T) {
	x, y := vectors(30, 3), make([]float64, 30)
	for i := range y {
		y[i] = float64(i % 3)
	}
	s := forest.Supervised{Growth: forest.Growth{Trees: 7, Min: 2, Seed: 5}}
	numbers, _, err := s.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	f := learnt.Forest{Trees: 7, Min: 2, Seed: 5}
	agree[kernel.Vec, kernel.Vec](t, "numbers", learn[kernel.Vec](t, f, x, y, 0), x, numbers, x)
	k := learn[kernel.Vec](t, f, x, y, 3)
	again := must(k.(learnt.Written).Form().(learnt.Forest).Kernel())(t)
	agree[kernel.Vec, kernel.Vec](t, "packed", k, x, again, x)
	for _, bad := range []string{"!", "AAAA", "YmNg"} {
		f.Grown = bad
		if _, err := f.Kernel(); err == nil {
			t.Errorf("%q is read as trees", bad)
		}
	}
	f.Grown = ""
	if _, err := kernel.Learn(context.Background(), kernel.OnVectors(f),
		kernel.Examples{Points: data.Erase(data.Points[kernel.Vec](x))}); err == nil ||
		!strings.Contains(err.Error(), "there is none here") {
		t.Errorf("without a target: %v", err)
	}
}

// Parts of a sum, on a column of a vector and behind an operator, are fitted to what they see.
func TestPartsLearn(t *testing.T) {
	x := vectors(12, 3)
	f := kernel.Kernel[kernel.Vec](learnt.Fisher[kernel.Vec]{Model: learnt.Normal{}})
	k := learn(t, kernel.Sum(kernel.Scale(0.5, kernel.Normalize(kernel.On(f, 2, 0))),
		kernel.Kernel[kernel.Vec](kernel.Gaussian{})), data.Points[kernel.Vec](x), nil, 0)
	var some data.Slice[kernel.Vec]
	for _, r := range x {
		some = append(some, kernel.Vec{r[2], r[0]})
	}
	inner := kernel.Normalize(learn(t, f, data.Points[kernel.Vec](some), nil, 0))
	for i := range x {
		want := 0.5*inner.Eval(some[i], some[0]) + kernel.Gaussian{}.Eval(x[i], x[0])
		if got := k.Eval(x[i], x[0]); math.Abs(got-want) > 1e-12 {
			t.Errorf("row %d: %v, want %v", i, got, want)
		}
	}
	if _, err := kernel.Learn(context.Background(),
		kernel.OnVectors(kernel.ARD{Kernel: f, Lengthscales: []float64{1, 1, 1}}),
		kernel.Examples{Points: data.Erase(data.Points[kernel.Vec](x))}); err == nil ||
		!strings.Contains(err.Error(), "cannot stand within") {
		t.Errorf("within length-scales: %v", err)
	}
}

// Rows that are kept sparse are fitted to as vectors: the kernel is the same one.
func TestSparseRowsLearn(t *testing.T) {
	x := vectors(12, 3)
	sparse := make(data.Slice[data.SparseVec], len(x))
	for i, row := range x {
		x[i][1] = 0
		sparse[i] = data.SparseVec{Index: []int32{0, 2}, Value: []float64{row[0], row[2]}}
	}
	f := kernel.Kernel[kernel.Vec](learnt.Latent[kernel.Vec]{Model: learnt.Normal{}})
	on := kernel.Normalize(kernel.On(f, 0, 2))
	want := learn(t, on, data.Points[kernel.Vec](x), nil, 0)
	k, err := kernel.OnSparse(on, 3)
	if err != nil {
		t.Fatal(err)
	}
	got := learn(t, k, data.Points[data.SparseVec](sparse), nil, 0)
	for i := range x {
		if a, b := got.Eval(sparse[i], sparse[0]), want.Eval(x[i], x[0]); math.Abs(a-b) > 1e-12 {
			t.Errorf("row %d: %v, want %v", i, a, b)
		}
	}
}

// Before it is fitted a kernel refuses all points, and what it cannot be fitted to is named.
func TestWhatCannotBeLearnt(t *testing.T) {
	unfitted := learnt.Fisher[string]{Model: learnt.Markov{}}
	if err := kernel.Check[string](unfitted, strands); err == nil ||
		!strings.Contains(err.Error(), "fitted to rows before it compares any") {
		t.Errorf("not fitted: %v", err)
	}
	for want, c := range map[string]struct {
		kernel kernel.Kernel[any]
		points data.Points[any]
	}{
		"no rows to fit its model to": {kernel.Erase[string](unfitted),
			data.Erase(data.Points[string](data.Slice[string]{}))},
		"no symbols in 2 sequences": {kernel.Erase[string](learnt.Fisher[string]{Model: learnt.HMM{}}),
			data.Erase(data.Points[string](data.Slice[string]{"", ""}))},
		"more than 131072": {kernel.Erase[string](learnt.Fisher[string]{Model: learnt.Markov{Order: 20, Alphabet: "AB"}}),
			data.Erase(data.Points[string](strands))},
		"a count is 0 or more": {kernel.OnVectors(learnt.Fisher[kernel.Vec]{Model: learnt.Counts{}}),
			data.Erase(data.Points[kernel.Vec](data.Slice[kernel.Vec]{{1, -1}}))},
		"for 1 points": {kernel.OnVectors(learnt.Fisher[kernel.Vec]{Model: learnt.Mixture{}}),
			data.Erase(data.Points[kernel.Vec](data.Slice[kernel.Vec]{{1, 1}}))},
		"cannot be listed": {kernel.Erase[string](learnt.Fisher[string]{Model: learnt.HMM{}, Information: learnt.Exact}),
			data.Erase(data.Points[string](data.Slice[string]{strings.Repeat("AB", 40)}))},
	} {
		if _, err := kernel.Learn(context.Background(), c.kernel, kernel.Examples{Points: c.points}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	long := learn[string](t, learnt.Latent[string]{Model: learnt.Markov{}}, strands, nil, 0)
	if err := kernel.Check[string](long, data.Slice[string]{strings.Repeat("AB", 2000)}); err == nil ||
		!strings.Contains(err.Error(), "too small") {
		t.Errorf("a long string: %v", err)
	}
}
