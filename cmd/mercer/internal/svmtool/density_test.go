package svmtool

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The marks of twenty values, by hand from the definition: five below 0 are a part each, of fifteen
// above every third is a bound.
func TestDensityMarks(t *testing.T) {
	var values []float64
	for i := range 20 {
		values = append(values, float64(14-i)) // in no order that helps
	}
	marks := marksOf(values)
	if want := []float64{-4.5, -3.5, -2.5, -1.5, -0.5, 1, 3.5, 6.5, 9.5, 12.5}; !slices.Equal(marks, want) {
		t.Fatalf("marks %v, want %v", marks, want)
	}
	for value, want := range map[float64]float64{-5: 0.001, -4.5: 0.1, -4: 0.1, -3.5: 0.2, 0: 0.5, 1: 0.6, 12: 0.9,
		12.5: 0, 13: 0.999} {
		if got := normality(marks, value); got != want {
			t.Errorf("%g: %g, want %g", value, got, want)
		}
	}
	for _, few := range [][]float64{nil, {1, 2, 3}, {-1, -2, -3, -4, 1, 2, 3, 4, 5}, {-1, -2, -3, -4, -5, -6},
		slices.Repeat([]float64{1}, 20)} {
		if marks := marksOf(few); marks != nil {
			t.Errorf("%v has marks %v", few, marks)
		}
	}
}

// svm-train -s 2 -b 1 writes the marks into LIBSVM's file, and svm-predict -b 1 reads them: a
// header, and the class with both probabilities.
func TestOneClassProbabilities(t *testing.T) {
	dir := t.TempDir()
	var rows strings.Builder
	for i := range 60 {
		fmt.Fprintf(&rows, "1 1:%g 2:%g\n", float64(i%7)/7, float64(i*i%11)/11)
	}
	file, model, out := filepath.Join(dir, "rows"), filepath.Join(dir, "model"), filepath.Join(dir, "out")
	if err := os.WriteFile(file, []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"0", "1"} {
		var said bytes.Buffer
		if err := Train(context.Background(), []string{"-q", "-s", "2", "-n", "0.4", "-b", "1", "-i", way, file, model},
			&said, &said); err != nil {
			t.Fatal(err, said.String())
		}
		text, err := os.ReadFile(model)
		if err != nil || !strings.Contains(string(text), "\nprob_density_marks ") {
			t.Fatalf("%v\n%s", err, text)
		}
		if err := Predict(context.Background(), []string{"-b", "1", file, model, out}, &said, &said); err != nil {
			t.Fatal(err, said.String())
		}
		text, err = os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if lines[0] != "label normal outlier" || len(lines) != 61 {
			t.Fatalf("%d lines, the first %q", len(lines), lines[0])
		}
		for _, line := range lines[1:] {
			var label, normal, outlier float64
			if n, err := fmt.Sscan(line, &label, &normal, &outlier); n != 3 || err != nil || normal+outlier < 0.999999 ||
				normal+outlier > 1.000001 {
				t.Fatalf("line %q: %v", line, err)
			}
			// The mark in the middle is within half a part of 0: beyond it class and probability
			// agree.
			if label > 0 && normal < 0.5 && normal != 0 || label < 0 && normal > 0.5 {
				t.Errorf("line %q", line)
			}
		}
		if err := Predict(context.Background(), []string{file, model, out}, &said, &said); err != nil ||
			!strings.Contains(said.String(), "Model supports probability estimates") {
			t.Errorf("%v\n%s", err, said.String())
		}
	}
}

// With LIBSVM's own path the marks and the probabilities are those of LIBSVM 3.37
// (bench/fixtures/libsvm_density.py). The default path ends nearer to the optimum: marks close to 0,
// where LIBSVM's tell rounding apart, are then others.
func TestOneClassProbabilitiesOfLIBSVM(t *testing.T) {
	const marks = "prob_density_marks -1.1161962806026828 -0.69844504113592976 -0.35463346223884251 " +
		"-0.095883848869247501 -0.027269896458468779 0.023061954169778076 0.39854164002821513 0.82624244923337464 " +
		"1.1770017441997993 1.5475594070787402"
	probabilities := []float64{
		0.001, 0.6, 0.9, 0.6, 0.9, 0.7, 0.3, 0.5, 0.2, 0.9, 0.7, 0.5, 0.6, 0.5, 0.001, 0.8, 0.9, 0.9, 0.9, 0.2,
		0.5, 0.1, 0.2, 0.7, 0.999, 0.4, 0.8, 0.3, 0.3, 0.8, 0.4, 0.999, 0.7, 0.2, 0.1, 0.5, 0.2, 0.9, 0.9, 0.9,
		0.8, 0.001, 0.5, 0.6, 0.5, 0.7, 0.9, 0.2, 0.5, 0.3, 0.7, 0.9, 0.6, 0.9, 0.6, 0.001, 0.1, 0.8, 0.4, 0.999,
	}
	dir := t.TempDir()
	var rows strings.Builder
	for i := range 60 {
		fmt.Fprintf(&rows, "1 1:%.17g 2:%.17g\n", float64(i%7)/7, float64(i*i%11)/11)
	}
	file, model, out := filepath.Join(dir, "rows"), filepath.Join(dir, "model"), filepath.Join(dir, "out")
	if err := os.WriteFile(file, []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if err := Train(context.Background(), []string{"-q", "-s", "2", "-n", "0.4", "-b", "1", "-i", "1", file, model}, &said,
		&said); err != nil {
		t.Fatal(err, said.String())
	}
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	var line string
	for l := range strings.Lines(string(text)) {
		if strings.HasPrefix(l, "prob_density_marks ") {
			line = l
		}
	}
	got, want := strings.Fields(line), strings.Fields(marks)
	if len(got) != len(want) {
		t.Fatalf("marks %q", line)
	}
	for i := 1; i < len(want); i++ {
		a, errA := strconv.ParseFloat(got[i], 64)
		b, errB := strconv.ParseFloat(want[i], 64)
		if errA != nil || errB != nil || math.Abs(a-b) > 1e-12 {
			t.Errorf("mark %d is %s, LIBSVM's %s", i, got[i], want[i])
		}
	}
	if err := Predict(context.Background(), []string{"-b", "1", file, model, out}, &said, &said); err != nil {
		t.Fatal(err, said.String())
	}
	if text, err = os.ReadFile(out); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		var label, normal, outlier float64
		if _, err := fmt.Sscan(line, &label, &normal, &outlier); err != nil || math.Abs(normal-probabilities[i]) > 1e-12 ||
			math.Abs(outlier-(1-probabilities[i])) > 1e-12 {
			t.Errorf("row %d: %q, LIBSVM has %g (%v)", i+1, line, probabilities[i], err)
		}
	}
}
