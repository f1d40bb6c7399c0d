package serve

import (
	"math"
	"strconv"
)

// numberElement reads an element of floating point; null, and NaN as some clients write it, is a
// missing value.
func (s *scanner) numberElement(t *tensor) error {
	switch s.next() {
	case 'n', 'N':
		if s.word("null") || s.word("NaN") {
			t.numbers = append(t.numbers, math.NaN())
			return nil
		}
	case 't', 'f':
		v, err := s.truth()
		t.numbers = append(t.numbers, truthNumber(v))
		return err
	}
	x, err := s.number()
	t.numbers = append(t.numbers, x)
	return err
}

func truthNumber(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

// bounds are the least and the largest number of a datatype.
var bounds = map[string][2]float64{"BOOL": {0, 1}, "INT8": {math.MinInt8, math.MaxInt8},
	"INT16": {math.MinInt16, math.MaxInt16}, "INT32": {math.MinInt32, math.MaxInt32},
	"UINT8": {0, math.MaxUint8}, "UINT16": {0, math.MaxUint16}, "UINT32": {0, math.MaxUint32}}

// wholeElement reads an element of whole numbers, or of truth values.
func (s *scanner) wholeElement(t *tensor) error {
	if c := s.next(); c == 't' || c == 'f' {
		v, err := s.truth()
		t.put(int64(truthNumber(v)))
		return err
	}
	at := s.i
	if t.kind == "UINT64" {
		raw, err := s.numeral()
		if err != nil {
			return err
		}
		x, err := strconv.ParseUint(string(raw), 10, 64)
		if err != nil {
			s.i = at
			return s.fail("%s is not a UINT64", clip(string(raw)))
		}
		t.putUnsigned(x)
		return nil
	}
	x, err := s.whole()
	if err != nil {
		return err
	}
	if b, narrow := bounds[t.kind]; narrow && (float64(x) < b[0] || float64(x) > b[1]) {
		s.i = at
		return s.fail("%d is not a %s", x, t.kind)
	}
	t.put(x)
	return nil
}

// textElement reads an element of BYTES: a string, or what else stands there as it is written; null
// is a missing value.
func (s *scanner) textElement(t *tensor) error {
	switch s.next() {
	case '"':
		x, err := s.text()
		t.texts = append(t.texts, x)
		return err
	case 'n':
		if s.word("null") {
			t.texts = append(t.texts, "")
			return nil
		}
	case 't', 'f':
		v, err := s.truth()
		t.texts = append(t.texts, strconv.FormatFloat(truthNumber(v), 'f', -1, 64)) // as JSON lines are read
		return err
	}
	raw, err := s.numeral()
	t.texts = append(t.texts, string(raw))
	return err
}

// appendInference writes the answer to a request; where outputs are binary their bytes follow, and
// head is the length of the JSON.
func appendInference(b []byte, name, version string, r *inference, outputs []tensor) (out []byte, head int) {
	b = append(b, `{"model_name":`...)
	b = appendText(b, name)
	b = append(b, `,"model_version":`...)
	b = appendText(b, version)
	if r.id != "" {
		b = append(b, `,"id":`...)
		b = appendText(b, r.id)
	}
	b = appendDoubts(b, r.doubts)
	b = append(b, `,"outputs":[`...)
	for i := range outputs {
		t := &outputs[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = appendText(b, t.name)
		b = append(b, `,"datatype":"`...)
		b = append(b, t.kind...)
		b = append(b, `","shape":`...)
		b = appendShape(b, t.shape)
		if t.binary {
			b = append(b, `,"parameters":{"binary_data_size":`...)
			b = strconv.AppendInt(b, int64(t.rawSize()), 10)
			b = append(b, `}}`...)
			continue
		}
		b = append(b, `,"data":`...)
		b = t.appendData(b)
		b = append(b, '}')
	}
	b = append(b, `]}`...)
	for i := range outputs {
		if t := &outputs[i]; t.binary {
			if head == 0 {
				head = len(b)
			}
			b = t.appendRaw(b)
		}
	}
	return b, head
}

// appendData writes the elements flat.
func (t *tensor) appendData(b []byte) []byte {
	b = append(b, '[')
	for i, s := range t.texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, s)
	}
	for i, x := range t.numbers {
		if i > 0 {
			b = append(b, ',')
		}
		if t.kind == "FP32" {
			b = strconv.AppendFloat(b, x, 'g', -1, 32)
			continue
		}
		b = appendNumber(b, x)
	}
	return append(b, ']')
}
