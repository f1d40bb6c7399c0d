package cli

import (
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/gram"
	"github.com/spf13/pflag"
)

// deviceOption is where large products are made.
type deviceOption string

func (d *deviceOption) flag(f *pflag.FlagSet) {
	f.StringVar((*string)(d), "device", "auto",
		"where large products are made: auto (a GPU where that is faster), cpu or gpu")
}

// rowsForDevice is the number of rows below which nothing is worth asking what a GPU would be
// worth.
const rowsForDevice = 2000

// open finds the GPUs for so many rows; nil means none. auto opens them when there has been enough
// for them to do; only gpu insists on one, and then for every product that it can make.
func (d deviceOption) open(rows int) (*gram.Device, error) {
	switch d {
	case "", "auto":
		if rows < rowsForDevice {
			return nil, nil
		}
		dev, err := gram.OpenDevice(gram.DeviceOptions{Later: true})
		if err != nil { // no GPU is no fault where none was asked for
			return nil, nil
		}
		return dev, nil
	case "cpu":
		return nil, nil
	case "gpu":
		dev, err := gram.OpenDevice(gram.DeviceOptions{Always: true})
		if err != nil {
			return nil, usage("--device gpu: %v; use --device cpu, or leave it out", deviceReason(err))
		}
		return dev, nil
	}
	return nil, usage("--device: %q; give auto, cpu or gpu", string(d))
}

// deviceReason says why there is no GPU, without the name of the package that looked.
func deviceReason(err error) error {
	if inner := errors.Unwrap(err); errors.Is(inner, gram.ErrOldDriver) { // with the releases
		return inner
	}
	for _, reason := range []error{gram.ErrNoDeviceSupport, gram.ErrNoDriver, gram.ErrOldDriver, gram.ErrNoDevice} {
		if errors.Is(err, reason) {
			return reason
		}
	}
	return err
}

// deviceLine says what mercer version found.
func deviceLine() string {
	dev, err := gram.OpenDevice(gram.DeviceOptions{})
	if errors.Is(err, gram.ErrNoDeviceSupport) {
		return "GPUs: not in this build"
	}
	if err != nil {
		return fmt.Sprintf("GPUs: none (%v)", err)
	}
	defer func() { _ = dev.Close() }()
	return "GPUs: " + dev.String()
}
