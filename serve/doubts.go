package serve

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/serve/internal/oip"
)

// remarksMember is the member of a row of JSON, and the parameter of an answer of tensors, that
// says what is doubtful about it. Rows and answers about which there is nothing to say do not have
// it.
const remarksMember = "remarks"

// mostRemarks is how many rows an answer of tensors names; the counts are of all.
const mostRemarks = 20

// doubtCounts counts rows by what is doubtful about them.
func doubtCounts(doubts []data.Doubt) (names []string, counts []int) {
	for _, what := range []data.DoubtKind{"unseen", "alone", "far", "missing"} {
		rows := map[int]bool{}
		for _, d := range doubts {
			if d.What == what {
				rows[d.Row] = true
			}
		}
		if len(rows) > 0 {
			name := string(what) + "_rows"
			if what == "missing" {
				name = "filled_rows"
			}
			names, counts = append(names, name), append(counts, len(rows))
		}
	}
	return names, counts
}

// doubtText names the first of the rows.
func doubtText(doubts []data.Doubt) string {
	var b strings.Builder
	for i, d := range doubts {
		if i == mostRemarks {
			fmt.Fprintf(&b, "; and %d more", len(doubts)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "row %d: %s", d.Row+1, d)
	}
	return b.String()
}

// appendDoubts writes the parameters of an answer of tensors: numbers and a text, as the protocol
// has them.
func appendDoubts(b []byte, doubts []data.Doubt) []byte {
	if len(doubts) == 0 {
		return b
	}
	b = append(b, `,"parameters":{`...)
	names, counts := doubtCounts(doubts)
	for i, name := range names {
		b = append(b, '"')
		b = append(b, name...)
		b = append(b, `":`...)
		b = strconv.AppendInt(b, int64(counts[i]), 10)
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, remarksMember...)
	b = append(b, `":`...)
	return append(appendText(b, doubtText(doubts)), '}')
}

// appendDoubtParameters writes what is doubtful as parameters of a gRPC answer (field 4, a map):
// the remarks, and how many rows of each kind.
func appendDoubtParameters(b []byte, doubts []data.Doubt) []byte {
	if len(doubts) == 0 {
		return b
	}
	parameter := func(b []byte, name string, value []byte) []byte {
		return oip.AppendMessage(b, 4, oip.AppendMessage(oip.AppendText(nil, 1, name), 2, value))
	}
	b = parameter(b, remarksMember, oip.AppendText(nil, 3, doubtText(doubts)))
	names, counts := doubtCounts(doubts)
	for i, name := range names {
		b = parameter(b, name, oip.AppendInt(nil, 2, int64(counts[i])))
	}
	return b
}
