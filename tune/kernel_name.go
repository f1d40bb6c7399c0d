package tune

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/kernel"
)

// kernelName is what a table calls a kernel: its family, or those that it is
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

// longestName is the most letters of a kernel's text that a table has room for.
const longestName = 72

// givenName is what tables call a kernel that was given, where a search varies none of its
// parameters: its text, since the name of the family would stand for its defaults. It is empty
// where the text is long, and where there is nothing to say but the name.
func givenName(k kernel.Kernel[any], axes []Axis, text string, err error) string {
	if err != nil || len([]rune(text)) > longestName || text == kernelName(k)+"()" {
		return ""
	}
	for _, a := range axes {
		if strings.Contains(a.Name, ".") { // FAMILY.PARAMETER
			return ""
		}
		for _, p := range kernel.Params(k) { // PARAMETER alone
			if strings.HasSuffix(p.Name, "."+a.Name) {
				return ""
			}
		}
	}
	return text
}

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
