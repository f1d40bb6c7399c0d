package data

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// generator returns the random numbers of a seed for the generated sets.
func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x67656e6572617465)) }

// planar makes a data set of labelled points in the plane, in shuffled order.
func planar(name string, n int, rng *rand.Rand, point func(i int) (x, y float64, class int)) *Dataset {
	xs, ys, classes := make([]float64, n), make([]float64, n), make([]string, n)
	order := rng.Perm(n)
	for i := range n {
		x, y, c := point(i)
		xs[order[i]], ys[order[i]], classes[order[i]] = x, y, string(rune('a'+c))
	}
	return &Dataset{Name: name, Target: "class",
		Columns: []Column{NumberColumn("x", xs), NumberColumn("y", ys), LevelColumn("class", classes)}}
}

// Spirals draws n points from two interleaved spirals of 1¼ turns from radius ¼
// to 1, evenly along their length, with Gaussian noise of the given standard
// deviation. They start away from the centre, where they would meet.
func Spirals(n int, noise float64, seed uint64) *Dataset {
	rng := generator(seed)
	return planar("spirals", n, rng, func(i int) (float64, float64, int) {
		u := (float64(i/2) + rng.Float64()) / float64((n+1)/2)
		t := math.Sqrt(1./16 + 15./16*u)
		angle := 2.5*math.Pi*(t-0.25)/0.75 + math.Pi*float64(i%2)
		return t*math.Cos(angle) + noise*rng.NormFloat64(), t*math.Sin(angle) + noise*rng.NormFloat64(), i % 2
	})
}

// Moons draws n points from two interleaved half circles of radius 1, with
// Gaussian noise.
func Moons(n int, noise float64, seed uint64) *Dataset {
	rng := generator(seed)
	return planar("moons", n, rng, func(i int) (float64, float64, int) {
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		if i%2 == 1 {
			cos, sin = 1-cos, 0.5-sin
		}
		return cos + noise*rng.NormFloat64(), sin + noise*rng.NormFloat64(), i % 2
	})
}

// Circles draws n points from rings of radius 1 and ½ around the same centre,
// with Gaussian noise.
func Circles(n int, noise float64, seed uint64) *Dataset {
	rng := generator(seed)
	return planar("circles", n, rng, func(i int) (float64, float64, int) {
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		r := 1 - 0.5*float64(i%2)
		return r*cos + noise*rng.NormFloat64(), r*sin + noise*rng.NormFloat64(), i % 2
	})
}

// Blobs draws n points from three round Gaussian clouds whose centres are the
// corners of a triangle of side 6.
func Blobs(n int, noise float64, seed uint64) *Dataset {
	rng := generator(seed)
	return planar("blobs", n, rng, func(i int) (float64, float64, int) {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%3) / 3)
		r := 6 / math.Sqrt(3)
		return r*cos + noise*rng.NormFloat64(), r*sin + noise*rng.NormFloat64(), i % 3
	})
}

// Checkerboard draws n points evenly from 4 × 4 unit squares of alternating
// class; noise moves points after they got their class.
func Checkerboard(n int, noise float64, seed uint64) *Dataset {
	rng := generator(seed)
	return planar("checkerboard", n, rng, func(int) (float64, float64, int) {
		x, y := 4*rng.Float64(), 4*rng.Float64()
		class := (int(x) + int(y)) % 2
		return x + noise*rng.NormFloat64(), y + noise*rng.NormFloat64(), class
	})
}

// Sinc draws n values of sin(πx)/(πx) for x even on [-5, 5], with Gaussian
// noise.
func Sinc(n int, noise float64, seed uint64) *Dataset {
	rng := generator(seed)
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i] = 10*rng.Float64() - 5
		y[i] = 1
		if a := math.Pi * x[i]; a != 0 {
			y[i] = math.Sin(a) / a
		}
		y[i] += noise * rng.NormFloat64()
	}
	return &Dataset{Name: "sinc", Target: "y", Columns: []Column{NumberColumn("x", x), NumberColumn("y", y)}}
}

// Friedman1 draws n rows of ten columns even on [0, 1] and
//
//	y = 10 sin(π x₁ x₂) + 20 (x₃ − ½)² + 10 x₄ + 5 x₅ + noise·ε
//
// with ε standard normal (J. Friedman, Multivariate adaptive regression
// splines, Annals of Statistics 19, 1991).
func Friedman1(n int, noise float64, seed uint64) *Dataset {
	rng := generator(seed)
	d := &Dataset{Name: "friedman1", Target: "y"}
	for j := range 10 {
		d.Columns = append(d.Columns, NumberColumn("x"+strconv.Itoa(j+1), make([]float64, n)))
	}
	y := make([]float64, n)
	for i := range n {
		for j := range d.Columns {
			d.Columns[j].Numbers[i] = rng.Float64()
		}
		x := func(j int) float64 { return d.Columns[j-1].Numbers[i] }
		y[i] = 10*math.Sin(math.Pi*x(1)*x(2)) + 20*(x(3)-0.5)*(x(3)-0.5) + 10*x(4) + 5*x(5) + noise*rng.NormFloat64()
	}
	d.Columns = append(d.Columns, NumberColumn("y", y))
	return d
}
