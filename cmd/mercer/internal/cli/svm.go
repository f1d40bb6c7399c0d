package cli

import (
	"context"
	"io"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/svmtool"
	"github.com/spf13/cobra"
)

// newSVM makes a verb of one of LIBSVM's programs. Its options are LIBSVM's,
// so that they are not parsed here.
func newSVM(a *App, name, short string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) error) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              short,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd.Context(), args, a.Out, a.Err)
		},
	}
}

func newSVMTrain(a *App) *cobra.Command {
	return newSVM(a, "svm-train", "Train a support vector machine (LIBSVM's svm-train)", svmtool.Train)
}

func newSVMPredict(a *App) *cobra.Command {
	return newSVM(a, "svm-predict", "Predict with a LIBSVM model (LIBSVM's svm-predict)", svmtool.Predict)
}

func newSVMScale(a *App) *cobra.Command {
	return newSVM(a, "svm-scale", "Scale LIBSVM data (LIBSVM's svm-scale)", svmtool.Scale)
}
