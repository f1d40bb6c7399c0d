package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/png"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// touch brings an element into sight, and puts a finger on it as finger does.
func (p *tab) touch(selector string, path ...[2]float64) {
	p.Helper()
	eval[bool](p, fmt.Sprintf(`(() => { document.querySelector(%q).scrollIntoView({ block: 'center' }); return true; })()`,
		selector))
	p.finger(selector, path...)
}

// finger touches an element where it is, moves and lifts the finger, in shares of the element's
// width and height.
func (p *tab) finger(selector string, path ...[2]float64) {
	p.Helper()
	box := eval[[4]float64](p,
		fmt.Sprintf(`(() => { const b = document.querySelector(%q).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()`,
			selector))
	send := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		if points == nil {
			points = []*input.TouchPoint{}
		}
		if _, err := chromedp.Call(p.ctx, input.DispatchTouchEvent,
			input.DispatchTouchEventParams{Type: kind, TouchPoints: points}); err != nil {
			p.Fatal(err)
		}
	}
	for i, at := range path {
		kind := input.DispatchTouchEventType("touchMove")
		if i == 0 {
			kind = "touchStart"
		}
		send(kind, &input.TouchPoint{X: box[0] + at[0]*box[2], Y: box[1] + at[1]*box[3]})
	}
	send("touchEnd")
}

// has waits until the address has so many points.
func (p *tab) has(points int) {
	p.Helper()
	p.reader()
	p.wait(fmt.Sprintf("%d points", points),
		fmt.Sprintf(`readAddress(location.hash).settings?.data?.points?.length === %d`, 2*points))
}

// A finger places a point, drags one, and erases one, on a telephone; the page does not scroll away
// under it.
func TestTouch(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(390, false)
	if _, err := chromedp.Call(p.ctx, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 2}); err != nil {
		t.Fatal(err)
	}
	p.settings("classify", map[string]any{"data": map[string]any{"name": "hand", "points": []float64{-1, 0, 1, 0},
		"kinds": []int{0, 1}}, "window": map[string]any{"x0": -2, "x1": 2, "y0": -2, "y1": 2}})
	before := p.answers()
	p.touch(".plot canvas", [2]float64{0.5, 0.2}) // a tap where nothing is
	p.settled(before)
	p.has(3)
	scrolled := eval[float64](p, `scrollY`)
	before = p.answers()
	p.touch(".plot canvas", [2]float64{0.5, 0.2}, [2]float64{0.55, 0.4}, [2]float64{0.6, 0.6}, [2]float64{0.6, 0.7})
	p.settled(before)
	p.wait("the point to be elsewhere", `readAddress(location.hash).settings.data.points[5] < 0`)
	p.has(3)
	if now := eval[float64](p, `scrollY`); now != scrolled {
		t.Errorf("the page scrolled from %g to %g under the finger", scrolled, now)
	}
	eval[bool](p,
		`[...document.querySelectorAll('.swatches button')].find((b) => b.textContent === 'erase').click() ?? true`)
	before = p.answers()
	p.touch(".plot canvas", [2]float64{0.6, 0.7})
	p.settled(before)
	p.has(2)
	// What a finger means to hit is large enough to be hit.
	for _, small := range eval[[]string](p,
		`[...document.querySelectorAll('button, select, input[type=range], input[type=text], input[type=number], nav a')].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.outerHTML.slice(0, 80))`) {
		t.Errorf("less than 24 pixels high: %s", small)
	}
	p.clean()
}

// On paper a scene is light whatever the theme, without what cannot be pressed there, and fits the
// sheet.
func TestPrint(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	for _, scene := range []string{"classify", "regress", "density", "gallery"} {
		p.look(1440, true)
		p.open(scene)
		r, err := chromedp.Call(p.ctx, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69})
		if err != nil {
			t.Fatal(err)
		}
		pages := bytes.Count(r.Data, []byte("/Type /Page\n")) + bytes.Count(r.Data,
			[]byte("/Type /Page/")) + bytes.Count(r.Data, []byte("/Type /Page "))
		if len(r.Data) < 5000 || pages == 0 {
			t.Errorf("%s: a document of %d bytes and %d pages", scene, len(r.Data), pages)
		}
		p.keep("print-"+scene+".pdf", r.Data)
		// The same sheet as the screen would have it, to look at what is on it.
		p.do(chromedp.EmulateViewport(794, 1123))
		if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Media: "print",
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}); err != nil {
			t.Fatal(err)
		}
		eval[bool](p, `window.dispatchEvent(new Event('beforeprint'))`)
		p.wait("a frame", `(window.frames_ = (window.frames_ ?? 0) + 1) > 3`)
		if over := eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s is %g pixels wider than the sheet", scene, over)
		}
		for _, left := range eval[[]string](p,
			`[...document.querySelectorAll('button, nav a, input[type=range]')].filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 80))`) {
			t.Errorf("%s: on paper there is %s", scene, left)
		}
		png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			t.Fatal(err)
		}
		picture, _, err := image.Decode(bytes.NewReader(png))
		if err != nil {
			t.Fatal(err)
		}
		if share := darkShare(picture); share > 0.25 {
			t.Errorf("%s: %.0f %% of the sheet is dark", scene, 100*share)
		}
		p.keep("print-"+scene+".png", png)
		eval[bool](p, `window.dispatchEvent(new Event('afterprint'))`)
		p.clean()
	}
}

// darkShare is the share of pixels that are nearer to black than to white.
func darkShare(m image.Image) float64 {
	dark, all, b := 0, 0, m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 3 {
		for x := b.Min.X; x < b.Max.X; x += 3 {
			r, g, blue, _ := m.At(x, y).RGBA()
			if all++; r+g+blue < 3*0x7fff {
				dark++
			}
		}
	}
	return float64(dark) / float64(all)
}

// Six classes, each by its key, and a seventh key that does nothing.
func TestSixClasses(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.settings("classify", map[string]any{"data": map[string]any{"name": "hand", "points": []float64{}, "kinds": []int{}},
		"window": map[string]any{"x0": -2, "x1": 2, "y0": -2, "y1": 2}})
	eval[bool](p, `document.querySelector('.plot canvas').focus() ?? true`)
	for i := range 7 {
		p.do(chromedp.KeyEvent(fmt.Sprint(i + 1)))
		p.drag(".plot canvas", 0.15+0.1*float64(i), 0.2+0.08*float64(i%3), 0.15+0.1*float64(i), 0.2+0.08*float64(i%3))
		p.drag(".plot canvas", 0.15+0.1*float64(i), 0.6+0.08*float64(i%2), 0.15+0.1*float64(i), 0.6+0.08*float64(i%2))
	}
	p.has(14)
	s := p.stored()
	if got := fmt.Sprint(s.Data.Kinds); got != "[0 0 1 1 2 2 3 3 4 4 5 5 5 5]" {
		t.Fatalf("classes %s", got)
	}
	p.wait("the numbers of all points",
		`Number(document.querySelector('[data-reading="norm"]')?.dataset.value) > 0 && !document.querySelector('.fault')`)
	p.open(eval[string](p, `location.hash.slice(2)`)) // as the link has it
	m := machineOf(t, s.Data.Points, s.Data.Kinds, 0.5, 10)
	if got, want := p.reading("norm"), m.Func().Norm(); !near(got, want, 1e-6) {
		t.Errorf("‖f‖ is %v on the page, %v in the library", got, want)
	}
	p.clean()
}

// Two columns of a table, chosen by their names: the numbers are those of the library for them.
func TestColumnsOfATable(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.open("classify")
	iris, err := data.Builtin("iris", 0)
	if err != nil {
		t.Fatal(err)
	}
	table := "w,x,y,z,kind\\n"
	for i := range iris.Len() {
		for _, c := range iris.Columns {
			table += c.String(i) + ","
		}
		table = table[:len(table)-1] + "\\n"
	}
	choose := func(label, value string) {
		if !eval[bool](p,
			fmt.Sprintf(`(() => { const l = [...document.querySelectorAll('.menu label')].find((e) => e.textContent === %q && e.offsetParent); if (!l) return false; const s = document.getElementById(l.htmlFor); s.value = %q; s.dispatchEvent(new Event('change')); return s.value === %q; })()`,
				label, value, value)) {
			t.Fatalf("no %q to choose for %q", value, label)
		}
	}
	choose("Points", "csv")
	eval[bool](p, `(() => { const e = document.querySelector('textarea'); e.value = '`+table+
		`'; e.dispatchEvent(new Event('input', { bubbles: true })); [...document.querySelectorAll('button')].find((b) => b.textContent === 'Use the table').click(); return true; })()`)
	p.wait("menus of columns", `document.querySelectorAll('.columns select').length === 3`)
	choose("across", "z") // and at once, before the answer:
	choose("up", "y")
	var xy []float64
	var class []int
	for i := range iris.Len() {
		xy = append(xy, iris.Columns[3].Numbers[i], iris.Columns[2].Numbers[i])
		class = append(class, i/50)
	}
	m, err := svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.5},
		C: 10}.Fit(context.Background(), data.Rows(mat.NewDense(len(class), 2, xy)), class)
	if err != nil {
		t.Fatal(err)
	}
	want := m.Func().Norm()
	p.wait(fmt.Sprintf("‖f‖ = %g", want),
		fmt.Sprintf(`Math.abs(Number(document.querySelector('[data-reading="norm"]')?.dataset.value) / %v - 1) < 1e-9`, want))
	p.wait("the names of the classes",
		`[...document.querySelectorAll('.panel .legend li')].map((e) => e.textContent).join() === 'setosa,versicolor,virginica'`)
	p.clean()
}
