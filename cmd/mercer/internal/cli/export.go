package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/mercer-ml/mercer/model"
	"github.com/spf13/cobra"
)

type exportOptions struct {
	Model, To, Output string
	Core              bool
}

func newExport(a *App) *cobra.Command {
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use:   "export MODEL",
		Short: "Write a model in the format of other programs",
		Long: `Write a model as another program reads it:

  libsvm  the text of svm-train, for svm-predict and everything that reads it;
          for support vector machines with a kernel that LIBSVM has
  onnx    for onnxruntime and the like: the operators SVMClassifier and
          SVMRegressor where they fit, else core operators; the columns' scaling
          is part of the file
  json    a summary for programs: what the model is, not its numbers`,
		Example: `  mercer export model.mercer --to onnx -o model.onnx
  mercer export model.mercer --to json`,
		Args: dataArgs(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Model = args[0]
			return a.export(o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.To, "to", "", "format: libsvm, onnx or json; default: from the name of the output")
	f.StringVarP(&o.Output, "output", "o", "", "file to write; default: standard output")
	f.BoolVar(&o.Core, "core", false, "onnx: core operators in double precision throughout")
	return cmd
}

func (a *App) export(o *exportOptions) error {
	if o.To == "" {
		for suffix, format := range map[string]string{".onnx": "onnx", ".json": "json", ".model": "libsvm", ".libsvm": "libsvm"} {
			if strings.HasSuffix(o.Output, suffix) {
				o.To = format
			}
		}
	}
	formats := map[string]func(m *model.Model, w io.Writer) error{
		"libsvm": (*model.Model).WriteLIBSVM,
		"onnx":   func(m *model.Model, w io.Writer) error { return m.WriteONNX(w, model.ONNXOptions{Core: o.Core}) },
		"json":   (*model.Model).WriteJSON,
	}
	write, ok := formats[o.To]
	if !ok {
		return usage("--to: %q%s; give libsvm, onnx or json", o.To, meant(o.To, []string{"libsvm", "onnx", "json"}))
	}
	m, err := loadModel(o.Model)
	if err != nil {
		return err
	}
	// In memory first: a model that does not fit the format writes nothing.
	var text bytes.Buffer
	if err := write(m, &text); err != nil {
		var unfit *model.UnfitError
		if errors.As(err, &unfit) {
			return usage("%s: %w", o.Model, err)
		}
		return err
	}
	if o.Output == "" {
		_, err = text.WriteTo(a.Out)
		return err
	}
	return model.WriteFileAtomic(o.Output, func(w io.Writer) error { _, err := text.WriteTo(w); return err })
}

type importOptions struct{ Model, Output string }

func newImport(a *App) *cobra.Command {
	o := &importOptions{}
	cmd := &cobra.Command{
		Use:   "import MODEL",
		Short: "Make a model file of one that LIBSVM's svm-train wrote",
		Long: `Read a model that svm-train wrote and write it as a model file, checksummed and
to the last bit. predict, eval, inspect and export read svm-train's models
directly, too.`,
		Example: "  mercer import heart_scale.model -o heart.mercer",
		Args:    dataArgs(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Model = args[0]
			m, err := loadModel(o.Model)
			if err != nil {
				return err
			}
			return m.Save(o.Output)
		},
	}
	cmd.Flags().StringVarP(&o.Output, "output", "o", "model.mercer", "model file to write")
	return cmd
}

// loadModel reads a model file, ours or LIBSVM's; a file that is no model, or
// too new, is the person's to mend.
func loadModel(path string) (*model.Model, error) {
	m, err := model.Load(path)
	switch {
	case err == nil:
		return m, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, usage("%s: there is no such model file; make one with mercer fit DATA -o %s", path, path)
	case errors.Is(err, os.ErrPermission):
		return nil, usage("%s: %w; ask its owner for the right to read it, or for a copy", path, reasonOf(err))
	case isDirectory(path):
		return nil, usage("%s: a folder; name a model file in it", path)
	case !errors.Is(err, model.ErrNotContainer):
		return nil, &UsageError{err}
	}
	f, open := os.Open(path)
	if open != nil {
		return nil, open
	}
	defer f.Close()
	const mark = "svm_type "
	head := make([]byte, len(mark))
	if n, _ := io.ReadFull(f, head); string(head[:n]) != mark {
		return nil, usage("%w (mercer fit writes model files)", err)
	}
	m, err = model.ReadLIBSVM(io.MultiReader(bytes.NewReader(head), f))
	if err != nil {
		return nil, usage("%s: %w", path, err)
	}
	return m, nil
}
