package svmtool

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	for value, want := range map[float64]float64{-5: 0.001, -4.5: 0.1, -4: 0.1, -3.5: 0.2, 0: 0.5, 1: 0.6, 12: 0.9, 12.5: 0, 13: 0.999} {
		if got := normality(marks, value); got != want {
			t.Errorf("%g: %g, want %g", value, got, want)
		}
	}
	for _, few := range [][]float64{nil, {1, 2, 3}, {-1, -2, -3, -4, 1, 2, 3, 4, 5}, {-1, -2, -3, -4, -5, -6}, slices.Repeat([]float64{1}, 20)} {
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
		if err := Train(context.Background(), []string{"-q", "-s", "2", "-n", "0.4", "-b", "1", "-i", way, file, model}, &said, &said); err != nil {
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
			if n, err := fmt.Sscan(line, &label, &normal, &outlier); n != 3 || err != nil || normal+outlier < 0.999999 || normal+outlier > 1.000001 {
				t.Fatalf("line %q: %v", line, err)
			}
			// The mark in the middle is within half a part of 0: beyond it class and probability
			// agree.
			if label > 0 && normal < 0.5 && normal != 0 || label < 0 && normal > 0.5 {
				t.Errorf("line %q", line)
			}
		}
		if err := Predict(context.Background(), []string{file, model, out}, &said, &said); err != nil || !strings.Contains(said.String(), "Model supports probability estimates") {
			t.Errorf("%v\n%s", err, said.String())
		}
	}
}
