package cli

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usagePage is how a verb is used: its flags in the order in which it declares them, the most
// useful first, their texts broken at so many columns. It is written without a template of cobra's
// (the package markup says why).
func usagePage(c *cobra.Command, columns int) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	list := func(padding int, show func(*cobra.Command) bool) {
		for _, sub := range c.Commands() {
			if show(sub) {
				line("  %-*s %s", padding, sub.Name(), sub.Short)
			}
		}
	}
	verbs := c.HasAvailableSubCommands()
	if line("Usage:"); verbs {
		line("  %s VERB", c.CommandPath())
	} else {
		line("  %s", c.UseLine())
	}
	if c.HasExample() {
		line("\nExamples:\n%s", c.Example)
	}
	padding := 0
	for _, sub := range c.Commands() {
		padding = sub.NamePadding() // that of all
	}
	if verbs && len(c.Groups()) == 0 {
		line("\nVerbs:")
		list(padding, (*cobra.Command).IsAvailableCommand)
	} else if verbs {
		for _, g := range c.Groups() {
			line("\n%s", g.Title)
			list(padding, func(sub *cobra.Command) bool {
				return sub.GroupID == g.ID && (sub.IsAvailableCommand() || sub.Name() == "help")
			})
		}
	}
	if c.HasHelpSubCommands() {
		line("\nPages (mercer help NAME):")
		list(16, (*cobra.Command).IsAdditionalHelpTopicCommand)
	}
	if c.HasAvailableLocalFlags() {
		line("\nFlags:\n%s", strings.TrimRightFunc(c.LocalFlags().FlagUsagesWrapped(columns), unicode.IsSpace))
	}
	if verbs {
		line("\nMore on a verb: %s VERB --help", c.CommandPath())
	}
	return b.String()
}

type verbGroup struct {
	id, title string
	verbs     []string
}

// verbGroups are the verbs, near each other as a person needs them.
func verbGroups() []verbGroup {
	return []verbGroup{
		{"model", "Models:", []string{"fit", "nodes", "update", "predict", "eval", "threshold", "compare", "explain",
			"transform", "inspect", "export", "import", "serve"}},
		{"explore", "Exploring:", []string{"data", "split", "test", "density", "smooth", "pca", "cca", "cluster", "features",
			"gram", "kernels", "play"}},
		{"libsvm", "LIBSVM's programs:", []string{"svm-train", "svm-predict", "svm-scale"}},
		{"more", "More:", []string{"help", "completion", "man", "version"}},
	}
}

// arrange puts the verbs into groups and gives every page its form.
func arrange(root *cobra.Command, columns int) {
	// Lines of prose are 80 columns at most: wider flags beside them are hard to read.
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := fmt.Fprint(c.OutOrStderr(), usagePage(c, min(columns, 100)))
		return err
	})
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	byName := map[string]*cobra.Command{}
	for _, c := range root.Commands() {
		byName[c.Name()] = c
	}
	for _, g := range verbGroups() {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, verb := range g.verbs {
			if c := byName[verb]; c != nil {
				c.GroupID = g.id
			}
		}
	}
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		c.Flags().SortFlags = false
		c.LocalFlags().SortFlags = false
		for _, s := range c.Commands() {
			each(s)
		}
	}
	each(root)
}

// newHelp is the verb help, which complains of a page that is not there.
func newHelp(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB | PAGE]",
		Short: "Explain a verb, or show a page",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []cobra.Completion,
			_ cobra.ShellCompDirective) {
			if c, _, err := cmd.Root().Find(args); err == nil {
				for _, sub := range c.Commands() {
					if !sub.Hidden {
						names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 && len(args) > 0 || c == nil {
				if page := subjectHelp(args); page != "" {
					_, err := fmt.Fprint(cmd.OutOrStdout(), page)
					return err
				}
				return unknown("no page on", strings.Join(args, " "), cmd.Root())
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// subjectHelp is what there is to say of a name that is no verb's: a learner's entry, or where to
// read of a kernel. It is empty for other names.
func subjectHelp(args []string) string {
	if len(args) != 1 {
		return ""
	}
	if l, ok := all.Described(args[0]); ok {
		var b strings.Builder
		learnerHelp(&b, l)
		return fmt.Sprintf("%s\nmercer fit DATA --learner %s; mercer help learners has all of them\n", b.String(), l.Name)
	}
	if isKernel(args[0]) {
		return fmt.Sprintf("%s is a kernel: mercer kernels %[1]s\n", args[0])
	}
	return ""
}

// unknown is a name that no verb has.
func unknown(what, name string, root *cobra.Command) error {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return usage("%s %q%s; mercer --help lists all", what, name, meant(name, names))
}

// flagError says what is wrong with a flag and what to write instead.
func flagError(cmd *cobra.Command, err error) error {
	see := "; see: " + cmd.CommandPath() + " --help"
	var absent *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &absent):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		name := absent.GetSpecifiedName()
		if absent.GetSpecifiedShortnames() == "" {
			name = "--" + name
		} else {
			name = "-" + name
		}
		return usage("unknown flag: %s%s%s", name, meant(name, names), see)
	case errors.As(err, &value):
		f := value.GetFlag()
		return usage("--%s: %q is not %s%s", f.Name, value.GetValue(), kindText(f.Value.Type()), see)
	}
	return usage("%w%s", err, see)
}

// kindText says what a flag takes.
func kindText(kind string) string {
	switch {
	case kind == "duration":
		return "a time; write 90s or 5m"
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case strings.HasPrefix(kind, "uint"):
		return "a whole number from 0"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "true or false"
	}
	return "a value for it"
}
