package play

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// KernelText is a kernel as a page has it: a text of the kernel language, and parameters that
// sliders have moved since.
type KernelText struct {
	Text string             `json:"text"`
	Set  map[string]float64 `json:"set,omitempty"` // by the names of kernel.Params
}

// KernelFacts is what a page shows of a kernel.
type KernelFacts struct {
	Text       string      `json:"text"` // with the moved parameters in it
	Params     []ParamFact `json:"params"`
	Properties []Reading   `json:"properties"`
}

// ParamFact is a parameter for a slider.
type ParamFact struct {
	Name    string `json:"name"`
	Value   Number `json:"value"`
	Low     Number `json:"low"`
	High    Number `json:"high"`
	Integer bool   `json:"integer,omitempty"`
	Log     bool   `json:"log,omitempty"`
}

// longestKernel bounds the text of a kernel: parsing is linear, but nobody reads more.
const longestKernel = 4000

// parse reads a kernel of any catalogue and says what it is.
func parse(c spec.Catalogue, t KernelText) (kernel.Kernel[any], KernelFacts, error) {
	facts := KernelFacts{Text: t.Text}
	if len(t.Text) > longestKernel {
		return nil, facts, &Fault{Field: "kernel", Message: "the text of the kernel is longer than 4,000 letters; shorten it"}
	}
	k, err := spec.ParseWith(c, t.Text)
	if err != nil {
		return nil, facts, at("kernel", err)
	}
	names := make([]string, 0, len(t.Set))
	for name := range t.Set {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if k, err = kernel.Set(k, name, t.Set[name]); err != nil {
			return nil, facts, at("kernel", err)
		}
	}
	if err := kernel.Validate(k); err != nil {
		return nil, facts, at("kernel", err)
	}
	if len(names) > 0 {
		if facts.Text, err = spec.FormatWith(c, k); err != nil {
			return nil, facts, at("kernel", err)
		}
	}
	for _, p := range kernel.Params(k) {
		facts.Params = append(facts.Params, ParamFact{p.Name, Number(p.Value), Number(p.Domain.Low), Number(p.Domain.High),
			p.Domain.Integer, p.Domain.LogScale})
	}
	facts.Properties = propertyReadings(kernel.PropertiesOf(k))
	return k, facts, nil
}

func propertyReadings(p kernel.Properties) []Reading {
	number := func(name, label string, v float64) Reading {
		if math.IsNaN(v) {
			return readText(name, label, "unknown")
		}
		return reading(name, label, v)
	}
	return []Reading{
		readText("psd", "positive semi-definite", p.PSD.String()),
		readText("strict", "strictly", p.Strict.String()),
		number("bound", "k(x, x) ≤", p.Bound),
		readText("continuous", "continuous", p.Continuous.String()),
		number("smoothness", "times differentiable", p.Smoothness),
		readText("stationary", "stationary", p.Stationary.String()),
		readText("isotropic", "isotropic", p.Isotropic.String()),
		readText("universal", "universal", p.Universal.String()),
		readText("characteristic", "characteristic", p.Characteristic.String()),
	}
}

// vectors reads a kernel on vectors.
func (t KernelText) vectors() (kernel.Kernel[kernel.Vec], KernelFacts, error) {
	k, facts, err := parse(spec.Vectors(), t)
	if err != nil {
		return nil, facts, err
	}
	typed, _ := kernel.Retyped[kernel.Vec](k)
	return typed, facts, nil
}

type kernelAsked struct {
	Kernel KernelText `json:"kernel"`
	On     string     `json:"on,omitempty"` // "", or a kind of objects
}

// catalogues are the kernels on objects, by the name that the page has for them.
var catalogues = map[string]func() spec.Catalogue{
	"strings": spec.Strings, "trees": spec.Trees, "graphs": spec.Graphs, "bags": spec.Bags, "series": spec.Series,
	"rankings": spec.Rankings,
}

// readKernel says what a text means.
func readKernel(_ context.Context, _ *Player, q kernelAsked, send sender) error {
	var facts KernelFacts
	var err error
	switch q.On {
	case "":
		_, facts, err = q.Kernel.vectors()
	default:
		c, ok := catalogues[q.On]
		if !ok {
			return &Fault{Field: "on",
				Message: "kernels are on vectors (nothing given), strings, trees, graphs, bags of points, series or rankings"}
		}
		_, facts, err = parse(c(), q.Kernel)
	}
	if err != nil {
		return err
	}
	return send("kernel", facts)
}
