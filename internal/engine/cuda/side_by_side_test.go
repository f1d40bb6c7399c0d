package cuda

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// Goroutines that factorise and find eigenvectors at once, each in a stream of its own that is gone
// when it is done, do not come between one another.
func TestSideBySide(t *testing.T) {
	for where, d := range under(t) {
		if !strings.HasPrefix(where, "chip") {
			d = Emulate(Emulated{Libraries: true})
		}
		if d.Libraries() == nil {
			t.Log("SKIPPED: no libraries for dense matrices on", where)
			continue
		}
		var wait sync.WaitGroup
		for g := range 8 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for round := range 3 {
					if err := eigenAndFactor(d, 20+60*g, uint64(g*3+round)); err != "" {
						t.Errorf("%s, %d: %s", where, g, err)
					}
				}
			}()
		}
		wait.Wait()
	}
}

// eigenAndFactor says what is wrong with log det of a matrix by its factor and by its eigenvalues.
func eigenAndFactor(d Device, n int, seed uint64) string {
	if _, emulated := d.(*emulated); emulated {
		n = min(n, 20)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	a := make([]float64, n*n)
	for i := range n {
		for j := range i {
			v := rng.NormFloat64()
			a[i*n+j], a[j*n+i] = v, v
		}
		a[i*n+i] = 4*float64(n) + rng.Float64()
	}
	var failed error
	try := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	q, err := d.NewStream()
	try(err)
	p, err := d.Alloc(int64(8 * n * (n + 1)))
	try(err)
	read := func(v []float64, from Ptr) {
		try(d.ToHost(q, bytesOf(v), from))
		try(d.Sync(q))
	}
	values, factor := make([]float64, n), make([]float64, n*n)
	at := p + Ptr(8*n*n)
	try(d.ToDevice(q, p, bytesOf(a)))
	try(d.Libraries().Eigen(q, n, p, at))
	read(values, at)
	try(d.ToDevice(q, p, bytesOf(a)))
	if bad, err := d.Libraries().Cholesky(q, n, p); err != nil || bad > 0 {
		return "no factor"
	}
	read(factor, p)
	try(d.Free(p))
	try(d.FreeStream(q))
	if failed != nil {
		return failed.Error()
	}
	sum := 0.0
	for i, v := range values {
		sum += math.Log(v) - 2*math.Log(factor[i*n+i])
	}
	if !(math.Abs(sum) <= 1e-9*float64(n)) {
		return "log det by the factor is not that by the eigenvalues"
	}
	return ""
}
