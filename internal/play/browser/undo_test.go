package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// press clicks the button with a text or a name.
func (p *tab) press(name string) {
	p.Helper()
	if !eval[bool](p,
		fmt.Sprintf(`(() => { const b = [...document.querySelectorAll('button')].find((e) => (e.textContent === %q || e.ariaLabel === %q) && e.checkVisibility()); if (!b || b.disabled) return false; b.click(); return true; })()`,
			name, name)) {
		p.Fatalf("no button %q to press", name)
	}
}

// After Clear, and with too few points, nothing of the last model stays, and the page says what to
// do in its own words.
func TestTooFewPoints(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.expected = []string{"willReadFrequently"} // this test reads pixels
	none := func(scene, says string) {
		t.Helper()
		p.wait(scene+": "+says,
			fmt.Sprintf(`[...document.querySelectorAll('.lacking')].some((e) => e.checkVisibility() && e.textContent.includes(%q))`,
				says))
		if n := eval[int](p, `document.querySelectorAll('[data-reading]').length`); n > 0 {
			t.Errorf("%s: %d numbers of the last model", scene, n)
		}
		if f := p.faults(); len(f) > 0 {
			t.Errorf("%s: %v", scene, f)
		}
		// The picture has nothing left but its axes and the points, few colours, once it is drawn
		// again.
		p.wait(scene+": an empty picture",
			`(() => { const c = document.querySelector('.plot canvas'); const d = c.getContext('2d').getImageData(60, 12, c.width - 80, c.height - 60).data; const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] + ' ' + d[i + 1] + ' ' + d[i + 2]); return seen.size <= 60; })()`)
	}
	for _, c := range []struct {
		scene    string
		settings map[string]any
		after    string // what is said with one point
	}{
		{"classify", nil, "All points are blue"},
		{"regress", nil, "one more"},
		{"regress", map[string]any{"learner": "gp"}, "one more"},
		{"density", nil, "one more"},
		{"project", map[string]any{"part": "cluster"}, "one more"},
		{"test", map[string]any{"kind": "two-sample"}, "All points are blue"},
		{"test", map[string]any{"kind": "independence"}, "three more"},
	} {
		p.settings(c.scene, c.settings)
		p.wait("numbers", `document.querySelector('[data-reading]')`)
		p.press("Clear")
		none(c.scene, "No points yet")
		before := p.answers()
		p.drag(".plot canvas", 0.5, 0.5, 0.5, 0.5)
		p.settled(before)
		none(c.scene, c.after)
		p.shot("few-" + c.scene)
		p.clean()
	}
}

// A click anywhere in the picture places a point that is seen, in the corners and beyond the frame
// too, unless it is on a point.
func TestEveryClickPlacesAPoint(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.open("classify")
	n := 160
	for _, at := range [][2]float64{{0.97, 0.97}, {0.9, 0.93}, {0.995, 0.995}, {0.85, 0.9}, {0.02, 0.98}, {0.01, 0.02},
		{0.99, 0.02}, {0.5, 0.985}} {
		p.drag(".plot canvas", at[0], at[1], at[0], at[1])
		n++
		p.has(n)
	}
	s := p.stored()
	p.reader()
	w := eval[map[string]float64](p, `readAddress(location.hash).settings.window`)
	for i := 160; i < n; i++ {
		if x, y := s.Data.Points[2*i], s.Data.Points[2*i+1]; x < w["x0"]-1e-3 || x > w["x1"]+1e-3 || y < w["y0"]-1e-3 ||
			y > w["y1"]+1e-3 {
			t.Errorf("point %d at (%g, %g) is beyond the frame %v", i+1, x, y, w)
		}
	}
	// Close beside a point is another point, on it is the point itself.
	size := eval[[2]float64](p,
		`(() => { const b = document.querySelector('.plot canvas').getBoundingClientRect(); return [b.width, b.height]; })()`)
	u, v := 0.85, 0.9
	p.drag(".plot canvas", u+8/size[0], v, u+8/size[0], v)
	p.has(n + 1)
	p.drag(".plot canvas", u-2/size[0], v, u-2/size[0], v)
	p.drag(".plot canvas", 0.3, 0.95, 0.3, 0.95)
	p.has(n + 2)
	p.clean()
}

// Points and settings go back and forth, by keys and by buttons, to the number.
func TestUndo(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.open("classify")
	norm := func(what string, want float64) {
		t.Helper()
		p.wait(fmt.Sprintf("‖f‖ = %g %s", want, what),
			fmt.Sprintf(`Number(document.querySelector('[data-reading="norm"]')?.dataset.value) === %v`, want))
	}
	now := func() float64 { return p.reading("norm") }
	first := now()
	before := p.answers()
	p.drag(".plot canvas", 0.3, 0.8, 0.45, 0.55)
	p.settled(before)
	p.has(161)
	p.wait("the numbers of the drag's end", `!document.querySelector('.stale')`)
	placed := now()
	before = p.answers()
	p.slide("C", 0.2)
	p.settled(before)
	p.wait("the address", `location.hash.includes('params.C')`)
	slid := now()
	if first == placed || placed == slid {
		t.Fatalf("‖f‖ %g, %g, %g: nothing to tell apart", first, placed, slid)
	}
	undo := chromedp.KeyEvent("z", chromedp.KeyModifiers(2)) // Ctrl
	redo := chromedp.KeyEvent("Z", chromedp.KeyModifiers(2|8))
	p.do(undo)
	norm("after the slider is undone", placed)
	p.do(undo)
	norm("after the point is undone", first)
	if !eval[bool](p, `document.getElementById('undo').disabled`) {
		t.Error("there is more to undo than was done")
	}
	p.do(redo)
	norm("after the point is done again", placed)
	p.press("Redo")
	norm("after the slider is done again", slid)
	p.press("Undo")
	norm("by the button", placed)
	// What is done after a step back has no way forth.
	before = p.answers()
	p.slide("C", 0.9)
	p.settled(before)
	p.wait("no way forth", `document.getElementById('redo').disabled`)
	// Clear comes back, and a text has a way back of its own.
	p.press("Clear")
	p.wait("no points", `readAddress(location.hash).settings?.data?.points?.length === 0`)
	p.do(undo)
	p.has(161)
	p.settled(0)
	p.write(0, "linear()", 0)
	p.do(chromedp.KeyEvent(kb.Backspace), undo)
	p.wait("the text", `document.querySelector('.kernel input.code').value.startsWith('linear(')`)
	p.has(161)
	p.clean()
}
