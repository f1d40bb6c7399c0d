package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// columnKernels knows the columns that points are made of; nil where they have none.
type columnKernels interface {
	// spread makes a kernel with a length-scale for each column of one with one for all; each says
	// whether it did. The parameters at the places of a group belong together: a category is one
	// column of many features.
	spread(k kernel.Kernel[any]) (out kernel.Kernel[any], groups [][]int, each bool)
	// plain is a smooth kernel as wide as points are apart.
	plain(x data.Points[any], seed uint64) kernel.Kernel[any]
	// narrow leaves out columns whose length-scales are so long that a penalty of λ a point has
	// nothing left of them.
	narrow(k kernel.Kernel[any], x data.Points[any], lambda float64) kernel.Kernel[any]
	// text is a kernel in words, parse the reverse.
	text(k kernel.Kernel[any]) (string, error)
	parse(text string) (kernel.Kernel[any], error)
}

// vectorColumns is the features that an encoder makes.
type vectorColumns struct {
	encoder *data.Encoder
	given   bool // the kernel is the user's: its length-scales alone are varied
}

func (c vectorColumns) spread(k kernel.Kernel[any]) (kernel.Kernel[any], [][]int, bool) {
	dim := c.encoder.Dim
	var inner kernel.Kernel[kernel.Vec]
	length := 1.0
	switch k := kernel.Concrete(k).(type) {
	case kernel.Gaussian:
		inner, length = kernel.Gaussian{}, k.Lengthscale
	case kernel.Matern:
		inner, length = kernel.Matern{Nu: k.Nu}, k.Lengthscale
	case kernel.Laplace:
		inner, length = kernel.Laplace{}, k.Lengthscale
	}
	if inner == nil || c.given || dim < 2 {
		return k, lengthGroups(k), false
	}
	if length == 0 {
		length = 1
	}
	lengths := make([]float64, dim)
	for i := range lengths {
		lengths[i] = length
	}
	return kernel.OnVectors(kernel.ARD{Kernel: inner, Lengthscales: lengths}), c.groups(), true
}

func (c vectorColumns) plain(x data.Points[any], seed uint64) kernel.Kernel[any] {
	return kernel.OnVectors(kernel.Gaussian{Lengthscale: medianDistance(x, kernel.OnVectors(kernel.Linear{}), seed)})
}

func (c vectorColumns) text(k kernel.Kernel[any]) (string, error) {
	on, ok := kernel.Concrete(k).(kernel.Kernel[kernel.Vec])
	if !ok {
		return "", fmt.Errorf("a kernel of type %T is not one on vectors", kernel.Concrete(k))
	}
	return spec.FormatKernel(on)
}

func (c vectorColumns) parse(text string) (kernel.Kernel[any], error) {
	k, err := spec.ParseKernel(text)
	return kernel.OnVectors(k), err
}

// lengthGroups is the places of length-scales and decays among the parameters of a kernel, each by
// itself.
func lengthGroups(k kernel.Kernel[any]) [][]int {
	groups := [][]int{}
	for i, p := range kernel.Params(k) {
		if (strings.Contains(p.Name, "lengthscale") || strings.HasSuffix(p.Name, "decay")) && p.Value > 0 &&
			p.Domain.LogScale {
			groups = append(groups, []int{i})
		}
	}
	return groups
}

// freeGroups is lengthGroups without those of the parameters that are held.
func freeGroups(k kernel.Kernel[any], hold []string) (out [][]int) {
	params := kernel.Params(k)
	for _, g := range lengthGroups(k) {
		if !slices.Contains(hold, params[g[0]].Name) {
			out = append(out, g)
		}
	}
	return out
}

// groups is the features of each column; those of an instant are apart for its day, and its place
// in year, week and day.
func (c vectorColumns) groups() [][]int {
	var out [][]int
	for _, code := range c.encoder.Columns {
		before := ""
		for j := range code.Width {
			part := ""
			if j < len(code.Parts) {
				part, _, _ = strings.Cut(code.Parts[j], " ")
			}
			if j == 0 || part != before {
				out = append(out, nil)
			}
			before = part
			out[len(out)-1] = append(out[len(out)-1], code.Offset+j)
		}
		if code.Indicator {
			out = append(out, []int{code.Offset + code.Width})
		}
	}
	return out
}

// lostShare is the share of λ below which what columns add to a kernel is lost.
const lostShare = 0.01

// A column with a length-scale ℓ that is long beside its deviation s adds a straight line to what a
// kernel of variance 1 can say, with the variance (s/ℓ)²; all rows together see n(s/ℓ)² of it,
// beside a penalty of nλ.
func (c vectorColumns) narrow(k kernel.Kernel[any], points data.Points[any], lambda float64) kernel.Kernel[any] {
	ard, ok := kernel.Concrete(k).(kernel.ARD)
	x, vectors := data.VectorsOf(points)
	if !ok || !vectors {
		return k
	}
	d, n := len(ard.Lengthscales), min(x.Len(), 10000)
	adds, order := make([]float64, d), make([]int, d)
	for j := range d {
		mean, square := 0.0, 0.0
		for i := range n {
			v := x.At(i * x.Len() / n)[j] / ard.Lengthscales[j]
			mean += v / float64(n)
			square += v * v / float64(n)
		}
		adds[j], order[j] = math.Max(square-mean*mean, 0), j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(adds[a], adds[b]) })
	out, sum := 0, 0.0
	for _, j := range order[:d-1] {
		if sum += adds[j]; sum > lostShare*lambda {
			break
		}
		out++
	}
	if out == 0 {
		return k
	}
	keep := slices.Clone(order[out:])
	slices.Sort(keep)
	return kernel.OnVectors(kernel.On(kernel.ARD{Kernel: ard.Kernel, Lengthscales: data.Take(ard.Lengthscales, keep)},
		keep...))
}
