package newcomer_test

// The fragments of pages: what they take for granted is declared before them, what they leave is
// looked at after them.

import (
	"context"
	"math"
	"net/http"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/serve"
	"github.com/mercer-ml/mercer/smooth"
	"github.com/mercer-ml/mercer/stat"
	"github.com/mercer-ml/mercer/tune"
	"gonum.org/v1/gonum/mat"
)

// spiral is n points in the plane, and their distance from its middle.
func spiral(n int) (x *mat.Dense, y []float64) {
	x = mat.NewDense(n, 2, nil)
	for i := range n {
		r := float64(i) / float64(n)
		x.SetRow(i, []float64{r * math.Cos(9*r), r * math.Sin(9*r)})
		y = append(y, r)
	}
	return x, y
}

func TestFragmentOfREADME(t *testing.T) {
	ctx := context.Background()
	x, y := spiral(40)
	xnew, _ := spiral(5)
	fit := func() error {
		k := kernel.Sum[kernel.Vec](
			kernel.Gaussian{Lengthscale: 2},
			kernel.Scale[kernel.Vec](0.5, kernel.Linear{}),
		)
		learner := ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 1e-3}
		model, err := learner.Fit(ctx, data.Rows(x), y)
		if err != nil {
			return err
		}
		yhat, err := model.Predict(ctx, data.Rows(xnew))
		norm := model.Func().Norm() // ‖f‖ in the RKHS
		if len(yhat) != 5 || !(norm > 0) {
			t.Error(yhat, norm)
		}
		return err
	}
	if err := fit(); err != nil {
		t.Error(err)
	}
}

func TestFragmentOfDensities(t *testing.T) {
	ctx := context.Background()
	x, y := spiral(60)
	xnew, _ := spiral(5)
	x, xnew = x.Slice(0, 60, 0, 1).(*mat.Dense), xnew.Slice(0, 5, 0, 1).(*mat.Dense)
	logs := make([]float64, 5)
	m, err := density.KDE{Rule: density.SheatherJonesRule}.Fit(ctx, data.Rows(x))
	p, err := m.Density(ctx, data.Rows(xnew))        // LogDensity does not underflow
	err = m.LogDensityTo(ctx, logs, data.Rows(xnew)) // into memory of your own
	c, err := smooth.LocalRegression{Smoother: density.TriCube, Degree: 1, Span: 0.4, Robust: 3}.Fit(ctx, data.Rows(x), y)
	yhat, err := c.Predict(ctx, data.Rows(xnew))
	bands, err := c.Bands(ctx, data.Rows(xnew), 0.95)
	if err != nil || len(yhat) != 5 || math.Abs(math.Log(p[0])-logs[0]) > 1e-9 {
		t.Error(p, logs, yhat, bands, err)
	}
}

func TestFragmentsOfGraphs(t *testing.T) {
	ctx := context.Background()
	g := graph.Graph{Nodes: 3, Edges: [][2]int32{{0, 1}, {1, 2}}, NodeLabels: []int{6, 6, 8}}
	train, labels := []graph.Graph{g, {Nodes: 2, Edges: [][2]int32{{0, 1}}, NodeLabels: []int{8, 8}}},
		[]string{"three", "two"}
	k := kernel.Normalize(kernel.Kernel[graph.Graph](graph.WL{Iterations: 3}))
	m, err := svm.Classification[graph.Graph, string]{Kernel: k, C: 10}.Fit(ctx, data.Slice[graph.Graph](train), labels)
	if err != nil || len(m.Classes()) != 2 {
		t.Error(m, err)
	}
}

func TestFragmentOfNodes(t *testing.T) {
	ctx := context.Background()
	x, _ := spiral(100)
	g, err := graph.Nearest(ctx, kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 0.2}), data.Rows(x), 5)
	l, err := graph.NewNormalisedLaplacian(g)
	k := graph.Nodes{Laplacian: l, Transform: graph.Regularised{Epsilon: 0.01}}
	m, err := ridge.Regression[int]{Kernel: k, Lambda: 0.01}.Fit(ctx, data.Slice[int]{30, 90}, []float64{1, -1})
	if err != nil || m.Func().Centers.Len() != 2 {
		t.Error(m, err)
	}
}

func TestFragmentsOfModels(t *testing.T) {
	ctx := context.Background()
	t.Chdir(t.TempDir())
	rows, err := data.Builtin("faithful", 1)
	if err != nil {
		t.Fatal(err)
	}
	first := make([]int, 50)
	for i := range first {
		first[i] = i
	}
	rows = rows.Gather(first)
	newRows := rows
	t.Run("predictions", func(t *testing.T) {
		found, err := tune.Auto(ctx, rows, tune.AutoOptions{})
		err = found.Save("model.mercer") // or found.Model(model.Info{Notes: …}) for a *model.Model
		m, err := model.Load("model.mercer")
		p, err := m.Predict(ctx, newRows, model.Want{Interval: 0.9})
		if err != nil {
			t.Error(p, err)
		}
	})
	t.Run("transformations", func(t *testing.T) {
		enc, err := data.FitEncoder(rows, data.EncoderOptions{})
		x, err := enc.Transform(rows)
		k := kernel.Gaussian{Lengthscale: 1}
		fitted, err := project.PCA[kernel.Vec]{Kernel: k, Components: 3}.Fit(ctx, x.Dense)
		m, err := model.NewTransform(fitted, model.Info{Encoder: enc})
		err = m.Save("pca.mercer")
		back, err := model.Load("pca.mercer")
		scores, err := back.Transform(ctx, newRows, model.TransformOptions{})
		if err != nil {
			t.Error(scores, err)
		}
	})
}

func TestFragmentsOfProjections(t *testing.T) {
	ctx := context.Background()
	x, _ := spiral(30)
	xnew, _ := spiral(5)
	t.Run("components", func(t *testing.T) {
		scores := mat.NewDense(5, 10, nil)
		m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Components: 10}.Fit(ctx, data.Rows(x))
		z, err := m.Transform(ctx, data.Rows(xnew))       // scores; of training points, m.Scores()
		err = m.TransformTo(ctx, scores, data.Rows(xnew)) // into memory of your own
		share := m.ExplainedRatio()
		rest, err := m.ReconstructionErrors(ctx, data.Rows(xnew)) // squared distance from the plane, in feature space
		if err != nil || !mat.Equal(z, scores) || len(share) != 10 || len(rest) != 5 {
			t.Error(share, rest, err)
		}
	})
	t.Run("correlation", func(t *testing.T) {
		texts := make(data.Slice[string], 30)
		for i := range texts {
			texts[i] = []string{"red", "green", "blue"}[i/10] + []string{" apple", " pear"}[i%2]
		}
		stringKernel, gaussian := seq.Spectrum{K: 2}, kernel.Gaussian{Lengthscale: 0.3}
		views := []project.View{project.NewView[string](stringKernel, texts),
			project.NewView[kernel.Vec](gaussian, data.Rows(x))}
		choice, err := project.CCA{}.ChooseKappa(ctx, []float64{0.1, 1, 10}, 5, views...)
		cca := project.CCA{Components: 3, Kappa: choice.Best}
		m, err := cca.Fit(ctx, views...)
		test, err := cca.Test(ctx, 999, views...) // permutation p-value (1 + #)/(1 + B)
		if err != nil || m == nil {
			t.Error(test, err)
		}
	})
	t.Run("latent points", func(t *testing.T) {
		y, _ := spiral(20)
		m, err := project.GPLVM{}.Fit(ctx, data.Rows(y))
		x := m.Latent() // a row of two for each point
		row, std, err := m.Reconstruct(ctx, data.Rows(x))
		if err != nil || row == nil {
			t.Error(row, std, err)
		}
	})
}

func TestFragmentOfServe(t *testing.T) {
	ctx := context.Background()
	t.Chdir(t.TempDir())
	mux := http.NewServeMux()
	x, y := spiral(20)
	price, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}}.Fit(ctx, data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := model.New(price, model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	if err := saved.Save("price.mercer"); err != nil {
		t.Fatal(err)
	}
	mount := func() error {
		m, err := model.Load("price.mercer")
		if err != nil {
			return err
		}
		predictions := serve.New(serve.Options{MaxInflight: 256})
		if err := predictions.Add("price", m); err != nil {
			return err
		}
		mux.Handle("/", predictions) // or below a prefix, with http.StripPrefix
		return nil
	}
	if err := mount(); err != nil {
		t.Error(err)
	}
}

func TestFragmentOfTests(t *testing.T) {
	ctx := context.Background()
	a, _ := spiral(30)
	b, _ := spiral(40)
	x, y := data.Points[kernel.Vec](data.Rows(a)), data.Points[kernel.Vec](data.Rows(b))
	k, err := stat.MedianKernel(x, y)
	r, err := stat.MMD[kernel.Vec]{Kernel: k, TestSettings: stat.TestSettings{Permutations: 999, Seed: 1}}.Test(ctx, x, y)
	f, err := stat.Witness[kernel.Vec](ctx, k, x, y)
	top, err := stat.LargestDifferences(ctx, f, x, y, 5) // where the samples differ most
	if err != nil || len(top) != 5 || r.P < 0.05 {
		t.Error(r, top, err)
	}
}
