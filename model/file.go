package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/learn"
)

// formatVersion is the latest version of the file format that this package writes, and it reads
// this one and all before it. Predictors of one target are written in format 1, which every mercer
// reads; what is no predictor in format 2; predictors of several targets in format 3; committees in
// format 4; predictors of a target that was mapped, which an older mercer would not map back, in
// format 5; all of those whose columns have kinds that an older mercer does not know in format 6;
// classifiers with a threshold, which an older mercer would not heed, in format 7; in format 8
// models of texts by pairs of words or runs of letters, with columns of histograms or
// distributions, functions on the nodes of a graph, and projections and groupings of rows with
// columns of objects; in format 9 models with many coefficients of which most are 0; in
// format 10 models that keep weights of the features of a kernel in place of training points.
const formatVersion = 10

// versionError says that a file was written by a newer mercer.
type versionError struct{ File, Known int }

func (e *versionError) Error() string {
	return fmt.Sprintf("the model file has format %d, written by a newer mercer; this one reads up to format %d: update "+
		"mercer, or save the model again with the older one", e.File, e.Known)
}

// predictorFormat is that of predictors.
const predictorFormat = 1

// The keys of the metadata of format 1.
const (
	keyFormat      = "mercer.format"
	keyLearner     = "learner"
	keySpec        = "spec"
	keyKernel      = "kernel"
	keyDomain      = "domain"
	keyDim         = "dim"
	keyClasses     = "classes"
	keyNumbers     = "numbers"
	keyEncoder     = "encoder"
	keyTargetScale = "target_scale"
	keyTargetMap   = "target_map"
	keyReport      = "report"
	keyProvenance  = "provenance"
	keyNotes       = "notes"
	keyYardstick   = "yardstick"
)

// provenance is where a model comes from, as the file has it.
type provenance struct {
	Data    string     `json:"data,omitempty"`
	Hash    string     `json:"sha256,omitempty"`
	Rows    int        `json:"rows,omitempty"`
	Seed    uint64     `json:"seed"`
	Version string     `json:"mercer,omitempty"`
	Created *time.Time `json:"created,omitempty"`
}

// reportText is a learn.Report as the file has it: without the time it took, so that equal fits
// give equal files.
type reportText struct {
	Learner     string   `json:"learner"`
	Iterations  int      `json:"iterations"`
	Objective   number   `json:"objective"`
	Certificate number   `json:"certificate"`
	Certified   string   `json:"certified"`
	Converged   bool     `json:"converged"`
	Bytes       int64    `json:"bytes"`
	Warnings    []string `json:"warnings,omitempty"`
	Notes       []string `json:"notes,omitempty"`
}

func reportOf(q learn.Report) reportText {
	return reportText{q.Learner, q.Iterations, number(q.Objective), number(q.Certificate), q.Certified, q.Converged,
		q.Bytes, q.Warnings, q.Notes}
}

// number is a float64 that keeps every bit in JSON, NaN and infinities too.
type number float64

// MarshalJSON writes a number, or a text for what JSON has no number for.
func (n number) MarshalJSON() ([]byte, error) {
	if finite(float64(n)) {
		return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
	}
	return strconv.AppendQuote(nil, strconv.FormatFloat(float64(n), 'g', -1, 64)), nil
}

// UnmarshalJSON reads both.
func (n *number) UnmarshalJSON(b []byte) error {
	s := string(b)
	if len(s) > 1 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("%q is no number", s)
	}
	*n = number(v)
	return nil
}

// Save writes the model to a file, all or nothing.
func (m *Model) Save(file string) error {
	c, err := m.container()
	if err != nil {
		return err
	}
	return files.WriteAtomic(file, func(w io.Writer) error {
		_, err := c.WriteTo(w)
		return err
	})
}

// WriteTo writes the model. Equal models give equal bytes.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	c, err := m.container()
	if err != nil {
		return 0, err
	}
	return c.WriteTo(w)
}

func (m *Model) container() (*container.File, error) {
	c, err := m.parts()
	if _, rows := m.body.(*transform); err == nil && newKinds(m.info.Encoder) &&
		!(rows && c.Metadata[keyFormat] == strconv.Itoa(rowsFormat)) {
		c.Metadata[keyFormat] = strconv.Itoa(kindsFormat)
	}
	if err == nil && m.info.Threshold != nil {
		c.Metadata[keyFormat] = strconv.Itoa(thresholdFormat)
	}
	if err == nil && newTerms(m.info.Encoder) {
		c.Metadata[keyFormat] = strconv.Itoa(termsFormat)
	}
	if err == nil && ofDistributions(m.info.Encoder) {
		c.Metadata[keyFormat] = strconv.Itoa(distributionsFormat)
	}
	if _, ok := m.body.(*nodesBody); ok && err == nil {
		c.Metadata[keyFormat] = strconv.Itoa(nodesFormat)
	}
	if err == nil && slices.ContainsFunc(container.SortedKeys(c.Tensors),
		func(name string) bool { return strings.HasSuffix(name, tensorCoefStart) }) {
		c.Metadata[keyFormat] = strconv.Itoa(sparseCoefFormat)
	}
	if _, ok := m.body.(featuresBody); ok && err == nil {
		c.Metadata[keyFormat] = strconv.Itoa(featuresFormat)
	}
	return c, err
}

func (m *Model) parts() (*container.File, error) {
	r := m.body.record()
	c := &container.File{Tensors: map[string]container.Tensor{}, Metadata: map[string]string{
		keyFormat: strconv.Itoa(predictorFormat), keyLearner: r.learner, keyKernel: r.kernel, keyDomain: r.domain,
		keyDim: strconv.Itoa(r.dim),
	}}
	if m.info.Spec != "" {
		c.Metadata[keySpec] = m.info.Spec
	}
	if m.several() {
		c.Metadata[keyFormat] = strconv.Itoa(severalFormat)
	}
	numbers := map[string]number{}
	for k, v := range r.numbers {
		numbers[k] = number(v)
	}
	var scale *[2]number
	if a := m.info.TargetScale; a != nil {
		scale = &[2]number{number(a.Center), number(a.Factor)}
	}
	for key, v := range map[string]any{
		keyClasses: m.info.Classes, keyNumbers: numbers, keyEncoder: m.info.Encoder, keyProvenance: m.provenance(),
		keyNotes: m.info.Notes, keyTargetScale: scale, keyTargetMap: m.info.TargetMap, keyThreshold: m.info.Threshold,
		keyReport: reportOf(r.report), keyYardstick: m.info.Yardstick.text(), keyMore: m.moreText(),
	} {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("model: %s: %w", key, err)
		}
		if s := string(b); s != "null" && s != "{}" {
			c.Metadata[key] = s
		}
	}
	if n := len(m.info.Residuals); n > 0 {
		c.Tensors[tensorResiduals] = container.Float64s(m.info.Residuals, n)
	}
	m.putMore(c.Tensors)
	if len(m.info.Trained) > 0 {
		c.Tensors[tensorTrained] = trainedTensor(m.info.Trained)
	}
	if m.info.Background.Len() > 0 {
		c.Tensors[tensorBackground] = backgroundTensor(m.info.Background)
	}
	if n := len(m.info.HeldDensity); n > 0 {
		c.Tensors[tensorHeld] = container.Float64s(m.info.HeldDensity, n)
	}
	switch b := m.body.(type) {
	case *transform:
		return c, b.put(c)
	case *nodesBody:
		b.put(c)
		return c, nil
	case *committee:
		if err := b.put(c); err != nil || m.info.TargetMap == nil {
			return c, err
		}
		c.Metadata[keyFormat] = strconv.Itoa(mappedFormat)
		return c, nil
	}
	if m.info.TargetMap != nil {
		c.Metadata[keyFormat] = strconv.Itoa(mappedFormat)
	}
	return c, r.putTensors(c.Tensors)
}

// maxFile bounds the file that Load takes into memory.
const maxFile = 1 << 38

// Load reads a model file. It runs nothing that the file says, takes no more
// memory than a few times the size of the file, and refuses what is damaged, inconsistent or newer.
// The error is a *versionError for a newer file, a *DamagedError for a damaged one and wraps
// ErrNone for a file of another kind.
func Load(file string) (*Model, error) {
	st, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if st.IsDir() || st.Size() > maxFile {
		return nil, fmt.Errorf("%s: %w", file, container.ErrNone)
	}
	b, err := readFile(file, st)
	if err != nil {
		return nil, err
	}
	m, err := Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// readFile takes a file into memory. What is no regular file does not say how large it is, and a
// device such as /dev/zero never ends: it must begin as a container does, and end within half of
// the memory.
func readFile(file string, st os.FileInfo) ([]byte, error) {
	if st.Mode().IsRegular() {
		return os.ReadFile(file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	start := make([]byte, 9)
	n, err := io.ReadFull(f, start)
	if err == nil {
		if size := binary.LittleEndian.Uint64(start); size < 2 || size > container.MaxHeader || start[8] != '{' {
			return nil, fmt.Errorf("%s: %w: it does not start like one", file, container.ErrNone)
		}
	}
	most := 2 * par.DefaultBytes()
	b, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(start[:n]), f), most))
	if int64(len(b)) == most {
		err = container.Damaged("it has more than %d bytes", most)
	}
	return b, err
}

// Decode is Load of a file held in b, which must not change afterwards.
func Decode(b []byte) (*Model, error) {
	if err := checkVersion(b); err != nil {
		return nil, err
	}
	c, err := container.Read(b)
	if err != nil {
		return nil, err
	}
	m, err := decode(c)
	if errors.Is(err, errNamedByPlaces) {
		return nil, err
	}
	if err != nil {
		return nil, &container.DamagedError{Err: err}
	}
	return m, nil
}

// checkVersion looks at the version before anything else is understood: a
// newer format may differ in everything but the header.
func checkVersion(b []byte) error {
	raw, _, err := container.ReadHeader(b)
	if err != nil {
		return err
	}
	var meta map[string]string
	if err := json.Unmarshal(raw[container.MetadataKey], &meta); err != nil || meta[keyFormat] == "" {
		return fmt.Errorf("%w: a safetensors file that mercer did not write", container.ErrNone)
	}
	v, err := strconv.Atoi(meta[keyFormat])
	if err != nil || v < 1 {
		return container.Damaged("format %q", meta[keyFormat])
	}
	if v > formatVersion {
		return &versionError{v, formatVersion}
	}
	return nil
}

func decode(c *container.File) (*Model, error) {
	var (
		r       = record{learner: c.Metadata[keyLearner], domain: c.Metadata[keyDomain], kernel: c.Metadata[keyKernel]}
		info    = Info{Spec: c.Metadata[keySpec]}
		p       provenance
		q       reportText
		scale   *[2]number
		stick   yardstickText
		more    []yardstickText
		numbers map[string]number
		err     error
	)
	for key, to := range map[string]any{
		keyClasses: &info.Classes, keyNumbers: &numbers, keyEncoder: &info.Encoder, keyReport: &q, keyProvenance: &p,
		keyNotes: &info.Notes, keyTargetScale: &scale, keyTargetMap: &info.TargetMap, keyThreshold: &info.Threshold,
		keyYardstick: &stick, keyMore: &more,
	} {
		if text, ok := c.Metadata[key]; ok {
			if err := json.Unmarshal([]byte(text), to); err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	if r.dim, err = strconv.Atoi(c.Metadata[keyDim]); err != nil || r.dim < 0 || r.dim > maxDim {
		return nil, fmt.Errorf("%q features", c.Metadata[keyDim])
	}
	r.classes = len(info.Classes)
	r.numbers = map[string]float64{}
	for k, v := range numbers {
		r.numbers[k] = float64(v)
	}
	r.report = learn.Report{
		Learner: q.Learner, Iterations: q.Iterations, Objective: float64(q.Objective), Certificate: float64(q.Certificate),
		Certified: q.Certified,
		Converged: q.Converged, Bytes: q.Bytes, Warnings: q.Warnings, Notes: q.Notes,
	}
	info.DataName, info.DataHash, info.Rows, info.Seed, info.Version = p.Data, p.Hash, p.Rows, p.Seed, p.Version
	if p.Created != nil {
		info.Created = *p.Created
	}
	if scale != nil {
		info.TargetScale = &data.Affine{Center: float64(scale[0]), Factor: float64(scale[1])}
	}
	if info.Yardstick, err = stick.of(info.Classes); err != nil {
		return nil, err
	}
	if info.More, err = takeMore(more, c.Tensors); err != nil {
		return nil, err
	}
	if t, ok := c.Tensors[tensorResiduals]; ok {
		if info.Residuals, err = t.Float64s(); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", tensorResiduals, err)
		}
	}
	if t, ok := c.Tensors[tensorTrained]; ok {
		if info.Trained, err = takeTrained(t); err != nil {
			return nil, err
		}
	}
	if t, ok := c.Tensors[tensorBackground]; ok {
		if info.Background, err = takeBackground(t); err != nil {
			return nil, err
		}
	}
	if t, ok := c.Tensors[tensorHeld]; ok {
		if info.HeldDensity, err = t.Float64s(); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", tensorHeld, err)
		}
	}
	b, err := r.take(c, info.Encoder)
	if err != nil {
		return nil, err
	}
	if b.dim() != r.dim {
		return nil, errors.New("centres do not have the recorded number of features")
	}
	return assemble(b, info)
}

// take makes the fitted thing of what a file holds.
func (r record) take(c *container.File, e *data.Encoder) (body, error) {
	switch r.domain {
	case domainTransform:
		return takeTransform(r.learner, r.numbers, c, e)
	case domainCommittee:
		return takeCommittee(r, c)
	case domainNodes:
		b, err := takeNodes(r, c)
		if err != nil {
			return nil, err
		}
		return b, b.checkEncoder(e)
	}
	if err := r.takeTensors(c.Tensors); err != nil {
		return nil, err
	}
	return r.body(e)
}
