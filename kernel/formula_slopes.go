package kernel

import (
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// FormulaSlopes is a Formula with what its numbers and the images of its points owe to the
// parameters of the kernel: a machine that knows derivatives by numbers and by images has, by the
// chain rule, those by the parameters.
type FormulaSlopes struct {
	Formula
	params  int
	numbers []numberSlope
	links   [][]formulaLink // of each source: its maps, the first one first
	without []int           // places of parameters that are neither in a number nor in a map: ν of Matérn kernels
}

// numberSlope says that a number of a step, A or B, has the derivative slope by the parameter at
// place theta.
type numberSlope struct {
	theta, step int
	second      bool // B
	slope       float64
}

// formulaLink is a map with the places of its parameters.
type formulaLink struct {
	e     embedding
	theta []int
}

// FormulaSlopesOf is FormulaOf with slopes. Maps with parameters of their own are sources of their
// own.
func FormulaSlopesOf(k Kernel[Vec]) (FormulaSlopes, bool) {
	s := FormulaSlopes{params: len(Params(k))}
	w := formulaWriter{slopes: &s}
	ok := w.write(k, formulaView{}, par.Indices(0, s.params))
	s.Formula = w.out
	return s, ok
}

// dealt is the places of the parameters of an operator: its own, which come first, and those of
// each part.
func (w *formulaWriter) dealt(o operator, theta []int) (own []int, of [][]int) {
	parts := o.parts()
	of = make([][]int, len(parts))
	if w.slopes == nil {
		return nil, of
	}
	last := len(theta)
	for i := len(parts) - 1; i >= 0; i-- {
		first := last - len(Params(parts[i]))
		of[i], last = theta[first:last], first
	}
	return theta[:last], of
}

// innerPlaces is the places of the parameters of the inner kernel; -1 for those that the whole does
// not have.
func (e embedding) innerPlaces(theta []int) []int {
	rest := theta[e.own:]
	if e.kept == nil {
		return rest
	}
	out := make([]int, len(Params(e.inner)))
	for i := range out {
		out[i] = -1
	}
	for i, j := range e.kept {
		out[j] = rest[i]
	}
	return out
}

// leaf notes how the numbers of the steps of a kernel, the first of which is at place at, depend on
// its parameters.
func (s *FormulaSlopes) leaf(k shaped, at int, theta []int) {
	add := func(param, step int, second bool, slope float64) {
		if theta[param] >= 0 {
			s.numbers = append(s.numbers, numberSlope{theta[param], at + step, second, slope})
		}
	}
	steps := k.steps()
	switch k := k.(type) {
	case Gaussian: // A = -1/(2ℓ²)
		add(0, 0, false, -2*steps[0].A/orOne(k.Lengthscale))
	case Laplace: // A = -1/ℓ
		add(0, 1, false, -steps[1].A/orOne(k.Lengthscale))
	case LaplaceL1:
		add(0, 0, false, -steps[0].A/orOne(k.Lengthscale))
	case Matern: // A = √(2ν)/ℓ
		if theta[0] >= 0 {
			s.without = append(s.without, theta[0])
		}
		add(1, 0, false, -steps[0].A/orOne(k.Lengthscale))
	case RationalQuadratic: // A = 1/(2αℓ²), B = -α
		add(0, 0, false, -steps[0].A/orOne(k.Alpha))
		add(0, 0, true, -1)
		add(1, 0, false, -2*steps[0].A/orOne(k.Lengthscale))
	case Multiquadric: // A = 1/ℓ²
		add(0, 0, false, -2*steps[0].A/orOne(k.Lengthscale))
	case Polynomial, Sigmoid: // A = γ, B = c; a degree has no derivative
		add(0, 0, false, 1)
		add(1, 0, true, 1)
	case Exponential:
		add(0, 0, false, 1)
	case ChiSquare: // A = -γ
		add(0, 0, false, -1)
	default:
		s.without = append(s.without, theta...)
	}
}

// Knows says whether all parameters that are wanted (nil: all) have a slope.
func (s FormulaSlopes) Knows(wanted []bool) bool {
	return !slices.ContainsFunc(s.without, func(p int) bool { return wanted == nil || wanted[p] })
}

// Numbers says of each step which of its numbers, A and B, depend on a parameter that is wanted.
func (s FormulaSlopes) Numbers(wanted []bool) [][2]bool {
	out := make([][2]bool, len(s.Steps))
	for _, n := range s.numbers {
		if wanted == nil || wanted[n.theta] {
			out[n.step][0] = out[n.step][0] || !n.second
			out[n.step][1] = out[n.step][1] || n.second
		}
	}
	return out
}

// Moves says whether the images of source i depend on a parameter that is wanted.
func (s FormulaSlopes) Moves(i int, wanted []bool) bool { return s.outer(i, wanted) >= 0 }

// outer is the first map of source i with a parameter that is wanted, or -1.
func (s FormulaSlopes) outer(i int, wanted []bool) int {
	return slices.IndexFunc(s.links[i], func(l formulaLink) bool {
		return slices.ContainsFunc(l.theta, func(p int) bool { return p >= 0 && (wanted == nil || wanted[p]) })
	})
}

// slopeRows is how many points a goroutine takes through the maps.
const slopeRows = 256

// ParamGrad sets grad to the derivatives by the parameters, in the order of Params, of a number
// whose derivatives by A and B of each step are given, and whose derivatives by the images of the
// points x in source i are the rows of images[i], one after the other; those are not looked at
// where the source does not move. Parameters that are not wanted get 0.
func (s FormulaSlopes) ParamGrad(
	grad []float64, wanted []bool, steps [][2]float64, x data.Points[Vec], images [][]float64,
) {
	clear(grad)
	for _, n := range s.numbers {
		by := steps[n.step][0]
		if n.second {
			by = steps[n.step][1]
		}
		grad[n.theta] += n.slope * by
	}
	for i := range s.links {
		if outer := s.outer(i, wanted); outer >= 0 {
			s.throughMaps(grad, i, outer, x, images[i])
		}
	}
	for p := range grad {
		if wanted != nil && !wanted[p] {
			grad[p] = 0
		}
	}
}

// throughMaps adds the derivatives by the parameters of the maps of source i, from the one at outer
// on.
func (s FormulaSlopes) throughMaps(grad []float64, i, outer int, x data.Points[Vec], bars []float64) {
	links, dim := s.links[i], len(bars)/max(x.Len(), 1)
	parts := make([][]float64, (x.Len()+slopeRows-1)/slopeRows)
	par.For(0, x.Len(), slopeRows, func(lo, hi int) {
		sum := make([]float64, len(grad))
		at := make([]Vec, len(links)) // before each map; what is after the last nobody asks for
		for r := lo; r < hi; r++ {
			at[0] = x.At(r)
			for l, link := range links[:len(links)-1] {
				at[l+1] = link.e.image(at[l])
			}
			bar := Vec(bars[r*dim : (r+1)*dim])
			for l := len(links) - 1; l >= outer; l-- {
				links[l].add(sum, bar, at[l])
				if l > outer {
					next := make(Vec, len(at[l]))
					links[l].e.pull(next, bar, at[l])
					bar = next
				}
			}
		}
		parts[lo/slopeRows] = sum
	})
	for _, part := range parts {
		for p, v := range part {
			grad[p] += v
		}
	}
}

// PointGrad adds to grad, a row for each of the points x, the derivatives by their coordinates of a
// number whose derivatives by their images in source i are the rows of images[i], one after the
// other.
func (s FormulaSlopes) PointGrad(grad []float64, x data.Points[Vec], images [][]float64) {
	for i, links := range s.links {
		at := make([]Vec, len(links)+1)
		for r := range x.Len() {
			at[0] = x.At(r)
			for l, link := range links {
				at[l+1] = link.e.image(at[l])
			}
			dim := len(at[len(links)])
			bar := Vec(images[i][r*dim : (r+1)*dim])
			for l := len(links) - 1; l >= 0; l-- {
				next := make(Vec, len(at[l]))
				links[l].e.pull(next, bar, at[l])
				bar = next
			}
			for c, v := range bar {
				grad[r*len(bar)+c] += v
			}
		}
	}
}

// add adds ū·∂u(x)/∂θ of a map to the places of its parameters.
func (l formulaLink) add(sum []float64, bar, x Vec) {
	if len(l.theta) == 0 {
		return
	}
	own := make([]float64, len(l.theta))
	if l.e.tangentDot != nil {
		l.e.tangentDot(own, bar, x)
	} else {
		tangent := make(Vec, len(bar))
		for p := range own {
			l.e.tangent(tangent, p, x)
			own[p] = Inner.Between(bar, tangent)
		}
	}
	for p, at := range l.theta {
		if at >= 0 {
			sum[at] += own[p]
		}
	}
}
