package tune

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// kernelName is what a table calls a kernel: its family, or those that it is
// made of.
func kernelName[T any](k kernel.Kernel[T]) string {
	switch k := any(k).(type) {
	case nil:
		return ""
	case kernel.ScaleOf[kernel.Vec]:
		return kernelName(k.Kernel)
	case kernel.ScaleOf[data.SparseVec]:
		return kernelName(k.Kernel)
	case kernel.ARD:
		return kernelName(kernel.Kernel[kernel.Vec](k.Kernel)) + " ard"
	case kernel.SparseOf:
		return kernelName(k.Dense)
	case kernel.SumOf[T]:
		return joinNames(k.Terms, " + ")
	case kernel.ProductOf[T]:
		return joinNames(k.Factors, " * ")
	case kernel.Named:
		return k.Name()
	}
	s, _, _ := strings.Cut(fmt.Sprintf("%T", k), "[")
	return strings.ToLower(s[strings.LastIndex(s, ".")+1:])
}

// longestName is the most letters of a kernel's text that a table has room for.
const longestName = 72

// givenName is what tables call a kernel that was given, where a search varies none of its parameters: its text, since the name of the family would stand
// for its defaults. It is empty where the text is long, and where there is nothing to say but the name.
func givenName[T any](k kernel.Kernel[T], axes []Axis, text string, err error) string {
	if err != nil || len([]rune(text)) > longestName || text == kernelName(k)+"()" {
		return ""
	}
	for _, a := range axes {
		if strings.Contains(a.Name, ".") { // FAMILY.PARAMETER
			return ""
		}
	}
	return text
}

// joinNames names the parts of a sum or a product; a sum in a product is in
// brackets.
func joinNames[T any](parts []kernel.Kernel[T], by string) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = kernelName(p)
		if by == " * " && strings.Contains(names[i], " + ") {
			names[i] = "(" + names[i] + ")"
		}
	}
	return strings.Join(names, by)
}
