package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// table is columns of numbers, the last of which is the target.
func table(n int, seed uint64, names string, row func(rng *rand.Rand) []float64) *data.Dataset {
	rng := rand.New(rand.NewPCG(seed, 66))
	d := &data.Dataset{Name: "formed"}
	for _, name := range strings.Fields(names) {
		d.Columns = append(d.Columns, data.Column{Name: name, Kind: data.Numeric, Numbers: make([]float64, n)})
		d.Target = name
	}
	for i := range n {
		for c, v := range row(rng) {
			d.Columns[c].Numbers[i] = v
		}
	}
	return d
}

// clocked is a table whose target goes with the hour, around midnight as at noon.
func clocked(n int, seed uint64) *data.Dataset {
	return table(n, seed, "hour warm idle y", func(rng *rand.Rand) []float64 {
		hour, warm := float64(rng.IntN(24)), rng.NormFloat64()
		angle := 2 * math.Pi * hour / 24
		y := (1+0.5*math.Tanh(warm))*math.Cos(angle-0.2) + 0.5*math.Sin(2*angle) + 0.1*rng.NormFloat64()
		return []float64{hour, warm, rng.NormFloat64(), y}
	})
}

// numbered is a table with a column of numbers that are names.
func numbered(n int, seed uint64) *data.Dataset {
	of := rand.New(rand.NewPCG(7, 7)).Perm(16)
	return table(n, seed, "code x idle y", func(rng *rand.Rand) []float64 {
		code, x := rng.IntN(16), rng.NormFloat64()
		y := math.Sin(2*x) + 0.3*float64(of[code]) + 0.1*rng.NormFloat64()
		return []float64{float64(code), x, rng.NormFloat64(), y}
	})
}

// added is a table whose target is a sum of functions of single columns.
func added(n int, seed uint64) *data.Dataset {
	return table(n, seed, "a b c d e y", func(rng *rand.Rand) []float64 {
		x, y := make([]float64, 5), 0.1*rng.NormFloat64()
		for c := range x {
			x[c] = 2*rng.Float64() - 1
			y += math.Sin((3 + float64(c)) * x[c])
		}
		return append(x, y)
	})
}

// plain is a table whose target is a function of all columns together.
func plainTable(n int, seed uint64) *data.Dataset {
	return table(n, seed, "a b y", func(rng *rand.Rand) []float64 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		return []float64{a, b, math.Sin(a*b) + 0.1*rng.NormFloat64()}
	})
}

// Of each table the evidence says what it was made by, and the process with it is the better one.
func TestFormsOfColumns(t *testing.T) {
	for _, c := range []struct {
		name string
		d    *data.Dataset
		told string  // what is said of the columns; empty: nothing
		gain float64 // the error of the plain process at least, as a multiple
	}{
		{"hours", clocked(1300, 1), "begin again after so many values: hour (every 24)", 1},
		// As names, or by a short length-scale beside a part for x: both are the same functions.
		{"names", numbered(1300, 2), "by the evidence of the same process columns", 1.1},
		{"a sum", added(1300, 3), "have a part of their own: ", 3},
		{"no forms", plainTable(1300, 4), "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && c.name != "hours" && c.name != "a sum" {
				t.Skip("two tables do for a short run")
			}
			r := relevantSearch(t, c.d, AutoOptions{Learners: []string{"gp"}, Repeats: 1})
			said := strings.Join(r.Why, "\n")
			if !strings.Contains(said, c.told) || c.told == "" && strings.Contains(said, "the same process") {
				t.Errorf("want %q in\n%s", c.told, said)
			}
			formed, plain := math.Inf(1), math.Inf(1)
			for _, cell := range r.Cells {
				if strings.Contains(cell.Label, "forms") || strings.Contains(cell.Label, "parts") {
					formed = min(formed, cell.Mean)
				} else {
					plain = min(plain, cell.Mean)
				}
			}
			if c.told != "" && plain < c.gain*formed {
				t.Errorf("the error with forms is %.4g, without %.4g", formed, plain)
			}
		})
	}
}

// What a climb ends with is read as it was written, for kernels with all kinds of forms and parts.
func TestRelevanceIsReadAsWritten(t *testing.T) {
	for _, profile := range []string{"gaussian", "matern"} {
		r := relevance{Profile: profile, Lengths: []float64{1.1, 2.2, 3.3, 4.4}, Variance: 0.7, Noise: 0.2,
			Forms: []form{{Column: 3, Period: 24, Step: 1, Value: 0.6}, {Column: 1, Step: 0.5, Value: 0.4}}}
		one := slices.Repeat([]float64{1}, 4)
		r = r.and(0.3, one, 0).and(0.2, one, 3).and(0.15, one, 1).and(0.1, one, 1, 3).and(0.05, one, 0, 1, 2)
		for i := range r.Parts {
			for j := range r.Parts[i].Values {
				r.Parts[i].Values[j] = 0.31 + float64(10*i+j)
			}
		}
		k := r.kernel(1)
		theta := kernel.Values(k)
		got := r.at(theta, 0.25)
		if again := kernel.Values(got.kernel(1)); !slices.Equal(again, theta) || got.Noise != 0.25 {
			t.Errorf("%s: %v, read as %v", profile, theta, again)
		}
		for i := range theta { // each value is read into one place
			theta[i] *= 1.5
		}
		for i, p := range kernel.Params(k) {
			if slices.Contains(keptInClimb(k), p.Name) {
				theta[i] = p.Value
			}
		}
		if again := kernel.Values(r.at(theta, 1).kernel(1)); !slices.Equal(again, theta) {
			t.Errorf("%s: %v, read as %v", profile, theta, again)
		}
		// The kernel is what its formula says, at two rows.
		x, y := kernel.Vec{0.3, 2, -0.4, 23}, kernel.Vec{0.9, 2.5, 0.1, 1}
		if got, want := k.Eval(x, y), 0.7*formula(r, x, y); math.Abs(got-want) > 1e-14 {
			t.Errorf("%s: k(x, y) = %.17g, want %.17g", profile, got, want)
		}
	}
}

// formula is the kernel without its variance by plain loops.
func formula(r relevance, x, y kernel.Vec) float64 {
	over := func(columns []int, values []float64) float64 {
		square, line, out := 0.0, false, 1.0
		for i, c := range columns {
			at := r.formOf(c)
			switch {
			case at < 0:
				square, line = square+math.Pow((x[c]-y[c])/values[i], 2), true
			case r.Forms[at].Period > 0:
				s := math.Sin(math.Pi * (x[c] - y[c]) / r.Forms[at].Period)
				out *= math.Exp(-2 * s * s / (values[i] * values[i]))
			case x[c] == y[c]:
				out *= values[i] + 1
			default:
				out *= values[i]
			}
		}
		switch {
		case !line:
		case r.Profile == "gaussian":
			out *= math.Exp(-square / 2)
		default:
			s := math.Sqrt(3 * square)
			out *= (1 + s) * math.Exp(-s)
		}
		return out
	}
	all, values := r.product()
	sum := over(all, values)
	for _, p := range r.Parts {
		sum += p.Share * over(p.Columns, p.Values)
	}
	return sum
}

// A lattice is few values at equal distances, most of whose places are taken.
func TestLattices(t *testing.T) {
	for _, c := range []struct {
		name   string
		value  func(i int) float64
		period float64 // 0: no lattice
	}{
		{"hours", func(i int) float64 { return float64(i % 24) }, 24},
		{"months from one, scaled", func(i int) float64 { return (float64(i%12+1) - 6.5) / 3.4521 }, 12 / 3.4521},
		{"directions by ten", func(i int) float64 { return 10 * float64(i%36) }, 360},
		{"hours of which few fail", func(i int) float64 { return float64(max(i%24, 2)) }, 22},
		{"two values", func(i int) float64 { return float64(i % 2) }, 0},
		{"a constant", func(i int) float64 { return 3 }, 0},
		{"far apart", func(i int) float64 { return math.Pow(2, float64(i%12)) }, 0},
		{"not equally", func(i int) float64 { return float64(i%24) + 0.3*float64(i%2) }, 0},
		{"of a line", func(i int) float64 { return math.Sqrt(float64(i)) }, 0},
	} {
		values := make([]float64, 1000)
		for i := range values {
			values[i] = c.value(i)
		}
		f, ok := latticeOf(data.Line(values), 0)
		if ok != (c.period > 0) || math.Abs(f.Period-c.period) > 1e-9*c.period {
			t.Errorf("%s: %v %+v, want a period of %g", c.name, ok, f, c.period)
		}
	}
}
