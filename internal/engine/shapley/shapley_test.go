package shapley

import (
	"math"
	"math/rand/v2"
	"testing"
)

// orders is the shares by the definition through orders: the mean of what a player adds over all d!
// of them.
func orders(d int, value []float64) []float64 {
	share, count := make([]float64, d), 0.0
	var walk func(set int, came []int)
	walk = func(set int, came []int) {
		if len(came) == d {
			count++
			s := 0
			for _, j := range came {
				share[j] += value[s|1<<j] - value[s]
				s |= 1 << j
			}
			return
		}
		for j := range d {
			if set>>j&1 == 0 {
				walk(set|1<<j, append(came[:len(came):len(came)], j))
			}
		}
	}
	walk(0, nil)
	for j := range share {
		share[j] /= count
	}
	return share
}

func close(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for j := range want {
		if !(math.Abs(got[j]-want[j]) <= tol) {
			t.Errorf("%s: share %d is %g, want %g", what, j, got[j], want[j])
		}
	}
}

// The glove game: one of two left gloves and the right one make a pair. Shapley's own example has
// 1/6, 1/6 and 4/6.
func TestSubsets(t *testing.T) {
	value := make([]float64, 8)
	for _, set := range []int{0b101, 0b110, 0b111} {
		value[set] = 1
	}
	close(t, "gloves", Subsets(3, value), []float64{1. / 6, 1. / 6, 4. / 6}, 1e-15)
	rng := rand.New(rand.NewPCG(1, 2))
	for d := 1; d <= 6; d++ {
		value := make([]float64, 1<<d)
		for i := range value {
			value[i] = rng.NormFloat64()
		}
		close(t, "random game", Subsets(d, value), orders(d, value), 1e-13)
	}
	if got := Subsets(0, []float64{3}); len(got) != 0 {
		t.Errorf("nobody shares %v", got)
	}
}

// Product games against the sum over all subsets, with factors of both signs, zeros and equal ones.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for d := 0; d <= 11; d++ {
		for round := range 20 {
			a, b := make([]float64, d), make([]float64, d)
			for j := range d {
				a[j], b[j] = 2*rng.Float64()-0.5, 2*rng.Float64()-0.5
				switch {
				case round%5 == 1 && j == 0:
					b[j] = 0
				case round%5 == 2 && j == 0:
					a[j], b[j] = 0, 0
				case round%5 == 3 && j == d-1:
					a[j] = b[j]
				}
			}
			value := make([]float64, 1<<d)
			for set := range value {
				value[set] = 1
				for j := range d {
					if set>>j&1 == 1 {
						value[set] *= a[j]
					} else {
						value[set] *= b[j]
					}
				}
			}
			share := make([]float64, d)
			NewProducts(d).Add(share, a, b)
			close(t, "product", share, Subsets(d, value), 1e-12)
			sum := 0.0
			for _, s := range share {
				sum += s
			}
			if want := value[len(value)-1] - value[0]; d > 0 && math.Abs(sum-want) > 1e-12 {
				t.Errorf("%d players: shares sum to %g, want %g", d, sum, want)
			}
		}
	}
}

// Many players: of equal ones everybody has the same, (aᵈ - bᵈ)/d.
func TestProductsOfMany(t *testing.T) {
	for _, d := range []int{50, 301} {
		a, b, share := make([]float64, d), make([]float64, d), make([]float64, d)
		for j := range d {
			a[j], b[j] = 0.99, 0.97
		}
		NewProducts(d).Add(share, a, b)
		want := (math.Pow(0.99, float64(d)) - math.Pow(0.97, float64(d))) / float64(d)
		for _, s := range share {
			if math.Abs(s-want) > 1e-13*math.Abs(want)*float64(d) {
				t.Fatalf("%d players: %g, want %g", d, s, want)
			}
		}
	}
}

// The estimate is right on average, and as far off as it says: of many, about two thirds lie within
// a standard error. Its shares add up whatever was drawn.
func TestEstimate(t *testing.T) {
	const d, draws, rounds = 5, 40, 400
	rng := rand.New(rand.NewPCG(5, 6))
	value := make([]float64, 1<<d)
	for i := range value {
		value[i] = rng.NormFloat64()
	}
	want := Subsets(d, value)
	within, mean := 0, make([]float64, d)
	for range rounds {
		e := NewEstimate(d)
		for range draws {
			order := rng.Perm(d)
			there, back := make([]float64, d+1), make([]float64, d+1)
			front, rear := 0, 0
			there[0], back[0] = value[0], value[0]
			for k := range d {
				front, rear = front|1<<order[k], rear|1<<order[d-1-k]
				there[k+1], back[k+1] = value[front], value[rear]
			}
			e.Add(order, there, back)
		}
		sum := 0.0
		for j, m := range e.Mean() {
			sum += m
			mean[j] += m / rounds
			if math.Abs(m-want[j]) <= e.Error()[j] {
				within++
			}
		}
		if math.Abs(sum-(value[len(value)-1]-value[0])) > 1e-12 {
			t.Fatalf("shares sum to %g", sum)
		}
	}
	close(t, "mean of estimates", mean, want, 0.03)
	if share := float64(within) / (rounds * d); share < 0.62 || share > 0.74 {
		t.Errorf("%.3f of the estimates lie within a standard error, want 0.68", share)
	}
}
