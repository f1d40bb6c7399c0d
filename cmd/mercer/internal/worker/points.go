package worker

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// points is the rows of a request: dense, sparse, or kernel values that were computed elsewhere.
type points struct {
	dense  *mat.Dense
	sparse *data.SparseRows
	gram   *mat.Dense
}

// read finds the points of a name: NAME is a matrix, NAME.ptr, NAME.index and NAME.value a sparse
// one of NAME.columns.
func (a arrays) points(name string) (p points, err error) {
	switch {
	case a.has(name + ".ptr"):
		p.sparse, err = a.sparse(name)
	case a.has(name + ".gram"):
		p.gram, err = dense(a, name+".gram")
	default:
		p.dense, err = dense(a, name)
	}
	return p, err
}

func (a arrays) sparse(name string) (*data.SparseRows, error) {
	ptr, _, err := view[int64](a, name+".ptr", 1)
	if err != nil {
		return nil, err
	}
	index, _, err := view[int32](a, name+".index", 1)
	if err != nil {
		return nil, err
	}
	value, _, err := view[float64](a, name+".value", 1)
	if err != nil {
		return nil, err
	}
	columns, _, err := view[int64](a, name+".columns", 1)
	if err != nil || len(columns) != 1 {
		return nil, fmt.Errorf("sparse rows without their number of columns")
	}
	m := &data.CSR{Rows: len(ptr) - 1, Cols: int(columns[0]), Ptr: make([]int, len(ptr)), Index: index, Value: value}
	for i, p := range ptr {
		m.Ptr[i] = int(p)
	}
	if m.Rows < 1 {
		return nil, fmt.Errorf("found array with %d sample(s)", max(m.Rows, 0))
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	rows := data.Sparse(m)
	return &rows, nil
}

func (p points) len() int {
	switch {
	case p.sparse != nil:
		return p.sparse.Len()
	case p.gram != nil:
		n, _ := p.gram.Dims()
		return n
	}
	n, _ := p.dense.Dims()
	return n
}

// encoded is the points as a model takes them.
func (p points) encoded() *data.Encoded {
	x := &data.Encoded{Kept: par.Indices(0, p.len())}
	switch {
	case p.sparse != nil:
		x.Sparse = p.sparse
	case p.gram != nil:
		x.Dense = data.Rows(p.gram)
	default:
		x.Dense = data.Rows(p.dense)
	}
	return x
}

// onSparse is a kernel by its text, on sparse rows of so many columns.
func onSparse(text string, columns int) (kernel.Kernel[data.SparseVec], error) {
	k, err := spec.ParseKernel(text)
	if err != nil {
		return nil, err
	}
	return kernel.OnSparse(k, columns)
}
