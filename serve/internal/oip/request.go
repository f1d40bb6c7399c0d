package oip

import "strconv"

// Empty reads a message without fields: those of ServerLive, ServerReady and ServerMetadata.
func Empty(b []byte) error { return each(b, func(field) error { return nil }) }

// Model is the name and the version that a request is about: those of ModelReady, ModelMetadata,
// RepositoryModelLoad and RepositoryModelUnload, the last two without a version.
type Model struct{ Name, Version string }

// Read reads the message.
func (m *Model) Read(b []byte) error {
	return each(b, func(f field) error {
		switch f.number {
		case 1:
			return f.text(&m.Name)
		case 2:
			return f.text(&m.Version)
		}
		return nil
	})
}

// Infer is the request of ModelInfer.
type Infer struct {
	Model
	ID         string
	Parameters map[string]string // as text, whatever their kind
	Inputs     []Tensor
	Outputs    []Tensor // that are wanted: names and parameters
	Raw        [][]byte // parts of the message
}

// Tensor is an input or an output.
type Tensor struct {
	Name, Datatype string
	Shape          []int64
	Parameters     map[string]string
	Contents       *Contents // nil: they are raw
}

// Contents are the elements of a tensor, in the list that its datatype has.
type Contents struct {
	Bools   []bool
	Ints    []int32
	Int64s  []int64
	Uints   []uint32
	Uint64s []uint64
	Fp32s   []float32
	Fp64s   []float64
	Bytes   [][]byte // parts of the message
}

// Read reads the message.
func (r *Infer) Read(b []byte) error {
	return each(b, func(f field) error {
		switch f.number {
		case 1:
			return f.text(&r.Name)
		case 2:
			return f.text(&r.Version)
		case 3:
			return f.text(&r.ID)
		case 4:
			return f.parameter(&r.Parameters)
		case 5:
			return f.tensor(&r.Inputs, (*Tensor).readInput)
		case 6:
			return f.tensor(&r.Outputs, (*Tensor).readOutput)
		case 7:
			f.part(&r.Raw)
		}
		return nil
	})
}

func (f field) part(to *[][]byte) {
	if f.kind == delimited {
		*to = append(*to, f.bytes)
	}
}

func (f field) tensor(to *[]Tensor, read func(t *Tensor, b []byte) error) error {
	if f.kind != delimited {
		return nil
	}
	*to = append(*to, Tensor{})
	return read(&(*to)[len(*to)-1], f.bytes)
}

func (t *Tensor) readInput(b []byte) error {
	return each(b, func(f field) error {
		switch f.number {
		case 1:
			return f.text(&t.Name)
		case 2:
			return f.text(&t.Datatype)
		case 3:
			return varints(f, &t.Shape, func(x uint64) int64 { return int64(x) })
		case 4:
			return f.parameter(&t.Parameters)
		case 5:
			if f.kind != delimited {
				return nil
			}
			if t.Contents == nil { // a message that comes in parts is one
				t.Contents = &Contents{}
			}
			return t.Contents.read(f.bytes)
		}
		return nil
	})
}

func (t *Tensor) readOutput(b []byte) error {
	return each(b, func(f field) error {
		switch f.number {
		case 1:
			return f.text(&t.Name)
		case 2:
			return f.parameter(&t.Parameters)
		}
		return nil
	})
}

func (c *Contents) read(b []byte) error {
	return each(b, func(f field) error {
		switch f.number {
		case 1:
			return varints(f, &c.Bools, func(x uint64) bool { return x != 0 })
		case 2:
			return varints(f, &c.Ints, func(x uint64) int32 { return int32(x) })
		case 3:
			return varints(f, &c.Int64s, func(x uint64) int64 { return int64(x) })
		case 4:
			return varints(f, &c.Uints, func(x uint64) uint32 { return uint32(x) })
		case 5:
			return varints(f, &c.Uint64s, func(x uint64) uint64 { return x })
		case 6:
			return f.floats(&c.Fp32s)
		case 7:
			return f.doubles(&c.Fp64s)
		case 8:
			f.part(&c.Bytes)
		}
		return nil
	})
}

// parameter puts an entry of a map of parameters into one. One without a value is left out.
func (f field) parameter(to *map[string]string) error {
	if f.kind != delimited {
		return nil
	}
	var name string
	var value *string
	err := each(f.bytes, func(f field) error {
		switch {
		case f.number == 1:
			return f.text(&name)
		case f.number == 2 && f.kind == delimited:
			return each(f.bytes, func(f field) error { return f.choice(&value) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	if *to == nil {
		*to = map[string]string{}
	}
	delete(*to, name)
	if value != nil {
		(*to)[name] = *value
	}
	return nil
}

// choice is the value of a parameter, of which the last counts.
func (f field) choice(to **string) error {
	var text string
	switch {
	case f.number == 1 && f.kind == varint:
		text = strconv.FormatBool(f.bits != 0)
	case f.number == 2 && f.kind == varint:
		text = strconv.FormatInt(int64(f.bits), 10)
	case f.number == 3 && f.kind == delimited:
		if err := f.text(&text); err != nil {
			return err
		}
	default:
		return nil
	}
	*to = &text
	return nil
}
