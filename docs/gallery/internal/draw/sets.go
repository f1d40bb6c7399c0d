package draw

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Points is the columns of a set but its last.
func Points(d *data.Dataset) data.DenseRows {
	columns := len(d.Columns) - 1
	m := mat.NewDense(d.Len(), columns, nil)
	for j := range columns {
		m.SetCol(j, d.Columns[j].Numbers)
	}
	return data.Rows(m)
}

// Values is the last column of a set, a number.
func Values(d *data.Dataset) []float64 { return d.Columns[len(d.Columns)-1].Numbers }

// Classes is the last column of a set, a class.
func Classes(d *data.Dataset) []int {
	var out []int
	for _, c := range d.Columns[len(d.Columns)-1].Codes {
		out = append(out, int(c))
	}
	return out
}

// Coordinate is the j-th coordinate of each of some points.
func Coordinate(x data.Points[[]float64], j int) []float64 {
	out := make([]float64, x.Len())
	for i := range out {
		out[i] = x.At(i)[j]
	}
	return out
}

// Groups are the points of each class with the mark of their own.
func (p *Panel) Groups(x data.Points[[]float64], class []int, names ...string) {
	for c, name := range names {
		var rows []int
		for i, v := range class {
			if v == c {
				rows = append(rows, i)
			}
		}
		of := data.Gather(x, rows)
		p.Dots(name, c, Coordinate(of, 0), Coordinate(of, 1))
	}
}

// Even is n numbers from low to high, evenly spaced.
func Even(low, high float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = low + (high-low)*float64(i)/float64(n-1)
	}
	return out
}

// Map is a function at each number.
func Map(x []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

// Bounds is the least and the largest number.
func Bounds(x []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// Shared is the path of a data set that is not ours to keep in the tree, in shared/data beside it.
// Where it is not at hand the program says so and ends, and the picture that is there stays.
func Shared(name string) string {
	dir := Must(os.Getwd())
	for dir != filepath.Dir(dir) {
		if path := filepath.Join(dir, "..", "shared", "data", name); exists(path) && exists(filepath.Join(dir, "go.mod")) {
			return path
		}
		dir = filepath.Dir(dir)
	}
	os.Stderr.WriteString("SKIPPED: needs the data set " + name + " in ../shared/data\n")
	os.Exit(0)
	return ""
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// Peaks is a function with two peaks on [-3, 3], and 60 noisy values of it.
func Peaks() (x, y []float64, truth func(float64) float64) {
	rng := rand.New(rand.NewPCG(7, 1))
	truth = func(x float64) float64 {
		return math.Exp(-x*x) + 0.8*math.Exp(-4*(x-1.5)*(x-1.5)) - 0.5*x*math.Exp(-x*x/2)
	}
	x = Even(-3, 3, 60)
	return x, Map(x, func(v float64) float64 { return truth(v) + 0.15*rng.NormFloat64() }), truth
}

// Strangers counts the points of the plane whose nearest neighbour is of another class.
func Strangers[C comparable](z *mat.Dense, class []C) (count int) {
	for i := range class {
		nearest, least := -1, math.Inf(1)
		for j := range class {
			if away := math.Hypot(z.At(i, 0)-z.At(j, 0), z.At(i, 1)-z.At(j, 1)); j != i && away < least {
				nearest, least = j, away
			}
		}
		if class[nearest] != class[i] {
			count++
		}
	}
	return count
}
