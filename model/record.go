package model

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// maxDim bounds the features of a point.
const maxDim = 1 << 26

// maxKernelText bounds the kernel's text.
const maxKernelText = 1 << 20

// The tensors of format 1. Arrays of a learner have "array." before their name.
const (
	tensorCoef    = "coefficients" // centres × outputs
	tensorBias    = "bias"
	tensorCenters = "centers" // centres × features, or numbers of training objects
	tensorIndex   = "centers.index"
	tensorValue   = "centers.value"
	tensorStart   = "centers.start" // where each sparse row starts, and the end
	arrayPrefix   = "array."
	objectPrefix  = "centers.object." // and the number of the column of objects: the bytes of all texts
	objectEnds    = ".ends"           // after that: where each text ends

	tensorNames = "features.names" // of the features of a kernel: the bytes of all

	tensorResiduals = "residuals" // of rows that were held out
)

func (r record) putTensors(t map[string]container.Tensor) error {
	putCoef(t, r.coef)
	if r.bias != nil {
		t[tensorBias] = container.Float64s(r.bias, len(r.bias))
	}
	if r.sparse != nil {
		s := r.sparse
		start := make([]int64, len(s.Ptr))
		for i, p := range s.Ptr {
			start[i] = int64(p - s.Ptr[0])
		}
		lo, hi := s.Ptr[0], s.Ptr[s.Rows]
		t[tensorStart], t[tensorIndex], t[tensorValue] = container.Int64s(start), container.Int32s(s.Index[lo:hi]),
			container.Float64s(s.Value[lo:hi], hi-lo)
	} else {
		t[tensorCenters] = container.MatrixTensor(r.dense)
	}
	for j, texts := range r.objects {
		name := objectPrefix + strconv.Itoa(j)
		t[name], t[name+objectEnds] = textTensors(texts)
	}
	if r.domain == domainFeatures {
		t[tensorNames], t[tensorNames+objectEnds] = textTensors(r.names)
	}
	for name, a := range r.arrays {
		if a == nil || a.IsEmpty() {
			return fmt.Errorf("model: array %q is empty", name)
		}
		t[arrayPrefix+name] = container.MatrixTensor(linalg.Of(a))
	}
	return nil
}

func (r *record) takeTensors(t map[string]container.Tensor) (err error) {
	matrix := func(name string) linalg.Matrix[float64] {
		x, ok := t[name]
		if !ok && err == nil {
			err = fmt.Errorf("no tensor %q", name)
		}
		m, bad := x.Matrix()
		if bad != nil && err == nil {
			err = fmt.Errorf("tensor %q: %w", name, bad)
		}
		return linalg.Matrix[float64](m)
	}
	if _, sparse := t[tensorCoefStart]; sparse {
		m, bad := takeSparseCoef(t)
		if bad != nil {
			return bad
		}
		r.coef = linalg.Dense(m)
	} else {
		r.coef = linalg.Dense(matrix(tensorCoef))
	}
	if b, ok := t[tensorBias]; ok {
		v, bad := b.Float64s()
		if bad != nil {
			return fmt.Errorf("tensor %q: %w", tensorBias, bad)
		}
		r.bias = v
	}
	if r.domain == domainFeatures {
		var bad error
		if r.names, bad = takeTexts(t[tensorNames], t[tensorNames+objectEnds]); bad != nil {
			return fmt.Errorf("tensor %q: %w", tensorNames, bad)
		}
	}
	if _, rows := t[tensorStart]; r.domain == domainFeatures {
		if bad := r.takeSparse(t, len(r.names)); bad != nil {
			return bad
		}
	} else if r.domain == domainSparse || r.domain == domainRows && rows {
		if bad := r.takeSparse(t, r.dim); bad != nil {
			return bad
		}
	} else {
		r.dense = matrix(tensorCenters)
	}
	for j := 0; r.domain == domainRows; j++ {
		name := objectPrefix + strconv.Itoa(j)
		bytes, ok := t[name]
		if !ok {
			break
		}
		texts, bad := takeTexts(bytes, t[name+objectEnds])
		if bad != nil {
			return fmt.Errorf("tensor %q: %w", name, bad)
		}
		r.objects = append(r.objects, texts)
	}
	for name := range t {
		if short, ok := strings.CutPrefix(name, arrayPrefix); ok {
			m := matrix(name)
			if m.Rows == 0 || m.Cols == 0 {
				return fmt.Errorf("tensor %q is empty", name)
			}
			if r.arrays == nil {
				r.arrays = map[string]*mat.Dense{}
			}
			r.arrays[short] = linalg.Dense(m)
		}
	}
	return err
}

func (r *record) takeSparse(t map[string]container.Tensor, columns int) error {
	start, err := t[tensorStart].Int64s()
	if err != nil {
		return fmt.Errorf("tensor %q: %w", tensorStart, err)
	}
	index, err := t[tensorIndex].Int32s()
	if err != nil {
		return fmt.Errorf("tensor %q: %w", tensorIndex, err)
	}
	value, err := t[tensorValue].Float64s()
	if err != nil {
		return fmt.Errorf("tensor %q: %w", tensorValue, err)
	}
	if len(start) == 0 || start[0] != 0 || start[len(start)-1] != int64(len(index)) {
		return fmt.Errorf("tensor %q does not cover the %d entries", tensorStart, len(index))
	}
	ptr := make([]int, len(start))
	for i, p := range start {
		ptr[i] = int(p)
	}
	r.sparse = &data.CSR{Rows: len(ptr) - 1, Cols: columns, Ptr: ptr, Index: index, Value: value}
	return r.sparse.Check()
}

// body makes the fitted function of what a file holds; e is the encoder of the file, where it has
// one.
func (r record) body(e *data.Encoder) (body, error) {
	if len(r.kernel) > maxKernelText {
		return nil, fmt.Errorf("a kernel text of %d bytes", len(r.kernel))
	}
	if r.domain == domainPrecomputed {
		return precomputedOn(r, r.dense)
	}
	if r.domain == domainRows {
		return r.rowsBody(e)
	}
	if r.domain == domainFeatures {
		return r.featuresBody(e)
	}
	k, err := spec.ParseKernel(r.kernel)
	if err != nil {
		return nil, fmt.Errorf("kernel %q: %w", clip(r.kernel), err)
	}
	switch r.domain {
	case domainVectors:
		return vectorBody(saved(r, nil, nil), k, data.RowsOf(r.dense))
	case domainSparse:
		on, err := kernel.OnSparse(k, r.dim)
		if err != nil {
			return nil, err
		}
		return sparseBody(saved(r, kernel.OnSparseVectors(on), nil), data.Sparse(r.sparse))
	}
	return nil, fmt.Errorf("unknown domain %q", clip(r.domain))
}

// rowsBody makes the fitted function on rows of a table.
func (r record) rowsBody(e *data.Encoder) (body, error) {
	if e == nil {
		return nil, fmt.Errorf("a model on rows of a table without its encoder")
	}
	if err := e.Check(); err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	centers, err := r.rows(e)
	if err != nil {
		return nil, err
	}
	k, err := spec.ParseRows(mixing.SchemaOf(e), r.kernel)
	if err != nil {
		return nil, fmt.Errorf("kernel %q: %w", clip(r.kernel), err)
	}
	return newRowsBody(saved(r, nil, mixing.EraseRows(centers)), k, e)
}

func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
