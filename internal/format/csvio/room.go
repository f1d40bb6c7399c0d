package csvio

import (
	"bytes"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// What text takes while it is read: a few bytes may stand for gigabytes of it, and one line of
// commas for millions of fields.
const (
	textCost  = 4  // times a record, which is there twice while its memory grows, and once more as a string
	fieldCost = 48 // bytes of a field while a dialect is found: it is in one or two samples, and in a column of them
)

// fitsText refuses a record of so many bytes, beyond those of a block, that has no room.
func (r *Reader) fitsText(n int) error {
	if n <= max(r.options.block(), sniffBytes) {
		return nil
	}
	return r.allowed().Fits(int64(n), textCost)
}

// fitsFields refuses a text that a dialect is to be found from where splitting its first records up
// has no room.
func (r *Reader) fitsFields(text []byte) error {
	at := 0
	for range sampleRows {
		n := bytes.IndexByte(text[at:], '\n') + 1
		if at += n; n == 0 {
			at = len(text)
			break
		}
	}
	judged := text[:at]
	most := 0
	for _, c := range []byte(",;|\t ") {
		if r.options.Delimiter == 0 || r.options.Delimiter == c || r.options.Delimiter == ' ' && c == '\t' {
			most = max(most, bytes.Count(judged, []byte{c}))
		}
	}
	if most < 1<<14 { // as in any file
		return nil
	}
	return r.allowed().Fits(int64(most), fieldCost)
}

// inFlight is how many blocks are parsed at a time: as many as there are cores, where they have
// room.
func (r *Reader) inFlight() int {
	each := textCost*int64(r.split.size) + room.Column*int64(len(r.dialect.names))
	return int(min(int64(par.Workers(r.options.Threads)), max(1, r.allowed().Left()/each)))
}

// blockOf is the size of blocks of a file with lines of so many bytes: some rows of a wide one,
// where they have room.
func (r *Reader) blockOf(line int) int {
	some := min(int64(rowsOfBlock)*int64(line), r.allowed().Left()/(2*textCost))
	return max(r.split.size, int(some))
}

func (r *Reader) allowed() *room.Room { return room.New(r.name, r.options.Bytes) }
