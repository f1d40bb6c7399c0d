package cli

import (
	"os"
	"slices"

	"github.com/mercer-ml/mercer/internal/files"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// place is a file that a verb reads or writes, after what names it on the command line.
type place struct{ name, path string }

// The flags whose values are files, of all verbs.
var (
	writeFlags = []string{"output", "report", "journal", "convert", "denoise", "plot", "save"}
	readFlags  = []string{"at", "background", "test", "project", "token-file", "tls-cert", "tls-key"}
)

// outputFlag is -o of the verbs that write to standard output unless a file is named.
func outputFlag(f *pflag.FlagSet, to *string) {
	f.VarP((*output)(to), "output", "o", "file to write; default, or -: standard output")
}

// output is the name of a file, or nothing for standard output, however that is asked for.
type output string

func (o *output) String() string { return string(*o) }
func (o *output) Type() string   { return "string" }
func (o *output) Set(path string) error {
	if path == "-" {
		path = ""
	}
	*o = output(path)
	return nil
}

// mayStream marks a flag whose value - is standard output.
func mayStream(f *pflag.FlagSet, name string) { _ = f.SetAnnotation(name, streamed, nil) } // the flag is there

const streamed = "streamed"

// checkStreams refuses - for what is written to a file only: a file of that name is nobody's wish.
func checkStreams(f *pflag.FlagSet) (err error) {
	f.Visit(func(f *pflag.Flag) {
		if _, may := f.Annotations[streamed]; !may && err == nil && f.Value.String() == "-" &&
			slices.Contains(writeFlags, f.Name) {
			err = usage("--%s: it is a file, not standard output; give it a name", f.Name)
		}
	})
	return err
}

// placesOf lists the files of a command line: arguments and some flags are read, other flags are
// written.
func placesOf(cmd *cobra.Command, args []string) (reads, writes []place) {
	for _, path := range args {
		reads = append(reads, readFrom(path))
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		p := place{"--" + f.Name, f.Value.String()}
		if f.Shorthand != "" {
			p.name = "-" + f.Shorthand
		}
		switch {
		case slices.Contains(writeFlags, f.Name):
			writes = append(writes, p)
		case slices.Contains(readFlags, f.Name):
			reads = append(reads, readFrom(p.path))
		}
	})
	return reads, writes
}

// readFrom is the place that a verb reads. Standard input may be a file, too.
func readFrom(path string) place {
	if path == "-" {
		return place{"standard input", "/dev/stdin"}
	}
	return place{path, path}
}

// checkPlaces refuses, before any work, files that cannot be written, that would be written twice,
// and that would be written over what is read.
func checkPlaces(reads, writes []place) error {
	for i, w := range writes {
		if !w.isFile() {
			continue
		}
		for _, r := range reads {
			// A name without a file is a built-in set.
			if _, err := os.Stat(r.path); err == nil && r.isFile() && files.Same(w.path, r.path) {
				return usage("%s would overwrite %s, which is read%s; give %s another name", w, r.name, w.through(r), w.name)
			}
		}
		for _, other := range writes[:i] {
			if other.isFile() && files.Same(w.path, other.path) {
				return usage("%s and %s are one file; give each its own name", other, w)
			}
		}
	}
	for _, w := range writes {
		if w.isFile() {
			if err := files.CheckWritable(w.path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p place) String() string { return p.name + " " + p.path }

// isFile is false for no file, and for a standard stream.
func (p place) isFile() bool {
	return p.path != "" && p.path != "-" && !(p.name == "--report" && p.path == "none")
}

// through says why a name that differs is the same file.
func (p place) through(other place) string {
	if p.path == other.path {
		return ""
	}
	return " (one file by two names)"
}
