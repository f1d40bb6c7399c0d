package forest

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// model is what forests of both sorts share.
type model struct {
	name   string // in a file
	forest *forest.Forest
	f      *rkhs.Func[kernel.Vec]
	bag    *forest.OutOfBag
	report learn.Report
}

// newModel has the constant that would be predicted without a tree for its function.
func newModel(name string, f *forest.Forest, constant []float64, bag *forest.OutOfBag, r learn.Report) *model {
	centre := data.RowsOf(linalg.New[float64](1, f.Dim()))
	return &model{name, f, &rkhs.Func[kernel.Vec]{Kernel: kernel.Linear{}, Centers: centre,
		Coef: mat.NewDense(1, len(constant), nil), Bias: constant}, bag, r}
}

// Forest is the trees, and the kernel that they make.
func (m *model) Forest() *forest.Forest { return m.forest }

// OutOfBag is what was said of each row by the trees that have not seen it; nil where all trees saw
// all rows, and for a model of a file.
func (m *model) OutOfBag() *forest.OutOfBag { return m.bag }

// Func is the constant that would be predicted without a tree, not what Predict gives: the function
// of a forest is a sum over its leaves.
func (m *model) Func() *rkhs.Func[kernel.Vec] { return m.f }

// Report says how the fit went.
func (m *model) Report() learn.Report { return m.report }

// boosted says that the numbers of a leaf are terms of a sum.
func (m *model) boosted() bool { return m.name == "boosting" || m.name == "boosting-classifier" }

// average writes the mean over the trees of the numbers of the leaf of each point.
func (m *model) average(ctx context.Context, dst []float64, x data.Points[kernel.Vec]) error {
	return fault.Plain(m.forest.AverageTo(ctx, dst, x))
}

// room refuses a forest that may need more memory than there is, and begins the report. A tree has
// a leaf for each Min rows at most, and one node less besides.
func room(
	name string, r *learn.Resources, g forest.Growth, x data.Points[kernel.Vec], outputs int,
) (learn.Report, error) {
	var err error
	if *r, err = r.WithDefaults(); err != nil {
		return learn.Report{}, err
	}
	n := x.Len()
	trees, leaves := int64(g.Trees), int64(n)
	if g.Trees == 0 {
		trees = 100
	}
	if g.Min > 1 {
		leaves = max(leaves/int64(g.Min), 1)
	}
	if g.Depth > 0 && g.Depth < 40 {
		leaves = min(leaves, int64(1)<<g.Depth)
	}
	// Bins, and the rows of a node with a copy. Each further thread has such rows, too: next to
	// the trees they are little, and a report is the same at any number of threads.
	perRow := int64(len(x.At(0))) + 2*(4+8+8)
	needs := int64(n)*perRow + trees*(2*leaves*32+8*leaves*int64(outputs)+int64(n)/8)
	if needs > r.Bytes || needs < 0 {
		if needs < 0 {
			needs = math.MaxInt64
		}
		return learn.Report{}, &learn.OverBudget{Learner: name, Points: n, Needs: needs, Budget: r.Bytes,
			Instead: "give it more memory, or grow fewer trees, with a bound on their depth or larger leaves"}
	}
	return learn.Report{Learner: name, Certified: "exact", Converged: true, Bytes: needs}, nil
}
