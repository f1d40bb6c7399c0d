package tune

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// journalHead is the first line of a journal.
type journalHead struct {
	Journal string `json:"journal"`
	Search  string `json:"search"`
	Metric  string `json:"metric"`
	// Plan is what the search was planned to be by the time it had: one that goes on with more time
	// keeps to it.
	Plan *searchPlan `json:"plan,omitempty"`
}

const (
	journalMark    = `{"journal":"mercer tune ` // begins the first line of every version, and no other file
	journalVersion = "mercer tune 6"
	mostLine       = 1 << 26 // bytes; a line that is longer is damaged
)

// A line of a journal is a JSON object whose last member is a checksum of the search and of all
// that stands before:
//
//	{"cells":[…],"sum":"1a2b3c4d"}
//
// so that a line speaks for itself, even where the first one is damaged.
const (
	sumMark = `,"sum":"`
	sumEnd  = `"}`
	sumSize = len(sumMark) + 8 + len(sumEnd)
)

func checksum(search string, text []byte) string {
	table := crc32.MakeTable(crc32.Castagnoli)
	return fmt.Sprintf("%08x", crc32.Update(crc32.Checksum([]byte(search), table), table, text))
}

// seal is a line with its checksum and its end.
func seal(line any, search string) ([]byte, error) {
	text, err := json.Marshal(line)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSuffix(text, []byte("}"))
	return fmt.Appendf(text, "%s%s%s\n", sumMark, checksum(search, text), sumEnd), nil
}

// sealed says whether a line is as it was written for a search.
func sealed(line []byte, search string) bool {
	line, whole := bytes.CutSuffix(line, []byte("\n"))
	if !whole || len(line) < sumSize {
		return false
	}
	text, sum := line[:len(line)-sumSize], line[len(line)-sumSize:]
	return string(sum) == sumMark+checksum(search, text)+sumEnd
}

// journalText is what a journal holds.
type journalText struct {
	lines   []journalLine
	size    int64 // of whole lines; what follows was cut off
	damaged int   // lines that are not as they were written
}

// readJournal reads the journal of a search. A file that does not begin as one is refused, and so
// is one of another search. A damaged line costs that line: the first one only says early of which
// search the others are.
func readJournal(f io.Reader, search string) (journalText, error) {
	var out journalText
	r := bufio.NewReaderSize(f, 1<<16)
	switch mark, _ := r.Peek(len(journalMark)); {
	case len(mark) == 0:
		return out, nil
	case string(mark) != journalMark:
		return out, ErrNotJournal
	}
	sound := false // its first line
	for first := true; ; first = false {
		line, size, err := readLine(r)
		if err == io.EOF { // in the middle of a line, or before one
			if !sound && out.size > 0 && len(out.lines) == 0 {
				return out, ErrOtherSearch
			}
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out.size += size
		var l journalLine
		switch ok := sealed(line, search); {
		case first && !ok && ofAnother(line):
			return out, ErrOtherSearch
		case first && ok:
			sound = true
		case !ok || json.Unmarshal(line, &l) != nil:
			out.damaged++
		default:
			out.lines = append(out.lines, l)
		}
	}
}

// ofAnother says whether a first line is sound and names a search that is not ours.
func ofAnother(line []byte) bool {
	var h journalHead
	return json.Unmarshal(line, &h) == nil && sealed(line, h.Search)
}

// readLine reads to the end of a line, or io.EOF where that is missing. Of a line that is too long
// nothing is kept.
func readLine(r *bufio.Reader) (line []byte, size int64, err error) {
	for {
		part, err := r.ReadSlice('\n')
		size += int64(len(part))
		if size <= mostLine {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}
