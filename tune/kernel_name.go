package tune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// textOf is the text of a kernel as it is printed, and whether it says all of its parameters. What
// is too long for any table is called by its name alone, in the form of what cannot be typed.
func (e *engine) textOf(k kernel.Kernel[any]) (text string, told bool) {
	if of := e.root().text; of != nil {
		if text, ok := of(k); ok && len(text) <= longestText {
			return text, true
		}
	}
	text = spec.Printed(k)
	if len(text) > longestText {
		text = "<" + kernel.NameOf(k) + ">"
	}
	return text, !strings.Contains(text, "<")
}

// longestText is the most bytes of a kernel's text that a cell keeps.
const longestText = 4096

// printed is the kernel of a cell: as it was named, or its text at the values of its axes.
func (e *engine) printed(s *space, theta []float64) (text string, told bool) {
	if s.KernelName != "" {
		return s.KernelName, false
	}
	k, err := s.kernelAt(theta)
	if err != nil {
		return "<" + s.kernelName() + ">", false
	}
	return e.textOf(k)
}

// finds says that the learner finds parameters of the kernel by itself, all but those that are
// held.
func (s *space) finds() bool {
	return s.entry.Evidence && slices.ContainsFunc(s.kernelParams,
		func(p kernel.Param) bool { return !slices.Contains(s.hold, p.Name) })
}

// kernelName is what a label calls a kernel: its family, or those that it is
// made of.
func kernelName(k kernel.Kernel[any]) string {
	if k == nil {
		return ""
	}
	switch k := kernel.Opened(k).(type) {
	case kernel.ScaleOf[any]:
		return kernelName(k.Kernel)
	case kernel.SumOf[any]:
		return joinNames(k.Terms, " + ")
	case kernel.ProductOf[any]:
		return joinNames(k.Factors, " * ")
	}
	of := kernel.Concrete(k)
	switch k := of.(type) {
	case kernel.ARD:
		return vectorName(k.Kernel) + " ard"
	case kernel.SparseOf:
		return vectorName(k.Dense)
	case kernel.Named:
		return k.Name()
	}
	s, _, _ := strings.Cut(fmt.Sprintf("%T", of), "[")
	return strings.ToLower(s[strings.LastIndex(s, ".")+1:])
}

// vectorName is kernelName of a kernel on vectors.
func vectorName(k kernel.Kernel[kernel.Vec]) string { return kernelName(kernel.OnVectors(k)) }

// joinNames names the parts of a sum or a product; a sum in a product is in
// brackets.
func joinNames(parts []kernel.Kernel[any], by string) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = kernelName(p)
		if by == " * " && strings.Contains(names[i], " + ") {
			names[i] = "(" + names[i] + ")"
		}
	}
	return strings.Join(names, by)
}
