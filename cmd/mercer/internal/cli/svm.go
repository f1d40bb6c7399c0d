package cli

import (
	"context"
	"io"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/svmtool"
	"github.com/spf13/cobra"
)

// svmProgram is one of LIBSVM's programs.
type svmProgram func(ctx context.Context, args []string, stdout, stderr io.Writer) error

var svmPrograms = map[string]svmProgram{"svm-train": svmtool.Train, "svm-predict": svmtool.Predict,
	"svm-scale": svmtool.Scale}

// newSVM makes a verb of one of LIBSVM's programs. Its options are LIBSVM's,
// so that they are not parsed here.
func newSVM(a *App, name, short string) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              short,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return svmPrograms[name](cmd.Context(), args, a.Out, a.Err)
		},
	}
}

func newSVMTrain(a *App) *cobra.Command {
	return newSVM(a, "svm-train", "Train a support vector machine (LIBSVM's svm-train)")
}

func newSVMPredict(a *App) *cobra.Command {
	return newSVM(a, "svm-predict", "Predict with a LIBSVM model (LIBSVM's svm-predict)")
}

func newSVMScale(a *App) *cobra.Command {
	return newSVM(a, "svm-scale", "Scale LIBSVM data (LIBSVM's svm-scale)")
}
