package kernel

import "fmt"

// Formula is a kernel on vectors as a list of steps on the value of a pair, operands before their
// operator: what another machine needs to know to evaluate it. The first step and every later
// StepMetric or StepConstant start a value; StepAdd and StepMultiply join the last two.
type Formula struct {
	Sources []FormulaSource
	Steps   []Step
}

// FormulaSource is a metric between images of the points.
type FormulaSource struct {
	Metric Metric
	Map    func(dst, x Vec) // sets dst to the image of x; nil where the points are taken as they are
	Dim    func(d int) int  // coordinates of the image of a point of d; nil likewise
}

// StepKind names what a step does with a value x.
type StepKind int

// The kinds of steps.
const (
	StepMetric   StepKind = iota // the metric of source N
	StepConstant                 // A
	StepAffine                   // A·x + B
	StepExp                      // e^{A·x}
	StepSqrt                     // √x
	StepPower                    // x^N
	StepRatio                    // (1 + A·x)^B
	StepTanh                     // tanh x
	StepPolyExp                  // p(z)·e^{-z}, z = A·√x, p with the coefficients Coef from the constant on
	StepAdd                      // the sum of the last two values
	StepMultiply                 // their product
)

// Step is one of a Formula.
type Step struct {
	Kind StepKind
	N    int
	A, B float64
	Coef []float64
}

// FormulaOf is k as a formula, where it is made of profiles that have one, sums, products, powers,
// exponentials and maps of coordinates.
func FormulaOf(k Kernel[Vec]) (Formula, bool) {
	w := formulaWriter{}
	ok := w.write(k, formulaView{}, nil)
	return w.out, ok
}

// shaped is a profiled kernel that knows the steps from its metric to its value.
type shaped interface {
	Profiled
	steps() []Step
}

// folded is an operator whose value is that of its parts, joined by a step after each but the
// first, and some last steps.
type folded interface{ folds() (join, last []Step) }

// formulaView is the map from the points to where a kernel is evaluated.
type formulaView struct {
	key   string
	to    func(dst, x Vec)
	dim   func(int) int
	links []formulaLink // the maps one by one, where slopes are asked for
}

type formulaWriter struct {
	out    Formula
	keys   []string // of the sources
	slopes *FormulaSlopes
}

// write adds the steps of k. theta are the places of its parameters among those of the whole, where
// slopes are asked for.
func (w *formulaWriter) write(k Kernel[Vec], view formulaView, theta []int) bool {
	if o, ok := operatorOf(k); ok {
		f, ok := o.(folded)
		if !ok {
			return false
		}
		join, last := f.folds()
		own, of := w.dealt(o, theta)
		for i, p := range typedAll[Vec](o.parts()) {
			if !w.write(p, view, of[i]) {
				return false
			}
			if i > 0 {
				w.out.Steps = append(w.out.Steps, join...)
			}
		}
		if w.slopes != nil && len(own) > 0 { // a factor or a constant: A of its last step
			w.slopes.numbers = append(w.slopes.numbers, numberSlope{theta: own[0], step: len(w.out.Steps) + len(last) - 1,
				slope: 1})
		}
		w.out.Steps = append(w.out.Steps, last...)
		return true
	}
	switch k := k.(type) {
	case lowerer[Vec], Blocker[Vec], Preparer[Vec]:
		return false
	case embedded:
		e := k.embedding()
		next := view.then(e)
		if w.slopes == nil {
			return w.write(e.inner, next, nil)
		}
		own, inner := theta[:e.own], e.innerPlaces(theta)
		next.links = append(view.links[:len(view.links):len(view.links)], formulaLink{e, own})
		if len(own) > 0 { // the same map with other parameters is another one
			next.key += fmt.Sprint(own)
		}
		return w.write(e.inner, next, inner)
	case shaped:
		steps := k.steps()
		if steps == nil {
			return false
		}
		w.out.Steps = append(w.out.Steps, Step{Kind: StepMetric, N: w.source(view, k.Metric())})
		if w.slopes != nil {
			w.slopes.leaf(k, len(w.out.Steps), theta)
		}
		w.out.Steps = append(w.out.Steps, steps...)
		return true
	}
	return false
}

// then is the view followed by an embedding.
func (v formulaView) then(e embedding) formulaView {
	out := formulaView{key: v.key + "|" + fmt.Sprint(e.key...), to: e.apply, dim: e.dim}
	if v.to != nil {
		out.dim = func(d int) int { return e.dim(v.dim(d)) }
		out.to = func(dst, x Vec) {
			image := make(Vec, v.dim(len(x)))
			v.to(image, x)
			e.apply(dst, image)
		}
	}
	return out
}

// source finds or makes the source of a view and a metric.
func (w *formulaWriter) source(v formulaView, m Metric) int {
	for i, key := range w.keys {
		if key == v.key && w.out.Sources[i].Metric == m {
			return i
		}
	}
	w.keys = append(w.keys, v.key)
	w.out.Sources = append(w.out.Sources, FormulaSource{m, v.to, v.dim})
	if w.slopes != nil {
		w.slopes.links = append(w.slopes.links, v.links)
	}
	return len(w.keys) - 1
}

// none are the steps of a kernel that is its metric.
func none() []Step { return []Step{} }

func (k Gaussian) steps() []Step { return []Step{{Kind: StepExp, A: k.scale()}} }

func (k Laplace) steps() []Step {
	return []Step{{Kind: StepSqrt}, {Kind: StepExp, A: -1 / orOne(k.Lengthscale)}}
}

func (k LaplaceL1) steps() []Step { return []Step{{Kind: StepExp, A: -1 / orOne(k.Lengthscale)}} }

// steps of half-integer ν; others have none.
func (k Matern) steps() []Step {
	coef, ok := halfInteger(k.Nu)
	if !ok {
		return nil
	}
	return []Step{{Kind: StepPolyExp, A: k.rate(), Coef: coef}}
}

func (k RationalQuadratic) steps() []Step {
	a, l := orOne(k.Alpha), orOne(k.Lengthscale)
	return []Step{{Kind: StepRatio, A: 1 / (2 * a * l * l), B: -a}}
}

func (k Multiquadric) steps() []Step {
	l := orOne(k.Lengthscale)
	return []Step{{Kind: StepRatio, A: 1 / (l * l), B: 0.5}}
}

func (Linear) steps() []Step { return none() }

func (k Polynomial) steps() []Step {
	return []Step{{Kind: StepAffine, A: orOne(k.Gamma), B: k.Offset}, {Kind: StepPower, N: k.degree()}}
}

func (k Exponential) steps() []Step { return []Step{{Kind: StepExp, A: orOne(k.Gamma)}} }

func (k Sigmoid) steps() []Step {
	return []Step{{Kind: StepAffine, A: orOne(k.Gamma), B: k.Offset}, {Kind: StepTanh}}
}

func (k ChiSquare) steps() []Step  { return []Step{{Kind: StepExp, A: -orOne(k.Gamma)}} }
func (Intersection) steps() []Step { return none() }

func (sum) folds() (join, last []Step)         { return []Step{{Kind: StepAdd}}, nil }
func (product) folds() (join, last []Step)     { return []Step{{Kind: StepMultiply}}, nil }
func (k scale) folds() (join, last []Step)     { return nil, []Step{{Kind: StepAffine, A: k.Factor}} }
func (k power) folds() (join, last []Step)     { return nil, []Step{{Kind: StepPower, N: k.Exponent}} }
func (exponential) folds() (join, last []Step) { return nil, []Step{{Kind: StepExp, A: 1}} }
func (k constant) folds() (join, last []Step) {
	return nil, []Step{{Kind: StepConstant, A: k.C}}
}
