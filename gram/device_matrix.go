package gram

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// deviceMatrix is K(X, X) in double precision in the memory of a device.
type deviceMatrix struct {
	chip  cuda.Device
	queue cuda.Stream
	n     int
	a     cuda.Ptr
}

// newDeviceMatrix evaluates the matrix on the first device.
func newDeviceMatrix(d *Device, t *deviceTree, x data.Points[kernel.Vec]) (_ *deviceMatrix, err error) {
	chip := d.one()
	if chip == nil || chip.Libraries() == nil {
		return nil, errNoFactor
	}
	m := &deviceMatrix{chip: chip, n: x.Len()}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	bytes := 8 * int64(m.n) * int64(m.n)
	free, _, err := chip.Memory()
	if err != nil {
		return nil, err
	}
	if bytes > free/2 {
		return nil, errNoFactor
	}
	if m.queue, err = chip.NewStream(); err != nil {
		return nil, err
	}
	if m.a, err = chip.Alloc(bytes); err != nil {
		return nil, err
	}
	if err := kernelMatrix(chip, m.queue, t, x, 0, m.a); err != nil {
		return nil, err
	}
	return m, cuda.Mirror(chip, m.queue, m.n, m.a)
}

// kernelMatrix sets the lower triangle of a to K(X, X) with ridge on its diagonal.
func kernelMatrix(
	chip cuda.Device, q cuda.Stream, t *deviceTree, x data.Points[kernel.Vec], ridge float64, a cuda.Ptr,
) error {
	return withPoints(chip, q, t, x, func(s *cuda.Sums, points cuda.Points) error { return s.Matrix(q, points, ridge, a) })
}

// withPoints calls f with points in the memory of the device, in double precision, and waits for
// what it queues.
func withPoints(
	chip cuda.Device, q cuda.Stream, t *deviceTree, x data.Points[kernel.Vec],
	f func(s *cuda.Sums, points cuda.Points) error,
) error {
	n := x.Len()
	s, err := cuda.NewSums(chip, t.tree, cuda.Double, t.firstReach(x), 1<<10)
	if err != nil {
		return err
	}
	defer s.Close()
	points, err := chip.Alloc(s.DeviceBytes(n))
	if err != nil {
		return err
	}
	defer func() { _ = chip.Free(points) }()
	host := make([]byte, s.HostBytes(n))
	if _, even := fillCoordinates(t, 0, s, host, x, nil); !even {
		return errUneven
	}
	if err := chip.ToDevice(q, points, host); err != nil {
		return err
	}
	if err := s.Put(q, points, n, points); err != nil {
		return err
	}
	if err := f(s, cuda.Points{N: n, At: points}); err != nil {
		return err
	}
	return chip.Sync(q) // points are given back
}

// mulTo sets dst = K·v.
func (m *deviceMatrix) mulTo(dst, v *mat.Dense) error {
	in := linalg.Of(v)
	flat := flatColumns(in)
	bytes := int64(8 * len(flat))
	x, err := m.chip.Alloc(2 * bytes)
	if err != nil {
		return err
	}
	defer func() { _ = m.chip.Free(x) }()
	if err := m.chip.ToDevice(m.queue, x, cuda.Bytes(flat)); err != nil {
		return err
	}
	y := x + cuda.Ptr(bytes)
	if err := m.chip.Libraries().Product(m.queue, m.n, in.Cols, m.a, x, y); err != nil {
		return err
	}
	if err := m.chip.ToHost(m.queue, cuda.Bytes(flat), y); err != nil {
		return err
	}
	if err := m.chip.Sync(m.queue); err != nil {
		return err
	}
	fromColumns(linalg.Of(dst), flat)
	return nil
}

// flatColumns is the columns of a matrix one after the other; fromColumns is the way back.
func flatColumns(m linalg.Matrix[float64]) []float64 {
	flat := make([]float64, m.Rows*m.Cols)
	par.For(0, m.Rows, 1<<12, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range m.Row(i) {
				flat[j*m.Rows+i] = v
			}
		}
	})
	return flat
}

func fromColumns(m linalg.Matrix[float64], flat []float64) {
	par.For(0, m.Rows, 1<<12, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := m.Row(i)
			for j := range row {
				row[j] = flat[j*m.Rows+i]
			}
		}
	})
}

func (m *deviceMatrix) close() {
	if m.a != 0 {
		_ = m.chip.Free(m.a)
	}
	if m.queue != 0 {
		_ = m.chip.FreeStream(m.queue)
	}
	m.a, m.queue = 0, 0
}
