package csvio

import (
	"bytes"
	"errors"
)

// Most files are a table of numbers and nothing else, which a few lines show as well as the
// thousand that dialects are judged by. What those few suggest is then tried on all of them, by
// parsing: where every field of the first block is a number written plainly, or missing, judging
// all of it would have found the same. Where one is not, the file is read again from its start, and
// judged.

// presumedBytes is how much of a file suggests a dialect, and presumedLines the least number of
// lines.
const (
	presumedBytes = 8 << 10
	presumedLines = 4
)

// errPresumed says that a file is not what its first lines suggest.
var errPresumed = errors.New("the first lines are not like the rest")

// presume is the dialect of a table of plain numbers, from the first lines of text; not ok where
// they are anything else, or something was said of columns.
func presume(text []byte, file string, o Options) (d dialect, ok bool) {
	if !o.presume || len(o.Told) > 0 || len(o.NA) > 0 || len(o.strings) > 0 || o.Decimal != 0 {
		return d, false
	}
	few := text[:bytes.LastIndexByte(text[:min(len(text), presumedBytes)], '\n')+1]
	for lines := bytes.Count(few, newline); lines < presumedLines; lines++ {
		n := bytes.IndexByte(text[len(few):], '\n')
		if n < 0 {
			return d, false
		}
		few = text[:len(few)+n+1]
	}
	if bytes.IndexByte(few, '"') >= 0 {
		return d, false
	}
	d, err := sniff(few, false, file, o)
	if err != nil || d.delimiter == ' ' || d.comments || d.trailing || d.recoded > 0 || d.mark != '.' || len(d.names) < 2 {
		return d, false
	}
	for j, kind := range d.kinds {
		if kind != rawNumber || d.points[j] != '.' {
			return d, false
		}
	}
	return d, true
}

// presumedBlock is the size of the blocks of a table of plain numbers: small enough that several
// cores share the work of a file of some hundred kilobytes. In other files what columns of words
// are is decided by block.
func presumedBlock(size int64, block int) int {
	return int(min(max(size/8, oneBlock), int64(block)))
}

// oneBlock is the size up to which a file is not worth more than one core.
const oneBlock = 1 << 18
