package cli

import (
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/tune"
)

// categoryKernel is what --categories kernel asks for: categories stay one
// column of codes each, and rows are compared by
//
//	k(numbers)·Π exp(-θ·[the codes of a column differ]),
//
// k being --kernel, or a Gaussian. θ is varied in the search like a length-scale. A category
// that the model never saw is like none it knows.
func (o *fitOptions) categoryKernel(out *tune.AutoOptions, d *data.Dataset) error {
	if o.Encoding.Categories != "kernel" {
		return nil
	}
	if o.Encoding.Missing == "indicator" {
		return usage("--categories kernel: with --missing indicator columns come and go; choose --missing mean or drop (a " +
			"missing category is then like no other)")
	}
	e, err := data.FitEncoder(d, out.Encoder)
	if err != nil {
		return inputError(err)
	}
	if e.Sparse {
		return usage("--categories kernel: these data become sparse features (text, or a LIBSVM file), which have no codes " +
			"of categories; leave the option out")
	}
	var numbers, codes []int
	for _, c := range e.Columns {
		for j := range c.Width {
			if c.Coded {
				codes = append(codes, c.Offset+j)
			} else {
				numbers = append(numbers, c.Offset+j)
			}
		}
	}
	if len(codes) == 0 {
		return usage("--categories kernel: %s has no categorical columns; name one with --type COLUMN=categorical, or "+
			"leave the option out", d.Name)
	}
	of := kernel.On(kernel.Categorical{Decay: 1 / math.Sqrt(float64(len(codes)))}, codes...)
	switch {
	case len(numbers) == 0:
		out.Kernel, out.Written = of, ""
	case out.Kernel != nil:
		out.Kernel = kernel.Product(kernel.On(out.Kernel, numbers...), of)
	default:
		out.Kernel = kernel.Product(kernel.On(kernel.Gaussian{Lengthscale: math.Sqrt(float64(len(numbers)))}, numbers...), of)
	}
	for _, g := range o.Grid {
		if strings.HasPrefix(g, "decay=") {
			return nil
		}
	}
	o.Grid = append(o.Grid, "decay=0.05:3.2:4")
	return nil
}
