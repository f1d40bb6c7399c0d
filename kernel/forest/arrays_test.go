package forest

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Whatever numbers a file has, they are refused, or they are a forest through which every point
// goes.
func TestAlteredArraysAreRefusedOrAForest(t *testing.T) {
	x, y, code := sample(40, 3, 6, 12)
	odd := []float64{-1, 0, 1, 2, 3, 0.5, 1e9, -1e300, math.NaN(), math.Inf(1), 1 << 31, 1 << 53}
	rng := rand.New(rand.NewPCG(1, 1))
	refused, taken := 0, 0
	for name, f := range grown(t, x, y, code, 4, 0) {
		for range 400 {
			arrays := f.Arrays()
			var keys []string
			for _, k := range []string{"forest", "roots", "nodes", "values", "sets", "categories", "importances"} {
				if arrays[k] != nil {
					keys = append(keys, k)
				}
			}
			for range 1 + rng.IntN(2) {
				a := arrays[keys[rng.IntN(len(keys))]]
				r, c := a.Dims()
				i, j := rng.IntN(r), rng.IntN(c)
				if v := odd[rng.IntN(len(odd))]; rng.IntN(2) == 0 {
					a.Set(i, j, v)
				} else {
					a.Set(i, j, a.At(i, j)+v)
				}
			}
			g, err := FromArrays(arrays)
			if err != nil {
				refused++
				continue
			}
			taken++
			if g.Dim() != 3 {
				continue
			}
			rows, err := g.Features(t.Context(), x)
			if err != nil {
				t.Fatal(name, err)
			}
			if err := rows.CSR().Check(); err != nil {
				t.Fatal(name, err)
			}
			if err := g.AverageTo(t.Context(), make([]float64, len(x)*g.Outputs()), x); err != nil {
				t.Fatal(name, err)
			}
		}
	}
	if refused < 500 || taken < 50 {
		t.Errorf("%d refused, %d taken", refused, taken)
	}
	loop := map[string]*mat.Dense{
		"forest": mat.NewDense(1, 5, []float64{0, 1, 1, 0, 0}), "roots": mat.NewDense(1, 2, []float64{0, 3}),
		"nodes": mat.NewDense(3, 3, []float64{0, 0, 1, 0, -1, 0, 0, -1, 1}), "values": mat.NewDense(2, 1, []float64{5, 6}),
	}
	if _, err := FromArrays(loop); err != nil {
		t.Errorf("a stump is refused: %v", err)
	}
	if loop["nodes"].Set(0, 2, 0); errorOf(loop) == nil {
		t.Error("a node that is its own child is taken")
	}
	f := grown(t, x, y, code, 4, 0)["classes"]
	for _, key := range []string{"forest", "roots", "nodes", "values", "sets", "categories"} {
		arrays := f.Arrays()
		if arrays[key] == nil {
			t.Errorf("no array %q to test with", key)
		}
		delete(arrays, key)
		if _, err := FromArrays(arrays); err == nil {
			t.Errorf("taken without %q", key)
		}
		arrays = f.Arrays()
		arrays[key] = mat.NewDense(1, 1, []float64{0})
		if _, err := FromArrays(arrays); err == nil {
			t.Errorf("taken with %q of one number", key)
		}
	}
}

func errorOf(a map[string]*mat.Dense) error {
	_, err := FromArrays(a)
	return err
}
