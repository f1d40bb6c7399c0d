package cli

import (
	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/spf13/cobra"
)

// verb is something that mercer can be asked for.
type verb struct {
	name    string
	declare func(*App) *cobra.Command
	whole   bool // it looks at the others
}

// verbs are all of them, in the order in which help lists them. (A function, since a worker does
// what any of them does.)
func verbs() []verb {
	return []verb{
		{name: "fit", declare: newFit},
		{name: "update", declare: newUpdate},
		{name: "predict", declare: newPredict},
		{name: "eval", declare: newEval},
		{name: "threshold", declare: newThreshold},
		{name: "transform", declare: newTransform},
		{name: "compare", declare: newCompare},
		{name: "explain", declare: newExplain},
		{name: "inspect", declare: newInspect},
		{name: "export", declare: newExport},
		{name: "import", declare: newImport},
		{name: "serve", declare: newServe},
		{name: "data", declare: newData},
		{name: "split", declare: newSplit},
		{name: "test", declare: newTest},
		{name: "density", declare: newDensity},
		{name: "smooth", declare: newSmooth},
		{name: "features", declare: newFeatures},
		{name: "pca", declare: newPCA},
		{name: "cca", declare: newCCA},
		{name: "cluster", declare: newCluster},
		{name: "nodes", declare: newNodes},
		{name: "gram", declare: newGram},
		{name: "kernels", declare: newKernels},
		{name: "play", declare: newPlay},
		{name: "svm-train", declare: newSVMTrain},
		{name: "svm-predict", declare: newSVMPredict},
		{name: "svm-scale", declare: newSVMScale},
		{name: "man", declare: newMan, whole: true},
		{name: "version", declare: newVersion},
		{name: "worker", declare: newWorker},
	}
}

// newRoot is the program with all that it can be asked for.
func newRoot(a *App) *cobra.Command { return rootOf(a, verbs()) }

// rootFor is the program as far as the words ask for it: where the first is a verb, that verb
// alone. To declare all of them takes a third of what a small command takes from start to end.
func rootFor(a *App, words []string) *cobra.Command {
	if len(words) > 0 {
		all := verbs()
		for i, v := range all {
			if v.name == words[0] && !v.whole {
				return rootOf(a, all[i:i+1])
			}
		}
	}
	return newRoot(a)
}

// rootOf is the program with these verbs.
func rootOf(a *App, only []verb) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:           "mercer",
		Short:         "Kernel methods: fit, predict, test, explore",
		Long:          "mercer fits kernel models to data and uses them.\n\nStart with:  mercer fit iris",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.quiet, _ = cmd.Flags().GetBool("quiet")
			if err := checkStreams(cmd.Flags()); err != nil {
				return err
			}
			return checkPlaces(placesOf(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				return a.sayVersion()
			}
			if len(args) > 0 {
				return unknown("there is no verb", args[0], cmd)
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version, as the verb does")
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	for _, v := range only {
		root.AddCommand(v.declare(a))
	}
	root.AddCommand(topics()...)
	root.SetHelpCommand(newHelp(a))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	arrange(root, progress.Width(a.Out))
	return root
}
