package cli

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// A wide file is summarised, and its target stands among what is shown wherever it is.
func TestColumnLines(t *testing.T) {
	d := &data.Dataset{Name: "wide.csv", Target: "outcome"}
	for i := range 2000 {
		d.Columns = append(d.Columns, data.NumberColumn(fmt.Sprintf("g%d", i), []float64{1, 4, 50}))
	}
	d.Columns = append(d.Columns, data.TextColumn("outcome", []string{"ill", "well", "ill"}))
	shown, more, title := columnLines(d, pageColumns)
	if len(shown) != pageColumns+1 || len(more) != listColumns || title != "and 1,980 more: 1,980 numeric" {
		t.Fatalf("%d shown, %d more, %q", len(shown), len(more), title)
	}
	if last := shown[pageColumns]; last.Name != "outcome" || !strings.HasSuffix(last.Kind, "(target)") {
		t.Errorf("the target is not shown: %+v", last)
	}
	if want := "1 to 50, median 4 (2.500 to 27)"; shown[0].Range != want {
		t.Errorf("%q, want %q: counts stay counts", shown[0].Range, want)
	}
	d.Columns = d.Columns[1980:] // 21: not worth a list that opens
	if shown, _, title := columnLines(d, pageColumns); len(shown) != 21 || title != "" {
		t.Errorf("%d shown, %q", len(shown), title)
	}
}

// Levels that are not named are counted.
func TestRangeOfManyLevels(t *testing.T) {
	c := data.TextColumn("letter", strings.Fields("a b c d e f g h"))
	c, err := c.As(data.Categorical)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rangeOf(&c), "8 levels: a, b, c, d, e, f and 2 more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The deviation of a score has its digits: the baseline's of 26 classes was 6.248e-05 beside 0.034.
func TestNumberBeside(t *testing.T) {
	for _, c := range []struct {
		se, of float64
		want   string
	}{{6.248e-05, 0.034, "0.000"}, {0.0123, 0.5, "0.012"}, {2e-6, 3e-5, "2.000e-06"}, {0.3534, 3.224, "0.353"}} {
		if got := numberBeside(c.se, c.of); got != c.want {
			t.Errorf("%g beside %g: %q, want %q", c.se, c.of, got, c.want)
		}
	}
}

// The page says why it has no importance of columns, for every reason there is.
func TestUnexplained(t *testing.T) {
	few := &data.Dataset{Columns: []data.Column{data.NumberColumn("a", []float64{1})}}
	wide := &data.Dataset{Columns: make([]data.Column, mostExplained+1)}
	for want, got := range map[string]string{
		"no rows were held out": unexplained(few, 10, 0),
		"9 rows held out":       unexplained(few, 10, 9),
		"each of 61 columns":    unexplained(wide, 10, 40),
		"over 20,001 centres":   unexplained(few, mostSummed+1, 40),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q, want what says %q", got, want)
		}
	}
	if got := unexplained(few, 10, 10); got != "" {
		t.Error(got)
	}
}

// A page is drawn whole with a large confusion matrix, settings that break where words end, and
// numbers on their right side.
func TestShortValue(t *testing.T) {
	c := data.NumberColumn("x", []float64{5.1, 2.4355867907910453e-07, 12345678, math.NaN()})
	for i, want := range []string{"5.1", "2.43559e-07", "12345678", ""} {
		if got := shortValue(&c, i); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestReportPage(t *testing.T) {
	page := &reportPage{Title: "a < b", Figures: []reportFigure{{Title: "Confusion", Big: true}, {Title: "Importance"}},
		Leaders: []reportRow{{Learner: "svm", Setting: "gaussian(lengthscale=3), C=1 <b>"}},
		Worst:   []reportWorst{{Row: "3", Truth: "1.5", Predicted: "2.5"}}, WorstNumbers: true,
		WorstNote: "the first 6", Columns: []reportColumn{{Name: "x"}}, MoreColumns: []reportColumn{{Name: "y"}},
		MoreTitle: "and 1 more", Answer: "within -1.342e-06 of <it>", ModelFile: "my model.mercer"}
	html := page.html()
	for _, want := range []string{`<figure class="big" tabindex="0">`, "<figure><figcaption><b>Importance",
		"gaussian(<wbr>lengthscale=<wbr>3), C=<wbr>1 &lt;b&gt;", `<td class="n">1.5</td><td class="n">2.5</td>`,
		"the first 6", `within <span class="whole">-1.342e-06</span> of &lt;it&gt;`,
		"mercer predict &#39;my model.mercer&#39; new.csv",
		"<summary class=\"soft\">and 1 more</summary>", "a &lt; b" + reportMark} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	// A browser runs the page's own script, by its digest, and no other.
	_, rest, _ := strings.Cut(html, "<script>")
	script, _, _ := strings.Cut(rest, "</script>")
	digest := sha256.Sum256([]byte(script))
	if want := "script-src &#39;sha256-" + base64.StdEncoding.EncodeToString(digest[:]); script == "" ||
		!strings.Contains(strings.ReplaceAll(html, "'", "&#39;"), want) {
		t.Errorf("the policy of the page does not have the digest of its script: want %q", want)
	}
}

// Without time a page has what costs no kernel, and says what it has not: a pair of large objects can
// take very long.
func TestPageWithoutTime(t *testing.T) {
	d := judgedSet(data.Multiclass)
	r, err := tune.Auto(t.Context(), d, tune.AutoOptions{Budget: time.Hour, Learners: []string{"ridge"},
		Axes: []tune.Axis{tune.Over("lambda", 0.1)}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Model(model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	p := &reportPage{}
	if err := p.figures(t.Context(), d, r, m, func() time.Duration { return 0 }); err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Figures {
		if strings.Contains(f.Title, "Spectrum") || strings.Contains(f.Title, "Importance") ||
			strings.Contains(f.Title, "curve") {
			t.Errorf("%s was drawn", f.Title)
		}
	}
	missing := strings.Join(p.Missing, "\n")
	for _, what := range []string{"importance of columns", "spectrum", "learning curve"} {
		if !strings.Contains(missing, what) {
			t.Errorf("nothing is said of the %s:\n%s", what, missing)
		}
	}
	if !strings.Contains(fmt.Sprint(p.Figures), "Confusion") {
		t.Error("the confusion is not drawn")
	}
}
