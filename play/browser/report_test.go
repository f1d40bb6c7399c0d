package browser

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// paper is a page that is printed, among the sizes of screens.
const paper = 794

// Reports of each kind fit three sizes of screen and both themes, and are read with a keyboard: a
// main part, names and contrast, and every block that scrolls can be reached.
func TestReports(t *testing.T) {
	chromium(t)
	folder := t.TempDir()
	program := filepath.Join(folder, "mercer")
	if out, err := in("../..", "go", "build", "-o", program, "./cmd/mercer"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rare := "amount,hour,country,fraud\n"
	for i := range 900 {
		amount, answer := 20*rng.ExpFloat64(), "no"
		if i%40 == 0 {
			amount, answer = 90+60*rng.ExpFloat64(), "yes"
		}
		rare += fmt.Sprintf("%.3f,%d,%s,%s\n", amount, rng.IntN(24), []string{"de", "fr", "us"}[i%3], answer)
	}
	if err := os.WriteFile(filepath.Join(folder, "rare.csv"), []byte(rare), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"iris", "mcycle", "rare.csv"} {
		out, err := in(folder, program, "fit", name, "--learner", "ridge,svm", "--folds", "3", "--repeats", "1", "--kernel", "gaussian()", "-q", "-o", "fitted.mercer", "--report", strings.TrimSuffix(name, ".csv")+".html")
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer server.Close()
	p := newTab(t, server.URL+"/iris.html")
	p.expected = []string{"favicon"}
	for name, says := range map[string]string{"iris": "Tells species right", "mcycle": "Predicts accel to within", "rare": "Finds"} {
		for _, width := range []int{390, 768, 1440, paper} {
			for _, dark := range []bool{false, true} {
				if testing.Short() && (width == 768 || dark != (width == 390)) || width == paper && dark {
					continue
				}
				if p.look(width, dark); width == paper {
					p.print()
				}
				p.visit(server.URL + "/" + name + ".html")
				at := fmt.Sprintf("%s at %d, dark %v", name, width, dark)
				if text := eval[string](p, `document.querySelector('main .result b').textContent`); !strings.HasPrefix(text, says) {
					t.Errorf("%s opens with %q", at, text)
				}
				if over := eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("%s is %g pixels wider than the screen", at, over)
				}
				p.accessible(at)
				for _, stuck := range eval[[]string](p, `[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight) && e.tabIndex < 0).map((e) => e.outerHTML.slice(0, 80))`) {
					t.Errorf("%s: the keyboard cannot scroll %s", at, stuck)
				}
				if eval[bool](p, `/NaN|Infinity/.test(document.body.innerText)`) {
					t.Errorf("%s has what is no number", at)
				}
				if long := eval[[]string](p, `document.body.innerText.match(/\d\.\d{8,}/g) ?? []`); len(long) > 0 {
					t.Errorf("%s has %v", at, long)
				}
				p.shot(fmt.Sprintf("report-%s-%d-%v", name, width, dark))
			}
		}
		if name == "rare" && eval[int](p, `[...document.querySelectorAll('figcaption b')].filter((e) => e.textContent === 'Precision and recall').length`) != 1 {
			t.Error("a rare class has no precision and recall")
		}
		// The tables are sorted by keyboard too.
		if !eval[bool](p, `(() => { const th = document.querySelector('table.sortable th:nth-child(3)'); th.querySelector('button').click(); return th.getAttribute('aria-sort') !== null; })()`) {
			t.Error("a click on a heading does not sort")
		}
	}
	p.clean()
}
