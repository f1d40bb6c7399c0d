package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
)

// machines are the support vector machines. Those on real data are left out,
// with a word, where ../shared/data is not there.
func machines() []Case {
	two := twoClasses(20_000, 50)
	cases := []Case{
		classifier("C-SVC 20 000 × 50, RBF", two, 1, 0.02, "svm_train", 15),
		classifier("C-SVC 20 000 × 50, RBF", two, 1, 0.02, "sklearn_svc", 8),
		predictor("C-SVC prediction, 5 000 points", two, 1, 0.02, 20),
		tube(8000, 100),
		tubePredictor(8000, 100, 5000),
	}
	if a9a, err := shared("a9a.gz"); err == nil {
		cases = append(cases, classifier("a9a, C=1, γ=1/123", a9a, 1, 1.0/123, "svm_train", 20))
	} else {
		fmt.Fprintln(os.Stderr, "bench: a9a is left out:", err)
	}
	if usps, err := shared("usps_train.csv.gz"); err == nil {
		cases = append(cases, classifier("usps, 10 classes, C=10, γ=1/128", usps, 10, 1.0/128, "svm_train", 10))
	} else {
		fmt.Fprintln(os.Stderr, "bench: usps is left out:", err)
	}
	return append(cases, linearText(2000, 60_000))
}

// labelled is points, dense or sparse, with a label each.
type labelled struct {
	dense  data.DenseRows
	sparse *data.SparseRows
	y      []float64
}

func (l labelled) asSparse() data.SparseRows {
	if l.sparse != nil {
		return *l.sparse
	}
	return libsvm.ToSparse(l.dense)
}

// file writes the points in LIBSVM's format, for peers that read it.
func (l labelled) file(name string) string {
	path, _ := filepath.Abs(filepath.Join("out", name))
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := libsvm.Write(f, l.asSparse(), l.y, nil); err != nil {
		panic(err)
	}
	return path
}

// twoClasses has eight overlapping clumps to a class.
func twoClasses(n, d int) labelled {
	rng := rand.New(rand.NewPCG(31, 0))
	centre := random(16, d, 32)
	x, y := linalg.New[float64](n, d), make([]float64, n)
	for i := range n {
		c := rng.IntN(16)
		y[i] = float64(2*(c%2) - 1)
		for j := range d {
			x.Set(i, j, 0.5*centre.At(c, j)+rng.NormFloat64())
		}
	}
	return labelled{dense: data.RowsOf(x), y: y}
}

func shared(name string) (labelled, error) {
	set, err := load.Read(context.Background(), filepath.Join("..", "..", "shared", "data", name), load.Options{})
	if err != nil {
		return labelled{}, err
	}
	if set.Sparse != nil {
		label, err := set.Column(libsvm.LabelColumn)
		if err != nil {
			return labelled{}, err
		}
		return labelled{sparse: set.Sparse, y: label.Numbers}, nil
	}
	x := linalg.New[float64](set.Len(), len(set.Columns)-1)
	for j, c := range set.Columns[1:] {
		for i, v := range c.Numbers {
			x.Set(i, j, v)
		}
	}
	return labelled{dense: data.RowsOf(x), y: set.Columns[0].Numbers}, nil
}

// fit trains on dense or sparse points and returns the total dual objective
// where there is one machine, and the number of support vectors.
func (l labelled) fit(c, gamma float64) (objective float64, vectors int, predict func(x data.DenseRows) []float64) {
	g := kernel.Gaussian{Lengthscale: math.Sqrt(0.5 / gamma)}
	if l.sparse != nil {
		k, err := kernel.OnSparse(g, l.sparse.Dim())
		if err != nil {
			panic(err)
		}
		m, err := svm.Classification[data.SparseVec, float64]{Kernel: k, C: c}.Fit(context.Background(), *l.sparse, l.y)
		if err != nil {
			panic(err)
		}
		return m.Report().Objective, m.Func().Centers.Len(), nil
	}
	m, err := svm.Classification[kernel.Vec, float64]{Kernel: g, C: c}.Fit(context.Background(), l.dense, l.y)
	if err != nil {
		panic(err)
	}
	return m.Report().Objective, m.Func().Centers.Len(),
		func(x data.DenseRows) []float64 { return predictAll[kernel.Vec](m, x) }
}

func classifier(work string, l labelled, c, gamma float64, peer string, bar float64) Case {
	file := l.file(fmt.Sprintf("svm-%d-%d.txt", len(l.y), l.asSparse().Dim()))
	return Case{Work: work, Bar: bar, Peer: peer, Args: map[string]any{"file": file, "c": c, "gamma": gamma},
		Prepare: func() Work {
			var objective float64
			var vectors int
			return Work{
				Run: func() { objective, vectors, _ = l.fit(c, gamma) },
				Check: func(t Inputs) error {
					if their, ok := t["objective"]; ok && !math.IsNaN(their.Data[0]) {
						if err := agree("objective", []float64{objective}, their.Data, 1e-5); err != nil {
							return err
						}
					}
					return agree("number of support vectors", []float64{float64(vectors)}, t["vectors"].Data, 0.01)
				},
			}
		}}
}

func predictor(work string, l labelled, c, gamma, bar float64) Case {
	return Case{Work: work, Bar: bar, Peer: "svm_predict", Args: map[string]any{"c": c, "gamma": gamma},
		Prepare: func() Work {
			_, _, predict := l.fit(c, gamma)
			test := twoClasses(25_000, l.dense.Dim())
			rows := data.RowsOf(linalg.Matrix[float64](test.dense.RawMatrix()).Slice(20_000, 25_000, 0, l.dense.Dim()))
			l.file("svm-predict-train.txt")
			labelled{dense: rows, y: test.y[20_000:]}.file("svm-predict-test.txt")
			var ours []float64
			return Work{
				Run:   func() { ours = predict(rows) },
				Check: func(t Inputs) error { return agreeMostly(ours, t["result"].Data, 0.002) },
			}
		}}
}

// agreeMostly allows a share of labels to differ: points on the boundary.
func agreeMostly(ours, theirs []float64, share float64) error {
	if len(ours) != len(theirs) {
		return fmt.Errorf("%d labels, theirs %d", len(ours), len(theirs))
	}
	differ := 0
	for i, v := range ours {
		if v != theirs[i] {
			differ++
		}
	}
	if float64(differ) > share*float64(len(ours)) {
		return fmt.Errorf("%d of %d labels differ", differ, len(ours))
	}
	return nil
}

// smooth is points with a smooth function of four coordinates and noise.
func smooth(n, d int) (linalg.Matrix[float64], []float64) {
	x, noise := random(n, d, 33), random(n, 1, 34)
	y := make([]float64, n)
	for i := range y {
		r := x.Row(i)
		y[i] = math.Sin(r[0]) + r[1]*r[2]/2 + r[3]/2 + 0.1*noise.Data[i]
	}
	return x, y
}

func fitTube(x linalg.Matrix[float64], y []float64) *svm.Regressor[kernel.Vec] {
	k := kernel.Gaussian{Lengthscale: math.Sqrt(float64(x.Cols) / 2)}
	m, err := (svm.Regression[kernel.Vec]{Kernel: k, C: 1, Epsilon: 0.1}).Fit(context.Background(), data.RowsOf(x), y)
	if err != nil {
		panic(err)
	}
	return m
}

// tube is ε-SVR of a smooth function with noise.
func tube(n, d int) Case {
	return Case{Work: fmt.Sprintf("ε-SVR %d × %d", n, d), Bar: 8, Peer: "sklearn_svr",
		Args: map[string]any{"c": 1.0, "gamma": 1.0 / float64(d), "epsilon": 0.1}, Prepare: func() Work {
			x, y := smooth(n, d)
			var m *svm.Regressor[kernel.Vec]
			return Work{
				Inputs: Inputs{"x": array(x), "y": {Rows: n, Cols: 1, Data: y}},
				Run:    func() { m = fitTube(x, y) },
				Check: func(t Inputs) error {
					return agree("prediction", predictAll[kernel.Vec](m, data.RowsOf(x.Slice(0, 100, 0, d))), t["result"].Data, 5e-3)
				},
			}
		}}
}

// tubePredictor is the prediction of new points by the same machine.
func tubePredictor(n, d, points int) Case {
	args := map[string]any{"c": 1.0, "gamma": 1.0 / float64(d), "options": []string{"-s", "3", "-p", "0.1"}}
	return Case{Work: fmt.Sprintf("ε-SVR prediction, %d points", points), Bar: 20, Peer: "svm_predict", Args: args,
		Prepare: func() Work {
			x, y := smooth(n, d)
			m := fitTube(x, y)
			fresh := random(points, d, 36)
			labelled{dense: data.RowsOf(x), y: y}.file("svm-predict-train.txt")
			labelled{dense: data.RowsOf(fresh), y: make([]float64, points)}.file("svm-predict-test.txt")
			var ours []float64
			return Work{
				Run:   func() { ours = predictAll[kernel.Vec](m, data.RowsOf(fresh)) },
				Check: func(t Inputs) error { return agree("prediction", ours, t["result"].Data, 5e-3) },
			}
		}}
}

// linearText is a two-class problem shaped like bags of words.
func linearText(n, d int) Case {
	rng := rand.New(rand.NewPCG(35, 0))
	rows, y := make([]data.SparseVec, n), make([]float64, n)
	for i := range rows {
		y[i] = float64(2*(i%2) - 1)
		seen := map[int32]bool{}
		for len(seen) < 100 {
			word := int32(float64(d) * math.Pow(rng.Float64(), 3))
			if rng.Float64() < 0.12 {
				word = word/2*2 + int32(i%2) // a word of this class
			}
			seen[min(word, int32(d-1))] = true
		}
		for word := range int32(d) {
			if seen[word] {
				rows[i].Index = append(rows[i].Index, word)
				rows[i].Value = append(rows[i].Value, 0.1)
			}
		}
	}
	x := data.SparseOf(rows, d)
	l := labelled{sparse: &x, y: y}
	return Case{Work: fmt.Sprintf("linear SVC, sparse text %d × %d", n, d), Bar: 1, Peer: "liblinear",
		Args: map[string]any{"file": l.file("linear-text.txt")}, Prepare: func() Work {
			var m *svm.LinearClassifier[data.SparseVec, float64]
			return Work{
				Run: func() {
					var err error
					if m, err = (svm.LinearClassification[data.SparseVec, float64]{C: 1}).Fit(context.Background(), x, y); err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error {
					return agreeMostly(predictAll[data.SparseVec](m, x), t["result"].Data, 0.005)
				},
			}
		}}
}

// predictAll asks a model that was checked before.
func predictAll[T any](m interface {
	Predict(ctx context.Context, x data.Points[T]) ([]float64, error)
}, x data.Points[T]) []float64 {
	y, err := m.Predict(context.Background(), x)
	if err != nil {
		panic(err)
	}
	return y
}
