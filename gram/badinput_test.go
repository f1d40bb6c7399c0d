package gram

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Every way into the package refuses bad kernels and bad points with the parameter or the row, and
// the value.
func TestEveryEntryNamesBadInput(t *testing.T) {
	type vec = kernel.Vec
	good := data.Slice[vec]{{1, 2}, {3, 4}, {5, 7}}
	bad := data.Slice[vec]{{1, 2}, {3, math.NaN()}, {5, 7}}
	entries := map[string]func(k kernel.Kernel[vec], x data.Points[vec]) error{
		"New": func(k kernel.Kernel[vec], x data.Points[vec]) error {
			_, err := New(context.Background(), k, x, Options{})
			return err
		},
		"Cross": func(k kernel.Kernel[vec], x data.Points[vec]) error {
			_, err := Cross(context.Background(), k, x, x, Options{})
			return err
		},
		"Cross, second": func(k kernel.Kernel[vec], x data.Points[vec]) error {
			_, err := Cross(context.Background(), k, data.Points[vec](good), x, Options{})
			return err
		},
		"IncompleteCholesky": func(k kernel.Kernel[vec], x data.Points[vec]) error {
			_, err := IncompleteCholesky(context.Background(), k, x, LowRankOptions{})
			return err
		},
		"Nystrom": func(k kernel.Kernel[vec], x data.Points[vec]) error {
			_, err := Nystrom(context.Background(), k, x, []int{0}, LowRankOptions{})
			return err
		},
		"FourierFeatures": func(k kernel.Kernel[vec], x data.Points[vec]) error {
			_, err := FourierFeatures(context.Background(), k, x, 4, false, LowRankOptions{})
			return err
		},
		"LeverageScores": func(k kernel.Kernel[vec], x data.Points[vec]) error {
			_, err := LeverageScores(context.Background(), k, x, 1, 4, 0, 1)
			return err
		},
		"KMeansCenters": func(k kernel.Kernel[vec], x data.Points[vec]) error {
			_, err := KMeansCenters(context.Background(), k, x, 2, 0, 1)
			return err
		},
	}
	for name, f := range entries {
		for _, c := range []struct {
			k     kernel.Kernel[vec]
			x     data.Points[vec]
			parts []string
		}{
			{kernel.Gaussian{}, bad, []string{"row 1", "column 1", "NaN"}},
			{kernel.Gaussian{Lengthscale: -2}, good, []string{"lengthscale", "-2"}},
			{kernel.Matern{Nu: 0}, good, []string{"nu", "0"}},
			{kernel.Scale[vec](-1, kernel.Gaussian{}), good, []string{"factor", "-1"}},
			{kernel.Binomial{}, good, []string{"row 0", "5"}},
			{kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{1}}, good,
				[]string{"row 0", "1 length-scales", "2 coordinates"}},
			{kernel.Gaussian{}, data.Slice[vec]{}, []string{"no "}},
		} {
			err := f(c.k, c.x)
			for _, p := range c.parts {
				if err == nil || !strings.Contains(err.Error(), p) {
					t.Errorf("%s: error %v does not say %q", name, err, p)
				}
			}
		}
	}
	_, err := Cross[vec](context.Background(), kernel.Gaussian{}, good, data.Slice[vec]{{1}}, Options{})
	if err == nil || !strings.Contains(err.Error(), "1 coordinates") {
		t.Errorf("Cross of 2 and 1 coordinates: %v", err)
	}
}
