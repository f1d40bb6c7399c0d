package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// write puts the cursor into the kernel box with a number, empties it by hand, and types a text as
// a person does: a key at a time, with a pause after each, of so many looks at the page, in which
// answers and faults of the unfinished text come in. What it asserts holds whatever the pause.
func (p *tab) write(box int, text string, pause int) {
	p.Helper()
	eval[bool](p,
		fmt.Sprintf(`(() => { const e = document.querySelectorAll('.kernel input.code')[%d]; e.closest('details')?.setAttribute('open', ''); e.scrollIntoView({ block: 'center' }); e.focus(); e.select(); return true; })()`,
			box))
	p.do(chromedp.KeyEvent(kb.Delete))
	for _, key := range text {
		p.wait("a moment", fmt.Sprintf(`(window.looks_ = (window.looks_ ?? -1) + 1) >= %d && ((window.looks_ = -1), true)`,
			pause))
		p.do(chromedp.KeyEvent(string(key)))
	}
}

// Whole kernels are typed in every scene that has the box; nothing that the page says of the
// unfinished text takes a key away.
func TestKernelsAreTyped(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	vectors := "0.5 * matern(nu=1.5, lengthscale=0.3) + linear()"
	for _, c := range []struct {
		scene    string
		settings map[string]any
		texts    []string // one for each box
		pause    int
	}{
		{"classify", nil, []string{vectors}, 1},
		{"classify", nil, []string{"gaussian(lengthscale=0.7)"}, 3},
		{"regress", nil, []string{"matern(nu=1.5, lengthscale=0.3)"}, 1},
		{"look", nil, []string{"rq(lengthscale=2, alpha=0.5)", "(linear() + 1)^2"}, 1},
		{"project", map[string]any{"part": "components"}, []string{vectors}, 1},
		{"project", map[string]any{"part": "correlate"}, []string{"laplace(lengthscale=0.5)",
			"matern(nu=2.5, lengthscale=0.6)"}, 1},
		{"project", map[string]any{"part": "cluster"}, []string{"laplace(lengthscale=0.4)"}, 1},
		{"project", map[string]any{"part": "latent", "n": 30}, []string{"gaussian(lengthscale=3)"}, 1},
		{"test", map[string]any{"kind": "two-sample"}, []string{"laplace(lengthscale=1.5)"}, 1},
		{"test", map[string]any{"kind": "independence"}, []string{"laplace(lengthscale=1.5)", "gaussian(lengthscale=0.8)"},
			1},
		{"search", nil, []string{"matern(nu=1.5, lengthscale=0.3)"}, 1},
		{"structured", map[string]any{"on": "strings"}, []string{"normalize(spectrum(k=3))"}, 1},
		{"structured", map[string]any{"on": "trees"}, []string{"partialtree(gap=0.5, depth=0.3)"}, 1},
		{"structured", map[string]any{"on": "graphs"}, []string{"normalize(wl(h=3))"}, 1},
		{"structured", map[string]any{"on": "bags"}, []string{"meanembedding(kernel=gaussian(lengthscale=1))"}, 1},
	} {
		p.settings(c.scene, c.settings)
		if boxes := eval[int](p, `document.querySelectorAll('.kernel input.code').length`); boxes != len(c.texts) {
			t.Fatalf("%s %v: %d kernel boxes, %d texts", c.scene, c.settings, boxes, len(c.texts))
		}
		for box, text := range c.texts {
			p.write(box, text, c.pause)
			got := eval[string](p, fmt.Sprintf(`document.querySelectorAll('.kernel input.code')[%d].value`, box))
			if got != text {
				t.Errorf("%s %v: typed %q, the box has %q", c.scene, c.settings, text, got)
			}
			if at := eval[[2]int](p,
				fmt.Sprintf(`(() => { const e = document.querySelectorAll('.kernel input.code')[%d]; return [e.selectionStart, e.selectionEnd]; })()`,
					box)); at != [2]int{len(text), len(text)} {
				t.Errorf("%s %v: the cursor is at %v of %d letters", c.scene, c.settings, at, len(text))
			}
			p.wait("no fault at "+text,
				`!document.querySelector('.kernel .fault') && !document.querySelector('.kernel [aria-invalid]')`)
		}
		p.clean()
	}
}

// The place of a fault is marked beside the box, and neither the cursor nor the selection moves.
func TestFaultsLeaveTheCursor(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.open("classify")
	p.write(0, "gaussian(lenghscale=1) + linear()", 0)
	p.wait("the marked place", `document.querySelector('.kernel .fault mark')?.textContent === 'l'`)
	eval[bool](p, `document.querySelector('.kernel input.code').setSelectionRange(2, 5) ?? true`)
	p.do(chromedp.KeyEvent("x"))
	p.wait("a new fault", `document.querySelector('.kernel .fault')?.textContent.includes('gaxian')`)
	if at := eval[[2]int](p,
		`(() => { const e = document.querySelector('.kernel input.code'); return [e.selectionStart, e.selectionEnd]; })()`); at != [2]int{3,
		3} {
		t.Errorf("the cursor is at %v", at)
	}
	p.shot("typing-fault")
	p.clean()
}

// Names and parameters are offered, and taken by arrow and Enter or by a click; whoever goes on
// typing is not held up.
func TestCompletion(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.open("classify")
	value := func() string { return eval[string](p, `document.querySelector('.kernel input.code').value`) }
	offered := func() string {
		return strings.Join(eval[[]string](p,
			`[...document.querySelectorAll('.completion li .code')].map((e) => e.textContent)`), " ")
	}
	p.write(0, "mat", 0)
	if got := offered(); !strings.HasPrefix(got, "matern") {
		t.Fatalf("for mat there is %q", got)
	}
	p.shot("typing-names")
	p.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	if got := value(); got != "matern()" {
		t.Fatalf("taken: %q", got)
	}
	if got := offered(); !strings.Contains(got, "nu") || !strings.Contains(got, "lengthscale") {
		t.Fatalf("parameters of matern: %q", got)
	}
	p.do(chromedp.KeyEvent("n"), chromedp.KeyEvent("u"), chromedp.KeyEvent("="), chromedp.KeyEvent("1"),
		chromedp.KeyEvent(","), chromedp.KeyEvent(" "))
	if got := offered(); got != "lengthscale" {
		t.Fatalf("parameters that are left: %q", got)
	}
	p.wait("the fault of the last text", `document.querySelector('.kernel .fault')?.textContent.includes('column 14')`)
	box := eval[[2]float64](p,
		`(() => { const b = document.querySelector('.completion li').getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`)
	p.do(chromedp.MouseClickXY(box[0], box[1]), chromedp.KeyEvent("2"))
	if got := value(); got != "matern(nu=1, lengthscale=2)" {
		t.Fatalf("with a click: %q", got)
	}
	p.wait("no fault", `!document.querySelector('.kernel .fault')`)
	p.do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(" "), chromedp.KeyEvent("+"), chromedp.KeyEvent(" "),
		chromedp.KeyEvent("g"))
	if offered() == "" {
		t.Fatal("nothing is offered behind a sign")
	}
	p.do(chromedp.KeyEvent(kb.Escape))
	if got := offered(); got != "" || value() != "matern(nu=1, lengthscale=2) + g" {
		t.Fatalf("after Escape %q is offered, and the text is %q", got, value())
	}
	p.clean()
}

// Numbers that come in late have their places before: what is offered does not move under the hand
// of who clicks on it.
func TestLateNumbersMoveNothing(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	p.open("classify")
	p.wait("all numbers", `document.querySelector('[data-reading="cv-error"]')`)
	// Every place of the box from here on, whenever something is drawn.
	eval[bool](p, `(() => {
		const box = document.querySelector('.kernel input.code');
		const place = () => box.getBoundingClientRect().y + scrollY;
		window.places_ = new Set([place()]);
		new MutationObserver(() => window.places_.add(place())).observe(document.querySelector('.panel'), { childList: true, subtree: true });
		return true;
	})()`)
	settled := eval[int](p, `Number(document.querySelector('.scene').dataset.settled)`)
	p.do(chromedp.Click(`.kernel button[title^="Half"]`))
	p.wait("the next answer",
		fmt.Sprintf(`Number(document.querySelector('.scene').dataset.settled) > %d && document.querySelector('[data-reading="cv-error"]')`,
			settled))
	if places := eval[[]float64](p, `[...window.places_]`); len(places) != 1 {
		t.Errorf("the box stood at %v", places)
	}
	p.clean()
}
