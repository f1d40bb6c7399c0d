//go:build cuda && linux && (amd64 || arm64)

package cuda

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
)

// images are the compiled kernels, as _gen/build makes them of the sources beside it.
//
//go:embed kernels/*.gz
var images embed.FS

// imagesFor are the names of the modules for a compute capability: machine code where there is
// some, else PTX, which the driver compiles.
func imagesFor(major, minor int) ([]string, error) {
	switch {
	case major == 9 && minor == 0:
		return []string{"base.sm_90a", "box.sm_90a", "exact.sm_90a", "profiles.sm_90a", "mma.sm_90a", "wgmma.sm_90a"}, nil
	case major >= 8:
		return []string{"base.compute_80", "box.compute_80", "exact.compute_80", "profiles.compute_80", "mma.compute_80"}, nil
	}
	return nil, fmt.Errorf("%w: its compute capability is %d.%d, kernels are for 8.0 and later", ErrNoDevice, major, minor)
}

// image is a module, ended by the zero that the driver wants after PTX.
func image(name string) ([]byte, error) {
	packed, err := images.ReadFile("kernels/" + name + ".gz")
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(r)
	return append(out, 0), err
}
