package browser

import (
	"net"
	"net/http"
	"os"
	"testing"
)

// The static site, with its answers in WebAssembly, is the same page with the same numbers. MERCER_SITE is the folder that
// docs/playground/build wrote.
func TestStaticSite(t *testing.T) {
	folder := os.Getenv("MERCER_SITE")
	if folder == "" {
		t.Skip("SKIPPED: MERCER_SITE names no folder with the static site; it is NOT tested")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(folder))}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	p := newTab(t, "http://"+l.Addr().String()+"/")
	p.look(1440, false)
	p.open("classify")
	xy, class := moons(160)
	m := machineOf(t, xy, class, 0.5, 10)
	if got, want := p.reading("norm"), m.Func().Norm(); !near(got, want, 1e-6) { // both are optima to the same tolerance, by other roundings
		t.Errorf("‖f‖ is %v in WebAssembly, %v in the library", got, want)
	}
	for i, s := range scenes {
		if testing.Short() && i%3 != 0 {
			continue
		}
		p.settings(s.name, s.settings)
		if f := p.faults(); len(f) > 0 {
			t.Errorf("%s: %v", s.name, f)
		}
		p.clean()
	}
	p.settings("classify", map[string]any{"data": map[string]any{"name": "moons", "n": 300}})
	eval[bool](p, watchTimes)
	for i := range 10 {
		before := p.answers()
		p.slide("C", 0.3+0.03*float64(i))
		p.settled(before)
	}
	fit, surface := p.times("classify:fit"), p.times("classify:surface")
	if len(fit) == 0 || len(surface) == 0 {
		t.Fatal("no answer was recorded")
	}
	t.Logf("300 points in WebAssembly: fit with coarse surface %.0f ms, fine surface %.0f ms after the question (medians)", fit[len(fit)/2], surface[len(surface)/2])
	if fine := surface[len(surface)/2] - fit[len(fit)/2]; os.Getenv("MERCER_TIMING") == "1" && fine > 60 {
		t.Errorf("the fine surface takes %.0f ms", fine)
	}
	p.clean()
}
