package browser

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/model"
)

// programs opens the part of the panel with programs, and returns them by title.
func (p *tab) programs() map[string]string {
	p.Helper()
	eval[bool](p,
		`(() => { for (const e of document.querySelectorAll('details')) if (e.querySelector('summary').textContent === 'The same model elsewhere') e.open = true; return true; })()`)
	p.wait("programs", `document.querySelector('[data-program]')`)
	return eval[map[string]string](p,
		`Object.fromEntries([...document.querySelectorAll('[data-program]')].map((e) => [e.dataset.program, e.querySelector('code').textContent]))`)
}

// saved presses the button that hands the points over, and writes what it hands over.
func (p *tab) saved(folder string) {
	p.Helper()
	eval[bool](p,
		`(() => { window.handed = null; const make = URL.createObjectURL; URL.createObjectURL = (b) => { b.text().then((t) => { window.handed = t; }); return make(b); }; return true; })()`)
	p.press("Save as a table")
	p.wait("the table", `window.handed`)
	if err := os.WriteFile(filepath.Join(folder, "points.csv"), []byte(eval[string](p, `window.handed`)),
		0o666); err != nil {
		p.Fatal(err)
	}
}

// The command, the Python lines and the Go program that a scene hands out fit the model that it
// shows, from the table that it saves.
func TestProgramsFitTheSameModel(t *testing.T) {
	if testing.Short() {
		t.Skip("programs are built")
	}
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	folder := t.TempDir()
	program := builtProgram(t)
	python := pythonWithNumpy()
	for _, c := range []struct {
		scene, learner, kernel string
		params                 map[string]any
		built                  bool // the Go program is built and run too
	}{
		{"classify", "svm", "gaussian(lengthscale=0.5)", map[string]any{"C": 3}, true},
		{"classify", "nu-svm", "matern(nu=1.5, lengthscale=0.6)", map[string]any{"nu": 0.3}, false},
		{"classify", "logistic", "gaussian(lengthscale=0.7)", map[string]any{"lambda": 0.2}, false},
		{"classify", "ridge", "laplace(lengthscale=0.7)", map[string]any{"lambda": 0.2}, false},
		{"regress", "ridge", "gaussian(lengthscale=0.8)", map[string]any{"lambda": 0.2}, true},
		{"regress", "svr", "gaussian(lengthscale=0.8)", map[string]any{"C": 2, "epsilon": 0.05}, false},
	} {
		p.settings(c.scene, map[string]any{"learner": c.learner, "kernel": map[string]any{"text": c.kernel},
			"params": c.params})
		p.saved(folder)
		texts := p.programs()
		if out, err := shell(folder, program, texts["Command line"]+" -o fitted.mercer --report none"); err != nil {
			t.Fatalf("%s: %v: %s\n%s", c.learner, err, texts["Command line"], out)
		}
		m, err := model.Load(filepath.Join(folder, "fitted.mercer"))
		if err != nil {
			t.Fatal(err)
		}
		k, err := spec.ParseKernel(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := spec.FormatKernel(k); err != nil || m.Kernel() != want {
			t.Errorf("%s: the command fits %s, the page %s (%v)", c.learner, m.Kernel(), want, err)
		}
		if c.scene == "classify" {
			wrong, n := misplaced(t, m, folder)
			if want := p.reading("training-error"); math.Abs(float64(wrong)/float64(n)-want) > 1e-12 {
				t.Errorf("%s: the command's model is wrong for %d of %d, the page says %g", c.learner, wrong, n, want)
			}
			if c.learner == "svm" || c.learner == "nu-svm" {
				// one at the border of two tolerances
				if got, want := float64(m.Centers()), p.reading("support"); math.Abs(got-want) > 1 {
					t.Errorf("%s: %g support vectors by the command, %g on the page", c.learner, got, want)
				}
			}
		}
		if c.built {
			file := filepath.Join(folder, "main.go")
			if err := os.WriteFile(file, []byte(texts["Go"]), 0o666); err != nil {
				t.Fatal(err)
			}
			fitter := filepath.Join(folder, "fitter")
			if out, err := in(".", "go", "build", "-o", fitter, file); err != nil {
				t.Fatalf("%v: %s\n%s", err, out, texts["Go"])
			}
			out, err := in(folder, fitter)
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var norm float64
			if _, err := fmt.Sscanf(out, "‖f‖ = %g", &norm); err != nil || !near(norm, p.reading("norm"), 1e-9) {
				t.Errorf("%s: the Go program prints %q, the page has ‖f‖ = %g", c.learner, out, p.reading("norm"))
			}
		}
		if lines, ok := texts["Python"]; ok && python != "" {
			cmd := exec.Command(python, "-c", lines)
			cmd.Dir = folder
			root, _ := filepath.Abs("../../../python/src")
			cmd.Env = append(os.Environ(), "PYTHONPATH="+root, "MERCER_PROGRAM="+program)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) < 10 {
				t.Errorf("%s: %v: %s\n%s", c.learner, err, out, lines)
			}
		}
		p.clean()
	}
	if python == "" {
		t.Log("SKIPPED: no Python with numpy; the Python lines are NOT tested")
	}
}

// misplaced is how many rows of the table a model puts into another class, and how many there are.
func misplaced(t *testing.T, m *model.Model, folder string) (wrong, n int) {
	d, err := load.Read(context.Background(), filepath.Join(folder, "points.csv"), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Predict(context.Background(), d, model.Want{})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range r.Labels {
		if l != column(d, "class").String(i) {
			wrong++
		}
	}
	return wrong, d.Len()
}

func column(d *data.Dataset, name string) *data.Column {
	for i := range d.Columns {
		if d.Columns[i].Name == name {
			return &d.Columns[i]
		}
	}
	return nil
}

// in runs a program in a folder.
func in(folder, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// shell runs a line as a person would, with mercer at hand.
func shell(folder, program, line string) (string, error) {
	return in(folder, "sh", "-c", "PATH="+filepath.Dir(program)+":$PATH\n"+line)
}

// builtIn is the folder of the program, which TestMain removes; empty: nobody asked for one.
var builtIn string

// built is the program, once for all tests.
var built = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "mercer-browser")
	if err != nil {
		return "", err
	}
	builtIn = folder
	program := filepath.Join(folder, "mercer")
	if out, err := in("../../..", "go", "build", "-o", program, "./cmd/mercer"); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

func builtProgram(t *testing.T) string {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// pythonWithNumpy is a Python that can run the lines; MERCER_PYTHON names one. Empty: there is
// none.
func pythonWithNumpy() string {
	for _, name := range []string{os.Getenv("MERCER_PYTHON"), "python3"} {
		if name == "" {
			continue
		}
		if _, err := in(".", name, "-c", "import numpy"); err == nil {
			return name
		}
	}
	return ""
}

// A picture that is saved as SVG is a picture: the browser draws it, with the points and the axes
// of the scene.
func TestPicturesAreSaved(t *testing.T) {
	link, _, _, _ := serve(t)
	p := newTab(t, link)
	p.look(1440, false)
	for _, scene := range []struct {
		name     string
		settings map[string]any
		points   int
	}{{"classify", nil, 160}, {"regress", map[string]any{"data": map[string]any{"name": "faithful"}}, 272},
		{"density", nil, 0}, {"look", nil, 0}, {"search", nil, 0}, {"project", map[string]any{"part": "components"}, 150}} {
		p.settings(scene.name, scene.settings)
		eval[bool](p,
			`(() => { window.handed = null; const make = URL.createObjectURL; URL.createObjectURL = (b) => { b.text().then((t) => { window.handed = [b.type, b.size, t]; }); return make(b); }; return true; })()`)
		p.press("SVG")
		p.wait("the picture", `window.handed`)
		svg := eval[string](p, `window.handed[2]`)
		p.keep("saved-"+scene.name+".svg", []byte(svg))
		drawn := eval[map[string]any](p,
			`(() => { const d = new DOMParser().parseFromString(window.handed[2], 'image/svg+xml'); return { type: window.handed[0], error: d.querySelector('parsererror')?.textContent ?? '', texts: d.querySelectorAll('text').length, paths: d.querySelectorAll('path').length, title: d.querySelector('title')?.textContent ?? '' }; })()`)
		if drawn["type"] != "image/svg+xml" || drawn["error"] != "" || drawn["texts"].(float64) < 6 ||
			drawn["paths"].(float64) < float64(scene.points) || drawn["title"] == "" {
			t.Errorf("%s: %v", scene.name, drawn)
		}
		if scene.name == "regress" && !strings.Contains(svg, "waiting") {
			t.Errorf("the axes of the geyser have no names: %.300s", svg)
		}
		eval[bool](p, `(() => { window.handed = null; return true; })()`)
		p.press("PNG")
		p.wait("the pixels", `window.handed && window.handed[0] === 'image/png' && window.handed[1] > 5000`)
		p.clean()
	}
	// A file that is dropped has its name on the page, and its columns at the axes.
	p.open("classify")
	eval[bool](p,
		`(() => { const t = new DataTransfer(); t.items.add(new File(['width,length,kind\n1,2,small\n2,3,small\n5,6,large\n6,5,large\n1.5,2.5,small\n'], 'shells.csv', { type: 'text/csv' })); [...document.querySelectorAll('.panel section')].find((e) => e.querySelector('h2').textContent === 'Data').dispatchEvent(new DragEvent('drop', { dataTransfer: t, bubbles: true, cancelable: true })); return true; })()`)
	p.wait("the name of the file", `document.querySelector('.file')?.textContent === 'shells.csv'`)
	p.wait("the classes",
		`[...document.querySelectorAll('.panel .legend li')].map((e) => e.textContent).join() === 'small,large'`)
	p.wait("the address", `location.hash.includes('data.file=shells.csv') && location.hash.includes('data.x=width')`)
	p.shot("own-table")
	p.do(chromedp.Reload())
	p.wait("the name of the file after a reload", `document.querySelector('.file')?.textContent === 'shells.csv'`)
	p.settled(0)
	texts := p.programs()
	if !strings.Contains(texts["Command line"], "--target kind") {
		t.Errorf("the command is %s", texts["Command line"])
	}
	p.clean()
}
