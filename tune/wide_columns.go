package tune

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// columnKernels knows the columns that points are made of; nil where they have none.
type columnKernels[T any] interface {
	// spread makes a kernel with a length-scale for each column of one with one for all; each says whether it did. The parameters at the places of a group
	// belong together: a category is one column of many features.
	spread(k kernel.Kernel[T]) (out kernel.Kernel[T], groups [][]int, each bool)
	// narrow leaves out columns whose length-scales are so long that they make no difference on the points.
	narrow(k kernel.Kernel[T], x data.Points[T]) kernel.Kernel[T]
}

// vectorColumns is the features that an encoder makes.
type vectorColumns struct {
	encoder *data.Encoder
	given   bool // the kernel is the user's: its length-scales alone are varied
}

func (c vectorColumns) spread(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[kernel.Vec], [][]int, bool) {
	dim := c.encoder.Dim
	var inner kernel.Kernel[kernel.Vec]
	length := 1.0
	switch k := k.(type) {
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
	return kernel.ARD{Kernel: inner, Lengthscales: lengths}, c.groups(), true
}

// lengthGroups is the places of length-scales and decays among the parameters of a kernel, each by itself.
func lengthGroups[T any](k kernel.Kernel[T]) [][]int {
	groups := [][]int{}
	for i, p := range kernel.Params(k) {
		if (strings.Contains(p.Name, "lengthscale") || strings.HasSuffix(p.Name, "decay")) && p.Value > 0 && p.Domain.LogScale {
			groups = append(groups, []int{i})
		}
	}
	return groups
}

// groups is the features of each column; those of an instant are apart for its day, and its place in year, week and day.
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

// noDifference is the mean change of an exponent that columns left out may make, all together.
const noDifference = 1e-3

func (c vectorColumns) narrow(k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec]) kernel.Kernel[kernel.Vec] {
	ard, ok := k.(kernel.ARD)
	if !ok {
		return k
	}
	// Two points differ in a column by twice its variance, squared and on average.
	d := len(ard.Lengthscales)
	n := min(x.Len(), 10000)
	says, order := make([]float64, d), make([]int, d)
	for j := range d {
		mean, square := 0.0, 0.0
		for i := range n {
			v := x.At(i * x.Len() / n)[j] / ard.Lengthscales[j]
			mean += v / float64(n)
			square += v * v / float64(n)
		}
		says[j], order[j] = math.Max(square-mean*mean, 0), j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(says[a], says[b]) })
	left, sum := d, 0.0
	for _, j := range order {
		if sum += says[j]; sum > noDifference || left == 1 {
			break
		}
		left--
	}
	if left == d {
		return k
	}
	keep := slices.Clone(order[d-left:])
	slices.Sort(keep)
	return kernel.On(kernel.ARD{Kernel: ard.Kernel, Lengthscales: data.Take(ard.Lengthscales, keep)}, keep...)
}
