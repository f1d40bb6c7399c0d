package tune

import (
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/kernel"
)

// relevance is what the evidence of a Gaussian process on some of the rows says of the columns of a
// table: a length-scale for each, which go round or are names, and which have a say of their own.
// Its kernel is
//
//	v·(Π over columns + Σ over parts share·Π over the columns of the part),
//
// where columns on a line are compared by one profile together and others by their forms. It is
// found once: to climb the evidence again in every fold would cost n³ a hundred times.
type relevance struct {
	Profile  string    `json:"profile"`  // gaussian, or matern of smoothness 3/2
	Lengths  []float64 `json:"lengths"`  // of each column; of one with a form, what it had before
	Variance float64   `json:"variance"` // of the process, as a share of the target's
	Noise    float64   `json:"noise"`    // its variance, likewise
	Forms    []form    `json:"forms,omitempty"`
	Parts    []part    `json:"parts,omitempty"`
	Rows     int       `json:"rows"` // that the evidence was climbed on
	// Plain is what the search for forms and parts began with; nil: it found none.
	Plain *relevance `json:"plain,omitempty"`
}

// form is how the values of a column on a lattice are compared, where it is not by their distance.
type form struct {
	Column int `json:"column"`
	// Period is after how much the column begins again: 24 hours, 360 degrees. Zero: its values are
	// names, which are alike where they are equal.
	Period float64 `json:"period,omitempty"`
	Step   float64 `json:"step"`  // of the lattice
	Value  float64 `json:"value"` // the length-scale on the circle; what different names have in common
}

// part is a summand on few columns.
type part struct {
	Columns []int     `json:"columns"`
	Share   float64   `json:"share"`  // its variance, as a share of the product's
	Values  []float64 `json:"values"` // of each column: its length-scale, or the value of its form
}

// kernel is the kernel of a process whose target has that variance.
func (r relevance) kernel(variance float64) kernel.Kernel[kernel.Vec] {
	return kernel.Scale(variance*r.Variance, r.profile(1))
}

// profile is the kernel without its variance, and with all length-scales times a factor.
func (r relevance) profile(factor float64) kernel.Kernel[kernel.Vec] {
	all, values := r.product()
	terms := []kernel.Kernel[kernel.Vec]{r.over(all, values, factor)}
	for _, p := range r.Parts {
		terms = append(terms, kernel.Scale(p.Share, r.over(p.Columns, p.Values, factor)))
	}
	if len(terms) == 1 {
		return terms[0]
	}
	return kernel.Sum(terms...)
}

// product is all columns, and the length-scale of each or the value of its form.
func (r relevance) product() (columns []int, values []float64) {
	columns, values = make([]int, len(r.Lengths)), slices.Clone(r.Lengths)
	for c := range columns {
		columns[c] = c
		if at := r.formOf(c); at >= 0 {
			values[c] = r.Forms[at].Value
		}
	}
	return columns, values
}

// over compares some columns: those on a line together, times the forms of the others.
func (r relevance) over(columns []int, values []float64, factor float64) kernel.Kernel[kernel.Vec] {
	line := slices.Repeat([]float64{math.Inf(1)}, len(r.Lengths)) // which leaves a column out
	var forms []kernel.Kernel[kernel.Vec]
	for i, c := range columns {
		if at := r.formOf(c); at >= 0 {
			forms = append(forms, r.Forms[at].kernel(values[i], factor))
		} else {
			line[c] = factor * values[i]
		}
	}
	ard := kernel.ARD{Kernel: kernel.Matern{Nu: 1.5}, Lengthscales: line}
	if r.Profile == "gaussian" {
		ard.Kernel = kernel.Gaussian{}
	}
	switch {
	case len(forms) == 0:
		return ard
	case len(forms) == len(columns) && len(forms) == 1:
		return forms[0]
	case len(forms) == len(columns):
		return kernel.Product(forms...)
	}
	return kernel.Product(append([]kernel.Kernel[kernel.Vec]{ard}, forms...)...)
}

// kernel compares the values of a column.
func (f form) kernel(value, factor float64) kernel.Kernel[kernel.Vec] {
	if f.Period > 0 {
		return kernel.On(kernel.Kernel[kernel.Vec](kernel.Periodic{Period: f.Period, Lengthscale: factor * value}), f.Column)
	}
	// A hat narrower than a step is 1 for equal values and 0 for others.
	equal := kernel.On(kernel.Kernel[kernel.Vec](kernel.Wendland{Lengthscale: f.Step / 2, Dim: 1}), f.Column)
	return kernel.Sum(kernel.Constant[kernel.Vec](value), equal)
}

// formOf is where the form of a column is; -1 where it lies on a line.
func (r relevance) formOf(column int) int {
	return slices.IndexFunc(r.Forms, func(f form) bool { return f.Column == column })
}

// keptInClimb is the parameters of the kernel that a climb leaves as they are: a smoothness, the period of
// a column, and the width of the hat by which names are compared.
func keptInClimb(k kernel.Kernel[kernel.Vec]) []string {
	out := []string{}
	for _, p := range kernel.Params(k) {
		if strings.HasSuffix(p.Name, ".nu") || strings.HasSuffix(p.Name, ".period") ||
			strings.HasPrefix(p.Name, "wendland") {
			out = append(out, p.Name)
		}
	}
	return out
}

// at is the relevance with the values that a climb of its kernel ended with, in the order in which
// the kernel has them.
func (r relevance) at(theta []float64, noise float64) relevance {
	next := func() float64 {
		v := theta[0]
		theta = theta[1:]
		return v
	}
	read := func(columns []int, values []float64) []float64 {
		values = slices.Clone(values)
		line := false
		for i, c := range columns {
			if r.formOf(c) < 0 {
				values[i], line = next(), true
			}
		}
		if line && r.Profile != "gaussian" {
			next() // its smoothness
		}
		for i, c := range columns {
			at := r.formOf(c)
			switch {
			case at < 0:
			case r.Forms[at].Period > 0:
				next()
				values[i] = next()
			default:
				values[i] = next()
				next() // the width of the hat
			}
		}
		return values
	}
	out := r
	out.Variance, out.Noise = next(), noise
	values := read(r.product())
	out.Lengths, out.Forms, out.Parts = slices.Clone(r.Lengths), slices.Clone(r.Forms), slices.Clone(r.Parts)
	for c, v := range values {
		if at := r.formOf(c); at >= 0 {
			out.Forms[at].Value = v
		} else {
			out.Lengths[c] = v
		}
	}
	for i, p := range r.Parts {
		out.Parts[i].Share = next()
		out.Parts[i].Values = read(p.Columns, p.Values)
	}
	return out
}
