package serve

import (
	"github.com/mercer-ml/mercer/data"
	"strconv"
)

// inference is a request for predictions, however it came.
type inference struct {
	doubts  []data.Doubt // of the rows that were answered
	id      string
	params  parameters
	inputs  []tensor
	outputs []tensor // names and parameters of what is asked for; nil: all
}

// maxTensors bounds the inputs and outputs of a request: a model has one for each column at the
// most.
const maxTensors = 1 << 16

// parseInference reads the JSON of a request; rest is the bytes after it, of tensors in binary
// form.
func parseInference(head, rest []byte) (*inference, error) {
	r := &inference{}
	s := &scanner{b: head}
	var later []unread
	err := s.object(func(key string) (err error) {
		switch key {
		case "id":
			r.id, err = s.text()
		case "parameters":
			r.params, err = s.parameters()
		case "inputs":
			err = s.list(func() error {
				if len(r.inputs) == maxTensors {
					return s.fail("more than %d inputs", maxTensors)
				}
				r.inputs = append(r.inputs, tensor{})
				u, err := s.input(&r.inputs[len(r.inputs)-1])
				if u.data != nil {
					u.input = len(r.inputs) - 1
					later = append(later, u)
				}
				return err
			})
		case "outputs":
			r.outputs = []tensor{}
			err = s.list(func() error {
				if len(r.outputs) == maxTensors {
					return s.fail("more than %d outputs", maxTensors)
				}
				r.outputs = append(r.outputs, tensor{})
				return s.output(&r.outputs[len(r.outputs)-1])
			})
		default:
			err = s.skip()
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, err
	}
	for _, u := range later {
		t := &r.inputs[u.input]
		if err := (&scanner{b: u.data}).elements(t); err != nil {
			return nil, asSyntax(err, u.at)
		}
	}
	for i := range r.inputs {
		t := &r.inputs[i]
		size, given := t.params["binary_data_size"]
		if !given {
			continue
		}
		n, err := strconv.ParseUint(size, 10, 63)
		switch {
		case err != nil:
			return nil, t.refuse("binary_data_size %q is not a number of bytes", clip(size))
		case t.numbers != nil || t.texts != nil:
			return nil, t.refuse("both data and binary_data_size")
		case n > uint64(len(rest)):
			return nil, t.refuse("binary_data_size is %d, where %d bytes are left in the body", n, len(rest))
		}
		if err := t.raw(rest[:n]); err != nil {
			return nil, err
		}
		rest = rest[n:]
	}
	if len(rest) > 0 {
		return nil, refused("%d bytes after the tensors of the request", len(rest))
	}
	if len(r.outputs) == 0 {
		r.outputs = nil
	}
	return r, r.check()
}

// check refuses tensors without elements that their shapes promise.
func (r *inference) check() error {
	for i := range r.inputs {
		t := &r.inputs[i]
		n, err := t.count()
		if err != nil {
			return err
		}
		if have := max(len(t.numbers), len(t.texts)); have != n {
			return t.refuse("%d elements for shape %v, which has %d", have, t.shape, n)
		}
	}
	return nil
}

// unread is data that stands before the datatype that it is of.
type unread struct {
	input, at int
	data      []byte
}

// input reads one input tensor. Data are read in place where the datatype is known by then.
func (s *scanner) input(t *tensor) (u unread, err error) {
	err = s.object(func(key string) (err error) {
		switch key {
		case "name":
			t.name, err = s.text()
		case "datatype":
			t.kind, err = s.text()
		case "shape":
			t.shape = []int64{}
			err = s.list(func() error {
				if len(t.shape) == 8 {
					return s.fail("more than 8 dimensions")
				}
				d, err := s.whole()
				t.shape = append(t.shape, d)
				return err
			})
		case "parameters":
			t.params, err = s.parameters()
		case "data":
			if t.kind != "" && t.shape != nil {
				return s.elements(t)
			}
			s.next()
			u.at = s.i
			err = s.skip()
			u.data = s.b[u.at:s.i]
		default:
			err = s.skip()
		}
		return err
	})
	return u, err
}

func (s *scanner) output(t *tensor) error {
	return s.object(func(key string) (err error) {
		switch key {
		case "name":
			t.name, err = s.text()
		case "parameters":
			t.params, err = s.parameters()
		default:
			err = s.skip()
		}
		return err
	})
}

// parameters reads texts, numbers and truth values; null is as if it were not there.
func (s *scanner) parameters() (parameters, error) {
	if s.word("null") {
		return nil, nil
	}
	p := parameters{}
	err := s.object(func(key string) (err error) {
		switch s.next() {
		case '"':
			p[key], err = s.text()
		case 't', 'f':
			var v bool
			v, err = s.truth()
			p[key] = strconv.FormatBool(v)
		case 'n', '[', '{': // what others define is passed over
			err = s.skip()
		default:
			var raw []byte
			raw, err = s.numeral()
			p[key] = string(raw)
		}
		return err
	})
	return p, err
}

// elements reads the data of a tensor, flat or in lists of lists.
func (s *scanner) elements(t *tensor) error {
	n, err := t.count()
	if err != nil {
		return err
	}
	// What a shape says is believed as far as bytes are there for it.
	room := min(n, (len(s.b)-s.i)/2+1)
	one := s.numberElement
	switch t.kind {
	case "BYTES":
		t.texts = make([]string, 0, room)
		one = s.textElement
	case "FP32":
		one = func(t *tensor) error {
			err := s.numberElement(t)
			if k := len(t.numbers) - 1; k >= 0 && err == nil {
				t.numbers[k] = float64(float32(t.numbers[k]))
			}
			return err
		}
		fallthrough
	case "FP64":
		t.numbers = make([]float64, 0, room)
	default:
		t.numbers = make([]float64, 0, room)
		one = s.wholeElement
	}
	var each func() error
	each = func() error {
		if s.next() == '[' {
			return s.list(each)
		}
		if max(len(t.numbers), len(t.texts)) == n {
			return s.fail("more than the %d elements of shape %v", n, t.shape)
		}
		return one(t)
	}
	if s.next() != '[' {
		return s.fail("a list is needed here")
	}
	return s.list(each)
}
