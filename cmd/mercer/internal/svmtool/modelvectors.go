package svmtool

import (
	"io"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/sparsetext"
)

// vectors reads a support vector from each line that is left: its coefficients, then its entries.
func (r *modelReader) vectors() error {
	m, given := r.m, r.m.kernelParams.Type == precomputed
	form := sparsetext.Form{Lead: len(m.Coef), Low: 1}
	if given {
		form.Low = 0
	}
	text := sparsetext.NewReader(r.src, form, r.line+1, 0)
	text.Refuse = r.tooLong
	var list []*sparsetext.Rows
	for read := 0; read < r.total; {
		pieces, err := text.Next()
		if r.line = text.Line(); err == io.EOF {
			return r.fault("the file ends after %d of %d support vectors", read, r.total)
		}
		if err != nil {
			return err
		}
		for _, p := range pieces {
			n := min(p.Len(), r.total-read)
			for a := range m.Coef {
				for i := range n {
					m.Coef[a] = append(m.Coef[a], p.Lead[i*len(m.Coef)+a])
				}
			}
			if list = append(list, p); given {
				if err := r.serials(p, n); err != nil {
					return err
				}
			}
			if read += n; read < r.total && p.Fault != nil {
				return r.worded(p.Fault)
			}
		}
	}
	if !given {
		m.sv = data.Sparse(joined(list, r.total))
	}
	return nil
}

// joined is the first n rows of all pieces.
func joined(list []*sparsetext.Rows, n int) *data.CSR {
	entries := 0
	for _, p := range list {
		entries += len(p.Value)
	}
	out := &data.CSR{Rows: n, Ptr: append(make([]int, 0, n+1), 0), Index: make([]int32, 0, entries),
		Value: make([]float64, 0, entries)}
	for _, p := range list {
		shift := len(out.Value)
		rows := min(p.Len(), n+1-len(out.Ptr))
		out.Index, out.Value = append(out.Index, p.Index[:p.Ptr[rows]]...), append(out.Value, p.Value[:p.Ptr[rows]]...)
		for i := range rows {
			lo, hi := p.Ptr[i], p.Ptr[i+1]
			out.Ptr = append(out.Ptr, hi+shift)
			if hi > lo {
				out.Cols = max(out.Cols, int(p.Index[hi-1])+1)
			}
		}
	}
	return out
}

// serials takes the numbers 0:k of the first n rows of a piece.
func (r *modelReader) serials(p *sparsetext.Rows, n int) error {
	for i := range n {
		at := p.Ptr[i]
		if at == p.Ptr[i+1] || p.Index[at] != 0 {
			r.line = p.Line[i]
			return r.fault("no serial number 0:k")
		}
		x := p.Value[at]
		if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
			r.line = p.Line[i]
			return r.fault("%g is no serial number", x)
		}
		r.m.serial = append(r.m.serial, int(x))
	}
	return nil
}

// worded says what is wrong with a line.
func (r *modelReader) worded(f *sparsetext.Fault) error {
	r.line = f.Line
	switch f.Sort {
	case sparsetext.Number:
		if f.Text == "" {
			return r.fault("fewer coefficients than %d", len(r.m.Coef))
		}
		return r.fault("%q is not a finite number", f.Text)
	case sparsetext.Low, sparsetext.Order:
		return r.fault("index %d: indices count from 1 and increase", f.Index)
	case sparsetext.High:
		return r.fault("index %d is above %d", f.Index, sparsetext.MaxIndex)
	}
	return r.fault("%q is not index:value", f.Text)
}
