package serve

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/lazy"
	"github.com/mercer-ml/mercer/internal/phrase"
)

//go:embed page.html
var pageText string

// pageModel is what the page tells of a model.
type pageModel struct {
	Name, Version, Task, Target, Summary string
	Fault                                string
	Versions                             []string
	Columns                              []pageColumn
	Plain                                bool // a form can be filled in
	Report                               []pageField
	Warnings                             []string
	Proba, Std                           bool
	HasReport                            bool // a page was written with the model
	at                                   int  // its number on the page
}

type pageField struct{ Name, Value string }

// pageColumn is what a model wants in a column.
type pageColumn struct {
	Name, Kind, Wants, Value string
	Low, High                string // the range that the model was fitted on; empty: none
	Choices                  []string
	Cut                      bool // there are more categories than a list to choose from has
}

// most is how many columns or levels are shown of a model that has very many, mostNamed how many
// categories a field knows.
const (
	most      = 60
	mostNamed = 1000
)

func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	c := *s.models.Load()
	var models []pageModel
	for _, name := range slices.Sorted(maps.Keys(c)) {
		h := c[name]
		m := pageModel{Name: name, Fault: h.fault(), Versions: h.names()}
		if v := h.versions[h.latest]; v != nil {
			v.describe(&m)
		}
		models = append(models, m)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; form-action "+
			"'none'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, pageHTML(s.options.Version, models))
	return nil
}

// describe fills in what the model says of itself.
func (v *served) describe(m *pageModel) {
	info, report := v.model.Info(), v.model.Report()
	m.Version, m.Task, m.Target = v.version, v.model.Task().String(), strings.Join(v.model.Targets(), ", ")
	m.Proba, m.Std = v.model.HasProba(), v.model.HasStd()
	m.Summary = fmt.Sprintf("%s, %s", v.model.Learner(), roundedNumbers(v.model.Kernel()))
	if t := info.Threshold; t != nil {
		m.Summary += "; " + t.String()
	}
	for _, w := range report.Warnings {
		m.Warnings = append(m.Warnings, withoutFolders(w))
	}
	_, m.HasReport = v.reportPage()
	m.Plain = len(v.schema.columns) <= most && v.schema.sparse == 0
	for i, c := range v.schema.columns {
		if i == most {
			m.Columns = append(m.Columns, pageColumn{Name: fmt.Sprintf("… and %s more",
				phrase.Thousands(len(v.schema.columns)-most))})
			break
		}
		m.Columns = append(m.Columns, c.describe())
	}
	if v.schema.sparse > 0 {
		m.Columns = append([]pageColumn{{Name: "index:value …", Kind: "sparse",
			Wants: fmt.Sprintf("%s features, as a LIBSVM file has them", phrase.Thousands(v.schema.sparse))}}, m.Columns...)
	}
	add := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" {
			m.Report = append(m.Report, pageField{name, text})
		}
	}
	add("setting", "%s", info.Spec)
	if c := v.model.Classes(); len(c) > 0 {
		add("classes", "%s", someNames(c))
	}
	add("centres", "%s", phrase.Thousands(v.model.Centers()))
	switch report.Certified {
	case "":
	case "exact": // there is nothing to solve
		add("certificate", "exact")
	default:
		add("certificate", "%s %.3g after %s iterations", report.Certified, report.Certificate,
			phrase.Thousands(report.Iterations))
	}
	if info.Rows > 0 {
		add("learnt from", "%s", strings.TrimPrefix(fmt.Sprintf("%s, %s rows", baseName(info.DataName),
			phrase.Thousands(info.Rows)), ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(info.Notes)) {
		add(name, "%s", withoutFolders(info.Notes[name]))
	}
	add("written by", "%s", strings.TrimSpace("mercer "+info.Version))
	if !info.Created.IsZero() {
		add("created", "%s", info.Created.UTC().Format(time.RFC3339))
	}
}

// describe says what a column wants: its range, its categories, how it is written.
func (c *column) describe() pageColumn {
	out := pageColumn{Name: c.name, Kind: c.kind.String(), Wants: c.how}
	say := func(text string) {
		if out.Wants != "" {
			out.Wants = text + "; " + out.Wants
		} else {
			out.Wants = text
		}
	}
	switch {
	case c.code == nil:
	case c.kind == data.Numeric && len(c.code.Range) == 2:
		out.Low, out.High = shortNumber(c.code.Range[0]), shortNumber(c.code.Range[1])
		say(out.Low + " to " + out.High)
	case c.kind == data.Time && len(c.code.Range) == 2:
		out.Low, out.High = dateText(c.code.Range[0]), dateText(c.code.Range[1])
		say(out.Low + " to " + out.High)
	case c.kind == data.Boolean:
		out.Choices = c.code.Levels
		say("true or false")
	case c.kind == data.Categorical:
		out.Choices, out.Cut = c.code.Levels[:min(len(c.code.Levels), mostNamed)], len(c.code.Levels) > most
		say(fmt.Sprintf("%d categories: %s", len(c.code.Levels), someNames(c.code.Levels)))
	case c.kind == data.Sequence && c.code.Channels > 1:
		say(fmt.Sprintf("steps of %d numbers", c.code.Channels))
	}
	if c.joined != nil {
		say(c.joined.String())
	}
	out.Value = c.sample()
	return out
}

func dateText(micros float64) string {
	return time.UnixMicro(int64(micros)).UTC().Format("2006-01-02 15:04:05")
}

// sample is a value that the column could have, for a form to begin with; empty where nothing is
// known.
func (c *column) sample() string {
	switch {
	case c.code == nil:
		return "0"
	case (c.kind == data.Categorical || c.kind == data.Boolean) && len(c.code.Levels) > 0:
		return c.code.Levels[0]
	case c.kind == data.Numeric && len(c.code.Range) == 2:
		return fmt.Sprintf("%.4g", c.code.Range[0]+(c.code.Range[1]-c.code.Range[0])/2)
	case c.kind == data.Time && len(c.code.Range) == 2 && c.code.Layout != "":
		return time.UnixMicro(int64(c.code.Range[0]/2 + c.code.Range[1]/2)).UTC().Format(c.code.Layout)
	}
	return ""
}

// shortNumber is the end of a range in four digits.
func shortNumber(v float64) string { return fmt.Sprintf("%.4g", v) }

// longNumbers are those with more digits than a person reads.
var longNumbers = lazy.Regexp(`\d+\.\d{4,}(?:e[+-]?\d+)?`)

// roundedNumbers is a text whose numbers have four digits that count.
func roundedNumbers(text string) string {
	return longNumbers().ReplaceAllStringFunc(text, func(s string) string {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		return shortNumber(v)
	})
}

// baseName is the name of a file without its folders, of either kind of system.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\\`)+1:] }

// folders are the absolute paths in a text: where a model was fitted is not a client's business.
var folders = lazy.Regexp(`(^|[\s"'(=])(?:/|~/|[A-Za-z]:\\)(?:[^\s"'()/\\]+[/\\])+`)

// withoutFolders is a text with the names of files only.
func withoutFolders(text string) string { return folders().ReplaceAllString(text, "$1") }
