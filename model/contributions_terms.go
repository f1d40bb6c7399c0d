package model

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
)

// factor is a kernel on one column.
type factor struct {
	column int
	of     func(x, y any) float64
}

// term is a product of kernels on a column each, with a weight. A kernel that is a sum of terms has
// Shapley values in closed form: of each term they are those of a product game.
type term struct {
	weight  float64
	factors []factor // no two on one column
}

// mostTerms bounds what a polynomial of many columns is multiplied out to.
const mostTerms = 1024

// splitter takes kernels apart by columns.
type splitter struct {
	columns []mixed.Column
	owner   []int // column of each feature
}

func newSplitter(columns []mixed.Column) *splitter {
	s := &splitter{columns: columns}
	for j, c := range columns {
		for range c.Width {
			s.owner = append(s.owner, j)
		}
	}
	return s
}

// view is the coordinates that a kernel within others sees: features, each divided by a scale.
type view struct {
	of    func(point any) kernel.Vec
	index []int
	scale []float64
}

// whole is all features of a point.
func (s *splitter) whole(of func(point any) kernel.Vec) view {
	v := view{of: of, index: make([]int, len(s.owner)), scale: make([]float64, len(s.owner))}
	for i := range v.index {
		v.index[i], v.scale[i] = i, 1
	}
	return v
}

// terms is the kernel as a sum of terms; false where it is none, or of too many.
func (s *splitter) terms(k any) ([]term, bool) {
	return s.split(k, s.whole(func(point any) kernel.Vec { return point.(kernel.Vec) }))
}

func (s *splitter) split(k any, v view) (out []term, ok bool) {
	if erased, ok := k.(kernel.Kernel[any]); ok {
		k = kernel.Concrete(erased)
	}
	op, parts, numbers := opened(k)
	switch op {
	case "constant":
		return []term{{weight: numbers[0]}}, true
	case "sum":
		for _, p := range parts {
			more, ok := s.split(p, v)
			if out = append(out, more...); !ok || len(out) > mostTerms {
				return nil, false
			}
		}
		return out, true
	case "product":
		out = []term{{weight: 1}}
		for _, p := range parts {
			more, ok := s.split(p, v)
			if !ok || len(out)*len(more) > mostTerms {
				return nil, false
			}
			out = multiplied(out, more)
		}
		return out, true
	case "scale":
		in, ok := s.split(parts[0], v)
		return scaled(in, numbers[0]), ok
	case "powers":
		in, ok := s.split(parts[0], v)
		if !ok {
			return nil, false
		}
		return powers(in, numbers)
	case "exp":
		in, ok := s.split(parts[0], v)
		if !ok {
			return nil, false
		}
		return exponential(in)
	case "normalize":
		in, ok := s.split(parts[0], v)
		if !ok || len(in) != 1 {
			return nil, false
		}
		return normalized(in[0]), true
	}
	return s.leaf(k, v)
}

// opened is an operator of the algebra, whichever points it is on; an empty name is none.
func opened(k any) (name string, parts []any, numbers []float64) {
	switch k := k.(type) {
	case kernel.ConstantOf[kernel.Vec]:
		return "constant", nil, []float64{k.C}
	case kernel.ConstantOf[mixed.Row]:
		return "constant", nil, []float64{k.C}
	case kernel.SumOf[kernel.Vec]:
		return "sum", partsOf(k.Terms), nil
	case kernel.SumOf[mixed.Row]:
		return "sum", partsOf(k.Terms), nil
	case kernel.ProductOf[kernel.Vec]:
		return "product", partsOf(k.Factors), nil
	case kernel.ProductOf[mixed.Row]:
		return "product", partsOf(k.Factors), nil
	case kernel.ScaleOf[kernel.Vec]:
		return "scale", []any{k.Kernel}, []float64{k.Factor}
	case kernel.ScaleOf[mixed.Row]:
		return "scale", []any{k.Kernel}, []float64{k.Factor}
	case kernel.PowerOf[kernel.Vec]:
		return "powers", []any{k.Kernel}, onePower(k.Exponent)
	case kernel.PowerOf[mixed.Row]:
		return "powers", []any{k.Kernel}, onePower(k.Exponent)
	case kernel.PowersOf[kernel.Vec]:
		return "powers", []any{k.Kernel}, k.Coef
	case kernel.PowersOf[mixed.Row]:
		return "powers", []any{k.Kernel}, k.Coef
	case kernel.ExpOf[kernel.Vec]:
		return "exp", []any{k.Kernel}, nil
	case kernel.ExpOf[mixed.Row]:
		return "exp", []any{k.Kernel}, nil
	case kernel.NormalizeOf[kernel.Vec]:
		return "normalize", []any{k.Kernel}, nil
	case kernel.NormalizeOf[mixed.Row]:
		return "normalize", []any{k.Kernel}, nil
	}
	return "", nil, nil
}

func partsOf[T any](ks []kernel.Kernel[T]) []any {
	out := make([]any, len(ks))
	for i, k := range ks {
		out[i] = k
	}
	return out
}

// onePower is the coefficients of zᵖ.
func onePower(p int) []float64 {
	if p < 0 || p > 64 {
		return nil
	}
	out := make([]float64, p+1)
	out[p] = 1
	return out
}

// leaf is a kernel that is not of the algebra.
func (s *splitter) leaf(k any, v view) ([]term, bool) {
	switch k := k.(type) {
	case kernel.ARD:
		inner := view{of: v.of, index: v.index, scale: slices.Clone(v.scale)}
		if len(k.Lengthscales) != len(v.index) {
			return nil, false
		}
		for a, l := range k.Lengthscales {
			inner.scale[a] *= l
		}
		return s.split(k.Kernel, inner)
	case kernel.OnColumns:
		inner := view{of: v.of}
		for _, a := range k.Columns {
			if a >= len(v.index) {
				return nil, false
			}
			inner.index, inner.scale = append(inner.index, v.index[a]), append(inner.scale, v.scale[a])
		}
		return s.split(k.Kernel, inner)
	case kernel.Kernel[mixed.Row]:
		return s.rowLeaf(k)
	case kernel.Kernel[kernel.Vec]:
		return s.vectorLeaf(k, v)
	}
	return nil, false
}

// rowLeaf is a kernel on the features of rows, or on the objects of a column.
func (s *splitter) rowLeaf(k kernel.Kernel[mixed.Row]) ([]term, bool) {
	if on, ok := k.(kernel.PullbackOf[mixed.Row, kernel.Vec]); ok {
		return s.split(on.Kernel, s.whole(func(point any) kernel.Vec { return point.(mixed.Row).Features }))
	}
	on, ok := k.(kernel.PullbackOf[mixed.Row, any])
	j := slices.IndexFunc(s.columns, func(c mixed.Column) bool { return ok && c.Object >= 0 && c.Name == on.Name })
	if j < 0 {
		return nil, false
	}
	return []term{{1, []factor{{j, func(x, y any) float64 { return k.Eval(x.(mixed.Row), y.(mixed.Row)) }}}}}, true
}

// vectorLeaf is a kernel on vectors: the product of its values on the columns, or their sum, or of
// one column alone.
func (s *splitter) vectorLeaf(k kernel.Kernel[kernel.Vec], v view) (out []term, ok bool) {
	if p, ok := k.(kernel.Polynomial); ok { // (γ⟨x, y⟩ + c)ᵖ
		gamma, degree := p.Gamma, p.Degree
		if gamma == 0 {
			gamma = 1
		}
		if degree == 0 {
			degree = 2
		}
		in, _ := s.vectorLeaf(kernel.Linear{}, v)
		return powers(append(scaled(in, gamma), term{weight: p.Offset}), onePower(degree))
	}
	columns, places := s.byColumn(v)
	additive, product := false, false
	switch k.(type) {
	case kernel.Linear, kernel.AdditiveChiSquare, kernel.Intersection, kernel.Sinusoids, kernel.Overlap:
		additive = true
	case kernel.Gaussian, kernel.LaplaceL1, kernel.Periodic, kernel.Exponential, kernel.Sobolev, kernel.RadialSobolev,
		kernel.Sinc, kernel.Categorical:
		product = true
	}
	switch {
	case additive:
		for i, j := range columns {
			on, share := partial(k, places[i], len(v.index))
			out = append(out, term{share, []factor{{j, v.on(on, places[i])}}})
		}
		return out, len(out) <= mostTerms
	case product || len(columns) == 1:
		one := term{weight: 1}
		for i, j := range columns {
			on, _ := partial(k, places[i], len(v.index))
			one.factors = append(one.factors, factor{j, v.on(on, places[i])})
		}
		return []term{one}, true
	}
	return nil, false
}

// byColumn is the columns that a view sees, and the places in it of each.
func (s *splitter) byColumn(v view) (columns []int, places [][]int) {
	for a, feature := range v.index {
		j := s.owner[feature]
		i := slices.Index(columns, j)
		if i < 0 {
			i = len(columns)
			columns, places = append(columns, j), append(places, nil)
		}
		places[i] = append(places[i], a)
	}
	return columns, places
}

// partial is the kernel on some of its coordinates, and the weight of its values in a sum.
func partial(k kernel.Kernel[kernel.Vec], places []int, all int) (kernel.Kernel[kernel.Vec], float64) {
	some := func(weights []float64) (part []float64, own, sum float64) {
		for a := range all {
			w := 1.0
			if weights != nil {
				w = weights[a]
			}
			sum += w
			if slices.Contains(places, a) {
				part, own = append(part, w), own+w
			}
		}
		return part, own, sum
	}
	switch k := k.(type) {
	case kernel.Overlap:
		part, own, sum := some(k.Weights)
		if own == 0 {
			return kernel.Constant[kernel.Vec](0), 0
		}
		return kernel.Overlap{Weights: part}, own / sum
	case kernel.Categorical:
		part, _, _ := some(k.Weights)
		return kernel.Categorical{Decay: k.Decay, Weights: part}, 1
	}
	return k, 1
}

// on is a kernel of some places of a view.
func (v view) on(k kernel.Kernel[kernel.Vec], places []int) func(x, y any) float64 {
	index, scale := make([]int, len(places)), make([]float64, len(places))
	plain := true
	for i, a := range places {
		index[i], scale[i] = v.index[a], v.scale[a]
		plain = plain && scale[i] == 1 && index[i] == index[0]+i
	}
	if plain { // they stand side by side
		lo, hi := index[0], index[0]+len(index)
		return func(x, y any) float64 { return k.Eval(v.of(x)[lo:hi], v.of(y)[lo:hi]) }
	}
	return func(x, y any) float64 {
		from, to := v.of(x), v.of(y)
		both := make([]float64, 2*len(index))
		a, b := both[:len(index)], both[len(index):]
		for i, j := range index {
			a[i], b[i] = from[j]/scale[i], to[j]/scale[i]
		}
		return k.Eval(a, b)
	}
}

func scaled(terms []term, by float64) []term {
	out := slices.Clone(terms)
	for i := range out {
		out[i].weight *= by
	}
	return out
}

// multiplied multiplies sums out; factors on one column become one.
func multiplied(a, b []term) []term {
	out := make([]term, 0, len(a)*len(b))
	for _, p := range a {
		for _, q := range b {
			t := term{p.weight * q.weight, slices.Clone(p.factors)}
			for _, f := range q.factors {
				i := slices.IndexFunc(t.factors, func(g factor) bool { return g.column == f.column })
				if i < 0 {
					t.factors = append(t.factors, f)
					continue
				}
				first, second := t.factors[i].of, f.of
				t.factors[i].of = func(x, y any) float64 { return first(x, y) * second(x, y) }
			}
			out = append(out, t)
		}
	}
	return out
}

// powers is Σ cₙkⁿ.
func powers(in []term, coef []float64) (out []term, ok bool) {
	power := []term{{weight: 1}}
	for n, c := range coef {
		if c != 0 {
			out = append(out, scaled(power, c)...)
		}
		if n == len(coef)-1 {
			break
		}
		if len(power)*len(in)+len(out) > mostTerms {
			return nil, false
		}
		power = multiplied(power, in)
	}
	return out, len(out) > 0 && len(out) <= mostTerms
}

// exponential is eᵏ of a sum over columns, the product of the exponentials.
func exponential(in []term) ([]term, bool) {
	out := term{weight: 1}
	for _, t := range in {
		switch len(t.factors) {
		case 0:
			out.weight *= math.Exp(t.weight)
		case 1:
			w, of := t.weight, t.factors[0].of
			more := term{1, []factor{{t.factors[0].column, func(x, y any) float64 { return math.Exp(w * of(x, y)) }}}}
			out = multiplied([]term{out}, []term{more})[0]
		default:
			return nil, false
		}
	}
	return []term{out}, true
}

// normalized is a product over √(k(x, x)k(y, y)), factor by factor.
func normalized(t term) []term {
	out := term{weight: 1}
	for _, f := range t.factors {
		of := f.of
		out.factors = append(out.factors, factor{f.column, func(x, y any) float64 {
			return of(x, y) / math.Sqrt(of(x, x)*of(y, y))
		}})
	}
	return []term{out}
}
