package model

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/format/container"
)

// Files of committees are of format 4. Each member is the metadata and tensors of a file of its
// own, but for what all share.
const (
	domainCommittee = "committee"
	committeeFormat = 4

	keyMembers    = "members"         // a list of the metadata of each
	memberPrefix  = "member."         // and its number, then one of the names of tensors
	tensorWeights = "members.weights" // of the members
)

// record is what a summary and a refused export look at.
func (c *committee) record() record {
	return record{learner: c.learner(), domain: domainCommittee, kernel: c.kernelText(), classes: c.classes(),
		dim: c.dim(), report: c.report()}
}

// put writes the members into a container.
func (c *committee) put(to *container.File) error {
	to.Metadata[keyFormat] = strconv.Itoa(committeeFormat)
	delete(to.Metadata, keyKernel)
	said, err := json.Marshal(reportOf(c.said)) // members have their own
	if err != nil {
		return fmt.Errorf("model: %s: %w", keyReport, err)
	}
	to.Metadata[keyReport] = string(said)
	members := make([]map[string]string, len(c.members))
	for m, b := range c.members {
		one, err := (&Model{Info{Spec: c.specs[m]}, b}).container()
		if err != nil {
			return err
		}
		delete(one.Metadata, keyProvenance)
		members[m] = one.Metadata
		for name, t := range one.Tensors {
			to.Tensors[memberPrefix+strconv.Itoa(m)+"."+name] = t
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return fmt.Errorf("model: %s: %w", keyMembers, err)
	}
	to.Metadata[keyMembers] = string(text)
	to.Tensors[tensorWeights] = container.Float64s(c.weights, len(c.weights))
	return nil
}

// takeCommittee reads it back: encoder and classes are those of the file.
func takeCommittee(r record, from *container.File) (*committee, error) {
	var members []map[string]string
	if err := json.Unmarshal([]byte(from.Metadata[keyMembers]), &members); err != nil {
		return nil, fmt.Errorf("%s: %w", keyMembers, err)
	}
	if len(members) > mostMembers {
		return nil, fmt.Errorf("%d members", len(members))
	}
	weights, err := from.Tensors[tensorWeights].Float64s()
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", tensorWeights, err)
	}
	parts := make([]*container.File, len(members))
	for m, meta := range members {
		if d := meta[keyDomain]; d == domainCommittee || d == domainTransform || d == domainNodes {
			return nil, fmt.Errorf("member %d is a %q", m, d)
		}
		parts[m] = &container.File{Metadata: map[string]string{}, Tensors: map[string]container.Tensor{}}
		for _, key := range []string{keyLearner, keySpec, keyKernel, keyDomain, keyDim, keyNumbers, keyReport} {
			if v, ok := meta[key]; ok {
				parts[m].Metadata[key] = v
			}
		}
		for _, key := range []string{keyEncoder, keyClasses} {
			if v, ok := from.Metadata[key]; ok {
				parts[m].Metadata[key] = v
			}
		}
	}
	for name, t := range from.Tensors {
		rest, ok := strings.CutPrefix(name, memberPrefix)
		if !ok {
			continue
		}
		number, own, _ := strings.Cut(rest, ".")
		m, err := strconv.Atoi(number)
		if err != nil || m < 0 || m >= len(parts) {
			return nil, fmt.Errorf("tensor %q of no member", clip(name))
		}
		parts[m].Tensors[own] = t
	}
	out := &committee{weights: weights, said: r.report}
	for m, part := range parts {
		one, err := decode(part)
		if err != nil {
			return nil, fmt.Errorf("member %d: %w", m, err)
		}
		out.members, out.specs = append(out.members, one.body), append(out.specs, one.info.Spec)
	}
	return out, out.check()
}
