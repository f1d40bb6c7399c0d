package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/tune"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completions tells the shells what may stand where: for the arguments what
// the line of use calls them, for flags the values they take.
func completions(root *cobra.Command) {
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		// LIBSVM's programs have a line of use of their own; their arguments are files.
		if c.ValidArgs == nil && c.ValidArgsFunction == nil && !c.HasSubCommands() && !c.DisableFlagParsing {
			c.ValidArgsFunction = argumentsOf(strings.Fields(c.Use)[1:])
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if complete := flagValues(c.Name(), f); complete != nil {
				// An error says that the flag is not there, which it is.
				_ = c.RegisterFlagCompletionFunc(f.Name, complete)
			}
		})
		for _, sub := range c.Commands() {
			if sub.Name() != "completion" { // cobra's own
				each(sub)
			}
		}
	}
	each(root)
}

// argumentsOf completes arguments by their names in the line of use.
func argumentsOf(names []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= len(names) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		switch strings.Trim(names[len(args)], "[]") {
		case "DATA", "A", "B":
			return dataSets(begun)
		case "MODEL":
			return []cobra.Completion{"mercer", "model"}, cobra.ShellCompDirectiveFilterFileExt
		case "FOLDER":
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// dataSets offers the built-in sets and the files. A shell looks for files only where it is
// offered nothing else, so they are listed here where a set could be meant.
func dataSets(begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, b := range data.Builtins() {
		if strings.HasPrefix(b.Name, begun) {
			out = append(out, cobra.CompletionWithDesc(b.Name, b.Description))
		}
	}
	if out == nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	files, err := os.ReadDir(".")
	if err != nil {
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	for _, f := range files {
		name := f.Name()
		if f.IsDir() {
			name += "/"
		}
		if strings.HasPrefix(name, begun) && !strings.HasPrefix(name, ".") {
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// flagValues completes the value of a flag of a verb: one of those it takes, a
// file, or nothing that a shell could know. Nil leaves it to the shell: a file.
func flagValues(verb string, f *pflag.Flag) cobra.CompletionFunc {
	choices := flagChoices(verb, f.Name)
	switch {
	case f.Value.Type() == "bool":
		return nil
	case f.Value.Type() == "learners":
		return completeLearners
	case choices != nil && f.Value.Type() == "stringSlice": // several, with commas
		return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			before := begun[:strings.LastIndex(begun, ",")+1]
			taken := strings.Split(before, ",")
			var out []cobra.Completion
			for _, name := range choices {
				if !slices.Contains(taken, name) {
					out = append(out, before+name)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
	case choices != nil:
		return cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp)
	case slices.Contains(readFlags, f.Name):
		return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return dataSets(begun)
		}
	case f.Name == "plot":
		return cobra.FixedCompletions([]cobra.Completion{"svg", "png", "pdf"}, cobra.ShellCompDirectiveFilterFileExt)
	case slices.Contains(writeFlags, f.Name):
		return nil
	}
	return cobra.NoFileCompletions
}

// flagChoices are the values that a flag takes, nil where it is not one of a few.
// Where verbs differ, the verb stands before the flag.
func flagChoices(verb, flag string) []cobra.Completion {
	switch verb + " --" + flag {
	case "density --kernel", "smooth --kernel":
		return words(smootherNames())
	case "density --method":
		return words("kde, knn, mixture")
	case "density --rule":
		return ruleNames()
	case "smooth --rule":
		return words("cv, robust")
	case "smooth --method":
		return words("nw, local, mixture")
	case "cluster --method":
		return words("kmeans, kmedoids, spectral")
	case "cluster --graph":
		return words("neighbours, kernel")
	case "independence --method":
		return words("hsic, gamma, dhsic, coco, kcc, kgv")
	case "independence --widths":
		return words("aggregate, median")
	case "two-sample --widths":
		return words("aggregate, median, power")
	case "two-sample --estimate":
		return words("unbiased, biased, block, linear")
	case "two-sample --null":
		return words("permutation, gamma, spectral, normal")
	case "features --map":
		return featureMaps
	case "pca --solver":
		return words("auto, full, top, lowrank")
	case "pca --preimage":
		return words("auto, fixed-point, learned, gradient")
	case "export --to":
		return words("libsvm, onnx, json")
	case "serve --log":
		return words("text, json")
	case "data --to", "split --to":
		return words("csv, tsv, libsvm, jsonl, npy")
	case "predict --missing", "eval --missing", "threshold --missing", "compare --missing",
		"explain --missing", "transform --missing":
		return words("error, drop, mean")
	case "nodes --task":
		return words("classify, regress")
	case "nodes --transform":
		return words("regularised, diffusion, walksteps, inversecosine, cutoff")
	case "nodes --laplacian":
		return words("normalised, combinatorial, both")
	case "gram --to":
		return words("npy, csv, libsvm")
	}
	switch flag {
	case "task":
		return taskNames()
	case "class-weight":
		return words("balanced")
	case "learner":
		return words(learnerNames())
	case "kernel", "kernel-y":
		return spec.Vectors().Names()
	case "transform":
		return tune.Transforms()
	case "best":
		return words("one, committee")
	case "strategy":
		return strategyNames()
	case "metric":
		return metricNames()
	case "format":
		return words(formatNames())
	case "header":
		return words("auto, yes, no, 2")
	case "delimiter":
		return words("tab, space")
	case "missing":
		return words("error, drop, mean, indicator")
	case "unseen":
		return words("error, zero")
	case "encoding":
		return words("utf-8, latin-1")
	case "of":
		return words("observation, mean, all")
	case "text":
		return words("auto, tfidf, logtfidf, pairs, letters, hash")
	case "scaling":
		return words("standardize, minmax, robust, maxabs, none")
	case "repair":
		return words("clip, flip, shift, none")
	case "categories":
		return words("onehot, code, kernel")
	}
	return nil
}

func words(list string) []string { return strings.Split(list, ", ") }

// metricNames are the metrics of the tasks that fit has.
func metricNames() []string {
	out := []string{"evidence"}
	for _, task := range []data.Task{data.Binary, data.Multiclass, data.Regression} {
		for _, name := range tune.MetricNames(task) {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
