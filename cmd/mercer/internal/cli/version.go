package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/spf13/cobra"
)

const development = "0.1.0-dev"

// Version is the release; the linker may set it.
var Version = development

func newVersion(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.sayVersion() },
	}
}

// sayVersion is what mercer version and mercer --version print: the release and its commit, the
// build, the processor's instructions that are used, and devices.
func (a *App) sayVersion() error {
	_, err := fmt.Fprintf(a.Out, "mercer %s\n%s/%s, %s\nprocessor: %d threads, %s\n%s\n", released(), runtime.GOOS,
		runtime.GOARCH, runtime.Version(),
		runtime.GOMAXPROCS(0), instructions(), deviceLine())
	return err
}

// released is the version, and the commit where the program knows it. go install MODULE@VERSION
// says the version by itself.
func released() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version
	}
	version := Version
	if v := info.Main.Version; version == development && strings.HasPrefix(v, "v") && !strings.Contains(v, "-0.") {
		version = strings.TrimPrefix(v, "v")
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			version += " " + s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				version += ", changed since"
			}
		}
	}
	return version
}

// instructions names the loops that run here.
func instructions() string {
	if l := simd.Current(); l != simd.Generic {
		return strings.ToUpper(l.String()) + " instructions"
	}
	return "no vector instructions (plain loops)"
}
