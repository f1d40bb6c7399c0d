package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
)

// process is the evidence of Gaussian processes with all derivatives: a length-scale for each of 8
// columns, a factor, the noise. The points are left in a file, where evidence.py finds them.
func process() {
	for _, n := range []float64{2000, 5000, 10000, 20000} {
		evidence(scaled(n), n == 2000 || n == 20000)
	}
}

// largest is the same for as many points as one card holds.
func largest() { evidence(scaled(80000), false) }

func evidence(n int, beside bool) {
	const d = 8
	x := normals(n, d, 1)
	y := sines(x)
	leave(x.RawMatrix().Data, y, n)
	lengths := make([]float64, d)
	for i := range lengths {
		lengths[i] = 2 + 0.25*float64(i)
	}
	k := kernel.Scale[kernel.Vec](1.5, kernel.ARD{Kernel: kernel.Gaussian{Lengthscale: 1}, Lengthscales: lengths})
	once := func(dev *gram.Device) gp.Evidence {
		e, err := gp.Regression[kernel.Vec]{Kernel: k, Noise: 0.1,
			Resources: learn.Resources{Device: dev, Bytes: 100 << 30}}.Evidence(ctx, x, y)
		must(err)
		return e
	}
	times := 9
	if n > 30000 {
		times = 1
	}
	var e gp.Evidence
	t := median(times, func() { e = once(device) })
	fmt.Printf("%-34s n = %-8d d = %d, %d derivatives %10.5f s  (%.12g; by the factor %.10g, by ℓ₁ %.10g, by "+
		"noise %.10g)\n", "evidence", n, d, len(e.Kernel)+1, t, e.LogMarginal, e.Kernel[0], e.Kernel[1], e.Noise)
	if again := once(device); again.LogMarginal != e.LogMarginal || again.Kernel[1] != e.Kernel[1] {
		fmt.Println("    OTHER BITS the second time")
	}
	if !beside {
		return
	}
	start := time.Now()
	own := once(nil)
	worst := math.Abs(e.Noise-own.Noise) / math.Abs(own.Noise)
	for i, v := range own.Kernel {
		worst = math.Max(worst, math.Abs(e.Kernel[i]-v)/math.Abs(v))
	}
	fmt.Printf("    processors %.4f s; evidence off by %.1e, derivatives by %.1e of their own sizes\n",
		time.Since(start).Seconds(), math.Abs(e.LogMarginal/own.LogMarginal-1), worst)
}

// leave keeps numbers for the other program.
func leave(x, y []float64, n int) {
	file, err := os.Create(filepath.Join(os.TempDir(), fmt.Sprintf("mercer-evidence-%d.bin", n)))
	must(err)
	must(binary.Write(file, binary.LittleEndian, x))
	must(binary.Write(file, binary.LittleEndian, y))
	must(file.Close())
}
