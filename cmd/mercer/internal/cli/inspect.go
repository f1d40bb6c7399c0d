package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/spf13/cobra"
)

type inspectOptions struct {
	Model string
	JSON  bool
}

func newInspect(a *App) *cobra.Command {
	o := &inspectOptions{}
	cmd := &cobra.Command{
		Use:     "inspect MODEL",
		Short:   "Say what is in a model file",
		Example: "  mercer inspect model.mercer\n  mercer inspect model.mercer --json",
		Args:    dataArgs(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Model = args[0]
			return a.inspect(o)
		},
	}
	cmd.Flags().BoolVar(&o.JSON, "json", false, "write JSON")
	return cmd
}

// field is a line of a description.
type field struct{ Name, Value string }

func (a *App) inspect(o *inspectOptions) error {
	m, err := loadModel(o.Model)
	if err != nil {
		return err
	}
	if o.JSON {
		return a.inspectJSON(o, m)
	}
	fields := describeModel(m)
	if info, err := os.Stat(o.Model); err == nil {
		fields = append([]field{{"file", o.Model + " (" + sizeText(info.Size()) + ")"}}, fields...)
	}
	return writeFields(a.Out, fields)
}

// inspectJSON is what is in a model file, as data.
func (a *App) inspectJSON(o *inspectOptions, m *model.Model) error {
	out := struct {
		File  string `json:"file"`
		Bytes int64  `json:"bytes"`
		Role  string `json:"role"`
		model.Summary
		Gives       []string          `json:"gives,omitempty"` // columns that transform makes
		Facts       map[string]string `json:"facts,omitempty"`
		RowsFitted  int               `json:"row_hashes"` // how many rows it knows to have been fitted on
		HeldDensity int               `json:"held_densities"`
		Residuals   int               `json:"held_out_residuals"`
	}{File: o.Model, Role: string(m.Role()), Summary: m.Summary(), Gives: m.TransformNames(),
		RowsFitted: len(m.Info().Trained), HeldDensity: len(m.Info().HeldDensity), Residuals: len(m.Info().Residuals)}
	if info, err := os.Stat(o.Model); err == nil {
		out.Bytes = info.Size()
	}
	for _, f := range m.Facts() {
		if out.Facts == nil {
			out.Facts = map[string]string{}
		}
		out.Facts[f.Name] = f.Text
	}
	enc := json.NewEncoder(a.Out)
	enc.SetIndent("", " ")
	return enc.Encode(out)
}

func writeFields(w io.Writer, fields []field) error {
	width := 0
	for _, f := range fields {
		width = max(width, len(f.Name))
	}
	for _, f := range fields {
		if _, err := fmt.Fprintf(w, "%-*s  %s\n", width, f.Name, f.Value); err != nil {
			return err
		}
	}
	return nil
}

// describeModel lists what a model is, for people.
func describeModel(m *model.Model) []field {
	info, report := m.Info(), m.Report()
	var out []field
	add := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" && text != "0" {
			out = append(out, field{name, text})
		}
	}
	if m.Role() == "predictor" {
		add("learner", "%s", m.Learner())
		add(standInNote, "%s", info.Notes[standInNote])
		if specs, weights := m.Members(); specs == nil {
			add("kernel", "%s", withoutTrees(m.Kernel()))
		} else {
			for i, text := range specs {
				add("member", "%.4f %s", weights[i], text)
			}
		}
		add("setting", "%s", info.Spec)
		add("task", "%s", m.Task())
	} else {
		out = describeTransform(m)
	}
	if t := m.Targets(); len(t) > 1 {
		add("targets", "%s", joinSome(t))
	} else {
		add("target", "%s", m.Target())
	}
	if t := info.TargetMap; t != nil {
		add("fitted to", "the %s of the target; predictions are mapped back to its median", mapWord(t.Kind))
	}
	if c := m.Classes(); len(c) > 0 {
		add("classes", "%s", joinSome(c))
	}
	if p := info.Yardstick.Positive; p != "" {
		add("positive", "%s (the class that f1 is of)", p)
	}
	if t := info.Threshold; t != nil {
		add("threshold", "%s", t)
	}
	if enc := info.Encoder; enc != nil {
		var columns []string
		for _, c := range enc.Columns {
			columns = append(columns, fmt.Sprintf("%s (%s%s)", c.Name, c.Kind, weighing(&c)))
		}
		if enc.SparseDim > 0 {
			columns = append([]string{fmt.Sprintf("%s sparse features", phrase.Thousands(enc.SparseDim))}, columns...)
		}
		add("columns", "%s", joinSome(columns))
		add("rows count by", "%s", enc.Weights)
		if enc.Noise != "" {
			add("noise of rows", "%s (variance of the target; of new rows, too, where it is among their columns)", enc.Noise)
		}
	}
	add("features", "%d", m.Dim())
	add("importances", "%s", importancesOf(m.Summary().Importances, info.Encoder))
	if names, all := m.Features(8); all > 0 {
		add("weights of", "%s features, the largest of %s", phrase.Thousands(all), quoted(names))
	} else {
		add("centres", "%s", phrase.Thousands(m.Centers()))
	}
	var gives []string
	if m.HasProba() {
		gives = append(gives, "probabilities (--proba)")
	}
	if m.HasStd() {
		gives = append(gives, "standard deviations (--std)")
	}
	switch {
	case m.HasStd():
		gives = append(gives, "intervals (--interval)")
	case m.HasIntervals():
		gives = append(gives, fmt.Sprintf("intervals (--interval) from %s rows held out",
			phrase.Thousands(len(info.Residuals))))
	}
	add("also gives", "%s", strings.Join(gives, ", "))
	switch report.Certified {
	case "":
	case "exact": // there is nothing to solve
		add("certificate", "exact")
	default:
		add("certificate", "%s %.3g after %s", report.Certified, report.Certificate, plural(report.Iterations, "iteration"))
	}
	for _, n := range report.Notes {
		add("found", "%s", n)
	}
	for _, w := range modelWarnings(m) {
		add("warning", "%s", w)
	}
	if info.Rows > 0 {
		add("learnt from", "%s, %s rows", info.DataName, phrase.Thousands(info.Rows))
	}
	add("data hash", "%s", info.DataHash)
	add("seed", "%d", info.Seed)
	add("mercer", "%s", info.Version)
	var notes []string
	for name := range info.Notes {
		if name == standInNote {
			continue // beside the learner
		}
		notes = append(notes, name)
	}
	sort.Strings(notes)
	for _, name := range notes {
		add(name, "%s", info.Notes[name])
	}
	return out
}

// weighing says how the words of a text column are counted, where they are.
func weighing(c *data.ColumnCode) string {
	switch {
	case c.Words == nil:
		return ""
	case c.LogCounts:
		return " by logtfidf"
	case c.Terms != "":
		return " by " + string(c.Terms)
	}
	return " by tfidf"
}

// importancesOf is what columns are worth to the cuts of trees, the most important first: that of a
// column is the sum over its features.
func importancesOf(shares []float64, enc *data.Encoder) string {
	if shares == nil {
		return ""
	}
	type worth struct {
		name  string
		share float64
	}
	var columns []worth
	if enc == nil {
		for j, share := range shares {
			columns = append(columns, worth{fmt.Sprintf("x%d", j+1), share})
		}
	} else {
		for _, c := range enc.Columns {
			width, sum := c.Width, 0.0
			if c.Indicator {
				width++
			}
			for _, share := range shares[c.Offset : c.Offset+width] {
				sum += share
			}
			columns = append(columns, worth{c.Name, sum})
		}
	}
	slices.SortStableFunc(columns, func(a, b worth) int { return cmp.Compare(b.share, a.share) })
	var out []string
	for _, c := range columns {
		out = append(out, fmt.Sprintf("%s %.3f", c.name, c.share))
	}
	return joinSome(out)
}

// withoutTrees is the text of a kernel with the size of its packed trees in place of them.
func withoutTrees(text string) string {
	const opens = `grown="`
	before, after, found := strings.Cut(text, opens)
	if !found {
		return text
	}
	packed, rest, _ := strings.Cut(after, `"`)
	return before + "grown: " + phrase.Thousands(len(packed)) + " letters" + withoutTrees(rest)
}

// quoted is names between quotation marks, shortened where they are long.
func quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		if letters := []rune(name); len(letters) > 24 {
			name = string(letters[:24]) + "…"
		}
		out[i] = strconv.Quote(name)
	}
	return strings.Join(out, ", ")
}
