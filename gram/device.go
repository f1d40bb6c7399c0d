package gram

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Device is the GPUs of a machine, for products with kernel matrices of many rows. A nil Device is
// the processor alone. What is made on a device has the digits of the precision that was asked for,
// but not the bits of the processor; the same device gives the same bits every time.
type Device struct {
	chips  []cuda.Device
	always bool

	mu     sync.Mutex
	later  bool    // not opened yet
	spent  float64 // seconds of the processor on products that would have been the device's
	little float64 // the same before anything was measured, of a slow processor
	lost   bool
	notes  []string
	rates  *rates
	kept   kept
}

// Reasons why there is no device, for errors.Is.
var (
	ErrNoDeviceSupport = cuda.ErrNotBuilt  // the program was built without
	ErrNoDriver        = cuda.ErrNoDriver  // no driver was found
	ErrOldDriver       = cuda.ErrOldDriver // it cannot read our kernels
	ErrNoDevice        = cuda.ErrNoDevice  // no GPU, or none that can be used
)

// DeviceOptions says how GPUs are used.
type DeviceOptions struct {
	// Always uses them for every product that they can make, not only for those that are worth it.
	Always bool
	// Later opens them when products have taken the processor as long as opening takes (some tenths
	// of a second), and not before: work that is little is done without them. Whether there are any
	// is known only then; if not, the processor goes on.
	Later bool
}

// openChips is replaced by tests.
var openChips = cuda.Open

// OpenDevice is the GPUs of this machine. Close gives them back.
func OpenDevice(o DeviceOptions) (*Device, error) {
	d := &Device{always: o.Always, later: true}
	if o.Later && !o.Always {
		if !cuda.Built {
			return nil, fault.In("gram", cuda.ErrNotBuilt)
		}
		return d, nil
	}
	if err := d.openNow(); err != nil {
		return nil, fault.In("gram", err)
	}
	return d, nil
}

// openNow finds the GPUs.
func (d *Device) openNow() error {
	d.later = false
	chips, err := openChips()
	if err != nil {
		return err
	}
	for _, c := range chips {
		d.chips = append(d.chips, cuda.Pooled(c))
	}
	return nil
}

// EmulatedDevice is devices in plain Go, slow and for tests: so many, with so many bytes of memory
// each. Each is lost after loseAfter launches; 0 means never.
func EmulatedDevice(count int, bytes int64, loseAfter int) *Device {
	d := &Device{always: true}
	for range count {
		d.chips = append(d.chips, cuda.Pooled(cuda.Emulate(cuda.Emulated{Bytes: bytes, Hopper: true, LoseAfter: loseAfter,
			Libraries: true})))
	}
	return d
}

// String names the GPUs.
func (d *Device) String() string {
	if d == nil || len(d.chips) == 0 {
		return "processor"
	}
	names := make([]string, len(d.chips))
	for i, c := range d.chips {
		names[i] = c.Info().String()
	}
	return strings.Join(names, ", ")
}

// Close gives the GPUs back. Products that were made with them go on on the processor.
func (d *Device) Close() error {
	if d == nil {
		return nil
	}
	d.dropKept(nil)
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, c := range d.chips {
		errs = append(errs, c.Close())
	}
	lost := d.lost
	d.chips, d.lost, d.later = nil, true, false
	if lost { // a context that is gone cannot be given back
		return nil
	}
	return errors.Join(errs...)
}

// Notes is what a user ought to know of how the device was used, each said once: memory that was
// short, a device that was lost.
func (d *Device) Notes() []string {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.notes...)
}

// usable says whether there is a device to work on.
func (d *Device) usable() bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return (len(d.chips) > 0 || d.later) && !d.lost
}

// one is the GPU that does what is not split, nil where there is none.
func (d *Device) one() cuda.Device {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.chips) == 0 || d.lost {
		return nil
	}
	return d.chips[0]
}

// note keeps what was said, once.
func (d *Device) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keepNote(fmt.Sprintf(format, args...))
}

func (d *Device) keepNote(text string) {
	for _, n := range d.notes {
		if n == text {
			return
		}
	}
	d.notes = append(d.notes, text)
}

// factorises says whether a GPU can be asked for factors and eigenvectors. That the libraries for
// it are missing is said once.
func (d *Device) factorises(chip cuda.Device) bool {
	if chip == nil {
		return false
	}
	if chip.Libraries() == nil {
		d.note("cuBLAS and cuSOLVER were not found beside the GPU; the processor makes factors and eigenvectors")
		return false
	}
	return true
}

// gaveUp keeps what a person ought to know of an error that leaves work to the processor: memory
// that was short, or a device that is gone. A matrix that has no factor is nothing to speak of
// here.
func (d *Device) gaveUp(err error, work string) {
	switch {
	case errors.Is(err, cuda.ErrOutOfMemory):
		d.note("the GPU has no memory left for %s (%v); the processor does it", work, err)
	case errors.Is(err, ErrDependent) || errors.Is(err, errNoFactor) || errors.Is(err, errUneven) ||
		errors.Is(err, cuda.ErrNoEigen):
	default:
		d.lose(err)
	}
}

// lose marks the device as gone after an error that no call survives.
func (d *Device) lose(err error) {
	d.note("the GPU was lost (%v); the processor went on from there", err)
	d.mu.Lock()
	d.lost = true
	d.mu.Unlock()
}
