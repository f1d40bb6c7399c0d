package learnt

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

// Model is a generative model of points of type T: of strings a Markov, an HMM or a Terms, of
// vectors a Normal, a Mixture or a Counts. Its fields are how it is to be fitted and, once it was,
// its parameters.
type Model[T any] interface {
	// Validate says why the settings or the parameters make no model.
	Validate() error
	fitted() bool
	fit(ctx context.Context, x data.Points[T]) (Model[T], error)
	// check refuses points of which the model cannot speak.
	check(name string, x data.Points[T]) error
	// scores is the features of a Fisher kernel, with the root of what whitens them where that is a
	// matrix; x are the points that it is fitted to, nil where the root is known.
	scores(f how, x data.Points[T]) (func(T) kernel.Vec, *mat.Dense, error)
	// likelihoods are √p(i)·p(x | i) of each cause i.
	likelihoods() func(T) kernel.Vec
}

// Information is which information matrix F a Fisher kernel has.
type Information int

// The information matrices.
const (
	Auto      Information = iota // Exact where that has a closed form, else Empirical
	Exact                        // E[g gᵀ] under the model
	Empirical                    // the mean of g gᵀ over the rows that the model was fitted to
	Simulated                    // the same over rows that the model draws
	Identity                     // none: F = I
)

// how is what a Fisher kernel asks of a model.
type how struct {
	information Information
	draws       int
	seed        uint64
	root        *mat.Dense
}

// scored is scores of a model of package prob, on points that code makes of those of type T.
// zero is a point that has a score, whatever it is.
func scored[T, U any](
	m prob.Model[U], code func(T) U, zero T, h how, x data.Points[T],
) (func(T) kernel.Vec, *mat.Dense, error) {
	_, closed := m.(prob.Whitener[U])
	if h.information == Auto {
		if h.information = Empirical; closed {
			h.information = Exact
		}
	}
	var k prob.Fisher[U]
	var err error
	switch {
	case h.information == Identity:
		k, err = prob.FisherIdentity(m)
	case h.information == Exact && closed:
		k, err = prob.FisherExact(m)
	case h.root != nil:
		if _, columns := h.root.Dims(); columns != len(m.Score(code(zero))) {
			return nil, nil, fmt.Errorf("kernel: fisher: a root for %d parameters, and the model has %d", columns,
				len(m.Score(code(zero))))
		}
		k, err = prob.FisherRooted(m, h.root)
	case h.information == Exact:
		if k, err = prob.FisherExact(m); err != nil {
			err = fmt.Errorf("%w; in the language of kernels, information=empirical or information=simulated", err)
		}
	case h.information == Simulated:
		d, ok := m.(prob.Drawer[U])
		if !ok {
			return nil, nil, fmt.Errorf("kernel: fisher: this model draws no points; take information=empirical")
		}
		draws := h.draws
		if draws == 0 {
			draws = 1000
		}
		k, err = prob.FisherSimulated(d, draws, h.seed)
	case x == nil:
		return nil, nil, fmt.Errorf("kernel: fisher: a model with its parameters, and without the root of the information " +
			"that was taken from rows")
	default:
		coded := make(data.Slice[U], x.Len())
		for i := range coded {
			coded[i] = code(x.At(i))
		}
		k, err = prob.FisherEmpirical(m, data.Points[U](coded))
	}
	if err != nil {
		return nil, nil, err
	}
	return func(x T) kernel.Vec { return k.Features(code(x)) }, k.Root(), nil
}

func denseOf(rows [][]float64) *mat.Dense {
	if len(rows) == 0 {
		return nil
	}
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

func rowsOf(m *mat.Dense) [][]float64 {
	if m == nil {
		return nil
	}
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = append([]float64(nil), m.RawRowView(i)...)
	}
	return out
}

// tooSmall refuses points whose probability leaves the range of numbers under every cause.
func tooSmall[T any](name string, x data.Points[T], of func(T) kernel.Vec) error {
	for i := range x.Len() {
		largest := 0.0
		for _, v := range of(x.At(i)) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("kernel: %s: row %d has the density %g under the model", name, i, v)
			}
			largest = max(largest, v)
		}
		if largest < 1e-150 {
			return fmt.Errorf("kernel: %s: row %d has the density %.3g under the model, too small for products of numbers; "+
				"take a Fisher kernel of the model, or rows of fewer columns or letters", name, i, largest)
		}
	}
	return nil
}

func or(v, standard float64) float64 {
	if v == 0 {
		return standard
	}
	return v
}

func positive(what, name string, v float64) error {
	if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("kernel: %s: %s = %g, want a finite number > 0", what, name, v)
	}
	return nil
}
