package model

import (
	"fmt"
	"strconv"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn"
)

// Info is what a model file says besides the fitted function: what its points
// and classes are, and where it comes from.
type Info struct {
	Spec    string        // the learner as text, for people; never run
	Encoder *data.Encoder // how a data set becomes points; nil: its columns are the points
	Classes []string      // names by class code; nil: those of the encoder's target
	// TargetScale is how the targets of a regression were scaled before the fit;
	// predictions are mapped back. nil means they were not.
	TargetScale *data.Affine
	// TargetMap is the increasing map of the targets of a regression that the model was fitted in;
	// predictions and the ends of intervals are mapped back. nil means none, as where there is a
	// TargetScale. Residuals are those of mapped targets.
	TargetMap *data.TargetMap
	// Residuals is |y - prediction| of rows that the model was not fitted to, increasing: what its
	// intervals are made of. Where it has a distribution of its own they are in units of the
	// standard deviation of an observation. nil means that there were none.
	Residuals []float64
	// More is what is known of further targets (Encoder.More); none: nothing.
	More []TargetInfo
	// HeldDensity is the log-densities, increasing, of rows that a density was not fitted to, each
	// under a fit to the others: what tells which rows are rare. nil means that it is not known.
	HeldDensity []float64

	// Background is features of some rows that the model was fitted on (KeptBackground), which
	// contributions of columns compare with; none: not known.
	Background data.DenseRows

	// Yardstick is what scores of the model are told by.
	Yardstick Yardstick
	// Threshold is from which probability on a class of two is named; nil: the more probable is.
	Threshold *Threshold

	DataName string // of the data learnt from
	DataHash string // SHA-256 of the file
	Rows     int    // learnt from
	// Trained is the hashes of the rows learnt from (TrainedRows), increasing; nil: not known.
	Trained []uint64
	Seed    uint64
	Version string            // of mercer
	Created time.Time         // zero: left out, so that equal models give equal files
	Notes   map[string]string // free text to show: scores, the command …
}

// Model is a fitted learner with everything needed to use it on a data set,
// to save and to export it. It is immutable.
type Model struct {
	info Info
	body body
}

// New puts a fitted model together with what is known about it. T is kernel.Vec, data.SparseVec
// (kernels made by kernel.OnSparse), mixed.Row (with its Encoder) or int (kernel.Precomputed). A
// classifier's labels, in increasing order, are Info.Classes in their order: fit it to class codes.
// The kernel must have a text in the language of package spec.
//
// Without an encoder the columns of a data set are the points. What was fitted to points that an
// encoder made needs that one here, or it predicts something else from a data set;
// tune.AutoResult.Model puts in its own.
func New[T any](fitted learn.Saver[T], info Info) (*Model, error) {
	return newModel(fitted.Saved().Erase(), info)
}

// newModel looks at what the points were before they were erased.
func newModel(s learn.Saved[any], info Info) (*Model, error) {
	var b body
	var err error
	of := kernel.Concrete(s.Func.Kernel)
	switch k := of.(type) {
	case kernel.Kernel[kernel.Vec]:
		if points, ok := data.VectorsOf(s.Func.Centers); ok {
			b, err = vectorBody(s, k, points)
		}
	case kernel.Kernel[data.SparseVec]:
		if points, ok := data.SparseOfPoints(s.Func.Centers); ok {
			b, err = sparseBody(s, points)
		}
	case *kernel.FeatureSpace:
		b, err = newFeaturesBody(s, k, info.Encoder)
	case kernel.Precomputed:
		b, err = precomputedBody(s, k)
	case kernel.Kernel[mixed.Row]:
		b, err = newRowsBody(s, k, info.Encoder)
	}
	if b == nil && err == nil {
		err = fmt.Errorf("a model with a kernel of type %T cannot be saved: its points are neither vectors, sparse "+
			"vectors, rows of a table nor rows of a kernel matrix", of)
	}
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return assemble(b, info)
}

// assemble checks that body and info fit together.
func assemble(b body, info Info) (*Model, error) {
	k := b.classes()
	if info.Classes == nil && info.Encoder != nil && info.Encoder.Target != nil && k > 0 {
		info.Classes = info.Encoder.Target.Classes
	}
	if info.Classes == nil && k > 0 {
		if b.learner() == "one-class" {
			info.Classes = []string{"outside", "inside"}
		} else {
			for c := range k {
				info.Classes = append(info.Classes, strconv.Itoa(c))
			}
		}
	}
	if len(info.Classes) != k {
		return nil, fmt.Errorf("model: %d class names for a model of %d classes", len(info.Classes), k)
	}
	if e := info.Encoder; e != nil {
		if err := e.Check(); err != nil {
			return nil, fmt.Errorf("model: encoder: %w", err)
		}
		if e.Dim != b.dim() {
			return nil, fmt.Errorf("model: the encoder gives %d features, the model was fitted on %d", e.Dim, b.dim())
		}
	}
	if err := checkResiduals(info.Residuals, k); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if err := info.checkSeveral(b); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if err := checkTrained(info.Trained); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if err := info.checkBackground(b); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	t, _ := b.(*transform)
	if err := checkHeld(info.HeldDensity, t); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if a := info.TargetScale; a != nil && (k > 0 || !finite(a.Center) || !finite(a.Factor) || a.Factor == 0) {
		return nil, fmt.Errorf("model: target scaling (y - %g)·%g of a model of %d classes", a.Center, a.Factor, k)
	}
	if err := checkMap(info, b); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if err := info.checkThreshold(b); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return &Model{info, b}, nil
}

func finite(v float64) bool { return v-v == 0 }

// Info returns what is known about the model.
func (m *Model) Info() Info { return m.info }

// Report says how the fit went.
func (m *Model) Report() learn.Report { return m.body.report() }

// Learner is the family of the learner: "svc", "svr", "ridge" …
func (m *Model) Learner() string { return m.body.learner() }

// Kernel is the kernel as text.
func (m *Model) Kernel() string { return m.body.kernelText() }

// Centers is the number of centres of the expansion: support vectors.
func (m *Model) Centers() int { return m.body.centers() }

// OnDevice makes predictions of many rows on a device where that is worth the while; nil means the
// processor.
func (m *Model) OnDevice(d *gram.Device) { m.body.onDevice(d) }

// Dim is the number of features of a point.
func (m *Model) Dim() int { return m.body.dim() }

// Outputs is the number of decision or regression values of a point.
func (m *Model) Outputs() int { return m.body.outputs() }

// Classes lists the class names by code; nil for a regression.
func (m *Model) Classes() []string { return m.info.Classes }

// HasProba says whether the model gives class probabilities.
func (m *Model) HasProba() bool { return m.body.hasProba() }

// HasStd says whether the model gives standard deviations. Where the target was mapped it does not:
// there is none of a number whose logarithm has one, but its intervals are as good.
func (m *Model) HasStd() bool { return m.body.hasStd() && m.info.TargetMap == nil }

// Target is the name of the column that the model predicts, of several the first, where known.
func (m *Model) Target() string {
	if m.info.Encoder != nil && m.info.Encoder.Target != nil {
		return m.info.Encoder.Target.Name
	}
	return ""
}

// Task is what the model predicts.
func (m *Model) Task() data.Task {
	switch k := len(m.info.Classes); {
	case m.Learner() == "one-class" || m.Role() != rolePredictor:
		return data.Unsupervised
	case k == 0:
		return data.Regression
	case k == 2:
		return data.Binary
	}
	return data.Multiclass
}
