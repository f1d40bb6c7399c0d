package worker

import (
	"math"
	"strings"
	"testing"
)

// asked sends a request and returns its answer, which must be no fault.
func (c *client) asked(
	op string, args map[string]any, values map[string][]float64, shapes map[string][]int,
) (map[string]any, arrays) {
	c.t.Helper()
	c.ask(map[string]any{"id": 1, "op": op, "args": args}, values, shapes)
	r, got := c.answer()
	if r.Error != nil {
		c.t.Fatalf("%s: %+v", op, r.Error)
	}
	return r.Result, got
}

// One tree on all rows and all columns knows its rows by heart, and samples are judged by the trees
// that have not seen a row.
func TestForestByItsOwnOptions(t *testing.T) {
	c := start(t)
	shapes := map[string][]int{"x": {6, 2}, "y": {1, 6}}
	for _, task := range []string{"classification", "regression"} {
		args := map[string]any{"learner": "forest", "task": task, "kernel": "linear()",
			"forest": map[string]any{"trees": 1, "min": 1, "columns": 2}}
		if task == "classification" {
			args["classes"] = []string{"a", "b"}
		}
		fitted, got := c.asked("fit", args, map[string][]float64{"x": plane, "y": labels}, shapes)
		if got.has("oob") {
			t.Errorf("%s: all rows are in the bag", task)
		}
		_, said := c.asked("predict", map[string]any{"model": fitted["model"]}, map[string][]float64{"x": plane}, shapes)
		for i, want := range labels {
			var v float64
			if task == "classification" {
				codes, err := vector[int64](said, "codes")
				if err != nil {
					t.Fatal(err)
				}
				v = float64(codes[i])
			} else {
				values, err := vector[float64](said, "values")
				if err != nil {
					t.Fatal(err)
				}
				v = values[i]
			}
			if v != want {
				t.Errorf("%s: row %d is %g, want %g", task, i, v, want)
			}
		}
		args["forest"] = map[string]any{"trees": 200, "min": 1, "columns": 1, "sample": true, "random": true, "seed": 3}
		_, got = c.asked("fit", args, map[string][]float64{"x": plane, "y": labels}, shapes)
		if oob, err := vector[float64](got, "oob"); err != nil || len(oob)%6 != 0 || math.IsNaN(oob[0]) {
			t.Errorf("%s: out of bag %v, %v", task, oob, err)
		}
	}
}

// The noise of each row: at a row of much noise the process hardly listens. By hand, two rows far
// apart have f(x) = y/(1 + v).
func TestNoiseOfEachRow(t *testing.T) {
	c := start(t)
	x, y, noise := []float64{0, 100}, []float64{2, 2}, []float64{0.25, 3}
	shapes := map[string][]int{"x": {2, 1}, "y": {1, 2}}
	args := map[string]any{"learner": "gp", "task": "regression", "kernel": "gaussian(lengthscale=1)",
		"process": map[string]any{"fixed": true, "noise": 0}}
	fitted, _ := c.asked("fit", args, map[string][]float64{"x": x, "y": y, "noise": noise}, shapes)
	_, said := c.asked("predict", map[string]any{"model": fitted["model"], "want": []string{"covariance"}},
		map[string][]float64{"x": x}, shapes)
	values, err := vector[float64](said, "values")
	if err != nil {
		t.Fatal(err)
	}
	covariance, shape, err := view[float64](said, "covariance", 2)
	if err != nil || shape[0] != 2 || shape[1] != 2 {
		t.Fatalf("covariance of shape %v, %v", shape, err)
	}
	for i, v := range noise {
		if want := 2 / (1 + v); math.Abs(values[i]-want) > 1e-12 {
			t.Errorf("row %d is %g, want %g", i, values[i], want)
		}
		if want := 1 - 1/(1+v); math.Abs(covariance[i*2+i]-want) > 1e-12 {
			t.Errorf("variance of row %d is %g, want %g", i, covariance[i*2+i], want)
		}
	}
	c.ask(map[string]any{"id": 1, "op": "fit", "args": map[string]any{"learner": "sgpr", "task": "regression",
		"kernel": "gaussian(lengthscale=1)"}},
		map[string][]float64{"x": x, "y": y, "noise": noise[:1]}, shapes)
	if r, _ := c.answer(); r.Error == nil || !strings.Contains(r.Error.Message, "noise") {
		t.Errorf("one variance of two rows: %+v", r.Error)
	}
}

// Components of a matrix of inner products are those of the rows.
func TestComponentsOfAMatrix(t *testing.T) {
	c := start(t)
	gram := make([]float64, 36)
	for i := range 6 {
		for j := range 6 {
			gram[i*6+j] = plane[2*i]*plane[2*j] + plane[2*i+1]*plane[2*j+1]
		}
	}
	shapes := map[string][]int{"x": {6, 2}, "x.gram": {6, 6}}
	args := map[string]any{"kind": "pca", "kernel": "linear()", "count": 2}
	_, direct := c.asked("shape", args, map[string][]float64{"x": plane}, shapes)
	fitted, by := c.asked("shape", args, map[string][]float64{"x.gram": gram}, shapes)
	_, moved := c.asked("transform", map[string]any{"model": fitted["model"]}, map[string][]float64{"x.gram": gram},
		shapes)
	want, _, err := view[float64](direct, "scores", 2)
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]arrays{"scores": by, "columns": moved} {
		got, _, err := view[float64](in, name, 2)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: %d numbers, %v", name, len(got), err)
		}
		for i, v := range got {
			if math.Abs(math.Abs(v)-math.Abs(want[i])) > 1e-9 {
				t.Errorf("%s: number %d is %g, want ±%g", name, i, v, want[i])
			}
		}
	}
	c.ask(map[string]any{"id": 1, "op": "shape", "args": args}, map[string][]float64{"x.gram": gram[:30]},
		map[string][]int{"x.gram": {5, 6}})
	if r, _ := c.answer(); r.Error == nil || !strings.Contains(r.Error.Message, "square") {
		t.Errorf("a matrix of 5 × 6: %+v", r.Error)
	}
}
