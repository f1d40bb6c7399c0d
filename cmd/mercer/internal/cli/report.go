package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/lazy"
	"github.com/mercer-ml/mercer/internal/markup"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

//go:embed report.html
var reportFile string

// reportText is the page with the digest of its script in its policy: a browser runs that script,
// and nothing else that a file of data may have brought into the page.
var reportText = func() string {
	_, rest, _ := strings.Cut(reportFile, "<script>")
	script, _, _ := strings.Cut(rest, "</script>")
	digest := sha256.Sum256([]byte(script))
	return strings.Replace(reportFile, "SCRIPT-HASH", base64.StdEncoding.EncodeToString(digest[:]), 1)
}()

// reportMark stands in the head of every report, after the name of the data.
const reportMark = ": mercer report</title>"

// isOthersPage says whether a file is there that is no report: a name that nobody gave must not
// cost anybody a file.
func isOthersPage(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	head, _ := io.ReadAll(io.LimitReader(f, 1<<14))
	return err == nil && info.Mode().IsRegular() && len(head) > 0 && !bytes.Contains(head, []byte(reportMark))
}

// reportPage is what the page shows.
type reportPage struct {
	Title, Summary, Command string
	Headline, HeadlineNote  string
	Answer                  string // in one sentence
	Distrust                string // what is to be known before the answer; empty: nothing
	WorstColumns            []string
	WorstNote               string // which columns these are, where they are not the most important
	WorstNumbers            bool   // answers are numbers
	Fitted                  string // on how many rows
	Warnings                []string
	Why                     []string
	Columns, MoreColumns    []reportColumn
	MoreTitle               string
	Worth                   []reportWorth
	Metric                  string
	Leaders                 []reportRow
	Cells                   []reportRow
	CellCount               int
	Test                    []reportScore
	Targets                 []reportTarget // where there are several
	TestRows                string
	Later                   string // that the model in the file is not the one that was judged
	Figures                 []reportFigure
	Missing                 []string // figures that there are none of, and why
	Worst                   []reportWorst
	WorstTitle, WorstOff    string
	WorstWhy                []reportWhy // what columns add to their predictions
	WhyNote                 string
	WhyFigures              []reportFigure
	Growth                  []reportGrowth
	Model                   []field
	ModelFile, Version      string
	Digest                  string // SHA-256 of the file of the model, which tells a server whose report it is
	Example                 string
	Tables                  []reportTable // of what only some tasks have
	Commands                []string      // that use the model; nil: those of a prediction from columns

	Strip       markup.HTML // the score beside the baseline
	Next        []reportNext
	Thresholds  []reportThreshold // of a rare class
	ThresholdOf string
	ThresholdBy string // what the threshold is of: a probability, or a score
	// ThresholdNote says which one the model goes by, and ThresholdCost what the last column is.
	ThresholdNote, ThresholdCost string

	target     string
	importance []tune.Importance // nil: not known
	before     int               // rows that stand before those of --test
	of         string            // and whose these are
}

type reportRow struct {
	Chosen                                     bool
	Learner, Setting, Score, SE, Fits, Seconds string
	Sort                                       float64
}

type reportFigure struct {
	Title, Caption string
	SVG            markup.HTML
	Big            bool // takes the room of two
}

type reportWorst struct {
	Row, Truth, Predicted, Off string
	Values                     []string // of the columns shown
	at, target                 int      // row of the data set, -1 where it is not known; and of several targets which
}

// reportTable is a table with a heading, its first columns texts and the others numbers.
type reportTable struct {
	Title, Note string
	Texts       int
	Head        []any
	Rows        [][]any
	Chosen      int // row that holds for the model, from 1; 0: none
}

// reportScore is a measure, its value and what it means.
type reportScore struct{ Name, Value, Meaning string }

// drawReport writes the page and returns its path; empty where none was asked for. What takes fits
// of its own has the time left.
func (f *fitting) drawReport(ctx context.Context, left func() time.Duration) (string, error) {
	d, r, m, o := f.data, f.found, f.model, f.o
	path := o.reportPath()
	if path == "" {
		return "", nil
	}
	page := &reportPage{
		Title: filepath.Base(d.Name), Summary: d.Summary(), Why: r.Why, Warnings: fitWarnings(r, m), Metric: r.Metric.Name,
		Model:  describeModel(m),
		target: d.Target, ModelFile: o.Output, Version: Version, Command: o.Command, CellCount: len(r.Cells),
		TestRows: testedRows(r),
	}
	if f.told != nil {
		page.Summary += "; " + f.testRows()
		page.before, page.of = len(f.told.Train), " of "+filepath.Base(o.Task.Test)
	}
	learner, rest := description(r.Chosen)
	page.Headline = learner + ", " + rest
	if r.StandIn != "" {
		page.Headline = "A stand-in for want of time: " + r.StandIn + "."
	}
	if len(r.Test) > 0 {
		t := r.Test[0]
		page.HeadlineNote = fmt.Sprintf("%s on %s it never saw: %s. Baseline: %s (%s).", metricText(t.Metric, r.Positive),
			page.TestRows, scoreText(t, ""), number(t.Baseline), baselineText(r.Baseline, r.Classes))
		if doubt := notShown(r); doubt != "" {
			page.HeadlineNote = strings.TrimSuffix(page.HeadlineNote, ".") + ", " + doubt + "."
		}
	}
	if len(r.Test) > 0 {
		page.Strip = scoreStrip(r.Test[0], metricText(r.Test[0].Metric, r.Positive))
	}
	page.next(r, o.Data)
	page.Fitted = "Fitted on " + fittedOn(r) + "."
	page.Later = laterFit(r)
	page.Answer = answerOf(r, d.Target)
	page.Distrust = tooKind(r)
	page.targets(d, r)
	page.Columns, page.MoreColumns, page.MoreTitle = columnLines(d, pageColumns)
	if len(page.MoreColumns) == listColumns {
		page.MoreTitle += fmt.Sprintf("; the first %d here", listColumns)
	}
	page.Worth = worthOf(r)
	page.tables(r)
	page.Example = exampleRow(d)
	if err := page.figures(ctx, d, r, m, left); err != nil {
		return "", err
	}
	page.worst(d, r)
	part, cancel := context.WithTimeout(ctx, left())
	defer cancel()
	if err := page.why(part, d, r, m); err != nil {
		return "", err
	}
	return path, page.write(f.App, m, path)
}

// write writes the page of a model, and marks in it which model that is.
func (p *reportPage) write(a *App, m *model.Model, path string) error {
	sum := sha256.New()
	if _, err := m.WriteTo(sum); err != nil {
		return err
	}
	p.Digest = hex.EncodeToString(sum.Sum(nil))
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, p.html())
		return err
	}
	if inMemory, err := a.memory.write(path, write); inMemory {
		return err
	}
	return files.WriteAtomic(path, write)
}

func (p *reportPage) tables(r *tune.AutoResult) {
	row := func(c tune.Cell, fits int, seconds float64) reportRow {
		learner, rest := description(c)
		return reportRow{Chosen: sameCell(c, r.Chosen), Learner: learner, Setting: rest, Score: number(c.Mean),
			SE:   numberBeside(c.SE, c.Mean),
			Fits: phrase.Thousands(fits), Seconds: fmt.Sprintf("%.2f", seconds), Sort: c.Mean}
	}
	for _, l := range leaders(r) {
		p.Leaders = append(p.Leaders, row(l.Cell, l.AllFits, l.Time))
	}
	p.Leaders = append(p.Leaders, reportRow{Learner: "baseline", Setting: baselineText(r.Baseline, r.Classes),
		Score: number(r.Chance.Mean), SE: numberBeside(r.Chance.SE, r.Chance.Mean)})
	for _, c := range r.Cells {
		if !math.IsNaN(c.Mean) {
			p.Cells = append(p.Cells, row(c, c.Fits, c.Seconds))
		}
	}
	sort.SliceStable(p.Cells, func(a, b int) bool {
		return (p.Cells[a].Sort > p.Cells[b].Sort) == r.Metric.Maximize && p.Cells[a].Sort != p.Cells[b].Sort
	})
	const most = 300
	p.Cells = p.Cells[:min(len(p.Cells), most)]
	p.scores(r)
}

// scores lists what the test says, each measure with what it means.
func (p *reportPage) scores(r *tune.AutoResult) {
	for _, t := range r.Test {
		if t.Metric == "auc" && rarest(r.TestPredictions) < 2 {
			continue // one row of a class makes no curve
		}
		interval := ""
		if !math.IsNaN(t.Low) && t.Low < t.High {
			interval = fmt.Sprintf(" (%s–%s)", number(t.Low), number(t.High))
		}
		p.Test = append(p.Test, reportScore{metricText(t.Metric, r.Positive), number(t.Value) + interval + ", baseline " +
			number(t.Baseline), meanings[t.Metric]})
	}
}

// worst lists the held-out rows the model gets most wrong.
func (p *reportPage) worst(d *data.Dataset, r *tune.AutoResult) {
	if len(r.Targets) > 0 {
		p.worstOfSeveral(d, r)
		return
	}
	t := r.TestPredictions
	shown := p.shownColumns(d)
	type miss struct {
		i   int
		off float64
	}
	var all []miss
	for i, y := range t.Truth {
		if t.Value != nil {
			all = append(all, miss{i, math.Abs(y - t.Value[i])})
		} else if c := int(y); t.Class[i] != c {
			off := 1.0
			if t.Prob != nil {
				off = t.Prob[i*t.Classes+t.Class[i]]
			}
			all = append(all, miss{i, off})
		}
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].off > all[b].off })
	p.WorstTitle, p.WorstOff, p.WorstNumbers = "Largest errors on the test rows"+p.of, "off by", t.Value != nil
	if t.Value == nil {
		p.WorstTitle, p.WorstOff = "Test rows"+p.of+" taken for the wrong class", "probability given"
	}
	for _, m := range all[:min(len(all), 10)] {
		w := reportWorst{Row: "–", Off: number(m.off), at: -1}
		if m.i < len(t.Rows) {
			w.at = t.Rows[m.i]
			w.Row = phrase.Thousands(t.Rows[m.i] - p.before + 1)
			for _, c := range shown {
				w.Values = append(w.Values, shortValue(c, t.Rows[m.i]))
			}
		}
		if t.Value != nil {
			w.Truth, w.Predicted = number(t.Truth[m.i]), number(t.Value[m.i])
		} else {
			w.Truth, w.Predicted = r.Classes[int(t.Truth[m.i])], r.Classes[t.Class[m.i]]
		}
		p.Worst = append(p.Worst, w)
	}
}

func (p *reportPage) add(title, caption string, f *plot.Figure, err error) error {
	if err != nil {
		return err
	}
	svg, err := f.Inline()
	if err != nil {
		return err
	}
	p.Figures = append(p.Figures, reportFigure{Title: title, Caption: caption, SVG: markup.HTML(svg)})
	return nil
}

// breakable lets a setting break after a bracket or an equals sign, not inside of a word or number,
// where its column is narrow.
func breakable(s string) markup.HTML {
	return together(strings.NewReplacer("(", "(<wbr>", "=", "=<wbr>").Replace(markup.Escape(shortNumbers(s))))
}

// shortValue is a value of a table: of a number of many digits the first six.
func shortValue(c *data.Column, row int) string {
	s := c.String(row)
	if c.Kind == data.Numeric && len(s) > 12 {
		return strconv.FormatFloat(c.Numbers[row], 'g', 6, 64)
	}
	return clipTo(s, 24)
}

// powers are numbers that browsers break after the sign of their exponent.
var powers = lazy.Regexp(`[-−]?[0-9.]+e-[0-9]+`)

// whole is a text that keeps such numbers together.
func whole(s string) markup.HTML { return together(markup.Escape(shortNumbers(s))) }

// together is whole of what is HTML already.
func together(html string) markup.HTML {
	return markup.HTML(powers().ReplaceAllString(html, `<span class="whole">$0</span>`))
}

// longestExample is the most that a value of the example takes: objects and texts can be very long.
const longestExample = 400

// exampleRow is the first row as the header and a line of CSV, to try the
// model on.
func exampleRow(d *data.Dataset) string {
	var names, values []string
	for _, c := range d.Features() {
		if c.Len() == 0 || len(names) == 12 {
			return ""
		}
		names, values = append(names, c.Name), append(values, c.String(0))
		if len(values[len(values)-1]) > longestExample {
			return ""
		}
	}
	if len(names) == 0 || d.Sparse != nil || strings.ContainsAny(strings.Join(append(values, names...), ""), "\",'\n\\") {
		return ""
	}
	return "printf '" + strings.Join(names, ",") + "\\n" + strings.Join(values, ",") + "\\n'"
}
