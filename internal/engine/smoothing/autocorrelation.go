package smoothing

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Autocorrelation is (k⋆k)(t) = ∫ k(u)·k(u-t) du of a smoothing kernel in d
// dimensions: the Gaussian of variance two in closed form, others from a table
// over ‖t‖ (over each tⱼ in product form) read by cubic interpolation.
type Autocorrelation struct {
	Kernel  Kernel
	product bool
	dim     int
	step    float64
	table   []float64
}

// NewAutocorrelation makes the table by quadrature: with the coordinate a along t and the
// distance ρ from that axis,
//
//	(k⋆k)(t) = c²·ω_{d-2}·∫∫ k(√(a²+ρ²))·k(√((a-t)²+ρ²))·ρ^{d-2} dρ da,
//
// twice the half a ≥ t/2, where the first factor alone decides the support.
func NewAutocorrelation(s Kernel, d int, product bool) *Autocorrelation {
	o := &Autocorrelation{Kernel: s, dim: d, product: product && d > 1}
	if s == Gaussian {
		return o
	}
	if o.product {
		d = 1
	}
	reach := 1.0
	if s.Support() > 1 {
		reach = 30 + 3*float64(d)
	}
	cells := 400
	if d > 1 {
		cells = 160 // a double integral each
	}
	o.step = 2 * reach / float64(cells)
	o.table = make([]float64, cells+4)
	norm := math.Exp(2 * s.LogNorm(d, false))
	for i := range cells + 1 {
		o.table[i] = norm * s.overlap(float64(i)*o.step, reach, d)
	}
	return o
}

func (s Kernel) overlap(t, reach float64, d int) float64 {
	panels, nodes := 1, 32
	if s.Support() > 1 {
		panels = 8
	}
	if d > 1 {
		nodes = 12
	}
	along := func(f func(float64) float64, lo, hi float64) float64 {
		sum := 0.0
		for p := range panels {
			// Panels grow away from lo, where the integrand is.
			a, b := float64(p)/float64(panels), float64(p+1)/float64(panels)
			sum += integrate(f, lo+(hi-lo)*a*a, lo+(hi-lo)*b*b, nodes)
		}
		return sum
	}
	line := func(a, rho2 float64) float64 {
		return s.Shape(math.Sqrt(a*a+rho2)) * s.Shape(math.Sqrt((a-t)*(a-t)+rho2))
	}
	inner := func(a float64) float64 {
		if d == 1 {
			return line(a, 0)
		}
		edge := math.Sqrt(max(0, reach*reach-a*a))
		return math.Exp(logSphere(d-1)) * along(func(rho float64) float64 {
			return line(a, rho*rho) * math.Pow(rho, float64(d-2))
		}, 0, edge)
	}
	if t/2 >= reach {
		return 0
	}
	// A kink of k(a-t) at a = t, for kernels that have one.
	if t > 0 && t < reach {
		return 2 * (along(inner, t/2, t) + along(inner, t, reach))
	}
	return 2 * along(inner, t/2, reach)
}

// at reads the table.
func (o *Autocorrelation) at(t float64) float64 {
	x := t / o.step
	i := int(x)
	if i+1 >= len(o.table) {
		return 0
	}
	f := x - float64(i)
	before := o.table[1]
	if i > 0 {
		before = o.table[i-1]
	}
	after := 0.0
	if i+2 < len(o.table) {
		after = o.table[i+2]
	}
	p1, p2 := o.table[i], o.table[i+1]
	return max(0, p1+f*(p2-before)/2+f*f*(before-2.5*p1+2*p2-after/2)+f*f*f*(1.5*(p1-p2)+(after-before)/2))
}

// Sum is Σ wⱼ·(k⋆k)(q-zⱼ).
func (o *Autocorrelation) Sum(k *Sum, room *Room, q []float64) float64 {
	sum := 0.0
	for a := 0; a < k.Tree.N; a += rowLength {
		b := min(a+rowLength, k.Tree.N)
		row, more := room.row[:b-a], room.more[:b-a]
		switch {
		case o.product:
			for i := range row {
				row[i] = 1
				for j, v := range q {
					row[i] *= o.at(math.Abs(v - k.Tree.cols[j][a+i]))
				}
			}
		default:
			k.squaredDistances(row, more, q, a, b)
			if o.Kernel == Gaussian {
				simd.ScaleExp64(row, row, -0.25)
				break
			}
			for i, v := range row {
				row[i] = o.at(math.Sqrt(v))
			}
		}
		if k.Weight == nil {
			sum += simd.Asum64(row)
		} else {
			sum += simd.Dot64(row, k.Weight[a:b])
		}
	}
	if o.Kernel == Gaussian {
		sum *= math.Pow(4*math.Pi, -float64(o.dim)/2)
	}
	return sum
}
