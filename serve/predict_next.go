package serve

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// ahead is a request for the steps after a series: ?forecast=12, and nothing to send. It is
// answered with their times, as a list of objects, or as CSV where that is asked for.
func (v *served) ahead(r *http.Request, in *bufio.Reader) (t *table, err error) {
	q := r.URL.Query()
	e := v.model.Info().Encoder
	if e == nil || e.Lags == nil {
		return nil, refused("forecast: the model is not of a series in time; leave it out, and send rows")
	}
	n, err := strconv.Atoi(q.Get("forecast"))
	if most := e.Lags.Horizon; err != nil || n < 1 || n > most {
		return nil, refused("forecast=%q; the model forecasts 1 to %d steps", clip(q.Get("forecast")), most)
	}
	if head, _ := in.Peek(1); len(head) > 0 {
		return nil, refused("forecast: the times are those after the series; leave the rows out, or forecast=%d", n)
	}
	t = &table{keep: true, model: v.model, next: e.Lags.Next(n), format: "jsonl", single: true, list: true}
	read, err := readingOf(q)
	switch {
	case err != nil:
		return nil, err
	case read.Format == "csv" || read.Format == "" && strings.HasPrefix(r.Header.Get("Accept"), "text/csv"):
		t.format, t.single, t.list = "csv", false, false
	case read.Format == "jsonl":
		t.single, t.list = false, false
	case read.Format != "":
		return nil, refused("format=%q; a forecast is told as csv or jsonl, or without a format as a list",
			clip(q.Get("format")))
	}
	t.want, err = v.wantOf(q)
	return t, err
}

// nextSteps is a stream of one table.
type nextSteps struct{ table *data.Dataset }

func (s *nextSteps) Next() (*data.Dataset, error) {
	d := s.table
	if s.table = nil; d == nil {
		return nil, io.EOF
	}
	return d, nil
}

func (s *nextSteps) Close() error { return nil }
