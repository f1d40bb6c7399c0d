package model

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
)

// asCSV writes the columns of a data set; numbers read back as they are, and what is missing is
// empty.
func asCSV(t *testing.T, d *data.Dataset) string {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := make([][]string, d.Len()+1)
	for _, c := range d.Columns {
		rows[0] = append(rows[0], c.Name)
		for i := range d.Len() {
			text := c.String(i)
			if c.IsMissing(i) {
				text = ""
			}
			rows[i+1] = append(rows[i+1], text)
		}
	}
	must(0, w.WriteAll(rows))
	return b.String()
}

// needPython finds a Python.
func needPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv("MERCER_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import json").Run(); err != nil {
		t.Skipf("NOT TESTED: no Python (%s): %v", python, err)
	}
	return python
}

// TestPythonReadsJSON lets a Python program without packages predict from the JSON file.
func TestPythonReadsJSON(t *testing.T) {
	python := needPython(t)
	dir := t.TempDir()
	for i, c := range append(exportCases(t, true), missingCases(t)...) {
		if testing.Short() && i%3 > 0 {
			continue // a process for each
		}
		modelFile, rows := filepath.Join(dir, fmt.Sprint(i, ".json")), filepath.Join(dir, fmt.Sprint(i, ".csv"))
		var text bytes.Buffer
		if err := c.model.WriteJSON(&text); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		must(0, errors.Join(os.WriteFile(modelFile, text.Bytes(), 0o600), os.WriteFile(rows, []byte(asCSV(t, c.d)), 0o600)))
		said := runTool(t, python, "testdata/run_json.py", modelFile, rows)
		comparePython(t, c, must(csv.NewReader(strings.NewReader(said)).ReadAll()))
	}
}

func comparePython(t *testing.T, c exportCase, lines [][]string) {
	t.Helper()
	how, _ := c.model.body.record().rule("")
	here := must(c.model.Predict(t.Context(), c.d, Want{Proba: how.proba != ""}))
	if len(lines) != here.Len() {
		t.Errorf("%s: %d predictions there, %d here", c.name, len(lines), here.Len())
		return
	}
	values := make([]float64, len(lines))
	for i, line := range lines {
		if here.Values != nil {
			values[i] = must(strconv.ParseFloat(line[0], 64))
			continue
		}
		if line[0] != here.Labels[i] {
			t.Errorf("%s: row %d is %s there, %s here", c.name, i, line[0], here.Labels[i])
			return
		}
		for k, p := range line[1:] {
			if there := must(strconv.ParseFloat(p, 64)); math.Abs(there-here.Proba.At(i, k)) > 1e-6 {
				t.Errorf("%s: row %d: probability %d is %g there, %g here", c.name, i, k, there, here.Proba.At(i, k))
				return
			}
		}
	}
	if here.Values != nil {
		sameValues(t, c.name, values, here.Values, 1e-9)
	}
}

// missingCases have holes that are filled in, marked, or coded.
func missingCases(t *testing.T) []exportCase {
	t.Helper()
	var out []exportCase
	for _, missing := range []data.MissingPolicy{"mean", "indicator"} {
		for _, coded := range []data.CategoryPolicy{"onehot", "code"} {
			d := exportTable(60, "y")
			var levels []string
			for i := range d.Len() {
				level := d.Columns[2].String(i)
				if i%7 == 3 {
					d.Columns[0].Numbers[i] = math.NaN()
				}
				if i%11 == 5 {
					level = ""
				}
				levels = append(levels, level)
			}
			d.Columns[2] = data.LevelColumn("c", levels)
			e := must(data.FitEncoder(d, data.EncoderOptions{Missing: missing, Categories: coded}))
			x := must(e.TransformLabelled(d))
			m := must(ridge.Regression[kernel.Vec]{Kernel: kernel.Laplace{Lengthscale: 2}, Lambda: 0.1}.Fit(t.Context(), x.Dense,
				x.Target))
			out = append(out, exportCase{fmt.Sprint("ridge ", missing, " ", coded), must(New(m, Info{Encoder: e})), d})
		}
	}
	return out
}

// TestTenLinesOfPython runs the program of the documentation.
func TestTenLinesOfPython(t *testing.T) {
	python := needPython(t)
	program := string(must(os.ReadFile("testdata/ten_lines.py")))
	if n := strings.Count(program, "\n"); n > 10 {
		t.Errorf("the program has %d lines", n)
	}
	if page := string(must(os.ReadFile("../docs/models.md"))); !strings.Contains(page, program) {
		t.Error("docs/models.md does not show testdata/ten_lines.py")
	}
	dir := t.TempDir()
	for i, c := range exportCases(t, true) {
		if !strings.HasPrefix(c.name, "svr") && c.name != "ridge classifier" || testing.Short() && c.name == "svr none" {
			continue
		}
		modelFile, rows := filepath.Join(dir, fmt.Sprint(i, ".json")), filepath.Join(dir, fmt.Sprint(i, ".csv"))
		var text bytes.Buffer
		must(0, errors.Join(c.model.WriteJSON(&text), os.WriteFile(modelFile, text.Bytes(), 0o600),
			os.WriteFile(rows, []byte(asCSV(t, c.d)), 0o600)))
		var lines [][]string
		for line := range strings.Lines(runTool(t, python, "testdata/ten_lines.py", modelFile, rows)) {
			lines = append(lines, []string{strings.TrimSpace(line)})
		}
		comparePython(t, c, lines)
	}
}
