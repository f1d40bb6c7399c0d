package linalg

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func cpu() float64 {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
func TestZCPU(t *testing.T) {
	th, _ := strconv.Atoi(os.Getenv("TH"))
	if th == 0 {
		th = 1
	}
	for _, n := range []int{300, 500, 1000, 2000, 3000} {
		a := benchSPD(n)
		w := a.Clone()
		reps := max(1, int(1e9/float64(n*n*n)))
		reps = min(reps, 200)
		best, bc, bi := 1e9, 1e9, 1e9
		for range 12 {
			var c0 float64
			tot := 0.0
			var el, inv float64
			for range reps {
				w.CopyFrom(a)
				c0 = cpu()
				t0 := time.Now()
				NewCholesky(th, w)
				el += time.Since(t0).Seconds()
				tot += cpu() - c0
				if os.Getenv("INV") != "" {
					c := &CholeskyOf[float64]{L: w}
					t0 = time.Now()
					c.Inverse(th)
					inv += time.Since(t0).Seconds()
				}
			}
			best = min(best, el/float64(reps))
			bc = min(bc, tot/float64(reps))
			bi = min(bi, inv/float64(reps))
		}
		fmt.Printf("%d wall %.3f ms %.1f GF cpu %.3f ms inv %.3f ms\n", n, best*1e3, float64(n)*float64(n)*float64(n)/3/best/1e9, bc*1e3, bi*1e3)
	}
}
