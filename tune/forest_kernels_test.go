package tune

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
)

// forestKernels is each kernel of trees, alone and in the algebra.
var forestKernels = []string{"forest(trees=8, seed=1)", "mondrian(trees=8, lifetime=0.5, seed=1)",
	"isolation(trees=8, seed=1)", "forest(trees=5) + gaussian(lengthscale=2)",
	"0.5*mondrian(trees=5)*isolation(trees=4)", "on(forest(trees=5), columns=[2, 0])"}

// forestRows is rows of three columns, of which the sum of two says the target.
func forestRows(n int) (data.Points[any], []float64) {
	rng := rand.New(rand.NewPCG(8, 1))
	x, y := make(data.Slice[kernel.Vec], n), make([]float64, n)
	for i := range x {
		x[i] = kernel.Vec{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		y[i] = x[i][0] + x[i][2] + 0.1*rng.NormFloat64()
	}
	return data.Erase(data.Points[kernel.Vec](x)), y
}

func parsed(t *testing.T, text string) kernel.Kernel[any] {
	t.Helper()
	k, err := spec.ParseKernel(text)
	if err != nil {
		t.Fatal(err)
	}
	return kernel.OnVectors(k)
}

// Kernels of trees are searched, fitted, saved and loaded in every kind of learner, and predict to
// the bit what was fitted.
func TestForestKernelsInLearnersThroughAFile(t *testing.T) {
	ctx := context.Background()
	x, y := forestRows(60)
	others, _ := forestRows(7)
	codes := make([]float64, len(y))
	for i, v := range y {
		if v > 0 {
			codes[i] = 1
		}
	}
	kernels := forestKernels
	if testing.Short() {
		kernels = kernels[1:4]
	}
	for _, text := range kernels {
		for _, learner := range []string{"ridge", "svm", "gp", "nystrom", "knn", "ridge of classes", "svm of classes",
			"gp of classes", "logistic of classes"} {
			t.Run(learner+" "+text, func(t *testing.T) {
				learner, classes := strings.CutSuffix(learner, " of classes")
				p := learn.Problem[any]{Points: x, Task: data.Regression, Y: y}
				info := model.Info{}
				if classes {
					p.Task, p.Y, info.Classes = data.Binary, codes, []string{"low", "high"}
				}
				r, err := Search{Problem: p, Candidates: []Candidate{{Learner: learner, Kernel: parsed(t, text)}},
					Strategy: Random{Cells: 1}, Threads: 2}.Run(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if r.Best.Mean != r.Best.Mean || kernel.Learns(r.Model.Kernel) {
					t.Fatalf("score %g by %s", r.Best.Mean, kernel.NameOf(r.Model.Kernel))
				}
				saved, ok := r.Model.Model.(learn.Saver[any])
				if !ok {
					t.Fatalf("%T is not saved", r.Model.Model)
				}
				m, err := model.New(saved, info)
				if err != nil {
					t.Fatal(err)
				}
				back := throughFile(t, m)
				name, _, _ := strings.Cut(strings.TrimPrefix(text, "on("), "(")
				if name = strings.TrimPrefix(name, "0.5*"); !strings.Contains(back.Kernel(), name) {
					t.Errorf("the file has the kernel %.60q", back.Kernel())
				}
				want, err := r.Model.PredictAll(ctx, others)
				if err != nil {
					t.Fatal(err)
				}
				v, _ := data.VectorsOf(others)
				rows := mat.NewDense(v.Len(), 3, nil)
				for i := range v.Len() {
					rows.SetRow(i, v.At(i))
				}
				for _, m := range []*model.Model{m, back} {
					got, err := m.PredictEncoded(ctx, &data.Encoded{Dense: data.Rows(rows)}, model.Want{})
					if err != nil {
						t.Fatal(err)
					}
					if !classes && !reflect.DeepEqual(got.Values, want.Value) {
						t.Errorf("%v, fitted %v", got.Values, want.Value)
					}
					if classes && !reflect.DeepEqual(got.Codes, want.Class) {
						t.Errorf("%v, fitted %v", got.Codes, want.Class)
					}
				}
			})
		}
	}
}

func throughFile(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	back, err := model.Decode(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// Components and groups by kernels of trees are saved and loaded, and say the same of other rows to
// the bit.
func TestForestKernelsInTransformsThroughAFile(t *testing.T) {
	ctx := context.Background()
	x, y := forestRows(50)
	others, _ := forestRows(7)
	v, _ := data.VectorsOf(others)
	rows := mat.NewDense(v.Len(), 3, nil)
	for i := range v.Len() {
		rows.SetRow(i, v.At(i))
	}
	for _, text := range forestKernels {
		k, err := kernel.Learn(ctx, parsed(t, text), kernel.Examples{Points: x, Targets: y, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		wide, err := kernel.Learn(ctx, parsed(t, text+" + 0.1*isolation(depth=1)"), kernel.Examples{Points: x, Targets: y})
		if err != nil {
			t.Fatal(err)
		}
		for name, fit := range map[string]func() (rkhs.Plainer[any], error){
			"pca":      func() (rkhs.Plainer[any], error) { return project.PCA[any]{Kernel: k, Components: 3}.Fit(ctx, x) },
			"kmeans":   func() (rkhs.Plainer[any], error) { return cluster.KMeans[any]{Kernel: k, Clusters: 3}.Fit(ctx, x) },
			"kmedoids": func() (rkhs.Plainer[any], error) { return cluster.KMedoids[any]{Kernel: k, Clusters: 3}.Fit(ctx, x) },
			"spectral": func() (rkhs.Plainer[any], error) { // of few leaves, in which all rows have neighbours
				return cluster.Spectral[any]{Kernel: wide, Clusters: 2, Graph: cluster.KernelGraph}.Fit(ctx, x)
			},
		} {
			fitted, err := fit()
			if err != nil {
				t.Errorf("%s, %s: %v", name, text, err)
				continue
			}
			m, err := model.NewTransform(fitted, model.Info{})
			if err != nil {
				t.Errorf("%s, %s: %v", name, text, err)
				continue
			}
			want, err := m.TransformEncoded(ctx, &data.Encoded{Dense: data.Rows(rows)}, model.TransformOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := throughFile(t, m).TransformEncoded(ctx, &data.Encoded{Dense: data.Rows(rows)}, model.TransformOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %v, before the file %v", name, text, got, want)
			}
		}
	}
}

// Tests by kernels of trees that look at no target see a difference and a dependence that is there,
// and permute what a loop over values of the kernel says.
func TestForestKernelsInTests(t *testing.T) {
	ctx := context.Background()
	x, y := forestRows(80)
	v, _ := data.VectorsOf(x)
	low, high := make(data.Slice[any], 0, 80), make(data.Slice[any], 0, 80)
	targets := make(data.Slice[any], 80)
	for i := range 80 {
		if y[i] > 0 {
			high = append(high, v.At(i))
		} else {
			low = append(low, v.At(i))
		}
		targets[i] = kernel.Vec{y[i]}
	}
	for _, text := range []string{"mondrian(trees=30, lifetime=0.5)", "isolation(trees=30)",
		"mondrian(trees=20) + 0.5*isolation(trees=20)"} {
		k, err := kernel.Learn(ctx, parsed(t, text), kernel.Examples{Points: x})
		if err != nil {
			t.Fatal(err)
		}
		s := stat.TestSettings{Permutations: 200, Seed: 1}
		two, err := stat.MMD[any]{Kernel: k, TestSettings: s}.Test(ctx, low, high)
		if err != nil {
			t.Fatal(err)
		}
		want := meanOver(k, low, low) + meanOver(k, high, high) - 2*meanOver(k, low, high)
		biased, err := stat.MMD[any]{Kernel: k, Estimate: stat.Biased, TestSettings: s}.Test(ctx, low, high)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(biased.Statistic-want) > 1e-12 || two.P > 0.05 {
			t.Errorf("%s: MMD² is %g, by a loop %g; p = %g", text, biased.Statistic, want, two.P)
		}
		one, err := stat.HSIC[any, any]{KernelX: k, KernelY: kernel.OnVectors(kernel.Gaussian{Lengthscale: 1}),
			TestSettings: s}.Test(ctx, x, targets)
		if err != nil {
			t.Fatal(err)
		}
		if one.P > 0.05 {
			t.Errorf("%s: p = %g of a dependence", text, one.P)
		}
	}
}

// meanOver is the mean of the values of k.
func meanOver(k kernel.Kernel[any], x, y data.Points[any]) float64 {
	sum := 0.0
	for i := range x.Len() {
		for j := range y.Len() {
			sum += k.Eval(x.At(i), y.At(j))
		}
	}
	return sum / float64(x.Len()*y.Len())
}
