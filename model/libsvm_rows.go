package model

import (
	"io"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
)

// LIBSVMOptions says which rows an exported model is for. The zero value is for rows as a data set
// has them, which fits models whose encoder changes nothing.
type LIBSVMOptions struct {
	// Range is where the range file of svm-scale goes, which makes the features of the model of the
	// numbers of a data set: needed where columns are scaled. Nothing is written where none is
	// needed.
	Range io.Writer
	// Encoded says that svm-predict will be given rows that the model's encoder made: then every
	// encoder fits.
	Encoded bool
}

// libsvmRows sees that rows can reach svm-predict as the features that the model was fitted to. A
// format that knows numbers only, of which those that are left out are 0, has no categories, no
// text and nothing missing.
func (m *Model) libsvmRows(o LIBSVMOptions) error {
	e := m.info.Encoder
	if e == nil || o.Encoded {
		return nil
	}
	scale := make([]data.Affine, e.Dim)
	for j := range scale {
		scale[j] = data.Affine{Factor: 1}
	}
	for j, f := range e.SparseScale {
		scale[j].Factor = f
	}
	scaled := e.SparseScale != nil
	for i := range e.Columns {
		c := &e.Columns[i]
		switch {
		case c.Kind != data.Numeric:
			return unfit(libsvmFormat, "column %q is %s, and the format has numbers only", c.Name, c.Kind)
		case c.Indicator:
			return unfit(libsvmFormat, "a feature says where column %q is missing, and what is missing in the format is 0",
				c.Name)
		}
		scale[c.Offset] = c.Scale[0]
		scaled = true
	}
	if !scaled || identity(scale) {
		return nil
	}
	if o.Range == nil {
		return unfit(libsvmFormat,
			"its columns are scaled, which is no part of the file: the rows have to be scaled by a range file of svm-scale first")
	}
	r, err := rangeOf(scale)
	if err != nil {
		return err
	}
	_, err = r.WriteTo(o.Range)
	return err
}

func identity(scale []data.Affine) bool {
	for _, a := range scale {
		if a.Center != 0 || a.Factor != 1 {
			return false
		}
	}
	return true
}

// rangeOf is affine maps as svm-scale has them: (x - c)·f takes [c - 1/f, c + 1/f] to [-1, 1].
func rangeOf(scale []data.Affine) (*libsvm.Range, error) {
	n := len(scale)
	r := &libsvm.Range{Lower: -1, Upper: 1, Min: make([]float64, n), Max: make([]float64, n), Known: make([]bool, n)}
	for j, a := range scale {
		r.Min[j], r.Max[j], r.Known[j] = a.Center-1/a.Factor, a.Center+1/a.Factor, true
		if !finite(r.Min[j]) || !finite(r.Max[j]) || !(r.Min[j] < r.Max[j]) {
			return nil, unfit(libsvmFormat, "the scaling (x - %g)·%g of feature %d is no range that svm-scale could hold",
				a.Center, a.Factor, j+1)
		}
	}
	return r, nil
}

// LIBSVMLabels is the number that stands for each class in LIBSVM's files: the
// class name where all of them are different whole numbers, else its code 0, 1, ….
func (m *Model) LIBSVMLabels() []int {
	labels := make([]int, len(m.info.Classes))
	seen := map[int]bool{}
	for i, c := range m.info.Classes {
		v, err := strconv.ParseInt(c, 10, 32)
		if err != nil || seen[int(v)] {
			for j := range labels {
				labels[j] = j
			}
			return labels
		}
		labels[i], seen[int(v)] = int(v), true
	}
	return labels
}
