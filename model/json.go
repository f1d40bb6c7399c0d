package model

import (
	"time"
)

// Summary is what there is to say about a model, without its numbers.
type Summary struct {
	Format      int               `json:"format"`
	Learner     string            `json:"learner"`
	Spec        string            `json:"spec,omitempty"`
	Kernel      string            `json:"kernel"`
	Task        string            `json:"task"`
	Target      string            `json:"target,omitempty"`
	Targets     []string          `json:"targets,omitempty"`      // of a model of several
	Members     []string          `json:"members,omitempty"`      // of a committee
	Weights     []float64         `json:"weights,omitempty"`      // of these
	Transform   string            `json:"transform,omitempty"`    // of the target, that predictions were mapped back from
	Noise       string            `json:"noise_column,omitempty"` // with the noise variance of each row
	Classes     []string          `json:"classes,omitempty"`
	Features    []string          `json:"features,omitempty"`
	Importances []float64         `json:"importances,omitempty"` // of features, where the learner is trees
	Dim         int               `json:"dim"`
	Centers     int               `json:"centers"`
	Outputs     int               `json:"outputs"`
	Bias        []number          `json:"bias,omitempty"`
	Probability bool              `json:"probability"`
	Threshold   *Threshold        `json:"threshold,omitempty"`
	Deviation   bool              `json:"standard_deviation"`
	Report      reportText        `json:"report"`
	Provenance  provenance        `json:"provenance"`
	Notes       map[string]string `json:"notes,omitempty"`
}

// maxSummaryFeatures is how many names of features a summary lists.
const maxSummaryFeatures = 1000

// Summary sums the model up.
func (m *Model) Summary() Summary {
	r := m.body.record()
	s := Summary{
		Format: predictorFormat, Learner: r.learner, Spec: m.info.Spec, Kernel: r.kernel, Task: m.Task().String(),
		Target:  m.Target(),
		Classes: m.info.Classes, Dim: m.Dim(), Centers: m.Centers(), Outputs: m.Outputs(), Probability: m.HasProba(),
		Deviation: m.HasStd(),
		Report:    reportOf(r.report), Provenance: m.provenance(), Notes: m.info.Notes,
	}
	if m.Role() != rolePredictor {
		s.Format = transformFormat
	}
	if s.Members, s.Weights = m.Members(); s.Members != nil {
		s.Format = committeeFormat
	}
	if t := m.info.TargetMap; t != nil {
		s.Format, s.Transform = mappedFormat, t.Kind
	}
	if m.several() {
		s.Format, s.Targets = severalFormat, m.Targets()
	}
	if newKinds(m.info.Encoder) {
		s.Format = kindsFormat
	}
	if s.Threshold = m.info.Threshold; s.Threshold != nil {
		s.Format = thresholdFormat
	}
	if newTerms(m.info.Encoder) {
		s.Format = termsFormat
	}
	if ofDistributions(m.info.Encoder) {
		s.Format = distributionsFormat
	}
	if r.domain == domainNodes {
		s.Format = nodesFormat
	}
	for _, b := range r.bias {
		s.Bias = append(s.Bias, number(b))
	}
	if shares := r.arrays["importances"]; shares != nil {
		s.Importances = append(s.Importances, shares.RawRowView(0)...)
	}
	if e := m.info.Encoder; e != nil {
		s.Noise = e.Noise
	}
	if e := m.info.Encoder; e != nil && e.Dim <= maxSummaryFeatures {
		s.Features = e.Names()
	}
	return s
}

func (m *Model) provenance() provenance {
	p := provenance{m.info.DataName, m.info.DataHash, m.info.Rows, m.info.Seed, m.info.Version, nil}
	if t := m.info.Created; !t.IsZero() {
		t = t.UTC().Round(time.Second)
		p.Created = &t
	}
	return p
}
