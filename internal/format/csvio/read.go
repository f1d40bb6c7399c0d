package csvio

import (
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// Read reads a whole file. open is called again if the first rows were numbers in a column that
// turns out to hold strings, or numbers that only all of the column can say how to read.
func Read(open func() (io.ReadCloser, error), name string, o Options) (*data.Dataset, error) {
	doubts, words := map[string]error{}, map[string]error{}
	o.presume = true
	for {
		set, again, err := readOnce(open, name, o, doubts, words)
		if err == errPresumed {
			o.presume = false
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(again) > 0 {
			o.strings = append(o.strings, again...)
			continue
		}
		for i := range set.Columns {
			c := &set.Columns[i]
			if fault := doubts[c.Name]; fault != nil && (c.Kind == data.Text || c.Kind == data.Categorical) {
				return nil, fault
			}
		}
		return set, nil
	}
}

// readOnce reads the file, and says which columns are to be read again as strings. doubts takes, by
// column, the fault of a number written in another way than the many before it, should no one way
// of writing fit them all, and words that of a word among them.
func readOnce(
	open func() (io.ReadCloser, error), name string, o Options, doubts, words map[string]error,
) (*data.Dataset, []string, error) {
	src, err := open()
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	r, err := NewReader(src, name, o)
	if err != nil {
		return nil, nil, err
	}
	defer r.finish()
	all := collector{reader: r, size: o.Size, room: room.New(name, o.Bytes)}
	faults := map[int]*[faultSorts]fault{}
	for {
		c, err := r.next()
		if err == io.EOF {
			break
		}
		if r.presumed && (err != nil || c.odd && all.read < r.judged()) {
			return nil, nil, errPresumed
		}
		if err != nil {
			return nil, nil, err
		}
		for _, f := range c.faults {
			if faults[f.column] == nil {
				faults[f.column] = &[faultSorts]fault{}
			}
			g := &faults[f.column][f.sort]
			if f.count += g.count; g.count > 0 {
				g.count = f.count
			} else {
				*g = f
			}
		}
		if err := all.add(c); err != nil {
			return nil, nil, err
		}
	}
	set, err := all.join()
	if err != nil {
		return nil, nil, err
	}
	if err := r.secondHeader(faults, o); err != nil {
		return nil, nil, err
	}
	var again []string
	for j, name := range r.dialect.names {
		f := faults[j]
		if f == nil {
			continue
		}
		c := &set.Columns[j]
		present := c.Len() - c.Missing()
		word, strange := f[isWord], f[isStrange]
		_, told := o.told(name)
		switch {
		case word.count > 0 && told:
			return nil, nil, r.faulty(word, present)
		case word.count > 0 && present >= 9*word.count:
			words[name] = r.faulty(word, present)
		case strange.count > 0 && told:
			return nil, nil, r.faulty(strange, present)
		case told:
			continue
		case strange.count > 0 && present >= 9*strange.count:
			doubts[name] = r.faulty(strange, present)
		}
		again = append(again, name)
	}
	if len(again) > 0 {
		return nil, again, nil
	}
	set.Notes = r.notes()
	in := o.inference(r.dialect.mark)
	if err := data.InferKinds(set, in); err != nil {
		return nil, nil, err
	}
	return set, nil, r.settleStrays(set, in, words)
}
