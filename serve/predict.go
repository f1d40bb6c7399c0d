package serve

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/model"
)

// table is a request for predictions of the rows of a file.
type table struct {
	format load.Format
	single bool // one JSON object, or a list of them
	list   bool
	want   model.Want
	keep   bool
	read   load.Options
	model  *model.Model
	body   *heard
	next   *data.Dataset // times after a series, where it is these that are asked for
}

// predictTable answers a file with a file: CSV with CSV, JSON with JSON. Rows are read, predicted
// and written a chunk at a time, so that neither may fit into memory.
func (s *Server) predictTable(w http.ResponseWriter, r *http.Request) error {
	v, err := s.find(r.PathValue("name"), r.PathValue("version"))
	if err != nil {
		return err
	}
	limits := http.NewResponseController(w.(*recorded).ResponseWriter)
	patience := newPatience(s.options.Timeout, limits)
	patience.more()
	// HTTP/2 has it, and so may another's writer.
	w.(*recorded).duplex = limits.EnableFullDuplex() == nil && r.ProtoMajor == 1
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	body, err := decoded(r)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(body, 1<<16)
	if r.URL.Query().Has("forecast") {
		t, err := v.ahead(r, in)
		if err != nil {
			return body.or(r, err)
		}
		t.body = body
		return t.copy(ctx, w.(*recorded), r, v, t.answers(&nextSteps{t.next}), patience)
	}
	t, err := v.table(r, in)
	if err != nil {
		return body.or(r, err)
	}
	t.body = body
	head, _ := in.Peek(8)
	t.read.Bytes = t.memory(r, head, s.options.Bytes)
	give, err := s.take(t.read.Bytes)
	if err != nil {
		return err
	}
	defer give()
	t.read.Stdin = in
	if v.gathers() {
		t.read.Stdin = &bounded{in, s.options.MaxBody, s.options.MaxBody}
	}
	if t.single {
		var all []byte
		give, err := s.readAll(r, in, &all)
		if err != nil {
			return err
		}
		defer give()
		more, err := s.take(int64(len(all))) // as lines
		if err != nil {
			return err
		}
		defer more()
		lines, err := t.objects(all)
		if err != nil {
			return err
		}
		t.read.Stdin = bytes.NewReader(lines)
	}
	rows, err := load.Open(ctx, "-", t.read)
	if err != nil {
		return body.or(r, err)
	}
	stream := t.answers(rows)
	defer stream.Close()
	return body.or(r, t.copy(ctx, w.(*recorded), r, v, stream, patience))
}

// copy predicts chunk after chunk. An answer begins when the first chunk is predicted: until then a
// fault is a status.
func (t *table) copy(ctx context.Context, w *recorded, r *http.Request, v *served, s answered, p patience) error {
	var out tableWriter
	var remarks Remarks
	trailers := headerHas(r.Header, "Te", "trailers")
	for begun := false; ; begun = true {
		p.more()
		rows, predicted, err := s.Next(ctx)
		if fault := t.body.fault(); err == io.EOF && fault != nil {
			err = fault
		}
		if begun && err != nil && err != io.EOF && trailers {
			// A client that reads trailers need not have its connection cut to see it.
			w.Header().Set(errorTrailer, strconv.QuoteToASCII(refusalOf(t.body.or(r, err)).text))
			return out.close()
		}
		if err == io.EOF {
			if !begun {
				return refused("no rows")
			}
			if trailers {
				remarks.tell(w.Header())
			}
			return out.close()
		}
		if err != nil {
			return err
		}
		if !begun {
			if trailers {
				w.Header().Set("Trailer", errorTrailer+", "+RemarksTrailer)
			}
			out = t.writer(w, v)
		}
		if remarks.add(rows, predicted); !begun && !trailers {
			remarks.tell(w.Header()) // of the first chunk, which is all of most tables
		}
		w.predicted(v.name, rows.Len())
		answer, first := s.table(rows, predicted) // columns, and the first that is predicted
		if err := out.write(answer, first, v.model.Remarks(rows, predicted)); err != nil {
			return err
		}
		if err := http.NewResponseController(w.ResponseWriter).Flush(); err != nil {
			return err
		}
	}
}

// errorTrailer is what ends an answer that could not be finished, for clients that say that they
// read trailers. The connection of others is cut.
const errorTrailer = "Mercer-Error"

func headerHas(h http.Header, name, word string) bool {
	for _, line := range h.Values(name) {
		for _, w := range strings.Split(line, ",") {
			w, _, _ = strings.Cut(w, ";")
			if strings.EqualFold(strings.TrimSpace(w), word) {
				return true
			}
		}
	}
	return false
}
