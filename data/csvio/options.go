package csvio

import (
	"github.com/mercer-ml/mercer/data"
)

// Header says whether the first record holds column names.
type Header uint8

// The choices for a header.
const (
	HeaderAuto Header = iota // found from the content
	HeaderYes
	HeaderNo
)

// Options says how to read; the zero value finds everything from the content.
type Options struct {
	Delimiter byte                 // ',', ';', '\t', '|' or ' ' (any run of blanks); 0: found from the content
	Decimal   byte                 // '.' or ','; 0: found from the content
	Header    Header               // whether the first record holds names
	NA        []string             // further markers of missing values, beside those of data.IsNA
	Kinds     map[string]data.Kind // kinds of columns by name; the rest are found from the content
	Threads   int                  // 0: all cores
	Block     int                  // bytes per block; 0: 1 MiB
	Size      int64                // bytes of the file; 0: not known. Read makes room for its rows at once
	Bytes     int64                // memory for the data set; 0: half of the machine's

	strings []string // columns that a first pass found not to be numbers
}

func (o Options) block() int {
	if o.Block > 0 {
		return o.Block
	}
	return 1 << 20
}

func (o Options) isNA(s string) bool {
	if data.IsNA(s) {
		return true
	}
	for _, m := range o.NA {
		if s == m {
			return true
		}
	}
	return false
}
