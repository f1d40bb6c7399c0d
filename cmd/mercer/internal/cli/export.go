package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/model"
	"github.com/spf13/cobra"
)

type exportOptions struct {
	Model, To, Output string
	Target            string
	Single, Encoded   bool
}

func newExport(a *App) *cobra.Command {
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use:   "export MODEL",
		Short: "Write a model in the format of other programs",
		Long: `Write a model so that another program predicts what mercer predict does:

  libsvm  the text of svm-train, for svm-predict and everything that reads it:
          models with one function and a kernel that LIBSVM has. Where columns
          are scaled, the scaling goes to FILE.range, for svm-scale -r
  onnx    for onnxruntime and the like, in double precision; scaling, filling in
          and one-hot coding of columns are part of the file
  json    every number of the model and how features come from columns, for a
          few lines of any language

A model that would predict something else there is refused. LIBSVM's rows hold
numbers only; for a model of categories, text or dates, --encoded writes one for
rows that mercer data ROWS --as MODEL --convert FILE has encoded.`,
		Example: `  mercer export model.mercer --to onnx -o model.onnx
  mercer export model.mercer -o svm.model
  svm-scale -r svm.model.range rows.txt > scaled.txt
  svm-predict scaled.txt svm.model predictions.txt`,
		Args: dataArgs(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Model = args[0]
			return a.export(o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.To, "to", "", "format: libsvm, onnx or json; default: from the name of the output")
	outputFlag(f, &o.Output)
	f.StringVar(&o.Target, "target", "", "which target of a model that predicts several")
	f.BoolVar(&o.Single, "single", false, "onnx: the smaller operators of support vector machines, in single precision")
	f.BoolVar(&o.Encoded, "encoded", false, "libsvm: for rows that mercer data --as MODEL --convert has encoded")
	return cmd
}

func (a *App) export(o *exportOptions) error {
	if o.To == "" {
		for suffix, format := range map[string]string{".onnx": "onnx", ".json": "json", ".model": "libsvm",
			".libsvm": "libsvm"} {
			if strings.HasSuffix(o.Output, suffix) {
				o.To = format
			}
		}
	}
	var ranges bytes.Buffer // of svm-scale
	formats := map[string]func(m *model.Model, w io.Writer) error{
		"libsvm": func(m *model.Model, w io.Writer) error {
			return m.WriteLIBSVM(w, model.LIBSVMOptions{Range: &ranges, Encoded: o.Encoded})
		},
		"onnx": func(m *model.Model, w io.Writer) error {
			return m.WriteONNX(w, model.ONNXOptions{Single: o.Single})
		},
		"json": (*model.Model).WriteJSON,
	}
	write, ok := formats[o.To]
	switch {
	case !ok:
		return usage("--to: %q%s; give libsvm, onnx or json", o.To, meant(o.To, []string{"libsvm", "onnx", "json"}))
	case o.Single && o.To != "onnx":
		return usage("--single is for onnx, not for %s", o.To)
	case o.Encoded && o.To != "libsvm":
		return usage("--encoded is for libsvm: %s encodes the columns itself", o.To)
	}
	m, err := loadPredictor(o.Model)
	if err != nil {
		return err
	}
	if o.Target != "" && len(m.Targets()) < 2 {
		return usage("--target: %s predicts one thing; leave it out", o.Model)
	}
	if m, err = ofTarget(m, o.Model, o.Target); err != nil {
		return err
	}
	// In memory first: a model that does not fit the format writes nothing.
	var text bytes.Buffer
	if err := write(m, &text); err != nil {
		var unfit *model.UnfitError
		if errors.As(err, &unfit) {
			return usage("%s: %w%s", o.Model, err, o.instead(m))
		}
		return err
	}
	scaled := ranges.Len() > 0
	if o.Output == "" {
		if scaled {
			return usage("%s: its columns are scaled, and the scaling is a file of its own: name the model with -o FILE, or "+
				"give --encoded for rows that mercer data --as %[1]s --convert has encoded", o.Model)
		}
		_, err = text.WriteTo(a.Out)
		return err
	}
	if scaled {
		if err := files.WriteAtomic(o.Output+".range", func(w io.Writer) error {
			_, err := ranges.WriteTo(w)
			return err
		}); err != nil {
			return err
		}
	}
	if err := files.WriteAtomic(o.Output, func(w io.Writer) error {
		_, err := text.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	if o.To == "libsvm" {
		a.tellLIBSVM(m, o, scaled)
	}
	tellThreshold(a.Err, m)
	return nil
}

// instead says what to do about a model that does not fit a format.
func (o *exportOptions) instead(m *model.Model) string {
	var text bytes.Buffer
	switch {
	case o.To == "libsvm" && m.Info().Threshold != nil:
		return fmt.Sprintf("\n  --to onnx and --to json go by the threshold; mercer threshold %s --none -o FILE takes it out",
			o.Model)
	case o.To == "libsvm" && m.WriteLIBSVM(&text, model.LIBSVMOptions{Encoded: true}) == nil:
		return fmt.Sprintf("\n  --to onnx encodes them itself; or give --encoded, and encode the rows by mercer data ROWS "+
			"--as %s --convert FILE", o.Model)
	case o.To != "onnx" && m.WriteONNX(&text, model.ONNXOptions{}) == nil:
		return "\n  --to onnx would do"
	}
	return ""
}

// tellLIBSVM says what svm-predict has to be given, and what its numbers mean.
func (a *App) tellLIBSVM(m *model.Model, o *exportOptions, scaled bool) {
	predict := "svm-predict"
	if m.Task().Classification() && m.HasProba() && strings.HasPrefix(m.Learner(), "svc") {
		predict += " -b 1" // which predicts by probabilities, as the model does
	}
	rows := "rows.txt"
	switch {
	case o.Encoded:
		fmt.Fprintf(a.Err, "encode   mercer data ROWS --as %s --convert rows.txt --to libsvm\n", o.Model)
	case scaled:
		fmt.Fprintf(a.Err, "scale    svm-scale -r %s.range rows.txt > scaled.txt    (to 6 digits; in full: --encoded)\n",
			o.Output)
		rows = "scaled.txt"
	}
	fmt.Fprintf(a.Err, "predict  %s %s %s predictions.txt\n", predict, rows, o.Output)
	labels := m.LIBSVMLabels()
	var names []string
	for c, name := range m.Classes() {
		if m.Task().Classification() && strconv.Itoa(labels[c]) != name {
			names = append(names, fmt.Sprintf("%d is %s", labels[c], name))
		}
	}
	if names != nil {
		fmt.Fprintf(a.Err, "classes  %s\n", joinSome(names))
	}
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
	case errors.Is(err, os.ErrNotExist) && slices.Contains(data.BuiltinNames(), path):
		return nil, usage("%s: a built-in data set, and no model file; the model is named first, then the data", path)
	case errors.Is(err, os.ErrNotExist):
		return nil, usage("%s: there is no such model file; make one with mercer fit DATA -o %s", path, path)
	case errors.Is(err, os.ErrPermission):
		return nil, usage("%s: %w; ask its owner for the right to read it, or for a copy", path, reasonOf(err))
	case isDirectory(path):
		return nil, usage("%s: a folder; name a model file in it", path)
	case !errors.Is(err, container.ErrNone):
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
		return nil, usage("%w (mercer fit writes model files; the model is named first, then the data)", err)
	}
	m, err = model.ReadLIBSVM(io.MultiReader(bytes.NewReader(head), f))
	if err != nil {
		return nil, usage("%s: %w", path, err)
	}
	return m, nil
}
