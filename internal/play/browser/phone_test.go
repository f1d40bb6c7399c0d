package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// On a telephone the picture stays in sight while any slider of the scene is in the hand, and
// neither covers the other.
func TestPictureAndSlidersTogether(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(390, false)
	for i, s := range scenes {
		if s.name == "gallery" {
			continue
		}
		p.settings(s.name, s.settings)
		p.wait("what is pinned", `document.querySelector('.pinned')`)
		sliders := eval[int](p,
			`[...document.querySelectorAll('.panel input[type=range]')].filter((e) => e.checkVisibility()).length`)
		if sliders == 0 {
			t.Errorf("%s %v: no slider", s.name, s.settings)
		}
		for k := range sliders {
			seen := eval[string](p, fmt.Sprintf(`(() => {
				const e = [...document.querySelectorAll('.panel input[type=range]')].filter((e) => e.checkVisibility())[%d];
				e.scrollIntoView({ block: 'end' });
				scrollBy(0, 40);
				const b = e.getBoundingClientRect();
				const at = document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2);
				if (at !== e) return 'the slider ' + e.labels[0].textContent + ' is covered by ' + at?.outerHTML.slice(0, 80);
				for (const pin of document.querySelectorAll('.pinned')) {
					const c = pin.getBoundingClientRect();
					if (c.top < -1 || c.bottom > innerHeight || c.bottom > b.top) return 'with the slider ' + e.labels[0].textContent + ' at ' + b.top + ' the picture is from ' + c.top + ' to ' + c.bottom;
				}
				return '';
			})()`, k))
			if seen != "" {
				t.Errorf("%s %v: %s", s.name, s.settings, seen)
				break
			}
		}
		png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		p.keep(fmt.Sprintf("phone-%02d-%s.png", i, s.name), png)
		p.clean()
	}
}

// A finger drags a point of the pinned picture with the sliders below it in sight, and a tap beside
// a point places another.
func TestFingerOnThePinnedPicture(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(390, true)
	if _, err := chromedp.Call(p.ctx, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 2}); err != nil {
		t.Fatal(err)
	}
	p.settings("classify", map[string]any{"data": map[string]any{"name": "hand", "points": []float64{-1, 0, 1, 0},
		"kinds": []int{0, 1}}, "window": map[string]any{"x0": -2, "x1": 2, "y0": -2, "y1": 2}})
	eval[bool](p,
		`(() => { document.querySelector('.panel input[type=range]').scrollIntoView({ block: 'end' }); return scrollY > 100; })()`)
	scrolled := eval[float64](p, `scrollY`)
	if scrolled == 0 {
		t.Fatal("the sliders are in sight without scrolling: nothing is tested")
	}
	at := eval[[4]float64](p,
		`(() => { const c = document.querySelector('.plot canvas'); const b = c.getBoundingClientRect(); const left = 44, right = 10, top = 10, bottom = 26; const x = left + 0.25 * (b.width - left - right), y = top + 0.5 * (b.height - top - bottom); return [x / b.width, y / b.height, b.width, b.height]; })()`)
	before := p.answers()
	p.finger(".plot canvas", [2]float64{at[0], at[1]}, [2]float64{at[0] + 0.05, at[1] + 0.1},
		[2]float64{at[0] + 0.1, at[1] + 0.2})
	p.settled(before)
	p.reader()
	p.wait("the point to be elsewhere",
		`(([x, y]) => x > -0.9 && y < -0.2)(readAddress(location.hash).settings.data.points)`)
	p.has(2)
	before = p.answers()
	p.finger(".plot canvas", [2]float64{at[0] + 0.1 + 20/at[2], at[1] + 0.2})
	p.settled(before)
	p.has(3)
	if now := eval[float64](p, `scrollY`); now != scrolled {
		t.Errorf("the page scrolled from %g to %g under the finger", scrolled, now)
	}
	p.clean()
}
