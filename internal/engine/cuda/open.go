//go:build !cuda || !linux || !(amd64 || arm64)

package cuda

// Built says whether this program can use GPUs.
const Built = false

// Open is the devices of this machine: none, for the reason ErrNotBuilt.
func Open() ([]Device, error) { return nil, ErrNotBuilt }
