package main
import ("testing";"os";"strings";"fmt";"time";"syscall")
func cpuNow() float64 { var r syscall.Rusage; syscall.Getrusage(0,&r); return float64(r.Utime.Nano()+r.Stime.Nano())/1e9 }
func TestZProf(t *testing.T) {
	for _, w := range threadWorks() {
		if !strings.Contains(w.Work, os.Getenv("ONLY")) { continue }
		p := w.Prepare()
		p.Run()
		c := cpuNow(); t0 := time.Now()
		n := 0
		for time.Since(t0) < 4*time.Second { p.Run(); n++ }
		fmt.Println(w.Work, "cpu", (cpuNow()-c)/float64(n), "wall", time.Since(t0).Seconds()/float64(n))
	}
}
