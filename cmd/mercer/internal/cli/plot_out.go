package cli

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/spf13/pflag"
)

// plotOptions is where a picture goes and how it looks, of all verbs that draw one.
type plotOptions struct {
	Plot       string
	Title      string
	Width      string
	titleGiven func() bool
}

// plotFlags declares the flags of a picture.
func (o *plotOptions) plotFlags(f *pflag.FlagSet, of string) {
	f.StringVar(&o.Plot, "plot", "", "picture (.svg, .png or .pdf; - draws it in the terminal) of "+of)
	mayStream(f, "plot")
	f.StringVar(&o.Title, "title", "", "title of the picture; default: what it shows ('': none)")
	f.StringVar(&o.Width, "width", "",
		"width of the picture, as 120mm, 12cm or 5in; in the terminal in columns (default: 80)")
	o.titleGiven = func() bool { return f.Changed("title") }
}

// checkPlot refuses, before any work, what could not be drawn; output says what else goes to
// standard output, if anything does.
func (o *plotOptions) checkPlot(output string) error {
	if o.Plot == "" {
		return nil
	}
	if o.Plot == "-" {
		if output != "" {
			return usage("--plot - and %s both write to standard output; give the picture a file", output)
		}
		_, err := o.columns()
		return err
	}
	if _, err := o.points(); err != nil {
		return err
	}
	return checkPlotName(o.Plot)
}

// checkPlotName wants a name that says the format of a picture; empty is none.
func checkPlotName(path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".svg", ".png", ".pdf":
		return nil
	}
	if path == "" {
		return nil
	}
	return usage("--plot: %q; end the name in .svg, .png or .pdf, or give - to draw in the terminal", path)
}

// jsonOutput is checkPlot's word for --json.
func jsonOutput(asked bool) string {
	if asked {
		return "--json"
	}
	return ""
}

// columns is how wide a picture in the terminal is.
func (o *plotOptions) columns() (int, error) {
	if o.Width == "" {
		return 80, nil
	}
	n, err := strconv.Atoi(o.Width)
	if err != nil || n < 40 || n > 400 {
		return 0, usage("--width: %q; in the terminal give a number of columns from 40 to 400", o.Width)
	}
	return n, nil
}

// points is the width of a picture in a file, in points; 0: as it is made.
func (o *plotOptions) points() (float64, error) {
	text, unit := o.Width, canvas.Millimeter
	for suffix, size := range map[string]float64{"mm": canvas.Millimeter, "cm": 10 * canvas.Millimeter, "in": 72,
		"pt": 1} {
		if before, ok := strings.CutSuffix(o.Width, suffix); ok {
			text, unit = strings.TrimSpace(before), size
		}
	}
	if text == "" && o.Width == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v*unit >= 40*canvas.Millimeter-1e-9 && v*unit <= 1000*canvas.Millimeter) {
		return 0, usage("--width: %q; give a length from 40mm to 1000mm, as 120mm, 12cm or 5in", o.Width)
	}
	return v * unit, nil
}

// writePlot writes a figure, all or nothing; the name says the format, and - is the terminal.
// title is what it is called where nobody gave it another name.
func (a *App) writePlot(f *plot.Figure, o *plotOptions, title string) error {
	f.Title = title
	if o.titleGiven != nil && o.titleGiven() {
		f.Title = o.Title
	}
	f.LegendBeside()
	if o.Plot == "-" {
		columns, err := o.columns()
		if err != nil {
			return err
		}
		_, err = io.WriteString(a.Out, f.Terminal(columns, inColour(a.Out)))
		return err
	}
	if err := checkPlotName(o.Plot); err != nil {
		return err
	}
	width, err := o.points()
	if err != nil {
		return err
	}
	f.Resize(width)
	return files.WriteAtomic(o.Plot, func(w io.Writer) error { return f.Write(w, o.Plot) })
}

// inColour says whether a stream gets colours: a terminal does, unless NO_COLOR says otherwise
// (no-color.org: whatever it holds, where it holds anything).
func inColour(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && progress.IsTerminal(w) }

// titleName is a data set's name as a title has it: without folder and format.
func titleName(name string) string {
	base := filepath.Base(name)
	for ext := filepath.Ext(base); ext != "" && len(ext) <= 8 && len(ext) < len(base); ext = filepath.Ext(base) {
		if _, err := strconv.ParseFloat(ext, 64); err == nil {
			break // a number, and no format
		}
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

// namesOf lists columns as axes name them; of many it says how many.
func namesOf(columns []string) string {
	if len(columns) > 4 {
		return plural(len(columns), "column")
	}
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = plot.AxisName(c)
	}
	return joined(out)
}

// joined is "a", "a and b", "a, b and c".
func joined(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// perUnit names the axis of a density: it is counted for each unit of its column.
func perUnit(column string) string {
	if unit := plot.UnitOf(column); unit != "" {
		return "density (per " + unit + ")"
	}
	return "density"
}
