package browser

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// Whatever is typed, the page says what is wrong where it is, and goes on.
func TestBadInputIsAMessageAndThePageGoesOn(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.open("classify")
	type_ := func(text string) {
		before := p.answers()
		eval[bool](p,
			fmt.Sprintf(`(() => { const e = document.querySelector('.kernel input.code'); e.value = %q; e.dispatchEvent(new Event('input', { bubbles: true })); return true; })()`,
				text))
		p.settled(before)
	}
	for _, bad := range []string{"gausian()", "", "gaussian(", "gaussian(lengthscale=NaN)", "-1 * linear()",
		"<img src=x onerror=alert(1)>", strings.Repeat("(", 5000)} {
		type_(bad)
		if n := eval[int](p, `document.querySelectorAll('.kernel .fault').length`); n != 1 {
			t.Errorf("kernel %.40q: %d messages beside it; in all %v", bad, n, p.faults())
		}
	}
	type_("laplace(lengthscale=0.5)")
	if f := p.faults(); len(f) > 0 {
		t.Errorf("after it was mended: %v", f)
	}
	// Tables: a million rows, no numbers, nothing.
	eval[bool](p,
		`(() => { const e = [...document.querySelectorAll('select')].find((s) => [...s.options].some((o) => o.value === 'csv')); e.value = 'csv'; e.dispatchEvent(new Event('change')); return true; })()`)
	if !eval[bool](p,
		`(() => { const t = new DataTransfer(); t.setData('text/plain', '1.5,2.5\n'.repeat(1000000)); return !document.querySelector('textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: t, bubbles: true, cancelable: true })); })()`) {
		t.Error("a million rows are pasted")
	}
	p.wait("4 MB", `[...document.querySelectorAll('.fault')].some((e) => e.textContent.includes("4 MB"))`)
	use := func(tables ...string) {
		script := "(() => {"
		for _, table := range tables {
			script += `{ const e = document.querySelector('textarea'); e.value = ` + table +
				`; e.dispatchEvent(new Event('input', { bubbles: true })); [...document.querySelectorAll('button')].find((b) => b.textContent === 'Use the table').click(); }`
		}
		eval[bool](p, script+" return true; })()")
	}
	says := func(text string) {
		p.wait(text, fmt.Sprintf(`[...document.querySelectorAll('.fault')].some((e) => e.textContent.includes(%q))`, text))
	}
	use(`'a,b\nx,y\n'`)
	says("numbers")
	// The last of two questions counts, in whatever order they are answered.
	use(`'a,b\n1,2\n2,3\n'`, `''`)
	says("empty")
	use(`'a,b\n1,NaN\n2,3\n'`)
	p.wait("a word about the one row that is left",
		`[...document.querySelectorAll('.lacking')].some((e) => e.checkVisibility() && e.textContent.includes('All points are'))`)
	eval[bool](p,
		`(() => { const e = [...document.querySelectorAll('select')].find((s) => [...s.options].some((o) => o.value === 'csv')); e.value = 'circles'; e.dispatchEvent(new Event('change')); return true; })()`)
	p.wait("the page to go on", `!document.querySelector('.fault') && document.querySelector('[data-reading="norm"]')`)
	p.clean()
}

// A damaged link opens the scene as it is without one.
func TestDamagedLinks(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	for _, hash := range []string{"classify/%%%", "classify/bm9uc2Vuc2U", "nowhere",
		"classify/eyJsZWFybmVyIjo3LCJwYXJhbXMiOm51bGwsImtlcm5lbCI6W119"} {
		p.open(hash)
		if f := p.faults(); len(f) > 0 {
			t.Errorf("%s: %v", hash, f)
		}
	}
	p.clean()
}

// A server that has gone is said, and asked again when it is back.
func TestClosedServer(t *testing.T) {
	link, s, l, server := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.open("classify")
	p.expected = []string{"ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED_ENCODING",
		"ERR_EMPTY_RESPONSE"}
	server.Close()
	p.slide("C", 0.2)
	p.wait("a message",
		`!document.getElementById('message').hidden && document.getElementById('message').textContent.includes('does not answer')`)
	again, err := net.Listen("tcp", l.Addr().String())
	if err != nil {
		t.Skip("the port was taken meanwhile:", err)
	}
	second := &http.Server{Handler: s}
	go second.Serve(again)
	t.Cleanup(func() { second.Close() })
	eval[bool](p, `document.querySelector('#message button').click() ?? true`)
	p.wait("an answer", `document.getElementById('message').hidden && document.querySelector('[data-reading="norm"]')`)
	p.clean()
}

// How long an answer takes to arrive while a slider moves, with 300 points: from the question to
// its first part in the page, and to the picture of it. It is measured where MERCER_TIMING=1 asks
// for it; otherwise the test only sees that it is recorded.
func TestSliderAnswers(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	for _, scene := range []struct{ name, set, label string }{{"classify", "moons", "C"}, {"regress", "sinc", "λ"}} {
		p.settings(scene.name, map[string]any{"data": map[string]any{"name": scene.set, "n": 300}})
		eval[bool](p, watchTimes)
		for i := range 20 {
			before := p.answers()
			p.slide(scene.label, 0.2+0.03*float64(i))
			p.settled(before)
		}
		for _, part := range []string{"fit", "fit:drawn"} {
			times := p.times(scene.name + ":" + part)
			if len(times) < 20 {
				t.Fatalf("%s: %d answers recorded", scene.name, len(times))
			}
			t.Logf("%s, 300 points, %s: median %.0f ms, 90 %% within %.0f ms", scene.name, part, times[len(times)/2],
				times[len(times)*9/10])
			if os.Getenv("MERCER_TIMING") == "1" && times[len(times)*9/10] > 50 {
				t.Errorf("%s, %s: 90 %% of answers within %.0f ms", scene.name, part, times[len(times)*9/10])
			}
		}
	}
	p.clean()
}

// watchTimes records how long parts of answers take from now on.
const watchTimes = `(() => {
	window.recorded = [];
	new PerformanceObserver((list) => { for (const m of list.getEntries()) window.recorded.push([m.name, m.duration]); }).observe({ type: 'measure' });
	return true;
})()`

// times is how long a part took, in milliseconds, each time, in increasing order.
func (p *tab) times(part string) []float64 {
	return eval[[]float64](p,
		fmt.Sprintf(`window.recorded.filter(([n]) => n === 'mercer:%s').map(([, d]) => d).sort((a, b) => a - b)`, part))
}
