package tune

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// rowLearners are the learners that are tried on rows of a table with columns of objects, where
// there are not too many of them.
var rowLearners = map[string]int{"svm": 1 << 30, "ridge": 2500, "logistic": 700}

// pairSteps is how many elementary steps of comparing two objects a second of the budget is good
// for: a search compares all pairs once for each kernel, and there are a dozen.
const pairSteps = 3e7

// rowCandidates picks kernels for the columns of a table by their kinds, and puts them together:
// where there is one column of objects and nothing else, each of its kernels is a candidate;
// otherwise the kernel of each column that aligns best with the target, in a sum weighted by
// alignment and in a product.
func rowCandidates(
	ctx context.Context, r *AutoResult, s mixed.Schema, p learn.Problem[any], o AutoOptions,
) ([]Candidate, error) {
	if o.centers != nil {
		return nil, errCenterObjects
	}
	kernels, err := rowKernels(ctx, r, s, p, o)
	if err != nil {
		return nil, err
	}
	learners, err := askedFor(o.Learners, p.Task)
	if err != nil {
		return nil, err
	}
	if o.Learners == nil {
		var names []string
		for _, l := range all.Learners() {
			if most, ok := rowLearners[l.Name]; ok && l.Does(p.Task) && (len(p.More) == 0 || l.Several) && p.Len() <= most {
				names, learners = append(names, l.Name), append(learners, asked{name: l.Name})
			}
		}
		if o.linearObjects {
			names, learners = linearFirst(r, kernels, names, learners)
		}
		r.because("%d rows: %s", p.Len(), strings.Join(names, ", "))
	}
	r.tellOutputs(p, o)
	deviation := p.Deviation()
	sizes := make([]float64, len(kernels))
	for i, k := range kernels {
		sizes[i] = kernelSize(mixing.Erase(k.kernel), p)
	}
	var out []Candidate
	for _, a := range learners {
		name := a.name
		l, err := all.ByName(name)
		if err != nil {
			return nil, fault.Errorf("tune", "%w", err)
		}
		if len(p.More) > 0 && !l.Several {
			return nil, fault.In("tune", &SeveralError{Learner: name, Targets: p.Targets(), Can: SeveralLearners()})
		}
		if a.kernel != nil {
			return nil, fault.Errorf("tune",
				"%s: a kernel of its own is for features; here rows have columns of objects: give one kernel for all learners",
				name)
		}
		if o.Repair != gram.NoRepair && !l.ByFunc {
			return nil, fault.Errorf("tune",
				"%s: no repair: it cannot be fitted with a repaired kernel; take another learner, or a positive definite kernel",
				name)
		}
		for i, k := range kernels {
			if name == linearTexts && o.Learners == nil && !kernel.HasSparseMap(mixing.Erase(k.kernel)) {
				continue
			}
			c := Candidate{Learner: name, Use: repaired(l, o.Repair), Kernel: mixing.Erase(k.kernel), Axes: k.axes, Label: name +
				" " + k.name, way: k.name, ownFirst: true, given: k.given, hold: k.hold}
			c.Axes = append(c.Axes[:len(c.Axes):len(c.Axes)],
				a.settle(append(learnerAxes(l, p.Task, false, deviation, sizes[i]), outputsAxis(l, p, o)...))...)
			out = append(out, c)
		}
	}
	return out, nil
}

// onlyText says that a search picks for itself, and rows are a column of strings or of graphs and
// nothing else, so that classes may be told apart by runs of letters or labels alone.
func (o AutoOptions) onlyText(s mixed.Schema, r *AutoResult) bool {
	objects := s.Objects()
	return r.Task.Classification() && o.Learners == nil && o.Kernel == nil && o.Columns == nil &&
		o.Repair == gram.NoRepair && !o.Evidence &&
		len(s.Columns) == 1 && len(objects) == 1 && (objects[0].Kind == data.Text || objects[0].Kind == data.Graph)
}

// linearFirst puts linear machines before all others, which take the square of the rows: they are
// there in a second or a few, and alone where rows are too many for the others.
func linearFirst(r *AutoResult, kernels []proposal, names []string, learners []asked) ([]string, []asked) {
	if !slices.ContainsFunc(kernels, func(k proposal) bool { return kernel.HasSparseMap(mixing.Erase(k.kernel)) }) {
		return names, learners
	}
	if r.linearAlone {
		names, learners = nil, nil
	}
	return append([]string{linearTexts}, names...), append([]asked{{name: linearTexts}}, learners...)
}

func rowKernels(
	ctx context.Context, r *AutoResult, s mixed.Schema, p learn.Problem[any], o AutoOptions,
) ([]proposal, error) {
	switch {
	case o.Columns != nil:
		k, err := o.Columns.Rows(s)
		if err != nil {
			return nil, err
		}
		r.because("the kernel is given")
		return o.givenRows(k, func(text string) (kernel.Kernel[mixed.Row], error) { return spec.ParseRows(s, text) })
	case o.Kernel != nil:
		k, err := s.Features(o.Kernel)
		if err != nil {
			return nil, fault.Errorf("tune", "%w; give a kernel for the columns that there are", err)
		}
		var unused []string
		for _, c := range s.Objects() {
			unused = append(unused, c.Name)
		}
		r.note("the kernel is given; it sees the features alone: %s not used", strings.Join(unused, ", "))
		return o.givenRows(k, func(text string) (kernel.Kernel[mixed.Row], error) {
			features, err := spec.ParseKernel(text)
			if err != nil {
				return nil, err
			}
			return s.Features(features)
		})
	}
	parts, err := rowParts(s, p, o)
	if err != nil {
		return nil, err
	}
	if len(parts) == 1 {
		part := parts[0] // all that there is: its kernels are the candidates
		r.Columns = []ColumnWorth{{Columns: part.columns, Kind: part.kind, Kernel: rowText(s, part.proposals[0].kernel),
			Weight: 1}}
		return part.proposals, nil
	}
	if o.first {
		return evenParts(r, s, parts, p), nil
	}
	within, cancel := clockOr(o.clock).until(ctx, clockOr(o.clock).now().Add(time.Duration(alignShare*float64(o.Budget))))
	defer cancel()
	found, err := combined(within, r, s, parts, p, o.Seed)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return evenParts(r, s, parts, p), nil
	}
	return found, err
}

// alignShare is how much of the time kernels of columns may take to be compared with the target
// before any learner sees them.
const alignShare = 0.15

// evenParts is what there is without the time to compare kernels with the target: the likeliest
// kernel of each part, in an even sum.
func evenParts(r *AutoResult, s mixed.Schema, parts []rowPart, p learn.Problem[any]) []proposal {
	r.Columns = nil
	for _, part := range parts {
		r.Columns = append(r.Columns, ColumnWorth{Columns: part.columns, Kind: part.kind,
			Kernel: rowText(s, part.proposals[0].kernel), Alignment: math.NaN(), Weight: 1 / float64(len(parts))})
	}
	r.note("there was no time to compare kernels of columns with the target: each column has its likeliest one, and all " +
		"weigh the same")
	return []proposal{{name: evenSum, kernel: evenSumOf(parts, p)}}
}

// evenSumOf is the likeliest kernel of each part, each divided by the mean of its k(x, x), in an
// even sum.
func evenSumOf(parts []rowPart, p learn.Problem[any]) kernel.Kernel[mixed.Row] {
	even := make([]kernel.Kernel[mixed.Row], len(parts))
	for i, part := range parts {
		k := part.proposals[0].kernel
		even[i] = kernel.Scale(1/(kernelSize(mixing.Erase(k), p)*float64(len(parts))), k)
	}
	return kernel.Sum(even...)
}

// givenRows is a kernel on rows that was given.
func (o AutoOptions) givenRows(
	k kernel.Kernel[mixed.Row], parse func(string) (kernel.Kernel[mixed.Row], error),
) ([]proposal, error) {
	hold, err := held(o.Written, k, parse)
	if err != nil {
		return nil, err
	}
	return []proposal{{name: "given", kernel: k, axes: rowAxes(k, hold), given: true, hold: hold}}, nil
}

// rowText is a kernel on rows as it is printed.
func rowText(s mixed.Schema, k kernel.Kernel[mixed.Row]) string {
	text, err := spec.FormatRows(s, k)
	if err != nil || len(text) > longestText {
		return "<" + kernel.NameOf(k) + ">"
	}
	return text
}

// rowAxes varies the length-scales of a kernel that is given, but for those that are held.
func rowAxes(k kernel.Kernel[mixed.Row], hold []string) []Axis {
	var out []Axis
	for _, q := range kernel.Params(k) {
		if slices.Contains(hold, q.Name) {
			continue
		}
		if strings.HasSuffix(q.Name, "lengthscale") && q.Value > 0 && len(out) < 1 {
			out = append(out, Axis{Name: q.Name, Values: learn.LogSpace(q.Value/8, q.Value*4, 5)})
		}
	}
	return out
}

// rowPart is what is compared by one kernel: a column of objects, the words of a text, or all other
// features together.
type rowPart struct {
	columns   []string
	kind      string
	proposals []proposal
}

func rowParts(s mixed.Schema, p learn.Problem[any], o AutoOptions) ([]rowPart, error) {
	var parts []rowPart
	var features []string
	rows, ok := mixing.RowsOf(p.Points)
	if !ok {
		return nil, fault.Errorf("tune", "rows of a table are asked for, these are %T", data.Concrete(p.Points))
	}
	for _, c := range s.Columns {
		switch {
		case o.areNotes(s, c.Name):
		case c.Object >= 0:
			if found := proposals(c, rows, pairSteps*o.Budget.Seconds(), o.Seed); len(found) > 0 {
				parts = append(parts, rowPart{[]string{c.Name}, c.Kind.String(), found})
			}
		case c.Kind == data.Text:
			k, err := s.OnColumns([]string{c.Name}, kernel.Cosine{})
			if err != nil {
				return nil, err
			}
			parts = append(parts, rowPart{[]string{c.Name}, "words", []proposal{{name: "cosine", kernel: k}}})
		case c.Width > 0:
			features = append(features, c.Name)
		}
	}
	parts = append(parts, o.notedParts(s)...)
	if features == nil {
		return parts, nil
	}
	linear, err := s.OnColumns(features, kernel.Linear{})
	if err != nil {
		return nil, err
	}
	median := medianDistance(p.Points, mixing.Erase(linear), o.Seed)
	smooth, err := s.OnColumns(features, kernel.Gaussian{Lengthscale: median})
	if err != nil {
		return nil, err
	}
	return append(parts, rowPart{features, "features", []proposal{{name: "gaussian", kernel: smooth},
		{name: "linear", kernel: linear}}}), nil
}

// combined chooses a kernel for each part and puts them together.
func combined(
	ctx context.Context, r *AutoResult, s mixed.Schema, parts []rowPart, p learn.Problem[any], seed uint64,
) ([]proposal, error) {
	a := newAlignment(p, seed)
	var terms, factors []kernel.Kernel[mixed.Row]
	var chosen []alignedKernel
	for _, part := range parts {
		best, err := bestAligned(ctx, a, part)
		if err != nil {
			return nil, err
		}
		if best.variance > 0 {
			chosen = append(chosen, best)
		}
		r.Columns = append(r.Columns, ColumnWorth{Columns: part.columns, Kind: part.kind, Kernel: rowText(s, best.kernel),
			Alignment: best.score, varies: best.variance > 0})
	}
	if len(chosen) == 0 {
		return nil, fault.Errorf("tune", "every column is constant: there is nothing to learn from")
	}
	grams := make([]*mat.Dense, len(chosen))
	for i := range chosen {
		grams[i] = chosen[i].gram
		grams[i].Scale(1/chosen[i].variance, grams[i])
	}
	weights := a.weights(grams)
	even := make([]kernel.Kernel[mixed.Row], len(chosen))
	at := 0
	for i, part := range r.Columns {
		if at == len(chosen) || chosen[at].first != part.Columns[0] {
			continue
		}
		r.Columns[i].Weight = weights[at]
		k, unit := chosen[at].kernel, 1/chosen[at].variance
		even[at] = kernel.Scale(unit/float64(len(chosen)), k)
		if weights[at] > 1e-3 {
			terms = append(terms, kernel.Scale(weights[at]*unit, k))
		}
		factors = append(factors, kernel.Sum(kernel.Constant[mixed.Row](1), kernel.Scale(unit, k)))
		at++
	}
	out := []proposal{{name: weightedSum, kernel: kernel.Sum(terms...)}, {name: evenSum, kernel: kernel.Sum(even...)}}
	if len(chosen) > 1 && len(chosen) <= 4 {
		out = append(out, proposal{name: productOf, kernel: kernel.Product(factors...)})
	}
	for _, w := range r.Columns {
		r.because("%s: %s by %s, alignment with the target %.3f, weight %.2f in the weighted sum",
			strings.Join(w.Columns, ","), w.Kind, spec.Rounded(w.Kernel), w.Alignment, w.Weight)
	}
	return out, nil
}

// alignedKernel is a kernel with its centred Gram matrix on some rows.
type alignedKernel struct {
	first    string
	kernel   kernel.Kernel[mixed.Row]
	gram     *mat.Dense
	variance float64
	score    float64
}

// bestAligned is the proposal, at the values its axes offer, that aligns best with the target.
func bestAligned(ctx context.Context, a *alignment, part rowPart) (alignedKernel, error) {
	best := alignedKernel{score: -1}
	for _, q := range part.proposals {
		for _, k := range alongFirst(q) {
			g, variance, err := a.gram(ctx, mixing.Erase(k))
			if err != nil {
				return best, err
			}
			if score := a.with(g); score > best.score {
				best = alignedKernel{part.columns[0], k, g, variance, score}
			}
		}
	}
	return best, nil
}

// alongFirst is the kernel of a proposal at each value of its first axis.
func alongFirst(q proposal) []kernel.Kernel[mixed.Row] {
	if len(q.axes) == 0 {
		return []kernel.Kernel[mixed.Row]{q.kernel}
	}
	var out []kernel.Kernel[mixed.Row]
	for _, v := range q.axes[0].Values {
		theta := kernel.Values(q.kernel)
		for i, p := range kernel.Params(q.kernel) {
			if p.Name == q.axes[0].Name {
				theta[i] = v
			}
		}
		if k, err := kernel.With(q.kernel, theta); err == nil {
			out = append(out, k)
		}
	}
	return out
}
