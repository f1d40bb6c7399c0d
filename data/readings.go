package data

import "slices"

// notations are how the columns that an encoder is fitted on were read.
func (d *Dataset) notations() map[string]Notation {
	out := map[string]Notation{}
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Notation == nil || (c.Name == d.Groups || c.Name == d.Order) && c.Name != d.Target {
			continue
		}
		n := *c.Notation
		n.Settled = false
		out[c.Name] = n
		for _, j := range d.Joins { // the parts are gone, and were read as what became of them
			if j.Name == c.Name {
				delete(out, c.Name)
				for _, from := range j.From {
					out[from] = n
				}
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// Readings is how each column was read when the encoder was fitted, by name: what the reader of the
// next file is told, so that it reads the same way. The target is among them, and the column of
// weights.
func (e *Encoder) Readings() map[string]Notation {
	out := map[string]Notation{}
	for _, c := range e.Columns {
		// Encoders of older files know the kind, and the layout of times.
		out[c.Name] = Notation{Kind: c.Kind, Layout: c.Layout, Settled: c.Layout != "" || c.Kind == Boolean}
		for _, j := range e.Joins {
			if j.Name != c.Name {
				continue
			}
			for _, from := range j.From {
				n := Notation{Kind: Numeric}
				if j.Kind == Sequence && c.Channels > 1 {
					n.Kind = Sequence
				}
				out[from] = n
			}
		}
	}
	if l := e.Lags; l != nil {
		for _, c := range e.Columns { // made, and not read
			delete(out, c.Name)
		}
		for _, c := range l.Beside {
			if c.Ahead() {
				out[c.Name] = Notation{Kind: Numeric}
			}
		}
		out[l.Order] = Notation{Kind: l.Kind, Layout: l.Layout, Settled: l.Layout != ""}
	}
	if e.Target != nil && !e.Target.Task.Classification() {
		out[e.Target.Name] = Notation{Kind: Numeric}
	}
	for _, name := range e.More {
		out[name] = Notation{Kind: Numeric}
	}
	for name, n := range e.Notations {
		n.Missing = slices.Clone(n.Missing)
		n.Settled = true
		out[name] = n
	}
	return out
}
