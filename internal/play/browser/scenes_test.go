package browser

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/play"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// scenes are all scenes of the page, with something to drag on each and the reading that answers.
var scenes = []struct {
	name     string
	settings map[string]any
	drag     string     // selector
	path     [4]float64 // from and to, in shares
	slide    string     // label of a slider instead
}{
	{name: "classify", drag: ".plot canvas", path: [4]float64{0.3, 0.5, 0.6, 0.4}},
	{name: "regress", drag: ".plot canvas", path: [4]float64{0.5, 0.5, 0.55, 0.3}},
	{name: "regress", settings: map[string]any{"learner": "basis",
		"kernel": map[string]any{"text": "gaussian(lengthscale=0.5)"}}, slide: "centres"},
	{name: "regress", settings: map[string]any{"learner": "rvm"}, drag: ".plot canvas",
		path: [4]float64{0.5, 0.5, 0.55, 0.3}},
	{name: "density", drag: ".plot canvas", path: [4]float64{0.5, 0.5, 0.55, 0.5}},
	{name: "density", settings: map[string]any{"method": "neighbours"}, slide: "neighbours k"},
	{name: "look", slide: "lengthscale (gaussian)"},
	{name: "project", settings: map[string]any{"part": "components"}, drag: ".plot canvas",
		path: [4]float64{0.5, 0.5, 0.7, 0.4}},
	{name: "project", settings: map[string]any{"part": "denoise"}, drag: ".pixels canvas",
		path: [4]float64{0.2, 0.2, 0.8, 0.8}},
	{name: "project", settings: map[string]any{"part": "correlate"}, drag: ".plot canvas",
		path: [4]float64{0.5, 0.5, 0.7, 0.4}},
	{name: "project", settings: map[string]any{"part": "cluster"}, drag: ".plot canvas",
		path: [4]float64{0.5, 0.5, 0.8, 0.4}},
	{name: "project", settings: map[string]any{"part": "cluster", "method": "spectral"}, slide: "groups"},
	{name: "project", settings: map[string]any{"part": "cluster", "method": "medoids"}, slide: "groups"},
	{name: "project", settings: map[string]any{"part": "latent", "n": 40}, slide: "rows"},
	{name: "test", settings: map[string]any{"kind": "two-sample"}, drag: ".plot canvas",
		path: [4]float64{0.3, 0.3, 0.7, 0.4}},
	{name: "test", settings: map[string]any{"kind": "independence"}, drag: ".plot canvas",
		path: [4]float64{0.5, 0.5, 0.7, 0.4}},
	{name: "search", slide: "folds"},
	{name: "search", settings: map[string]any{"task": "regress", "learner": "ridge",
		"data": map[string]any{"name": "sinc"}, "up": map[string]any{"low": 1e-5, "high": 10, "steps": 8}}, slide: "folds"},
	{name: "structured", settings: map[string]any{"on": "strings"}, slide: "k (spectrum)"},
	{name: "structured", settings: map[string]any{"on": "trees"}, slide: "decay (subsettree)"},
	{name: "structured", settings: map[string]any{"on": "graphs"}, drag: "[data-node='0'] circle",
		path: [4]float64{0.5, 0.5, 2, 2}},
	{name: "structured", settings: map[string]any{"on": "bags"}, drag: ".plot canvas",
		path: [4]float64{0.5, 0.5, 0.7, 0.4}},
	{name: "structured", settings: map[string]any{"on": "series"}, slide: "width (gak)"},
	{name: "structured", settings: map[string]any{"on": "rankings",
		"rankings": map[string]any{"kernel": map[string]any{"text": "mallows(rate=0.2)"}}}, slide: "rate (mallows)"},
	{name: "classify", settings: map[string]any{"learner": "forest"}, slide: "trees"},
	{name: "gallery"},
}

// Every scene opens on a telephone, a tablet and a desk, in both themes (with -short in one of
// them), answers what is dragged, keeps within the screen, has a name for every control and
// contrast for every word.
func TestScenes(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	for i, s := range scenes {
		for j, width := range []int{390, 768, 1440, 1920} {
			for _, dark := range []bool{false, true} {
				if testing.Short() && (j != i%3 || dark != (width == 390)) {
					continue
				}
				name := fmt.Sprintf("%02d-%s-%d-%s", i, s.name, width, map[bool]string{true: "dark", false: "light"}[dark])
				p.look(width, dark)
				p.settings(s.name, s.settings)
				if s.drag != "" {
					before := p.answers()
					p.drag(s.drag, s.path[0], s.path[1], s.path[2], s.path[3])
					p.settled(before)
				} else if s.slide != "" {
					before := p.answers()
					p.slide(s.slide, 0.3)
					p.settled(before)
				}
				if f := p.faults(); len(f) > 0 {
					t.Errorf("%s: %v", name, f)
				}
				if over := eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("%s is %g pixels wider than the screen", name, over)
				}
				p.accessible(name)
				p.shot(name)
				p.clean()
			}
		}
	}
}

// accessibility lists controls without a name and words without contrast (4.5 : 1; 3 : 1 where they
// are large), as WCAG 2 counts.
const accessibility = `(() => {
	const out = [];
	const named = (e) => e.getAttribute('aria-label') || e.title || e.textContent.trim() || (e.labels && [...e.labels].some((l) => l.textContent.trim())) || e.placeholder;
	for (const e of document.querySelectorAll('button, a, input, select, textarea, canvas, svg[role], [role=button]')) if (e.checkVisibility() && !named(e)) out.push('no name: ' + e.outerHTML.slice(0, 120));
	const ids = new Set();
	for (const e of document.querySelectorAll('[id]')) { if (ids.has(e.id)) out.push('twice the id ' + e.id); ids.add(e.id); }
	if (!document.documentElement.lang) out.push('no language');
	if (!document.querySelector('main')) out.push('no main');
	const rgb = (s) => (s.match(/[\d.]+/g) ?? []).map(Number);
	const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
	const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const seen = new Set();
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.textContent.trim() || seen.has(e) || !e.checkVisibility() || e.closest('.unseen, svg, .swatches, option, noscript, script, style')) continue;
		seen.add(e);
		const style = getComputedStyle(e);
		const a = light(rgb(style.color)) + 0.05, b = light(ground(e)) + 0.05;
		const ratio = Math.max(a, b) / Math.min(a, b);
		if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) out.push('contrast ' + ratio.toFixed(2) + ': ' + walk.currentNode.textContent.trim().slice(0, 40));
	}
	return out;
})()`

// stored is the points that the address has after they were changed by hand.
type stored struct {
	Data struct {
		Points []float64 `json:"points"`
		Kinds  []int     `json:"kinds"`
	} `json:"data"`
}

func (p *tab) stored() stored {
	p.Helper()
	p.reader()
	p.wait("the address to have the points", `readAddress(location.hash).settings?.data?.points`)
	s := eval[stored](p, `readAddress(location.hash).settings`)
	if s.Data.Kinds == nil {
		s.Data.Kinds = make([]int, len(s.Data.Points)/2)
	}
	return s
}

// reader lets scripts of a test read addresses as the page does.
func (p *tab) reader() {
	p.Helper()
	eval[bool](p, `import('./state.js').then((m) => { window.readAddress = m.readAddress; }) && true`)
	p.wait("the reader of addresses", `window.readAddress`)
}

// near compares numbers of points that an address rounds to four digits.
func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*(1+math.Abs(b)) }

func machineOf(t *testing.T, xy []float64, class []int, lengthscale, c float64) *svm.Classifier[kernel.Vec, int] {
	t.Helper()
	m, err := svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: lengthscale},
		C: c}.Fit(context.Background(), data.Rows(mat.NewDense(len(class), 2, xy)), class)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// moons is the set that the scene opens with.
func moons(n int) (xy []float64, class []int) {
	d := data.Moons(n, 0.1, 1)
	for i := range n {
		xy, class = append(xy, d.Columns[0].Numbers[i], d.Columns[1].Numbers[i]),
			append(class, int(d.Columns[2].String(i)[0]-'a'))
	}
	return xy, class
}

func TestClassifyShowsTheLibrarysNumbers(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.open("classify")
	xy, class := moons(160)
	m := machineOf(t, xy, class, 0.5, 10)
	if got, want := p.reading("norm"), m.Func().Norm(); !near(got, want, 1e-12) {
		t.Errorf("‖f‖ is %v on the page, %v in the library", got, want)
	}
	if got, want := p.reading("support"), float64(len(m.Support())); got != want {
		t.Errorf("%v support vectors on the page, %v in the library", got, want)
	}
	// A point placed and dragged: the address has it, and the numbers are those of the points with
	// it.
	before := p.answers()
	p.drag(".plot canvas", 0.3, 0.8, 0.45, 0.55)
	p.settled(before)
	s := p.stored()
	if len(s.Data.Kinds) != 161 {
		t.Fatalf("%d points after one was placed", len(s.Data.Kinds))
	}
	m = machineOf(t, s.Data.Points, s.Data.Kinds, 0.5, 10)
	if got, want := p.reading("norm"), m.Func().Norm(); !near(got, want, 1e-12) {
		t.Errorf("with the new point ‖f‖ is %v on the page, %v in the library", got, want)
	}
	// The link restores it, to the number.
	was := eval[string](p, `location.href`)
	norm := p.reading("norm")
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(was))
	p.settled(0)
	if got := p.reading("norm"); got != norm {
		t.Errorf("the link restores ‖f‖ = %v, it was %v", got, norm)
	}
	// A slider: the kernel's text follows.
	before = p.answers()
	p.slide("C", 0.8)
	p.settled(before)
	before = p.answers()
	p.slide("lengthscale (gaussian)", 0.25)
	p.settled(before)
	if text := eval[string](p, `document.querySelector('.kernel input.code').value`); text == "gaussian(lengthscale=0.5)" {
		t.Errorf("the text is still %s", text)
	}
	p.clean()
}

func TestKeyboardPlacesAndErases(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.settings("classify", map[string]any{"data": map[string]any{"name": "hand", "points": []float64{-1, 0, 1, 0},
		"kinds": []int{0, 1}}})
	eval[bool](p, `document.querySelector('.plot canvas').focus() ?? true`)
	before := p.answers()
	p.do(chromedp.KeyEvent("2"), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Enter))
	p.settled(before)
	p.has(3)
	if s := p.stored(); s.Data.Kinds[2] != 1 {
		t.Errorf("the new point is of class %d", s.Data.Kinds[2])
	}
	p.do(chromedp.KeyEvent(kb.Delete))
	p.has(2)
	p.clean()
}

func TestRegressShowsTheLibrarysNumbers(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.open("regress")
	d := data.Sinc(60, 0.1, 1)
	x := data.Rows(mat.NewDense(60, 1, d.Columns[0].Numbers))
	m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Lambda: 0.1,
		Intercept: true}.Fit(context.Background(), x, d.Columns[1].Numbers)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.reading("norm"), m.Func().Norm(); !near(got, want, 1e-12) {
		t.Errorf("‖f‖ is %v on the page, %v in the library", got, want)
	}
	p.clean()
}

// Every entry of the gallery opens as a scene, without a fault, each of its panels too, and shows
// what its program prints.
func TestGallery(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	entries, err := play.Gallery()
	if err != nil {
		t.Fatal(err)
	}
	p.open("gallery")
	if n := eval[int](p, `document.querySelectorAll('[data-entry]').length`); n != len(entries) {
		t.Errorf("%d cards for %d entries", n, len(entries))
	}
	printed := outputs(t)
	for _, e := range entries {
		p.settings(e.Scene, e.Settings)
		if f := p.faults(); len(f) > 0 {
			t.Errorf("%s: %v", e.Name, f)
		}
		if e.Shows != "" {
			if v := p.reading(e.Shows); !prints(printed[e.Program], v) {
				t.Errorf("%s: %s is %v on the page; its program prints %q", e.Name, e.Shows, v, printed[e.Program])
			}
		}
		if over := eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s is %g pixels wider than the screen", e.Name, over)
		}
		p.shot("gallery-" + e.Name)
		for _, v := range e.Variants {
			if testing.Short() {
				break
			}
			s := maps.Clone(e.Settings)
			maps.Copy(s, v.Settings)
			p.settings(e.Scene, s)
			if f := p.faults(); len(f) > 0 {
				t.Errorf("%s, %s: %v", e.Name, v.Label, f)
			}
			p.shot("gallery-" + e.Name + "-" + v.Label)
		}
		p.clean()
	}
}

// outputs is what the programs of the gallery print, as their tests have it.
func outputs(t *testing.T) map[string]string {
	files, err := filepath.Glob("../gallery_code_*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	out := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?ms)^func Example_(\w+)\(\) \{.*?// Output:(.*?)^\}`).FindAllStringSubmatch(string(text),
			-1) {
			out[m[1]] = m[2]
		}
	}
	return out
}

// prints says whether a text has a number, to as many digits as it is printed with.
func prints(text string, v float64) bool {
	for _, word := range regexp.MustCompile(`-?\d+(\.\d+)?(e[-+]\d+)?`).FindAllString(text, -1) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			continue
		}
		half := 0.0 // a whole number is printed as it is
		if _, after, ok := strings.Cut(word, "."); ok {
			half = 0.500001 * math.Pow(10, -float64(len(after)))
		}
		if math.Abs(x-v) <= half {
			return true
		}
	}
	return false
}
