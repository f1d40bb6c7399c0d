package cli

import (
	"encoding/json"
	"io"
	"math"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// kernelJSON is a kernel of the list, as data.
type kernelJSON struct {
	Name       string          `json:"name"`
	Formula    string          `json:"formula"`
	On         string          `json:"on"` // the kind of column that it compares
	Operator   bool            `json:"operator"`
	Parameters []parameterJSON `json:"parameters"`
	Others     []parameterJSON `json:"other_parameters"`
	Properties *propertiesJSON `json:"properties"`
	Of         *string         `json:"properties_of"`
}

type parameterJSON struct {
	Name    string  `json:"name"`
	Default *string `json:"default"` // as it is written; null: it must be given
	Meaning string  `json:"meaning"`
}

// propertiesJSON has null for what is not known.
type propertiesJSON struct {
	PSD            *bool    `json:"positive_semidefinite"`
	Strict         *bool    `json:"strictly"`
	Continuous     *bool    `json:"continuous"`
	Stationary     *bool    `json:"stationary"`
	Isotropic      *bool    `json:"isotropic"`
	Universal      *bool    `json:"universal"`
	Characteristic *bool    `json:"characteristic"`
	Bounded        *bool    `json:"bounded"`
	Bound          *float64 `json:"bound"` // on k(x, x)
	Smooth         *bool    `json:"infinitely_smooth"`
	Smoothness     *float64 `json:"smoothness"` // how often functions are differentiable, where not infinitely
}

func writeKernels(w io.Writer, entries []kernelEntry) error {
	out := make([]kernelJSON, len(entries))
	for i, e := range entries {
		out[i] = kernelJSON{Name: e.Name, Formula: e.Formula, On: e.On, Operator: e.Operator,
			Parameters: parametersJSON(e.Parameters), Others: parametersJSON(e.Others)}
		if e.On == "" && !e.Operator {
			out[i].On = "numbers"
		}
		if e.Properties != nil {
			out[i].Properties = propertiesOf(*e.Properties)
		}
		if e.Of != "" {
			out[i].Of = &e.Of
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

func parametersJSON(all []spec.Parameter) []parameterJSON {
	out := []parameterJSON{}
	for _, p := range all {
		one := parameterJSON{Name: p.Name, Meaning: p.Meaning}
		if p.Default != "" {
			one.Default = &p.Default
		}
		out = append(out, one)
	}
	return out
}

func propertiesOf(p kernel.Properties) *propertiesJSON {
	tri := func(t kernel.Tri) *bool {
		if t == kernel.Unknown {
			return nil
		}
		yes := t == kernel.Yes
		return &yes
	}
	// finite says whether a number is one, and gives it; both are null where it is not known.
	finite := func(v float64) (*bool, *float64) {
		if math.IsNaN(v) {
			return nil, nil
		}
		is := !math.IsInf(v, 0)
		if !is {
			return &is, nil
		}
		return &is, &v
	}
	out := &propertiesJSON{PSD: tri(p.PSD), Strict: tri(p.Strict), Continuous: tri(p.Continuous),
		Stationary: tri(p.Stationary), Isotropic: tri(p.Isotropic),
		Universal: tri(p.Universal), Characteristic: tri(p.Characteristic)}
	out.Bounded, out.Bound = finite(p.Bound)
	if out.Smooth, out.Smoothness = finite(p.Smoothness); out.Smooth != nil {
		*out.Smooth = !*out.Smooth
	}
	return out
}
