package cli

import (
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/spec"
)

// typedKernel is the kernel as JSON has it: as the person wrote it, or the text of the one that was
// chosen, every bit of it. Either can be typed back.
func typedKernel(o *exploreOptions, k kernel.Kernel[kernel.Vec]) string {
	if o.Kernel != "" {
		return o.Kernel
	}
	return spec.Printed(k)
}
