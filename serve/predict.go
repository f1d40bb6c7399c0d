package serve

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/csvio"
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
}

// predictTable answers a file with a file: CSV with CSV, JSON with JSON. Rows are read, predicted and written a chunk at a time, so that neither may
// fit into memory.
func (s *Server) predictTable(w http.ResponseWriter, r *http.Request) error {
	v, err := s.find(r.PathValue("name"), r.PathValue("version"))
	if err != nil {
		return err
	}
	limits := http.NewResponseController(w.(*recorded).ResponseWriter)
	patience := newPatience(s.options.Timeout, limits)
	patience.more()
	_ = limits.EnableFullDuplex() // HTTP/2 has it, and so may another's writer
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	src, err := decoded(r)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(src, 1<<16)
	t, err := v.table(r, in)
	if err != nil {
		return err
	}
	give, err := s.take(tableMemory(r.ContentLength))
	if err != nil {
		return err
	}
	defer give()
	t.read.Stdin = in
	if v.gathers() {
		t.read.Stdin = &bounded{in, s.options.MaxBody, s.options.MaxBody}
	}
	if t.single {
		var body []byte
		give, err := s.readAll(r, in, &body)
		if err != nil {
			return err
		}
		defer give()
		more, err := s.take(int64(len(body))) // as lines
		if err != nil {
			return err
		}
		defer more()
		lines, err := t.objects(body)
		if err != nil {
			return err
		}
		t.read.Stdin = bytes.NewReader(lines)
	}
	rows, err := load.Open(ctx, "-", t.read)
	if err != nil {
		return bodyOr(r, err)
	}
	stream := t.model.Stream(rows, t.want)
	defer stream.Close()
	return bodyOr(r, t.copy(ctx, w.(*recorded), r, v, stream, patience))
}

// gathers says that the rows of an example may stand anywhere in a table, which is held whole then.
func (v *served) gathers() bool {
	for _, c := range v.schema.columns {
		if c.joined != nil && c.joined.By != "" {
			return true
		}
	}
	return false
}

// bounded is a body of at most so many bytes.
type bounded struct {
	r           io.Reader
	left, limit int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, &http.MaxBytesError{Limit: b.limit}
	}
	return n, err
}

// bodyOr says that the client stopped sending, or was too slow, where that is what a reader stumbled over.
func bodyOr(r *http.Request, err error) error {
	if err == nil {
		return nil
	}
	for e := err; e != nil; {
		if t, ok := e.(interface{ Timeout() bool }); ok && t.Timeout() {
			return bodyFault(r, e)
		}
		if e == io.ErrUnexpectedEOF {
			return bodyFault(r, e)
		}
		u, ok := e.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		e = u.Unwrap()
	}
	return err
}

// patience moves the deadline of a connection on as chunks go through it.
type patience struct {
	each   time.Duration
	limits *http.ResponseController
}

func newPatience(each time.Duration, limits *http.ResponseController) patience {
	return patience{each, limits}
}

func (p patience) more() {
	var read, write time.Time // none, in the place of what an earlier request on the connection left
	if p.each > 0 {
		read = time.Now().Add(p.each)
		write = read.Add(time.Second) // in which a late sender is told
	}
	_ = p.limits.SetReadDeadline(read)
	_ = p.limits.SetWriteDeadline(write)
}

// copy predicts chunk after chunk. An answer begins when the first chunk is predicted: until then a fault is a status.
func (t *table) copy(ctx context.Context, w *recorded, r *http.Request, v *served, s *model.Stream, p patience) error {
	var out tableWriter
	trailers := headerHas(r.Header, "Te", "trailers")
	for begun := false; ; begun = true {
		p.more()
		rows, predicted, err := s.Next(ctx)
		if begun && err != nil && err != io.EOF && trailers {
			// A client that reads trailers need not have its connection cut to see it.
			w.Header().Set(errorTrailer, strconv.QuoteToASCII(refusalOf(bodyOr(r, err)).text))
			return out.close()
		}
		if err == io.EOF {
			if !begun {
				return refused("no rows")
			}
			return out.close()
		}
		if err != nil {
			return err
		}
		if !begun {
			if trailers {
				w.Header().Set("Trailer", errorTrailer)
			}
			out = t.writer(w, v)
		}
		w.predicted(v.name, rows.Len())
		if err := out.write(t.model.Table(rows, predicted, t.want, t.keep)); err != nil { // columns, and the first that is predicted
			return err
		}
		if err := http.NewResponseController(w.ResponseWriter).Flush(); err != nil {
			return err
		}
	}
}

// errorTrailer is what ends an answer that could not be finished, for clients that say that they read trailers. The connection of others is cut.
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

// formats are the content types of tables.
var formats = map[string]load.Format{
	"text/csv": load.CSV, "text/tab-separated-values": load.TSV, "application/jsonl": load.JSONL, "application/x-ndjson": load.JSONL, "application/ndjson": load.JSONL,
	"application/jsonlines": load.JSONL, "application/x-jsonlines": load.JSONL, "text/x-libsvm": load.LIBSVM,
	"application/vnd.apache.parquet": load.Parquet, "application/vnd.apache.arrow.stream": load.ArrowStream, "application/vnd.apache.arrow.file": load.ArrowFile,
}

// table reads what a request asks for, and finds the format from its type or its first bytes.
func (v *served) table(r *http.Request, in *bufio.Reader) (*table, error) {
	if head, _ := in.Peek(1); len(head) == 0 {
		return nil, refused("no rows: the body is empty")
	}
	q := r.URL.Query()
	t := &table{keep: truthOf(q, "keep")}
	var err error
	if t.want, err = v.wantOf(q); err != nil {
		return nil, err
	}
	if t.model, err = v.policies(v.lenient, q.Get); err != nil {
		return nil, err
	}
	if t.read, err = readingOf(q); err != nil {
		return nil, err
	}
	t.read.NoTarget, t.read.StdinName = true, requestName
	t.read.Bytes = tableBytes
	if e := v.model.Info().Encoder; e != nil {
		t.read.Readings = e.Readings()
		for _, target := range v.model.Targets() {
			delete(t.read.Readings, target) // whatever stands there is not looked at
		}
		delete(t.read.Readings, e.Weights)
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	t.format = t.read.Format
	switch {
	case t.format != "":
	case kind == "application/json":
		t.single, t.format = true, load.JSONL
	case formats[kind] != "":
		t.format = formats[kind]
	default: // curl says that everything is a form
		head, _ := in.Peek(1 << 12)
		if t.format = load.Detect("", head); t.format == load.CSV && bytes.HasPrefix(bytes.TrimSpace(head), []byte("[")) {
			t.single, t.format = true, load.JSONL
		}
		if t.format == load.JSONL && !t.single {
			t.single = oneObject(head)
		}
	}
	t.read.Format = t.format
	return t, nil
}

// tableBytes is the memory for a chunk of a table: what a format that has to be read whole may have, too.
const tableBytes = 64 << 20

// tableMemory is about what a table takes while it goes through: some blocks of text, their rows, features and answers; less where it is small.
func tableMemory(length int64) int64 {
	const blocks = 16 << 20
	if length < 0 {
		return blocks
	}
	return min(blocks, 64<<10+8*length)
}

// oneObject says that the bytes begin with a JSON object that goes on over several lines, or is all there is: it is answered by one.
func oneObject(head []byte) bool {
	line, rest, more := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	return more && (&scanner{b: line}).skip() != nil || len(bytes.TrimSpace(rest)) == 0 && len(head) < 1<<12
}

// objects takes one JSON object or a list of them and makes lines of them.
func (t *table) objects(body []byte) (lines []byte, err error) {
	scan := &scanner{b: body}
	lines = make([]byte, 0, len(body)+1)
	one := func() error {
		if scan.next() != '{' {
			return scan.fail("a row is an object with the columns as members")
		}
		from := scan.i
		if err := scan.skip(); err != nil {
			return err
		}
		lines = appendCompact(lines, body[from:scan.i])
		lines = append(lines, '\n')
		return nil
	}
	if t.list = scan.next() == '['; t.list {
		err = scan.list(one)
	} else {
		err = one()
	}
	if err == nil {
		err = scan.end()
	}
	return lines, err
}

// appendCompact copies JSON that was looked at, without line ends between its values: inside of strings there are none.
func appendCompact(to, from []byte) []byte {
	for _, c := range from {
		if c == '\n' || c == '\r' {
			c = ' '
		}
		to = append(to, c)
	}
	return to
}

func truthOf(q url.Values, name string) bool {
	switch q.Get(name) {
	case "", "0", "false", "no":
		return q.Has(name) && q.Get(name) == ""
	}
	return true
}

// wantOf is what is computed beside the prediction, by the names of the command line's options.
func (v *served) wantOf(q url.Values) (w model.Want, err error) {
	w = model.Want{Proba: truthOf(q, "proba"), Std: truthOf(q, "std"), Scores: truthOf(q, "decision")}
	m := v.model
	switch of := q.Get("of"); of {
	case "", "observation":
	case "mean":
		w.OfMean = true
	default:
		return w, refused("of=%q; give observation or mean", clip(of))
	}
	if text := q.Get("interval"); text != "" {
		if w.Interval, err = strconv.ParseFloat(text, 64); err != nil || !(w.Interval > 0 && w.Interval < 1) {
			return w, refused("interval=%q; give a number between 0 and 1, as 0.9", clip(text))
		}
		if err := m.CheckInterval(w.Interval); err != nil {
			return w, err
		}
	}
	switch {
	case w.Proba && !m.HasProba():
		return w, refused("proba: %v", model.ErrNoProbabilities)
	case w.Std && !m.HasStd():
		return w, refused("std: %v", model.ErrNoDeviations)
	case w.OfMean && (w.Interval == 0 || !m.HasStd()):
		return w, refused("of=mean says what the interval of a model with a distribution of its own is of; give interval=0.9 as well, or leave it out")
	}
	return w, nil
}

// readingOf says how the table is written, by the names of the command line's options.
func readingOf(q url.Values) (o load.Options, err error) {
	if f := q.Get("format"); f != "" {
		if o.Format, err = load.ParseFormat(f); err != nil {
			return o, refused("format: %v", err)
		}
	}
	switch d := q.Get("delimiter"); {
	case d == "":
	case d == "tab":
		o.Delimiter = '\t'
	case d == "space":
		o.Delimiter = ' '
	case len(d) == 1 && strings.Contains(",;|\t ", d):
		o.Delimiter = d[0]
	default:
		return o, refused("delimiter=%q; give one of , ; | tab space", clip(d))
	}
	switch d := q.Get("decimal"); d {
	case "":
	case ".", ",":
		o.Decimal = d[0]
	default:
		return o, refused("decimal=%q; give . or ,", clip(d))
	}
	switch h := q.Get("header"); h {
	case "", "auto":
	case "yes":
		o.Header = csvio.HeaderYes
	case "no":
		o.Header = csvio.HeaderNo
	default:
		return o, refused("header=%q; give auto, yes or no", clip(h))
	}
	switch e := strings.ToLower(q.Get("encoding")); e {
	case "":
	case "utf-8":
		o.Encoding = csvio.UTF8
	case "latin-1":
		o.Encoding = csvio.Windows1252
	default:
		return o, refused("encoding=%q; give utf-8 or latin-1", clip(e))
	}
	o.NA, o.Ignore, o.Sheet = q["na"], q["ignore"], q.Get("sheet")
	for _, told := range q["type"] {
		at := strings.LastIndex(told, "=")
		if at < 0 {
			return o, refused("type=%q; write NAME=KIND", clip(told))
		}
		n, err := data.ParseNotation(told[at+1:])
		if err != nil {
			return o, refused("type: %v", err)
		}
		if o.Told == nil {
			o.Told = map[string]data.Notation{}
		}
		o.Told[told[:at]] = n
	}
	return o, nil
}
