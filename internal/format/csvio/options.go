package csvio

import (
	"cmp"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
)

// Header says whether the first record holds column names.
type Header string

// The choices for a header.
const (
	HeaderAuto Header = "" // found from the content
	HeaderYes  Header = "yes"
	HeaderNo   Header = "no"
	HeaderTwo  Header = "2" // the first two records hold names, one above the other
)

// Options says how to read; the zero value finds everything from the content.
type Options struct {
	Delimiter byte     // ',', ';', '\t', '|' or ' ' (any run of blanks); 0: found from the content
	Decimal   byte     // '.' or ','; 0: found from the content
	Header    Header   // whether the first record holds names
	NA        []string // further markers of missing values, beside those of celltext.IsNA
	// Told is how columns are read, by name: what a person says, or data.Encoder.Readings. The rest
	// are found from the content.
	Told     map[string]data.Notation
	Encoding Encoding // of the text; zero: UTF-8, and fields that are not are taken for Windows-1252
	Threads  int      // 0: all cores
	Block    int      // bytes per block; 0: 1 MiB
	Size     int64    // bytes of the file; 0: not known. Read makes room for its rows at once
	Bytes    int64    // memory for the data set; 0: half of the machine's

	strings []string // columns that a first pass found not to be numbers
	presume bool     // try a dialect that a few lines suggest
}

// Encoding is how the characters of a text file are stored.
type Encoding string

// The encodings.
const (
	UTF8 Encoding = "utf-8"
	// Windows1252 is also read for Latin-1, of which it is the larger part that files have.
	Windows1252 Encoding = "latin-1"
)

// told is what is known about a column.
func (o Options) told(name string) (data.Notation, bool) {
	n, ok := o.Told[name]
	return n, ok
}

// inference is what the kinds of columns are found by.
func (o Options) inference(mark byte) data.Inference {
	in := data.Inference{Told: o.Told, Missing: o.NA}
	if o.Decimal != 0 || mark == ',' { // a point that was found is no evidence
		in.Decimal = string(cmp.Or(o.Decimal, mark))
	}
	return in
}

func (o Options) block() int {
	if o.Block > 0 {
		return o.Block
	}
	return 1 << 20
}

// within is n bytes, or as many as tell the end of a file that has fewer.
func (o Options) within(n int) int {
	if o.Size > 0 {
		return int(min(int64(n), o.Size+1))
	}
	return n
}

func (o Options) isNA(s string) bool {
	if celltext.IsNA(s) {
		return true
	}
	for _, m := range o.NA {
		if s == m {
			return true
		}
	}
	return false
}
