package cli

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/internal/spec"
)

// operatorHelp lists the operators that have a name, with what they mean.
func operatorHelp() string {
	var lines []string
	for _, e := range append(spec.Algebra(), spec.Vectors()...) {
		if e.Name == "" || !takesKernel(e.Params) {
			continue
		}
		var args []string
		for _, p := range e.Params {
			if p.Default != "" {
				continue
			}
			if p.Name == "kernel" {
				args = append(args, "k")
			} else {
				args = append(args, p.Name)
			}
		}
		line := fmt.Sprintf("  %-25s %s", e.Name+"("+strings.Join(args, ", ")+")", e.Formula)
		if formula, _, ok := strings.Cut(line, ", the"); ok && len([]rune(line)) > 80 {
			line = formula
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func takesKernel(params []spec.Parameter) bool {
	for _, p := range params {
		if p.Name == "kernel" {
			return true
		}
	}
	return false
}
