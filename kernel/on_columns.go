package kernel

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// OnColumns is Kernel on some of the coordinates; On makes one.
type OnColumns struct {
	Kernel  Kernel[Vec]
	Columns []int
}

// On returns k applied to the named columns only.
func On(k Kernel[Vec], columns ...int) Kernel[Vec] {
	return OnColumns{k, append([]int(nil), columns...)}
}

// Eval evaluates the inner kernel on the selected coordinates.
func (k OnColumns) Eval(x, y Vec) float64 { return embeddedEval(k, x, y) }

func (k OnColumns) embedding() embedding {
	c := k.Columns
	return embedding{
		inner: k.Kernel,
		key:   []any{"on", c},
		dim:   func(int) int { return len(c) },
		apply: func(dst, x Vec) {
			for i, j := range c {
				dst[i] = x[j]
			}
		},
		pull: func(dx, g, x Vec) {
			for i, j := range c {
				dx[j] += g[i]
			}
		},
	}
}

// Params are those of the inner kernel.
func (k OnColumns) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the inner kernel.
func (k OnColumns) With(theta []float64) Kernel[Vec] {
	return OnColumns{k.Kernel.(Tunable[Vec]).With(theta), k.Columns}
}

// Validate refuses an empty selection and negative columns.
func (k OnColumns) Validate() error {
	if len(k.Columns) == 0 {
		return fault.Errorf("kernel", "on: no columns")
	}
	for i, c := range k.Columns {
		if c < 0 {
			return fault.Errorf("kernel", "on: column %d of the selection is %d, want ≥ 0", i, c)
		}
	}
	return validate(k.Kernel)
}

// CheckPoints refuses points that lack a selected column.
func (k OnColumns) CheckPoints(x data.Points[Vec]) error {
	for i := range x.Len() {
		for _, c := range k.Columns {
			if d := len(x.At(i)); c >= d {
				return fault.Errorf("kernel", "on: column %d is selected but row %d has %d columns", c, i, d)
			}
		}
	}
	return checkEmbedded(k.Kernel, k, x)
}

// Properties on some columns: points that differ elsewhere are not told apart, if there are such.
func (k OnColumns) Properties() Properties {
	p := PropertiesOf(k.Kernel)
	for _, t := range []*Tri{&p.Strict, &p.Universal, &p.Characteristic, &p.Isotropic} {
		if *t == Yes {
			*t = Unknown
		}
	}
	return p
}

// SpectralMeasure is that of the inner kernel on the selected coordinates, 0 on the others.
func (k OnColumns) SpectralMeasure(int) (Spectral, error) {
	return spectralAfter(k.embedding(), len(k.Columns))
}

func (k OnColumns) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return sparseView{leaf, lift(k.Kernel, len(k.Columns)), fmt.Sprint("on", k.Columns), 0,
		func(x data.SparseVec) data.SparseVec { return selectColumns(x, k.Columns) }}
}

func (k OnColumns) leastDim() int {
	dim := 0
	for _, c := range k.Columns {
		dim = max(dim, c+1)
	}
	return dim
}
