package sparsetext

import (
	"bytes"
	"math"
	"strconv"
)

// Fault is what is wrong with a row.
type Fault struct {
	Sort          FaultSort
	Line          int
	Byte          int    // where Text begins in the line, from 0
	Text          string // what is wrong
	Index, Before int64  // of Low, High and Order
}

// FaultSort says what kind of fault it is.
type FaultSort uint8

// The faults.
const (
	Number  FaultSort = iota // before the entries, one that is no finite number, or too few of them
	Pair                     // not index:value
	Value                    // not a finite number
	Whole                    // an index that is not a whole number
	Low                      // an index below the least
	High                     // above MaxIndex
	Order                    // not above the one before
	LateQid                  // a qid after an entry
)

// careful reads any row, and says whether there is one in the line: comments and blanks are none. A
// fault is noted in r.
func (f Form) careful(r *Rows, line []byte, number int) bool {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return false
	}
	lead, index, value := r.Lead, r.Index, r.Value
	refuse := func(sort FaultSort, from, to int, j, before int64) bool {
		r.Fault = &Fault{sort, number, from, string(line[from:to]), j, before}
		return false
	}
	end := 0
	for range f.Lead {
		pos := skipBlanks(line, end)
		end = wordEnd(line, pos)
		x, ok := finite(line[pos:end])
		if !ok {
			return refuse(Number, pos, end, 0, 0)
		}
		lead = append(lead, x)
	}
	qid, previous, low := math.NaN(), int64(-1), int64(f.Low)
	for {
		pos := skipBlanks(line, end)
		if pos == len(line) {
			break
		}
		end = wordEnd(line, pos)
		colon := bytes.IndexByte(line[pos:end], ':') + pos
		if colon < pos {
			return refuse(Pair, pos, end, 0, 0)
		}
		x, ok := finite(line[colon+1 : end])
		if !ok {
			return refuse(Value, colon+1, end, 0, 0)
		}
		if string(line[pos:colon]) == "qid" {
			if previous >= 0 {
				return refuse(LateQid, pos, end, 0, 0)
			}
			qid = x
			continue
		}
		j, err := strconv.ParseInt(string(line[pos:colon]), 10, 64)
		switch {
		case err != nil:
			return refuse(Whole, pos, colon, 0, 0)
		case j < low:
			return refuse(Low, pos, colon, j, 0)
		case j > MaxIndex:
			return refuse(High, pos, colon, j, 0)
		case j <= previous:
			return refuse(Order, pos, colon, j, previous)
		}
		previous = j
		index, value = append(index, int32(j-low)), append(value, x)
	}
	if r.Qid == nil && !math.IsNaN(qid) {
		for range r.Line { // rows before this one have none
			r.Qid = append(r.Qid, math.NaN())
		}
	}
	if r.Qid != nil || !math.IsNaN(qid) {
		r.Qid = append(r.Qid, qid)
	}
	r.Lead, r.Index, r.Value = lead, index, value
	return true
}

func finite(word []byte) (float64, bool) {
	x, err := strconv.ParseFloat(string(word), 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

func skipBlanks(s []byte, i int) int {
	for i < len(s) && blank(s[i]) {
		i++
	}
	return i
}

func wordEnd(s []byte, i int) int {
	for i < len(s) && !blank(s[i]) {
		i++
	}
	return i
}
