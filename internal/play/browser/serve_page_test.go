package browser

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	predictions "github.com/mercer-ml/mercer/serve"
	"github.com/mercer-ml/mercer/tune"
)

// The page of `mercer serve`: a row is typed in and what is shown is what the model itself says; a
// nonsense row is told of where the person looks.
func TestPageOfAServer(t *testing.T) {
	chromium(t)
	s := predictions.New(predictions.Options{})
	models := map[string]*model.Model{"iris": fitted(t, "iris", "svm"), "friedman1": fitted(t, "friedman1", "gp")}
	for name, m := range models {
		if err := s.Add(name, m); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(s)
	defer server.Close()
	p := newTab(t, server.URL+"/")
	p.expected = []string{"favicon", "400 (Bad Request)"}
	if n := eval[int](p, `document.querySelectorAll("form").length`); n != len(models) {
		t.Fatalf("%d forms for %d models", n, len(models))
	}
	for name, m := range models {
		d, err := data.Builtin(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		d = d.Gather([]int{17})
		form := fmt.Sprintf(`document.querySelector("form[data-model=%s]")`, name)
		for _, c := range d.Columns[:len(d.Columns)-1] {
			eval[string](p, fmt.Sprintf(`%s.elements[%q].value = %q`, form, c.Name, c.String(0)))
		}
		eval[bool](p, form+`.requestSubmit() ?? true`)
		p.wait("an answer of "+name, form+`.querySelector("output").textContent.length > 1`)
		shown := eval[string](p, form+`.querySelector("output").textContent`)
		want, err := m.Predict(context.Background(), d, model.Want{})
		if err != nil {
			t.Fatal(err)
		}
		says := fmt.Sprint("prediction: ", "")
		if want.Labels != nil {
			says += want.Labels[0]
		} else {
			says += strconv.FormatFloat(roundTo(want.Values[0], 4), 'g', -1, 64)
		}
		if !strings.Contains(shown, says) {
			t.Errorf("%s: the page says %q, the model %q", name, shown, says)
		}
	}
	form := `document.querySelector("form[data-model=iris]")`
	if long := eval[[]string](p, form+`.querySelector("output").textContent.match(/\d\.\d{4,}/g) ?? []`); len(long) > 0 {
		t.Errorf("probabilities are %v", long)
	}
	// A value outside of what the model was fitted on is said to be so, at its field, and goes into
	// the lines for programs.
	eval[bool](p, form+`.elements[0].focus() ?? true`)
	eval[string](p, form+`.elements[0].value = "99"`)
	eval[bool](p, form+`.elements[0].dispatchEvent(new Event("input", {bubbles: true}))`)
	if said := eval[string](p, form+`.querySelector("small").textContent`); !strings.HasPrefix(said, "outside of "+
		eval[string](p, form+`.elements[0].dataset.low + " to " + `+form+`.elements[0].dataset.high`)) {
		t.Errorf("at a field outside: %q", said)
	}
	for language, want := range map[string]string{"shell": `"sepal_length":99`, "python": `"sepal_length": 99`,
		"go": `\"sepal_length\":99`} {
		if lines := eval[string](p,
			fmt.Sprintf(`document.querySelector('section pre[data-language=%s]#' + CSS.escape(%s.closest('section').querySelector('pre[data-language=%s]').id)).textContent`,
				language, form, language)); !strings.Contains(lines, want) ||
			!strings.Contains(lines, server.URL+"/predict/iris?proba=1") {
			t.Errorf("%s: %s", language, lines)
		}
	}
	ran(t, p, form)
	eval[string](p, form+`.elements[0].value = "wide"`)
	eval[bool](p, form+`.requestSubmit() ?? true`)
	p.wait("a word about nonsense", form+`.querySelector("output").textContent.includes("wide")`)
	for _, at := range []struct {
		width int
		dark  bool
	}{{390, true}, {768, false}, {1440, false}} {
		p.look(at.width, at.dark)
		if over := eval[int](p, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
			t.Errorf("%d px: the page is %d px too wide", at.width, over)
		}
		p.accessible(fmt.Sprint("the page of a server at ", at.width))
		p.shot(fmt.Sprint("serve-", at.width))
	}
	p.print()
	p.accessible("the page of a server on paper")
	p.clean()
}

// roundTo is a number in so many digits that count.
func roundTo(v float64, digits int) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		panic(err)
	}
	return out
}

// ran takes the lines for Go, Python and the shell from the page and runs them, where the machine
// has what they need: each has an answer of the model.
func ran(t *testing.T, p *tab, form string) {
	t.Helper()
	folder := t.TempDir()
	for language, command := range map[string][]string{"go": {"go", "run", "lines.go"},
		"python": {"python3", "lines.python"}, "shell": {"sh", "lines.shell"}} {
		tool := command[0]
		if language == "shell" {
			tool = "curl"
		}
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("SKIPPED: no %s on this machine; the lines for it are NOT run", tool)
			continue
		}
		lines := eval[string](p, fmt.Sprintf(`%s.closest('section').querySelector('pre[data-language=%s]').textContent`, form,
			language))
		if err := os.WriteFile(filepath.Join(folder, "lines."+language), []byte(lines), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := in(folder, command[0], command[1:]...)
		if err != nil || !strings.Contains(string(out), "prediction") {
			t.Errorf("%s: %v: %s\n%s", language, err, out, lines)
		}
	}
}

// fitted is a small model of built-in data, with its encoder.
func fitted(t *testing.T, set, learner string) *model.Model {
	t.Helper()
	d, err := data.Builtin(set, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.Target = d.Columns[len(d.Columns)-1].Name
	r, err := tune.Auto(context.Background(), d.Gather(every(d.Len(), 4)),
		tune.AutoOptions{Learners: []string{learner}, Kernel: kernel.Gaussian{Lengthscale: 2}, Budget: time.Minute, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Model(model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func every(n, step int) (rows []int) {
	for i := 0; i < n; i += step {
		rows = append(rows, i)
	}
	return rows
}
