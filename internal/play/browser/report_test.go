package browser

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// paper is a page that is printed, among the sizes of screens.
const paper = 794

// kinds are the sorts of report that there are: the data and the flags of a fit that makes one, and
// how its answer begins. Of tests with -short each is looked at in one size, all of them without.
var kinds = []struct {
	name, says string
	table      func(rng *rand.Rand) string // nil: a built-in set
	flags      []string
	answers    func(rng *rand.Rand) string // of nodes, where the table is of edges; nil: it is of rows
}{
	{"iris", "Tells species right", nil, []string{"--learner", "ridge,svm"}, nil},
	{"mcycle", "Predicts accel to within", nil, []string{"--learner", "ridge"}, nil},
	{"rare", "Finds", func(rng *rand.Rand) string {
		return rowsOf("amount,hour,country,fraud", 900, func(i int) string {
			amount, answer := 20*rng.ExpFloat64(), "no"
			if i%40 == 0 {
				amount, answer = 90+60*rng.ExpFloat64(), "yes"
			}
			return fmt.Sprintf("%.3f,%d,%s,%s", amount, rng.IntN(24), []string{"de", "fr", "us"}[i%3], answer)
		})
	}, []string{"--learner", "ridge"}, nil},
	{"grades", "Tells grade right", func(rng *rand.Rand) string {
		return rowsOf("effort,talent,grade", 150, func(int) string {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			return fmt.Sprintf("%.2f,%.2f,%.0f", a, b, math.Round(min(5, max(1, 3+a+b+rng.NormFloat64()/2))))
		})
	}, []string{"--task", "ordinal"}, nil},
	{"sales", "Forecasts sold 6 steps ahead", func(rng *rand.Rand) string {
		return rowsOf("month,sold", 72, func(i int) string {
			return fmt.Sprintf("%d-%02d-01,%.1f", 2010+i/12, i%12+1,
				100+float64(i)+20*math.Sin(float64(i)*math.Pi/6)+4*rng.NormFloat64())
		})
	}, []string{"--forecast", "6", "--order", "month"}, nil},
	{"pair", "One model of 2 targets", func(rng *rand.Rand) string {
		return rowsOf("x,width,height,a_column_with_a_rather_long_name_of_its_own", 120, func(int) string {
			x := 6*rng.Float64() - 3
			return fmt.Sprintf("%.3f,%.3f,%.3f,%.3f", x, math.Sin(x)+rng.NormFloat64()/10, math.Cos(x)+rng.NormFloat64()/10,
				x*x+rng.NormFloat64())
		})
	}, []string{"--target", "width,height", "--learner", "ridge"}, nil},
	{"visits", "Predicts visits to within", func(rng *rand.Rand) string {
		return rowsOf("hour,temperature,visits", 120, func(int) string {
			hour, temperature := rng.IntN(24), 5+20*rng.Float64()
			return fmt.Sprintf("%d,%.1f,%.0f", hour, temperature,
				max(0, math.Round(math.Exp(1+0.08*temperature+0.5*math.Sin(float64(hour)/4))+2*rng.NormFloat64())))
		})
	}, []string{"--learner", "gp(likelihood=poisson)"}, nil},
	{"queries", "Orders 40 rows it never saw by relevance", func(rng *rand.Rand) string {
		return rowsOf("query,words,links,relevance", 200, func(i int) string {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			return fmt.Sprintf("%d,%.2f,%.2f,%.0f", i/8, a, b, math.Round(max(0, min(3, 1.5+a+0.4*rng.NormFloat64()))))
		})
	}, []string{"--task", "rank", "--groups", "query", "--learner", "ridge"}, nil},
	{"pumps", "Tells ", func(rng *rand.Rand) string {
		return rowsOf("pressure,temperature,material,state", 240, func(i int) string {
			pressure, state := 5+rng.NormFloat64()/3, "sound"
			if i%20 == 0 {
				pressure, state = 8+rng.NormFloat64(), "broken"
			}
			return fmt.Sprintf("%.3f,%.2f,%s,%s", pressure, 40+rng.NormFloat64(), []string{"steel", "brass"}[i%2], state)
		})
	}, []string{"--task", "novelty", "--target", "state", "--positive", "broken"}, nil},
	{"places", "Tells ", func(rng *rand.Rand) string {
		return rowsOf("east,north", 120, func(int) string {
			return fmt.Sprintf("%.3f,%.3f", rng.NormFloat64(),
				rng.NormFloat64())
		})
	}, []string{"--task", "novelty"}, nil},
	{"friends", "Tells team right for", func(rng *rand.Rand) string {
		return rowsOf("from,to", 240, func(int) string {
			a := rng.IntN(60)
			b := (a + 2*rng.IntN(30)) % 60 // of one team
			if rng.IntN(8) == 0 {
				b = rng.IntN(60)
			}
			return fmt.Sprintf("person %d,person %d", a, b)
		})
	}, nil, func(rng *rand.Rand) string {
		return rowsOf("person,team", 30, func(i int) string {
			return fmt.Sprintf("person %d,%s", i,
				[]string{"red", "blue"}[i%2])
		})
	}},
	{"depth", "Tells depth to within", func(*rand.Rand) string {
		return rowsOf("from,to", 80, func(i int) string { return fmt.Sprintf("%d,%d", i, i+1+i/79) })
	}, nil, func(rng *rand.Rand) string {
		return rowsOf("place,depth", 40, func(i int) string {
			return fmt.Sprintf("%d,%.2f", 2*i,
				math.Sin(float64(i)/6)+rng.NormFloat64()/20)
		})
	}},
}

// rowsOf is a table of n rows.
func rowsOf(head string, n int, row func(i int) string) string {
	var b strings.Builder
	b.WriteString(head + "\n")
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

// write is the name of a file that it makes.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// Reports of each kind fit three sizes of screen and both themes, and paper, and are read with a
// keyboard: a main part, names and contrast, and every block that scrolls can be reached.
func TestReports(t *testing.T) {
	chromium(t)
	folder := t.TempDir()
	program := builtProgram(t)
	for i, k := range kinds {
		from := k.name
		if k.table != nil {
			from = write(t, folder, k.name+".csv", k.table(rand.New(rand.NewPCG(1, uint64(i)))))
		}
		var args []string
		switch {
		case k.answers != nil:
			known := write(t, folder, k.name+"-known.csv", k.answers(rand.New(rand.NewPCG(2, uint64(i)))))
			args = []string{"nodes", from, known, "--save", k.name + ".mercer"}
		case slices.Contains(k.flags, "novelty"):
			args = []string{"fit", from, "-o", k.name + ".mercer"}
		case k.name == "sales": // a forecast finds its own kernel
			args = []string{"fit", from, "-o", k.name + ".mercer", "--folds", "3", "--repeats", "1"}
		default:
			args = []string{"fit", from, "-o", k.name + ".mercer", "--folds", "3", "--repeats", "1", "--kernel", "gaussian()"}
		}
		args = slices.Concat(args, []string{"-q", "--report", k.name + ".html"}, k.flags)
		if out, err := in(folder, program, args...); err != nil {
			t.Fatalf("%s: %v: %s", k.name, err, out)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer server.Close()
	p := newTab(t, server.URL+"/iris.html")
	p.expected = []string{"favicon"}
	looks := []struct {
		width int
		dark  bool
	}{{390, true}, {1440, false}, {paper, false}, {768, true}, {390, false}, {768, false}, {1440, true}}
	for i, k := range kinds {
		for j, at := range looks {
			if testing.Short() && j != i%4 {
				continue
			}
			if p.look(at.width, at.dark); at.width == paper {
				p.print()
			}
			p.visit(server.URL + "/" + k.name + ".html")
			p.report(fmt.Sprintf("%s at %d, dark %v", k.name, at.width, at.dark), k.says)
			p.shot(fmt.Sprintf("report-%s-%d-%v", k.name, at.width, at.dark))
		}
		if k.name == "rare" &&
			eval[int](p,
				`[...document.querySelectorAll('figcaption b')].filter((e) => e.textContent === 'Precision and recall').length`) != 1 {
			t.Error("a rare class has no precision and recall")
		}
		// The tables are sorted by keyboard too, but for a model that no search was for.
		if !slices.Contains(k.flags, "novelty") &&
			!eval[bool](p,
				`(() => { const th = document.querySelector('table.sortable th:nth-child(3)'); th.querySelector('button').click(); return th.getAttribute('aria-sort') !== null; })()`) {
			t.Errorf("%s: a click on a heading does not sort", k.name)
		}
	}
	p.clean()
}

// report fails for what no report should have, whatever it is of.
func (p *tab) report(at, says string) {
	p.Helper()
	if text := eval[string](p, `document.querySelector('main .result b').textContent`); !strings.HasPrefix(text, says) {
		p.Errorf("%s opens with %q", at, text)
	}
	if over := eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		p.Errorf("%s is %g pixels wider than the screen", at, over)
	}
	p.accessible(at)
	for _, stuck := range eval[[]string](p,
		`[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight) && e.tabIndex < 0).map((e) => e.outerHTML.slice(0, 80))`) {
		p.Errorf("%s: the keyboard cannot scroll %s", at, stuck)
	}
	if eval[bool](p, `/NaN|Infinity|\de\+\d+ ?%/.test(document.body.innerText)`) {
		p.Errorf("%s has what is no number", at)
	}
	if long := eval[[]string](p, `document.body.innerText.match(/\d\.\d{8,}/g) ?? []`); len(long) > 0 {
		p.Errorf("%s has %v", at, long)
	}
	if empty := eval[[]string](p,
		`[...document.querySelectorAll('main figure, main table, main details')].filter((e) => e.matches('figure') ? !e.querySelector('svg path, svg line, svg rect') : e.matches('table') ? !e.tBodies[0]?.rows.length : / \(0/.test(e.textContent.slice(0, 40))).map((e) => e.outerHTML.slice(0, 80))`); len(empty) > 0 {
		p.Errorf("%s has nothing in %v", at, empty)
	}
	// Names and numbers are words: a cell of numbers, or a name of a column, stands on one line.
	if broken := eval[[]string](p,
		`[...document.querySelectorAll('main td.n, main th.name')].filter((e) => { const r = document.createRange(); r.selectNodeContents(e); return !/\s/.test(e.textContent.trim()) && new Set([...r.getClientRects()].map((b) => Math.round(b.top))).size > 1; }).map((e) => e.textContent)`); len(broken) > 0 {
		p.Errorf("%s breaks %v", at, broken)
	}
}
