package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mercer-ml/mercer/internal/files"
)

func newMan(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write the manual pages into a folder",
		Args:  dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return &files.WriteError{File: args[0], Err: reasonOf(err)}
			}
			return manPages(cmd.Root(), args[0])
		},
	}
}

// manPages writes a page for a command and each beneath it.
func manPages(cmd *cobra.Command, folder string) error {
	if cmd.Hidden {
		return nil
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	page := manPage(cmd, name)
	if err := files.WriteAtomic(filepath.Join(folder, name+".1"), func(w io.Writer) error {
		_, err := io.WriteString(w, page)
		return err
	}); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if err := manPages(sub, folder); err != nil {
			return err
		}
	}
	return nil
}

// roff escapes what the formatter would take for its own.
func roff(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "-", `\-`)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

func manPage(cmd *cobra.Command, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"mercer %s\" \"mercer\"\n", strings.ToUpper(roff(name)), Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(long))
	options := ""
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		flag := "--" + f.Name
		if f.Shorthand != "" {
			flag = "-" + f.Shorthand + ", " + flag
		}
		if kind := f.Value.Type(); kind != "bool" {
			flag += " " + strings.ToUpper(kind)
		}
		text := f.Usage
		if d := f.DefValue; d != "" && d != "false" && d != "[]" && d != "0" {
			text += " (default " + d + ")"
		}
		options += fmt.Sprintf(".TP\n.B %s\n%s\n", roff(flag), roff(text))
	})
	if options != "" {
		b.WriteString(".SH OPTIONS\n" + options)
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	var subs []string
	for _, s := range cmd.Commands() {
		if !s.Hidden && (s.Runnable() || s.HasSubCommands()) {
			subs = append(subs, fmt.Sprintf(".TP\n.B %s\n%s\n", roff(s.Name()), roff(s.Short)))
		}
	}
	if len(subs) > 0 {
		b.WriteString(".SH COMMANDS\n" + strings.Join(subs, ""))
	}
	b.WriteString(".SH EXIT STATUS\n0 for success, 1 for failure, 2 for bad usage or input, 130 when interrupted.\n")
	return b.String()
}
