package data

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/mercer-ml/mercer/internal/phrase"
)

//go:embed builtin/*.csv.gz
var builtinFiles embed.FS

// BuiltinInfo describes a built-in data set.
type BuiltinInfo struct {
	Name        string
	Task        Task
	Description string
	Generated   bool // drawn from a seed, at each call
}

type builtinSet struct {
	BuiltinInfo
	target   string
	generate func(n int, noise float64, seed uint64) *Dataset
	n        int
	noise    float64
}

func builtins() []builtinSet {
	stored := func(name, target string, task Task, about string) builtinSet {
		return builtinSet{BuiltinInfo: BuiltinInfo{Name: name, Task: task, Description: about}, target: target}
	}
	drawn := func(name string, task Task, n int, noise float64, f func(int, float64, uint64) *Dataset,
		about string) builtinSet {
		return builtinSet{BuiltinInfo{name, task, about, true}, "", f, n, noise}
	}
	return []builtinSet{
		stored("iris", "species", Multiclass,
			"150 flowers of three species by four measurements (Fisher 1936; Anderson 1935)"),
		stored("faithful", "waiting", Regression,
			"272 eruptions of the Old Faithful geyser: length and waiting time to the next, in minutes (Azzalini and "+
				"Bowman 1990)"),
		stored("mcycle", "accel", Regression,
			"133 head accelerations in a simulated motorcycle accident, by time in ms (Silverman 1985)"),
		drawn("spirals", Binary, 600, 0.02, Spirals, "two interleaved spirals in the plane"),
		drawn("moons", Binary, 400, 0.05, Moons, "two interleaved half circles in the plane"),
		drawn("circles", Binary, 400, 0.05, Circles, "a ring around a ring in the plane"),
		drawn("blobs", Multiclass, 300, 1, Blobs, "three round Gaussian clouds in the plane"),
		drawn("checkerboard", Binary, 800, 0, Checkerboard, "4 × 4 squares of alternating class in the plane"),
		drawn("sinc", Regression, 200, 0.1, Sinc, "sin(πx)/(πx) on [-5, 5] with noise"),
		drawn("friedman1", Regression, 500, 1, Friedman1,
			"10 sin(πx₁x₂) + 20(x₃ − ½)² + 10x₄ + 5x₅, and five columns that do not matter (Friedman 1991)"),
	}
}

// Builtins lists the built-in data sets.
func Builtins() []BuiltinInfo {
	var out []BuiltinInfo
	for _, b := range builtins() {
		out = append(out, b.BuiltinInfo)
	}
	return out
}

// BuiltinNames lists the names of the built-in data sets.
func BuiltinNames() []string {
	var out []string
	for _, b := range builtins() {
		out = append(out, b.Name)
	}
	return out
}

// Builtin returns a built-in data set, with its target set. The seed matters to
// those that are generated only.
func Builtin(name string, seed uint64) (*Dataset, error) {
	for _, b := range builtins() {
		if b.Name != name {
			continue
		}
		if b.generate != nil {
			return b.generate(b.n, b.noise, seed), nil
		}
		return readBuiltin(name, b.target)
	}
	return nil, &Error{Value: name, Kind: fs.ErrNotExist, Reason: fmt.Sprintf("no built-in data set %q%s (there are: %s)",
		name, phrase.DidYouMean(name, BuiltinNames()), listNames(BuiltinNames()))}
}

func readBuiltin(name, target string) (*Dataset, error) {
	packed, err := builtinFiles.ReadFile("builtin/" + name + ".csv.gz")
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	records, err := csv.NewReader(z).ReadAll()
	if err != nil {
		return nil, err
	}
	d := &Dataset{Name: name, Target: target}
	for j, column := range records[0] {
		numbers := make([]float64, 0, len(records)-1)
		texts := make([]string, 0, len(records)-1)
		for _, r := range records[1:] {
			texts = append(texts, r[j])
			if x, err := strconv.ParseFloat(r[j], 64); err == nil {
				numbers = append(numbers, x)
			}
		}
		if len(numbers) == len(texts) {
			d.Columns = append(d.Columns, NumberColumn(column, numbers))
		} else {
			d.Columns = append(d.Columns, LevelColumn(column, texts))
		}
	}
	return d, nil
}
