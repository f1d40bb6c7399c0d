package gram

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// DeviceEigen finds all eigenvalues of a symmetric matrix on a device, the smallest first, and the
// eigenvectors, a row each. It says whether the device could: not where there is none, or no
// library, or no room, or where the processor is as soon done. Of a the lower triangle is read.
func DeviceEigen(d *Device, a *mat.Dense) (values []float64, vectors *mat.Dense, ok bool) {
	m := linalg.Of(a)
	if m.Rows > mostEigen || m.Stride != m.Cols {
		return nil, nil, false
	}
	chip := d.first(eigenFactor * m.Rows)
	if !d.factorises(chip) {
		return nil, nil, false
	}
	values, vectors = make([]float64, m.Rows), mat.NewDense(m.Rows, m.Rows, nil)
	if err := deviceEigen(chip, m, values, vectors.RawMatrix().Data); err != nil {
		d.gaveUp(err, fmt.Sprintf("the eigenvectors of %d points", m.Rows))
		return nil, nil, false
	}
	return values, vectors, true
}

// mostEigen is the size up to which the library counts its memory in 32 bits, and eigenFactor the
// factor of the size of a factorisation that takes as long.
const (
	mostEigen   = 30000
	eigenFactor = 3
)

func deviceEigen(chip cuda.Device, m linalg.Matrix[float64], values, vectors []float64) error {
	n := m.Rows
	bytes := 8 * int64(n) * int64(n)
	queue, err := chip.NewStream()
	if err != nil {
		return err
	}
	defer func() { _ = chip.FreeStream(queue) }()
	at, err := chip.Alloc(bytes + int64(8*n))
	if err != nil {
		return err
	}
	defer func() { _ = chip.Free(at) }()
	w := at + cuda.Ptr(bytes)
	if err := chip.ToDevice(queue, at, cuda.Bytes(m.Data[:n*n])); err != nil {
		return err
	}
	if err := chip.Libraries().Eigen(queue, n, at, w); err != nil {
		return err
	}
	if err := chip.ToHost(queue, cuda.Bytes(values), w); err != nil {
		return err
	}
	if err := chip.ToHost(queue, cuda.Bytes(vectors), at); err != nil {
		return err
	}
	return chip.Sync(queue)
}
