package gram

import (
	"context"
	"errors"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// DeviceRows is K(·, C) of given centres on a device: products with the rows of any points, while
// the centres stay in its memory. It is for one goroutine at a time. A nil DeviceRows declines.
type DeviceRows[T any] struct{ pair *devicePair }

// NewDeviceRows is nil where there is no device, or where the kernel is no matter for one.
func NewDeviceRows[T any](
	d *Device, k kernel.Kernel[T], centers data.Points[T], p Precision, threads int,
) *DeviceRows[T] {
	pair := newDevicePair(k, data.NewInMemory(centers, nil, 0, nil), centers,
		PairOptions{Precision: p, Device: d, Threads: threads, Stream: true}, nil)
	if pair == nil {
		return nil
	}
	return &DeviceRows[T]{pair}
}

// Fit has MulTo ask whether points are fit for the kernel, some at a time while they are on their
// way to the device; it declines those that are not. Of itself, and with nil, it declines those
// that are not finite or not of the dimension of the centres.
func (r *DeviceRows[T]) Fit(fit func(x data.Points[T]) bool) {
	if r == nil {
		return
	}
	if r.pair.fit = nil; fit != nil {
		r.pair.fit = func(x data.Points[kernel.Vec]) bool { return fit(data.FromVectors[T](x)) }
	}
}

// MulTo sets dst = K(X, C)·v on the device and says that it did: not where the processor is as
// fast, where memory is short or the device was lost. A row's last bits depend on how many others
// there are, unlike those of the processor.
func (r *DeviceRows[T]) MulTo(ctx context.Context, dst *mat.Dense, x data.Points[T], v *mat.Dense) (bool, error) {
	if r == nil || x.Len() == 0 {
		return false, nil
	}
	p := r.pair
	points, ok := data.VectorsOf(x)
	if !ok {
		return false, nil
	}
	p.over(points)
	err := p.MulTo(ctx, nil, v, rowsInto(dst))
	if p.unfit { // other points may be
		p.unfit, p.given = false, false
	}
	if errors.Is(err, errDeclined) {
		return false, nil
	}
	return err == nil, err
}

// Close gives the memory back.
func (r *DeviceRows[T]) Close() {
	if r != nil {
		_ = r.pair.Close()
	}
}

// rowsInto copies what a product with K has to its rows of dst.
func rowsInto(dst *mat.Dense) Between[kernel.Vec] {
	to := linalg.Of(dst)
	return func(b data.Block[kernel.Vec], kv, _ *mat.Dense) {
		from := linalg.Of(kv)
		if to.Stride == to.Cols && from.Stride == to.Cols {
			copy(to.Data[b.First*to.Cols:], from.Data[:b.Len()*to.Cols])
			return
		}
		for i := range b.Len() {
			copy(to.Row(b.First+i), from.Row(i))
		}
	}
}

// over takes other rows; memory that was made for far fewer of them is given back.
func (p *devicePair) over(x data.Points[kernel.Vec]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows, p.n = data.NewInMemory(x, nil, 0, nil), x.Len()
	if len(p.lanes) > 0 && 2*p.lanes[0].rows < p.pieceFor(len(p.lanes)) {
		p.release()
	}
}

// DeviceProduct sets dst = K(X, C)·v on a device and says that it did; see DeviceRows, which is for
// more than one product with the same centres.
func DeviceProduct[T any](
	ctx context.Context, d *Device, k kernel.Kernel[T], x, centers data.Points[T], dst, v *mat.Dense, p Precision,
) (bool, error) {
	if !d.usable() {
		return false, nil
	}
	r := NewDeviceRows(d, k, centers, p, 0)
	defer r.Close()
	return r.MulTo(ctx, dst, x, v)
}

// declined stands where the processor would: whoever asked has a better way to it.
type declined struct{ Pair[kernel.Vec] }

var errDeclined = errors.New("gram: left to the processor")

func (declined) MulTo(context.Context, *mat.Dense, *mat.Dense, Between[kernel.Vec]) error {
	return errDeclined
}
