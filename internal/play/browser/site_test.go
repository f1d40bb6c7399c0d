package browser

import (
	"net"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// static serves the folder that docs/playground/build wrote, which MERCER_SITE names.
func static(t *testing.T) string {
	t.Helper()
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
	return "http://" + l.Addr().String() + "/"
}

// The static site, with its answers in WebAssembly, is the same page with the same numbers.
func TestStaticSite(t *testing.T) {
	p := newTab(t, static(t))
	p.look(1440, false)
	p.open("classify")
	xy, class := moons(160)
	m := machineOf(t, xy, class, 0.5, 10)
	// both are optima to the same tolerance, by other roundings
	if got, want := p.reading("norm"), m.Func().Norm(); !near(got, want, 1e-6) {
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
	t.Logf("300 points in WebAssembly: fit with coarse surface %.0f ms, fine surface %.0f ms after the question (medians)",
		fit[len(fit)/2], surface[len(surface)/2])
	if fine := surface[len(surface)/2] - fit[len(fit)/2]; os.Getenv("MERCER_TIMING") == "1" && fine > 60 {
		t.Errorf("the fine surface takes %.0f ms", fine)
	}
	p.clean()
}

// A search that is left is stopped, in the middle of its computation: the next scene does not wait
// for it.
func TestStaticSiteStopsASearch(t *testing.T) {
	link := static(t)
	p := newTab(t, link)
	p.look(1440, false)
	// A search that takes long, so that it is left in its middle.
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link+
		"#/search?data.n=400&folds=20&across.steps=40&up.steps=40"))
	p.wait("the search to be under way", `document.querySelector('[data-progress]')?.textContent`)
	eval[bool](p, `(() => { location.hash = '#/classify'; return true; })()`)
	p.wait("the numbers of the next scene", `document.querySelector('.scene.classify [data-reading="norm"]')`)
	p.wait("the worker of the search to be ended", `Number(document.documentElement.dataset.stopped ?? 0) > 0`)
	// And what comes next is answered as if nothing had been.
	for i := range 3 {
		before := p.answers()
		p.slide("C", 0.3+0.1*float64(i))
		p.settled(before)
	}
	if f := p.faults(); len(f) > 0 {
		t.Error(f)
	}
	p.clean()
}
