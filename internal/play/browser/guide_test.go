package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The guide is walked from its first step to its last, on a telephone, a tablet and a desk (with
// -short once, each step on one of them): each step has a task, opens its scene without a fault, and
// its link restores it.
func TestGuide(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	widths := []int{390, 1440, 768}
	for walk := range widths {
		if testing.Short() && walk > 0 {
			break
		}
		p.open("guide")
		for step := 1; step <= 8; step++ {
			width := widths[(walk+step)%3]
			p.look(width, width == 390)
			eval[bool](p,
				`(() => { window.painted = 0; const frame = () => { if (++window.painted < 3) requestAnimationFrame(frame); }; requestAnimationFrame(frame); return true; })()`)
			p.wait("the page to be laid out", `window.painted >= 3`)
			p.wait(fmt.Sprintf("step %d", step),
				fmt.Sprintf(`document.querySelector('[data-step="%d"] .task')?.textContent.startsWith('Try: ')`, step))
			p.settled(0)
			if f := p.faults(); len(f) > 0 {
				t.Errorf("step %d: %v", step, f)
			}
			if over := eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("step %d is %g pixels wider than the screen", step, over)
			}
			p.accessible(fmt.Sprint("step ", step))
			p.shot(fmt.Sprintf("guide-%d-%d", width, step))
			p.wait("the address", fmt.Sprintf(`location.hash.startsWith('#/guide?step=%d')`, step))
			if step < 8 {
				eval[bool](p,
					`[...document.querySelectorAll('.lesson button')].find((b) => b.textContent.startsWith('Next')).click() ?? true`)
			}
		}
		if !eval[bool](p, `Boolean(document.querySelector('.lesson a[href="#/gallery"]'))`) {
			t.Error("the last step leads nowhere")
		}
		p.clean()
	}
	// The second step's task does what the step says, and the link keeps it.
	p.open("guide?step=2")
	before := p.reading("training-error")
	if before < 0.2 {
		t.Errorf("a line is wrong for %g of the points of a ring", before)
	}
	p.write(0, "poly(degree=2)", 0)
	p.wait("no error", `Number(document.querySelector('[data-reading="training-error"]')?.dataset.value) < 0.02`)
	p.do(chromedp.KeyEvent(kb.Tab))
	p.wait("the address", `location.hash.includes('poly(degree=2)')`)
	p.open(strings.TrimPrefix(eval[string](p, `location.hash`), "#/"))
	if got := p.reading("training-error"); got > 0.02 {
		t.Errorf("the link restores an error of %g", got)
	}
	if !eval[bool](p, `document.querySelector('[data-step="2"]') !== null`) {
		t.Error("the link leads to another step")
	}
	p.clean()
}

// Every entry of the gallery has a picture, drawn by its scene when it comes into view; the filters
// leave what they say.
func TestGalleryPictures(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(390, false)
	p.open("gallery")
	all := eval[int](p, `document.querySelectorAll('[data-entry]').length`)
	for i := 0; i < all; i++ {
		if testing.Short() && i%6 != 0 {
			continue
		}
		name := eval[string](p,
			fmt.Sprintf(`(() => { const e = document.querySelectorAll('[data-entry]')[%d]; e.scrollIntoView({ block: 'center' }); return e.dataset.entry; })()`,
				i))
		p.wait("a picture of "+name,
			fmt.Sprintf(`document.querySelectorAll('[data-entry]')[%d].querySelector('[data-thumbnail="drawn"]')`, i))
	}
	if wide := eval[float64](p,
		`Math.max(...[...document.querySelectorAll('.card')].map((e) => e.getBoundingClientRect().height))`); wide > 844 {
		t.Errorf("a card is %g pixels high on a telephone", wide)
	}
	p.shot("gallery-390")
	p.accessible("gallery")
	eval[bool](p,
		`(() => { const s = [...document.querySelectorAll('.filters select')][0]; s.value = 'structured'; s.dispatchEvent(new Event('change')); return true; })()`)
	left := eval[[2]int](p,
		`[document.querySelectorAll('[data-entry]').length, [...document.querySelectorAll('[data-entry] h3 a')].filter((a) => a.getAttribute('href').startsWith('#/structured')).length]`)
	if left[0] == 0 || left[0] != left[1] || left[0] >= all {
		t.Errorf("the filter leaves %d entries, %d of the kind, of %d", left[0], left[1], all)
	}
	p.look(1440, true)
	p.open("gallery")
	p.wait("pictures on a desk", `document.querySelectorAll('[data-thumbnail="drawn"]').length >= 8`)
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	p.keep("gallery-1440.png", png)
	// Leaving in the middle of a picture leaves nothing behind.
	p.open("classify")
	if eval[bool](p, `document.querySelector('.stage') !== null`) {
		t.Error("a scene is left out of sight")
	}
	p.clean()
}
