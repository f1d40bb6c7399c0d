package gram

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// kept is centres that stay on the device between calls: those that were asked for last.
type kept struct {
	owner     any
	precision Precision
	pair      *devicePair
	busy      bool
}

// KeptDeviceRows is NewDeviceRows for centres that are asked for again and again: the device keeps
// those of one owner, whose kernel and centres do not change, until another comes. done is called
// after the last product.
func KeptDeviceRows[T any](
	d *Device, owner any, k kernel.Kernel[T], centers data.Points[T], p Precision, threads int,
) (rows *DeviceRows[T], done func()) {
	if !d.usable() {
		return nil, func() {}
	}
	d.mu.Lock()
	if d.kept.owner == owner && d.kept.precision == p && !d.kept.busy {
		d.kept.busy = true
		d.kept.pair.threads = threads
		defer d.mu.Unlock()
		return &DeviceRows[T]{d.kept.pair}, d.putBack
	}
	d.mu.Unlock()
	rows = NewDeviceRows(d, k, centers, p, threads)
	if rows == nil {
		return nil, func() {}
	}
	d.mu.Lock()
	before := d.kept
	if before.busy {
		d.mu.Unlock()
		return rows, rows.Close
	}
	d.kept = kept{owner: owner, precision: p, pair: rows.pair, busy: true}
	d.mu.Unlock()
	if before.pair != nil {
		_ = before.pair.Close()
	}
	return rows, d.putBack
}

// putBack ends the use of what is kept; a pair that was given up is not.
func (d *Device) putBack() {
	d.mu.Lock()
	d.kept.busy = false
	pair := d.kept.pair
	if pair != nil && !pair.given {
		pair = nil
	} else {
		d.kept = kept{}
	}
	d.mu.Unlock()
	if pair != nil {
		_ = pair.Close()
	}
}

// dropKept gives the memory of what is kept back, but to whom it is, and says whether there was
// any.
func (d *Device) dropKept(but *devicePair) bool {
	d.mu.Lock()
	pair := d.kept.pair
	if pair == nil || pair == but || d.kept.busy {
		d.mu.Unlock()
		return false
	}
	d.kept = kept{}
	d.mu.Unlock()
	return pair.Close() == nil
}
