package model

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
)

// TestLIBSVMExportKeepsScaling reads what is exported back, with rows scaled by the range file: the
// same numbers come out whatever the encoder did, or the export is refused.
func TestLIBSVMExportKeepsScaling(t *testing.T) {
	ranged := 0
	for _, c := range exportCases(t, false) {
		var text, ranges bytes.Buffer
		err := c.model.WriteLIBSVM(&text, LIBSVMOptions{Range: &ranges})
		var unfit *UnfitError
		if errors.As(err, &unfit) {
			if !strings.HasPrefix(c.name, "logistic three") && !strings.HasPrefix(c.name, "svc one against") &&
				c.name != "grades" && !strings.HasPrefix(c.name, "gp of a sum") {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if ranges.Len() > 0 {
			ranged++
			if err := c.model.WriteLIBSVM(&bytes.Buffer{}, LIBSVMOptions{}); !errors.As(err, &unfit) {
				t.Errorf("%s: without a place for the scaling the error is %v, want an UnfitError", c.name, err)
			}
		}
		back := must(ReadLIBSVM(&text))
		here := must(c.model.Predict(t.Context(), c.d, Want{}))
		rows := sparseOf(t, c.d, ranges.String())
		there := must(back.PredictEncoded(t.Context(), &data.Encoded{Sparse: &rows, Kept: here.Rows}, Want{}))
		if here.Values != nil {
			sameValues(t, c.name, there.Values, here.Values, 1e-9)
			continue
		}
		labels := c.model.LIBSVMLabels()
		for i, code := range here.Codes {
			if there.Labels[i] != strconv.Itoa(labels[code]) {
				t.Errorf("%s: row %d is %s there, %s here", c.name, i, there.Labels[i], here.Labels[i])
				break
			}
		}
	}
	if ranged < 16 {
		t.Errorf("%d models had a range file, want those of 4 scalings", ranged)
	}
}

// TestLIBSVMExportRefusesWhatRowsCannotHold has columns that LIBSVM's rows have no place for.
func TestLIBSVMExportRefusesWhatRowsCannotHold(t *testing.T) {
	for _, c := range exportCases(t, true)[:4] {
		var unfit *UnfitError
		if err := c.model.WriteLIBSVM(&bytes.Buffer{}, LIBSVMOptions{Range: &bytes.Buffer{}}); !errors.As(err, &unfit) ||
			!strings.Contains(err.Error(), `column "c" is`) {
			t.Errorf("%s: error %v, want one about column c", c.name, err)
		}
		// For rows that are encoded already it is as good as any other.
		var text bytes.Buffer
		if err := c.model.WriteLIBSVM(&text, LIBSVMOptions{Encoded: true}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		back, here := must(ReadLIBSVM(&text)), must(c.model.Predict(t.Context(), c.d, Want{}))
		x := must(c.model.Info().Encoder.Transform(c.d))
		rows := libsvm.ToSparse(x.Dense)
		there := must(back.PredictEncoded(t.Context(), &data.Encoded{Sparse: &rows, Kept: here.Rows}, Want{}))
		if here.Values != nil {
			sameValues(t, c.name, there.Values, here.Values, 1e-9)
		}
	}
}

// TestLIBSVMLabels: classes that are different whole numbers are the labels, others their codes,
// which is what a data set that is written as LIBSVM's rows has for them.
func TestLIBSVMLabels(t *testing.T) {
	for _, c := range []struct{ classes, want string }{{"-1 1", "[-1 1]"}, {"no yes", "[0 1]"}, {"01 1", "[0 1]"},
		{"2 3 x", "[0 1 2]"}} {
		m := &Model{info: Info{Classes: strings.Fields(c.classes)}}
		if got := fmt.Sprint(m.LIBSVMLabels()); got != c.want {
			t.Errorf("classes %s: labels %s, want %s", c.classes, got, c.want)
		}
	}
}

// TestRealSVMPredictSaysTheSame runs svm-scale and svm-predict themselves.
func TestRealSVMPredictSaysTheSame(t *testing.T) {
	needLIBSVM(t)
	for _, c := range exportCases(t, false) {
		var text, ranges bytes.Buffer
		if err := c.model.WriteLIBSVM(&text, LIBSVMOptions{Range: &ranges}); err != nil {
			continue // refused, as another test has it
		}
		dir := t.TempDir()
		file := func(name string) string { return filepath.Join(dir, name) }
		var rows bytes.Buffer
		x := sparseOf(t, c.d, "")
		must(0, errors.Join(libsvm.Write(&rows, x, make([]float64, x.Len()), nil),
			os.WriteFile(file("rows"), rows.Bytes(), 0o600),
			os.WriteFile(file("model"), text.Bytes(), 0o600), os.WriteFile(file("range"), ranges.Bytes(), 0o600)))
		given := file("rows")
		if ranges.Len() > 0 {
			given = file("scaled")
			scaled, err := exec.Command("svm-scale", "-r", file("range"), file("rows")).Output()
			must(0, errors.Join(err, os.WriteFile(given, scaled, 0o600)))
		}
		proba := c.model.HasProba() && c.model.Learner() == "svc"
		said := svmPredict(t, given, file("model"), proba)
		here := must(c.model.Predict(t.Context(), c.d, Want{Proba: proba}))
		if proba {
			said = said[1:]
		}
		labels := c.model.LIBSVMLabels()
		wrong := 0
		there := make([]float64, len(said))
		for i, line := range said {
			there[i] = must(strconv.ParseFloat(line[0], 64))
			if here.Values == nil && int(there[i]) != labels[here.Codes[i]] {
				wrong++
			}
		}
		if here.Values != nil {
			sameValues(t, c.name, there, here.Values, 1e-4) // svm-scale and svm-predict write 6 digits
		} else if wrong > 0 {
			t.Errorf("%s: svm-predict says another class for %d of %d rows", c.name, wrong, len(said))
		}
	}
}
