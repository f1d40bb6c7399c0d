package gram

import (
	"context"
	"errors"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// DeviceProduct sets dst = K(X, C)·v on a device and says that it did: not where there is none, where the kernel is no matter for one, or where the
// processor is as fast. A row's last bits depend on how many others there are, unlike those of the processor.
func DeviceProduct[T any](ctx context.Context, d *Device, k kernel.Kernel[T], x, centers data.Points[T], dst, v *mat.Dense, p Precision) (bool, error) {
	if !d.usable() {
		return false, nil
	}
	pair := newDevicePair(k, data.NewInMemory(x, nil, 0, nil), centers, PairOptions{Precision: p, Device: d}, nil)
	on, ok := any(pair).(*devicePair)
	if !ok {
		return false, nil
	}
	defer func() { _ = on.Close() }()
	_, columns := v.Dims()
	if !d.worth(on, columns) {
		return false, nil
	}
	on.cpu = declined{}
	err := pair.MulTo(ctx, nil, v, func(b data.Block[T], kv, _ *mat.Dense) {
		for i := range b.Len() {
			dst.SetRow(b.First+i, kv.RawRowView(i))
		}
	})
	if err == errDeclined {
		return false, nil
	}
	return err == nil, err
}

// declined stands where the processor would: whoever asked has a better way to it.
type declined struct{ Pair[kernel.Vec] }

var errDeclined = errors.New("gram: left to the processor")

func (declined) MulTo(context.Context, *mat.Dense, *mat.Dense, Between[kernel.Vec]) error {
	return errDeclined
}
