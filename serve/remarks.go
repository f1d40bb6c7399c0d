package serve

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// RemarksTrailer is the trailer of a whole answer to a table that has something to remark, for
// clients that say that they read trailers: Remarks as JSON, in a quoted string of ASCII as headers
// want it.
const RemarksTrailer = "Mercer-Remarks"

// Remarks is what was decided about a table that nobody asked for: by its reader, and by the
// policies for rows that the model was not fitted for.
type Remarks struct {
	Notes []string `json:"notes,omitempty"`
	model.Doubtful
}

// add takes in a chunk. Counts in the notes of a reader grow from chunk to chunk: the last ones
// hold.
func (r *Remarks) add(rows *data.Dataset, p *model.Prediction) {
	r.Doubtful.Add(rows.Len(), p)
	r.Notes = r.Notes[:0]
	for _, s := range rows.Skipped {
		r.Notes = append(r.Notes, s.String())
	}
	for _, n := range rows.Notes {
		r.Notes = append(r.Notes, n.Text)
	}
}

func (r *Remarks) tell(h http.Header) {
	text, err := json.Marshal(r)
	if err != nil || string(text) == "{}" {
		return // nothing in it but numbers and texts
	}
	h.Set(RemarksTrailer, strconv.QuoteToASCII(string(text)))
}

// RemarksOf reads the trailer of an answer; there are none where it has none.
func RemarksOf(trailer http.Header) (r Remarks) {
	if text, err := strconv.Unquote(trailer.Get(RemarksTrailer)); err == nil {
		_ = json.Unmarshal([]byte(text), &r) // what another server writes there is its own
	}
	return r
}
