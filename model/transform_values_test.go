package model

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// matrixKernel is a kernel on the numbers of objects by its matrix.
type matrixKernel struct{ k *mat.Dense }

func (m matrixKernel) Eval(x, y kernel.Vec) float64 { return m.k.At(int(x[0]), int(y[0])) }
func (m matrixKernel) Objects() int                 { n, _ := m.k.Dims(); return n }

// valueRows is the kernel values of new points with those of the fit.
func valueRows(k kernel.Kernel[kernel.Vec], x, fitted data.DenseRows) data.DenseRows {
	m := mat.NewDense(x.Len(), fitted.Len(), nil)
	for i := range x.Len() {
		for j := range fitted.Len() {
			m.Set(i, j, k.Eval(x.At(i), fitted.At(j)))
		}
	}
	return data.Rows(m)
}

// What a matrix of kernel values gives is what the kernel itself gives, before and after a file.
func TestTransformsOfAMatrix(t *testing.T) {
	ctx := context.Background()
	k := kernel.Gaussian{Lengthscale: 1.5}
	x, fresh := newPoints(1, 40, 3), newPoints(2, 15, 3)
	gram := valueRows(k, x, x)
	given := matrixKernel{mat.NewDense(40, 40, gram.RawMatrix().Data)}
	numbers := make([]float64, 40)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	places := data.Line(numbers)
	fit := func(name string, on func(kernel.Kernel[kernel.Vec], data.DenseRows) (rkhs.Plainer[kernel.Vec], error)) {
		t.Run(name, func(t *testing.T) {
			direct, err := on(k, x)
			if err != nil {
				t.Fatal(err)
			}
			byMatrix, err := on(given, places)
			if err != nil {
				t.Fatal(err)
			}
			want, err := NewTransform(direct, Info{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := NewTransform(byMatrix, Info{})
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if _, err := m.WriteTo(&file); err != nil {
				t.Fatal(err)
			}
			back, err := Decode(file.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if back.Kernel() != "precomputed()" || back.Dim() != 40 {
				t.Errorf("kernel %q of %d objects", back.Kernel(), back.Dim())
			}
			expected, err := want.TransformEncoded(ctx, &data.Encoded{Kept: make([]int, 15), Dense: fresh}, TransformOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range []*Model{m, back} {
				got, err := one.TransformEncoded(ctx, &data.Encoded{Kept: make([]int, 15), Dense: valueRows(k, fresh, x)},
					TransformOptions{})
				if err != nil {
					t.Fatal(err)
				}
				for j, c := range got.Columns {
					if c.Name == "residual" || c.Name == "distance" {
						t.Errorf("column %q needs k(x, x), which is not known", c.Name)
					}
					for i, v := range c.Numbers {
						if w := expected.Columns[j].Numbers[i]; math.Abs(math.Abs(v)-math.Abs(w)) > 1e-9 {
							t.Errorf("column %q, row %d: %g, want %g", c.Name, i, v, w)
						}
					}
				}
			}
			short := &data.Encoded{Kept: make([]int, 15), Dense: fresh}
			if _, err := back.TransformEncoded(ctx, short, TransformOptions{}); !errors.As(err, new(*DimensionError)) {
				t.Errorf("rows of 3 values for 40 objects: %v", err)
			}
		})
	}
	fit("pca", func(k kernel.Kernel[kernel.Vec], x data.DenseRows) (rkhs.Plainer[kernel.Vec], error) {
		return project.PCA[kernel.Vec]{Kernel: k, Components: 3}.Fit(ctx, x)
	})
	fit("k-means", func(k kernel.Kernel[kernel.Vec], x data.DenseRows) (rkhs.Plainer[kernel.Vec], error) {
		return cluster.KMeans[kernel.Vec]{Kernel: k, Clusters: 2}.Fit(ctx, x)
	})
	fit("spectral", func(k kernel.Kernel[kernel.Vec], x data.DenseRows) (rkhs.Plainer[kernel.Vec], error) {
		return cluster.Spectral[kernel.Vec]{Kernel: k, Clusters: 2}.Fit(ctx, x)
	})
}

// A file of a matrix whose numbers of objects do not fit together is refused.
func TestTransformsOfAMatrixThatLie(t *testing.T) {
	ctx := context.Background()
	x := newPoints(1, 10, 2)
	gram := valueRows(kernel.Gaussian{Lengthscale: 1}, x, x)
	given := matrixKernel{mat.NewDense(10, 10, gram.RawMatrix().Data)}
	m, err := project.PCA[kernel.Vec]{Kernel: given, Components: 2}.Fit(ctx,
		data.Line([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Plain()
	if err != nil {
		t.Fatal(err)
	}
	for name, centers := range map[string]data.DenseRows{"beyond": data.Line([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 10}),
		"half": data.Line([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 8.5})} {
		f := *p.Funcs[0]
		f.Centers = centers
		q := p
		q.Funcs = []*rkhs.Func[kernel.Vec]{&f}
		if _, err := newTransform(q.Erase(), nil); err == nil || !strings.Contains(err.Error(), "training object") {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.Kind = savedkind.KMedoids
	if _, err := newTransform(p.Erase(), nil); err == nil || !strings.Contains(err.Error(), "no file") {
		t.Errorf("medoids of a matrix: %v", err)
	}
}

// Covariances of a model are the process's own, in the unit of the target.
func TestCovarianceOfAProcess(t *testing.T) {
	ctx := context.Background()
	x, fresh := newPoints(1, 30, 2), newPoints(2, 6, 2)
	y := make([]float64, 30)
	for i := range y {
		y[i] = math.Sin(x.At(i)[0])
	}
	g, err := gp.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Noise: 0.01, FixedNoise: true,
		HyperOptions: gp.HyperOptions{FixedKernel: true}}.Fit(ctx, x, y)
	if err != nil {
		t.Fatal(err)
	}
	want, err := g.Covariance(ctx, fresh)
	if err != nil {
		t.Fatal(err)
	}
	for _, factor := range []float64{1, 0.25} {
		m, err := New(g, Info{TargetScale: &data.Affine{Center: 3, Factor: factor}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.PredictEncoded(ctx, &data.Encoded{Kept: make([]int, 6), Dense: fresh}, Want{Covariance: true, Std: true})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			for j := range 6 {
				if got := p.Covariance.At(i, j) * factor * factor; math.Abs(got-want.At(i, j)) > 1e-12 {
					t.Errorf("factor %g, (%d, %d): %g, want %g", factor, i, j, got, want.At(i, j))
				}
			}
			if v := math.Sqrt(p.Covariance.At(i, i)); math.Abs(v-p.Std[i]) > 1e-9 {
				t.Errorf("factor %g, row %d: deviation %g, by the covariance %g", factor, i, p.Std[i], v)
			}
		}
	}
}
