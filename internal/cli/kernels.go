package cli

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/spec"
	"github.com/spf13/cobra"
)

func newKernels(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "kernels [NAME]",
		Short: "List the kernels with formula, parameters and properties",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			return a.kernels(name)
		},
	}
}

func (a *App) kernels(name string) error {
	found := false
	for _, e := range spec.Vectors() {
		if name != "" && e.Name != name {
			continue
		}
		found = true
		fmt.Fprintf(a.Out, "%-16s %s\n", e.Name, e.Formula)
		for _, p := range e.Params {
			value := "required"
			if p.Default != "" {
				value = "default " + p.Default
			}
			fmt.Fprintf(a.Out, "%16s %s: %s (%s)\n", "", p.Name, p.Meaning, value)
		}
	}
	if !found {
		return usage("there is no kernel %q; known: %s", name, strings.Join(spec.Vectors().Names(), ", "))
	}
	return nil
}
