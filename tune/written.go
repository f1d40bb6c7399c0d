package tune

import (
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// heldOf is the parameters of the kernel of the options, or of the one that they make of columns of
// features, whose numbers stand in its text.
func (o AutoOptions) heldOf(k kernel.Kernel[kernel.Vec]) ([]string, error) {
	parse := spec.ParseKernel
	if o.parseFeatures != nil {
		parse = o.parseFeatures
	}
	return held(o.Written, k, parse)
}

// writtenIn is the parameters of a kernel on vectors whose numbers stand in a text.
func writtenIn(text string, k kernel.Kernel[kernel.Vec]) ([]string, error) {
	return held(text, k, spec.ParseKernel)
}

// held is the names of the parameters of a kernel whose numbers stand in a text that parse reads;
// none where there is no text.
func held[T any](text string, k kernel.Kernel[T], parse func(string) (kernel.Kernel[T], error)) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	marks, err := spec.Written(text, func(text string) ([]float64, error) {
		k, err := parse(text)
		if err != nil {
			return nil, err
		}
		return kernel.Values(k), nil
	})
	if err != nil {
		return nil, err
	}
	names := []string{}
	for i, p := range kernel.Params(k) {
		if i < len(marks) && marks[i] {
			names = append(names, p.Name)
		}
	}
	return names, nil
}
