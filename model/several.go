package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// errSeveralTargets is wrapped by the error of what is asked of one target of a model that has
// several.
var errSeveralTargets = errors.New("the model has several targets; name one")

// TargetInfo is what is known of a further target of a model of several.
type TargetInfo struct {
	Residuals []float64 // as Info.Residuals
	Baseline  learn.Baseline
}

// severalFormat is that of models of several targets, of which an older mercer would predict the
// first without a word of the others.
const severalFormat = 3

// keyMore has the baselines of further targets; their residuals are tensors, numbered from 1.
const keyMore = "more_targets"

// Targets lists the columns that the model predicts, where known.
func (m *Model) Targets() []string {
	if m.info.Encoder == nil {
		return nil
	}
	return m.info.Encoder.Targets()
}

// several says whether there is more than one.
func (m *Model) several() bool { return m.info.Encoder != nil && len(m.info.Encoder.More) > 0 }

// Of is the model of one target alone, by the name of its column; a model of one target is itself.
func (m *Model) Of(target string) (*Model, error) {
	t := slices.Index(m.Targets(), target)
	if t < 0 {
		return nil, fmt.Errorf("the model does not predict %q (it predicts %q)", target, m.Targets())
	}
	return m.of(t), nil
}

func (m *Model) of(t int) *Model {
	if !m.several() {
		return m
	}
	info := m.info
	info.Encoder, info.More = info.Encoder.ForTarget(t), nil
	if t > 0 {
		info.Residuals, info.Yardstick.Baseline = m.info.More[t-1].Residuals, m.info.More[t-1].Baseline
	}
	return &Model{info, m.body.of(t)}
}

// checkSeveral refuses further targets that the model has no outputs for.
func (i *Info) checkSeveral(b body) error {
	if i.Encoder == nil || len(i.Encoder.More) == 0 {
		if len(i.More) > 0 {
			return fmt.Errorf("what is known of %d further targets, of which the encoder has none", len(i.More))
		}
		return nil
	}
	n := len(i.Encoder.More)
	if b.classes() > 0 || b.outputs() != n+1 || b.targets() != n+1 || i.TargetScale != nil || i.TargetMap != nil {
		return fmt.Errorf("%d targets of a model of %d outputs and %d classes", n+1, b.outputs(), b.classes())
	}
	if len(i.More) > n {
		return fmt.Errorf("what is known of %d further targets, of which there are %d", len(i.More), n)
	}
	i.More = append(slices.Clip(i.More), make([]TargetInfo, n-len(i.More))...)
	for _, t := range i.More {
		if err := checkResiduals(t.Residuals, 0); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) moreText() (out []yardstickText) {
	for _, t := range m.info.More {
		out = append(out, *Yardstick{Baseline: t.Baseline}.text())
	}
	return out
}

func (m *Model) putMore(tensors map[string]container.Tensor) {
	for t, more := range m.info.More {
		if n := len(more.Residuals); n > 0 {
			tensors[tensorResiduals+"."+strconv.Itoa(t+1)] = container.Float64s(more.Residuals, n)
		}
	}
}

// takeMore reads them back.
func takeMore(text []yardstickText, tensors map[string]container.Tensor) (out []TargetInfo, err error) {
	for i, t := range text {
		y, err := t.of(nil)
		if err != nil {
			return nil, err
		}
		more := TargetInfo{Baseline: y.Baseline}
		name := tensorResiduals + "." + strconv.Itoa(i+1)
		if r, ok := tensors[name]; ok {
			if more.Residuals, err = r.Float64s(); err != nil {
				return nil, fmt.Errorf("tensor %q: %w", name, err)
			}
		}
		out = append(out, more)
	}
	return out, nil
}

// targets is how many the fitted function has of its own.
func (b *fitted) targets() int {
	if s, ok := b.p.(learn.Several[any]); ok {
		return s.Targets()
	}
	return 1
}

func (b *fitted) target(t int) *fitted {
	out := *b
	out.p = b.p.(learn.Several[any]).Of(t).(learn.Saver[any])
	if b.wider != nil {
		out.wider = func(dim int) (*fitted, error) {
			w, err := b.wider(dim)
			if err != nil {
				return nil, err
			}
			return w.target(t), nil
		}
	}
	return &out
}

func (b vectorBodyOf) of(t int) body { return vectorBodyOf{b.target(t)} }
func (b sparseBodyOf) of(t int) body { return sparseBodyOf{b.target(t)} }
func (b rowsBody) of(t int) body     { return rowsBody{b.target(t), b.schema} }
func (b featuresBody) of(t int) body { return featuresBody{b.target(t), b.space} }

// uncertain is what knows the standard deviations: of several targets the first, beside which the
// others have the ratio of their units.
func (b *fitted) uncertain() (u learn.Uncertain[any], ok bool) {
	if u, ok = b.p.(learn.Uncertain[any]); ok {
		return u, true
	}
	if s, several := b.p.(learn.Several[any]); several && s.Targets() > 1 {
		u, ok = s.Of(0).(learn.Uncertain[any])
	}
	return u, ok
}

// spread gives further targets their values, and the standard deviations of the first in their own
// units.
func (b *fitted) spread(p *Prediction, all *mat.Dense) {
	if b.targets() < 2 {
		return
	}
	_, n := all.Dims()
	for t := 1; t < n; t++ {
		p.More = append(p.More, &Prediction{Values: mat.Col(nil, t, all)})
	}
}

func (b *fitted) spreadStd(p *Prediction) {
	units, ok := b.p.(interface{ Unit(t int) float64 })
	if !ok {
		return
	}
	for t, other := range p.More {
		ratio := units.Unit(t+1) / units.Unit(0)
		for i := range p.Std {
			other.Std = append(other.Std, ratio*p.Std[i])
			other.ObservationStd = append(other.ObservationStd, ratio*p.ObservationStd[i])
		}
	}
}

// jointly is a model of several targets that knows their covariance at a point.
type jointly interface {
	OutputCovariance(ctx context.Context, x data.Points[any]) ([]*mat.SymDense, error)
	NoiseOf(t int) float64
}

// HasOutputs says whether the model knows the covariance of its targets (Prediction.Outputs).
func (m *Model) HasOutputs() bool {
	f, ok := m.body.(interface{ joint() bool })
	return ok && m.several() && f.joint()
}

func (b *fitted) joint() bool {
	_, ok := b.p.(jointly)
	return ok
}

// spreadJoint gives every target the deviations that it has in the covariance of all of them.
func (p *Prediction) spreadJoint(ctx context.Context, j jointly, points data.Points[any]) (err error) {
	if p.Outputs, err = j.OutputCovariance(ctx, points); err != nil {
		return err
	}
	for t := range 1 + len(p.More) {
		of := p
		if t > 0 {
			of = p.More[t-1]
		}
		of.Std, of.ObservationStd = make([]float64, len(p.Outputs)), make([]float64, len(p.Outputs))
		for i, c := range p.Outputs {
			of.Std[i], of.ObservationStd[i] = math.Sqrt(c.At(t, t)), math.Sqrt(c.At(t, t)+j.NoiseOf(t))
		}
	}
	return nil
}

// Target is what was predicted of one target, counted from 0.
func (p *Prediction) Target(t int) *Prediction {
	out := *p
	if out.More, out.Outputs = nil, nil; t > 0 {
		of := p.More[t-1]
		out.Values, out.Std, out.ObservationStd, out.Low, out.High = of.Values, of.Std, of.ObservationStd, of.Low, of.High
	}
	return &out
}

// predictMore gives the further targets what they share with the first, and intervals of their own.
func (m *Model) predictMore(p *Prediction, w Want) error {
	for t, other := range p.More {
		other.Rows = p.Rows
		one := &Model{m.info, m.body}
		one.info.Residuals = m.info.More[t].Residuals
		width, err := one.intervalWidth(&w)
		if err != nil {
			return err
		}
		if other.Low == nil {
			other.bound(width)
		}
	}
	return nil
}

// bound sets Low and High; a width of nil leaves them out.
func (p *Prediction) bound(width func(p *Prediction, i int) float64) {
	if width == nil {
		return
	}
	p.Low, p.High = make([]float64, p.Len()), make([]float64, p.Len())
	for i, v := range p.Values {
		half := width(p, i)
		p.Low[i], p.High[i] = v-half, v+half
	}
}

// single refuses several targets where one is asked about.
func (m *Model) single() error {
	if m.several() {
		return fmt.Errorf("%w (it predicts %q)", errSeveralTargets, m.Targets())
	}
	return nil
}
