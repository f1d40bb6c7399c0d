package browser

import (
	"context"
	"fmt"
	"net/http/httptest"
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
			says += fmt.Sprint(want.Values[0])
		}
		if !strings.Contains(shown, says) {
			t.Errorf("%s: the page says %q, the model %q", name, shown, says)
		}
	}
	form := `document.querySelector("form[data-model=iris]")`
	eval[string](p, form+`.elements[0].value = "wide"`)
	eval[bool](p, form+`.requestSubmit() ?? true`)
	p.wait("a word about nonsense", form+`.querySelector("output").textContent.includes("wide")`)
	for _, at := range []struct {
		width int
		dark  bool
	}{{390, true}, {1440, false}} {
		p.look(at.width, at.dark)
		if over := eval[int](p, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
			t.Errorf("%d px: the page is %d px too wide", at.width, over)
		}
		p.shot(fmt.Sprint("serve-", at.width))
	}
	p.clean()
}

// fitted is a small model of built-in data, with its encoder.
func fitted(t *testing.T, set, learner string) *model.Model {
	t.Helper()
	d, err := data.Builtin(set, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.Target = d.Columns[len(d.Columns)-1].Name
	r, err := tune.Auto(context.Background(), d.Gather(every(d.Len(), 4)), tune.AutoOptions{Learners: []string{learner}, Kernel: kernel.Gaussian{Lengthscale: 2}, Budget: time.Minute, Seed: 1})
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
