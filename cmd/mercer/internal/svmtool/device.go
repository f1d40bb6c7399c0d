package svmtool

import (
	"fmt"

	"github.com/mercer-ml/mercer/gram"
)

// rowsForDevice is the number of rows below which a GPU is not asked for of its own accord.
const rowsForDevice = 2000

// openDevice finds the GPUs that -D asks for. auto opens them when the processor has been at work
// for as long as that takes; only gpu insists on one.
func (t *trainer) openDevice(rows *table) (err error) {
	switch t.Device {
	case "gpu":
		if t.device, err = gram.OpenDevice(gram.DeviceOptions{Always: true}); err != nil {
			return fmt.Errorf("ERROR: -D gpu: %w; leave -D out", err)
		}
	case "", "auto":
		if rows.rows.Len() >= rowsForDevice && !t.Identical {
			t.device, _ = gram.OpenDevice(gram.DeviceOptions{Later: true}) // no GPU is no fault where none was asked for
		}
	}
	return nil
}

// closeDevice gives the GPUs back, and says what there is to know of how they were used.
func (t *trainer) closeDevice() {
	for _, n := range t.device.Notes() {
		fmt.Fprintf(t.warn, "WARNING: %s\n", n)
	}
	_ = t.device.Close()
}
