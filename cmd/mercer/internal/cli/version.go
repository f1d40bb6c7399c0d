package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version is the release; the linker may set it.
var Version = "0.1.0-dev"

func newVersion(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.sayVersion() },
	}
}

// sayVersion is what mercer version and mercer --version print.
func (a *App) sayVersion() error {
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	_, err := fmt.Fprintf(a.Out, "mercer %s%s %s/%s %s\n%s\n", Version, commit, runtime.GOOS, runtime.GOARCH, runtime.Version(), deviceLine())
	return err
}
