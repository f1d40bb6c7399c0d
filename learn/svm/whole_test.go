package svm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// fourClasses is rows around a few centres for each class.
func fourClasses(n, d int) (data.DenseRows, []int) {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	x, y := mat.NewDense(n, d, nil), make([]int, n)
	for i := range y {
		y[i] = i % 7 % 4
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+float64((y[i]*(j+2))%5))
		}
	}
	return data.Rows(x), y
}

// Machines that share K have the objective of machines that are alone with their points, and the
// same bits with any number of threads.
func TestMachinesThatShareK(t *testing.T) {
	x, y := fourClasses(330, 6)
	fit := func(x data.DenseRows, y []int, threads int) *Classifier[kernel.Vec, int] {
		t.Helper()
		c := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 2}, C: 3, Options: Options{Tol: 1e-6}}
		c.Threads = threads
		m, err := c.Fit(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	all := fit(x, y, 1)
	sum := 0.0
	for a := range 4 {
		for b := range a {
			var index []int
			for i, c := range y {
				if c == a || c == b {
					index = append(index, i)
				}
			}
			alone := fit(data.Gather[kernel.Vec](x, index).(data.DenseRows), data.Take(y, index), 1)
			sum += alone.Report().Objective
		}
	}
	if got := all.Report().Objective; math.Abs(got-sum) > 1e-6*math.Abs(sum) {
		t.Errorf("the machines together reach %.12g, alone %.12g", got, sum)
	}
	for _, threads := range []int{2, 7} {
		if got, want := fmt.Sprint(fit(x, y, threads).Saved().Func.Coef), fmt.Sprint(all.Saved().Func.Coef); got != want {
			t.Errorf("%d threads change the model", threads)
		}
	}
}

// K in one product is K by tiles, and symmetric to the bit.
func TestFillSymmetric(t *testing.T) {
	for _, n := range []int{1, 255, 256, 257, 600} {
		x, _ := fourClasses(n, 3)
		tiles := kernel.Prepare[kernel.Vec](context.Background(), kernel.Gaussian{Lengthscale: 2}, x, x)
		got, want := linalg.New[float32](n, n), linalg.New[float32](n, n)
		if err := fillSymmetric(context.Background(), 2, got, tiles); err != nil {
			t.Fatal(err)
		}
		if err := fillTiles(context.Background(), 1, want, tiles); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j, v := range got.Row(i) {
				if math.Abs(float64(v-want.Row(i)[j])) > 1e-6 || v != got.Row(j)[i] {
					t.Fatalf("%d points: entry %d, %d is %g, want %g, mirrored %g", n, i, j, v, want.Row(i)[j], got.Row(j)[i])
				}
			}
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	x, _ := fourClasses(300, 3)
	tiles := kernel.Prepare[kernel.Vec](context.Background(), kernel.Gaussian{}, x, x)
	if fillSymmetric(stopped, 2, linalg.New[float32](300, 300), tiles) == nil {
		t.Error("a stopped fit goes on")
	}
}
