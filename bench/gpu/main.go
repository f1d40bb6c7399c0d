// Command gpu prints the table of docs/gpu.md: what a GPU does in how long, through the library as
// a user calls it. Build it with the tag cuda,
//
//	cd bench && go build -tags cuda -o gpu.bin ./gpu && ./gpu.bin && python3 gpu/beside.py
//
// and run beside.py, which does the same work with PyTorch, in the same minute on the same machine.
// Times are of the clock, the median of some repetitions, with copies to and from the device and
// what processors do in between. -rows picks rows by name.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/data"
	kde "github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

var (
	ctx    = context.Background()
	device *gram.Device
	share  = flag.Float64("share", 1, "of the rows of each row of the table, for a look")
)

func main() {
	only := flag.String("rows", "", "names of rows, with commas; default: all")
	profile := flag.String("profile", "", "file for a profile of the processors")
	flag.Parse()
	if *profile != "" {
		file, err := os.Create(*profile)
		must(err)
		must(pprof.StartCPUProfile(file))
		defer pprof.StopCPUProfile()
	}
	if *only == "auto" { // opens devices of its own
		auto()
		return
	}
	start := time.Now()
	var err error
	if device, err = gram.OpenDevice(gram.DeviceOptions{Always: true}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer device.Close()
	fmt.Printf("%s, %d processors, opened in %.2f s\n", device, runtime.NumCPU(), time.Since(start).Seconds())
	for _, r := range []struct {
		name string
		run  func()
	}{{"pair", pairs}, {"wide", wide}, {"predict", predict}, {"ridge", exact}, {"kde", density}, {"parts", parts},
		{"falkon", falkon}, {"solvers", solvers}, {"askotch", blocks}, {"tests", tests}, {"gp", process}, {"gp80", largest},
		{"fits", fits}, {"pca", components}, {"sparse", sparse}, {"svm", machines}, {"svms", formulations},
		{"search", searches}, {"huge", huge}} {
		if *only == "" || slices.Contains(strings.Split(*only, ","), r.name) {
			r.run()
		}
	}
	for _, n := range device.Notes() {
		fmt.Println("NOTE", n)
	}
}

func scaled(n float64) int { return max(int(n**share), 1000) }

// normals are n rows of d normal numbers, by all processors.
func normals(n, d int, seed uint64) data.DenseRows {
	x := mat.NewDense(n, d, nil)
	all := x.RawMatrix().Data
	var wait sync.WaitGroup
	const part = 1 << 20
	for lo := 0; lo < len(all); lo += part {
		wait.Add(1)
		go func() {
			defer wait.Done()
			rng := rand.New(rand.NewPCG(seed, uint64(lo)))
			for i := lo; i < min(lo+part, len(all)); i++ {
				all[i] = rng.NormFloat64()
			}
		}()
	}
	wait.Wait()
	return data.Rows(x)
}

// median is the seconds of the middle one of some runs, after one that takes memory.
func median(times int, f func()) float64 {
	f()
	out := make([]float64, times)
	for i := range out {
		start := time.Now()
		f()
		out[i] = time.Since(start).Seconds()
	}
	slices.Sort(out)
	return out[times/2]
}

func must(err error) {
	if err != nil {
		fmt.Println("FAILED", err)
		panic(err)
	}
}

func copies(b data.Block[kernel.Vec], kv, u *mat.Dense) { u.Copy(kv) }

// product times Kᵀ(Kv), and holds some of its numbers against a sum in double precision on the
// host.
func product(
	name string, k kernel.Kernel[kernel.Vec], rows data.Source[kernel.Vec], c data.DenseRows, d, times int, stream bool,
) float64 {
	m := c.Len()
	p, err := gram.NewPair[kernel.Vec](k, rows, c, gram.PairOptions{Precision: gram.Single, Device: device,
		Stream: stream})
	must(err)
	defer p.(interface{ Close() error }).Close()
	v, w := mat.NewDense(m, 1, nil), mat.NewDense(m, 1, nil)
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range m {
		v.Set(i, 0, rng.NormFloat64())
	}
	seconds := median(times, func() { must(p.MulTo(ctx, w, v, copies)) })
	first := mat.NewDense(m, 1, nil)
	first.Copy(w)
	must(p.MulTo(ctx, w, v, copies))
	same := mat.Equal(first, w)
	// u at some rows by the host.
	worst := 0.0
	seen := map[int]float64{}
	var mu sync.Mutex
	must(p.MulTo(ctx, nil, v, func(b data.Block[kernel.Vec], kv, _ *mat.Dense) {
		for i := range b.Len() {
			if n := b.First + i; n%100003 == 0 || n == rows.Len()-1 {
				sum, size := 0.0, 0.0
				for j := range m {
					t := k.Eval(b.Points.At(i), c.At(j)) * v.At(j, 0)
					sum, size = sum+t, size+math.Abs(t)
				}
				mu.Lock()
				seen[n] = math.Abs(kv.At(i, 0)-sum) / size
				mu.Unlock()
			}
		}
	}))
	for _, e := range seen {
		worst = math.Max(worst, e)
	}
	fmt.Printf("%-34s n = %-10d d = %-3d M = %-6d %8.4f s  (same bits again: %v; K·v off by %.1e of its terms "+
		"at %d rows)\n", name, rows.Len(), d, m, seconds, same, worst, len(seen))
	return seconds
}

func source(x data.DenseRows) data.Source[kernel.Vec] {
	return data.NewInMemory[kernel.Vec](x, nil, 0, nil)
}

func pairs() {
	const d = 28
	l := math.Sqrt(d)
	x, c := normals(scaled(1e7), d, 1), normals(20000, d, 2)
	product("pair, gaussian", kernel.Gaussian{Lengthscale: l}, source(x), c, d, 5, false)
	product("pair, gaussian, streamed", kernel.Gaussian{Lengthscale: l}, source(x), c, d, 3, true)
	some := data.Span[kernel.Vec](x, 0, max(x.Len()/5, 1)).(data.DenseRows)
	base := product("pair, gaussian", kernel.Gaussian{Lengthscale: l}, source(some), c, d, 3, false)
	for name, k := range map[string]kernel.Kernel[kernel.Vec]{
		"pair, matern 5/2": kernel.Matern{Nu: 2.5, Lengthscale: l},
		"pair, matern 3/2": kernel.Matern{Nu: 1.5, Lengthscale: l}, "pair, laplace": kernel.Laplace{Lengthscale: l},
		"pair, rational quadratic": kernel.RationalQuadratic{Alpha: 2, Lengthscale: l},
		"pair, polynomial 3":       kernel.Polynomial{Gamma: 1 / (l * l), Offset: 1, Degree: 3},
		"pair, sum of two":         kernel.Sum[kernel.Vec](kernel.Gaussian{Lengthscale: l}, kernel.Laplace{Lengthscale: l}),
	} {
		t := product(name, k, source(some), c, d, 3, false)
		fmt.Printf("    %s is %.2f × the gaussian\n", name, t/base)
	}
}

func wide() {
	for _, d := range []int{9, 60, 100, 112, 200, 784} {
		n := 1e6
		if d > 200 {
			n = 2e5
		}
		x, c := normals(scaled(n), d, 1), normals(10000, d, 2)
		product("pair, gaussian", kernel.Gaussian{Lengthscale: math.Sqrt(float64(d))}, source(x), c, d, 3, false)
	}
}

func predict() {
	const d, m = 28, 20000
	x, c := normals(scaled(1e6), d, 1), normals(m, d, 2)
	coef := mat.NewDense(m, 1, nil)
	for i := range m {
		coef.Set(i, 0, math.Sin(float64(i)))
	}
	f, err := rkhs.New[kernel.Vec](kernel.Gaussian{Lengthscale: math.Sqrt(d)}, c, coef, nil)
	must(err)
	f.Prepare()
	dst := mat.NewDense(x.Len(), 1, nil)
	for _, single := range []bool{true, false} {
		t := median(15, func() { must(f.EvaluateTo(ctx, dst, x, rkhs.EvalOptions{Device: device, Single: single})) })
		fmt.Printf("%-34s n = %-10d d = %-3d M = %-6d %8.4f s  (single %v, from and to the host)\n", "prediction", x.Len(), d,
			m, t, single)
	}
}

func exact() {
	const d = 28
	n := scaled(50000)
	x := normals(n, d, 1)
	y := make([]float64, n)
	for i := range n {
		y[i] = math.Sin(x.At(i)[0])
	}
	for _, method := range []ridge.Method{ridge.Auto, ridge.Cholesky} {
		var r learn.Report
		t := median(3, func() {
			m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(d)}, Lambda: 1, Method: method,
				Resources: learn.Resources{Device: device, Bytes: 100 << 30, TrustKernel: true}}.Fit(ctx, x, y)
			must(err)
			r = m.Report()
		})
		fmt.Printf("%-34s n = %-10d d = %-3d            %8.4f s  (%s, %d iterations, residual %.1e)\n", "exact ridge", n, d,
			t, r.Learner, r.Iterations, r.Certificate)
	}
}

func density() {
	const d = 3
	n := scaled(1e6)
	x, q := normals(n, d, 1), normals(n, d, 2)
	ones, dst := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		ones.Set(i, 0, 1)
	}
	k := kernel.Gaussian{Lengthscale: 0.2}
	t := median(1, func() {
		on, err := gram.DeviceProduct[kernel.Vec](ctx, device, k, q, x, dst, ones, gram.Single)
		must(err)
		if !on {
			panic("not on the device")
		}
	})
	fmt.Printf("%-34s %d × %d, d = %d  %8.4f s  (%.2g exponentials a second)\n", "kernel sums of a density", n, n, d, t,
		float64(n)*float64(n)/t)
	estimate(x, q)
}

// estimate is the same sums through package density, as exact as brute force and to 1e-3.
func estimate(x, q data.DenseRows) {
	for _, tol := range []float64{0, 1e-3} {
		m, err := kde.KDE{Bandwidth: 0.2, RelTol: tol, Device: device}.Fit(ctx, x)
		must(err)
		dst := make([]float64, q.Len())
		t := median(1, func() { must(m.LogDensityTo(ctx, dst, q)) })
		fmt.Printf("%-34s %d × %d, d = %d  %8.4f s  (relative tolerance %g)\n", "log-density", x.Len(), q.Len(),
			x.RawMatrix().Cols, t, tol)
	}
}

func falkon() {
	const d = 28
	x := normals(scaled(1e6), d, 1)
	y := make([]float64, x.Len())
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range y {
		r := x.At(i)
		y[i] = math.Sin(r[0]) + r[1]*r[2] + 0.1*rng.NormFloat64()
	}
	for _, m := range []int{10000, 20000} {
		for range 2 {
			start := time.Now()
			var first, last float64
			told := func(trace.Step) {
				if last = time.Since(start).Seconds(); first == 0 {
					first = last
				}
			}
			model, err := nystrom.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(d)}, Lambda: 1e-6,
				PerPoint: true,
				Options: nystrom.Options{Centers: m, Solver: nystrom.Falkon, MaxIterations: 20, Tol: 1e-10,
					Resources: learn.Resources{Trace: told, Device: device, Bytes: 100 << 30, TrustKernel: true}}}.Fit(ctx, x, y)
			must(err)
			r := model.Report()
			fmt.Printf("%-34s n = %-10d d = %-3d M = %-6d %8.4f s  (%d iterations, the first ended at %.3f s, the last at "+
				"%.3f s; residual %.1e)\n", "FALKON", x.Len(), d, m, time.Since(start).Seconds(), r.Iterations, first, last,
				r.Certificate)
		}
	}
}

// parts is what FALKON and ridge are made of, each by itself.
func parts() {
	const d = 28
	k := kernel.Gaussian{Lengthscale: math.Sqrt(d)}
	tell := func(name string, n, m int, seconds float64) {
		fmt.Printf("    %-30s n = %-10d d = %-3d M = %-6d %8.4f s\n", name, n, d, m, seconds)
	}
	for _, m := range []int{20000, 50000} {
		c := normals(scaled(float64(m)), d, 2)
		m := c.Len()
		b, many, share := mat.NewDense(m, 1, nil), mat.NewDense(m, 5, nil), make([]float64, m)
		for i := range m {
			b.Set(i, 0, math.Sin(float64(i)))
			share[i] = 50
		}
		var f *gram.CenterFactor
		t := median(2, func() {
			if f != nil {
				f.Close()
			}
			var err error
			f, err = gram.NewCenterFactor(device, k, c, 1)
			must(err)
		})
		tell("K(C, C) and its factor", m, m, t)
		tell("one solution", m, m, median(5, func() { must(f.SolveTo(b, false)) }))
		tell("one solution, transposed", m, m, median(5, func() { must(f.SolveTo(b, true)) }))
		tell("five solutions", m, m, median(3, func() { must(f.SolveTo(many, false)) }))
		if m <= 20000 {
			tell("the preconditioner", m, m, median(2, func() {
				g, err := f.MomentFactor(share, nil, 1)
				must(err)
				g.Close()
			}))
		}
		f.Close()
		tell("the factor in mixed precision", m, m, median(2, func() {
			s, err := gram.NewMixedSystem(ctx, device, k, c, 1, 0)
			must(err)
			s.Close()
		}))
		s, err := gram.NewMixedSystem(ctx, device, k, c, 1, 0)
		must(err)
		w := mat.NewDense(m, 1, nil)
		tell("a product beside it", m, m, median(5, func() { s.MulTo(w, b, false) }))
		tell("two solutions with it", m, m, median(5, func() { s.ApplyTo(w, b) }))
		must(s.Err())
		s.Close()
	}
	x, c := normals(scaled(1e6), d, 1), normals(20000, d, 2)
	v, w := mat.NewDense(c.Len(), 1, nil), mat.NewDense(c.Len(), 1, nil)
	v.Set(3, 0, 1)
	for name, p := range map[string]gram.Precision{"single": gram.Single, "double": gram.Double} {
		pair, err := gram.NewPair[kernel.Vec](k, source(x), c, gram.PairOptions{Precision: p, Device: device})
		must(err)
		start := time.Now()
		must(pair.MulTo(ctx, w, v, copies))
		tell("first pair, "+name, x.Len(), c.Len(), time.Since(start).Seconds())
		tell("pair, "+name, x.Len(), c.Len(), median(3, func() { must(pair.MulTo(ctx, w, v, copies)) }))
		tell("Kᵀu, "+name, x.Len(), c.Len(), median(3, func() {
			must(pair.MulTo(ctx, w, nil, func(b data.Block[kernel.Vec], _, u *mat.Dense) {
				for i := range b.Len() {
					u.Set(i, 0, 1)
				}
			}))
		}))
		must(pair.(interface{ Close() error }).Close())
	}
	tell("points looked through", x.Len(), 0, median(3, func() { must(kernel.CheckNext[kernel.Vec](k, c, x)) }))
}

// again is the same rows over and over, as many as there are said to be: a source that is larger
// than memory.
type again struct {
	x data.DenseRows
	n int
}

func (s again) Len() int     { return s.n }
func (s again) Outputs() int { return 0 }
func (s again) Pass(ctx context.Context, size int, f func(data.Block[kernel.Vec]) error) error {
	if size > s.x.Len() {
		return fmt.Errorf("%d rows at a time, of %d that there are", size, s.x.Len())
	}
	for lo := 0; lo < s.n; lo += size {
		if err := f(data.Block[kernel.Vec]{First: lo, Points: data.Span[kernel.Vec](s.x, 0, min(size, s.n-lo))}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func huge() {
	const d, m = 9, 10000
	x, c := normals(1<<22, d, 1), normals(m, d, 2)
	product("pair, gaussian, resident", kernel.Gaussian{Lengthscale: 3}, again{x, scaled(1e9)}, c, d, 1, false)
	product("pair, gaussian, streamed", kernel.Gaussian{Lengthscale: 3}, again{x, scaled(2e8)}, c, d, 1, true)
}
