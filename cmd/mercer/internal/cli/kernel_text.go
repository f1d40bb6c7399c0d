package cli

import (
	"github.com/mercer-ml/mercer/kernel"
)

// typedKernel is the kernel as JSON has it: as the person wrote it, or the text of the one that was
// chosen, every bit of it. Either can be typed back.
func (t *table) typedKernel(o *exploreOptions, k kernel.Kernel[any]) string {
	if o.Kernel != "" || t.How == nil {
		return o.Kernel
	}
	text, err := t.How.Text(k)
	if err != nil {
		return "" // it holds data or a function
	}
	return text
}
