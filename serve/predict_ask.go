package serve

import (
	"bufio"
	"bytes"
	"mime"
	"net/http"

	"github.com/mercer-ml/mercer/data/load"
)

// formats are the content types of tables.
var formats = map[string]load.Format{
	"text/csv": "csv", "text/tab-separated-values": "tsv", "application/jsonl": "jsonl",
	"application/x-ndjson": "jsonl", "application/ndjson": "jsonl",
	"application/jsonlines": "jsonl", "application/x-jsonlines": "jsonl", "text/x-libsvm": "libsvm",
	"application/vnd.apache.parquet": "parquet", "application/vnd.apache.arrow.stream": "arrows",
	"application/vnd.apache.arrow.file": "arrow",
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
		t.single, t.format = true, "jsonl"
	case formats[kind] != "":
		t.format = formats[kind]
	default: // curl says that everything is a form
		head, _ := in.Peek(1 << 12)
		t.format = load.Detect("", head)
		switch list := bytes.HasPrefix(bytes.TrimSpace(head), []byte("[")); {
		case list && (t.format == "csv" || t.format == "jsonl"):
			t.single, t.format = true, "jsonl"
		case t.format == "jsonl":
			t.single = oneObject(head)
		}
	}
	t.read.Format = t.format
	return t, nil
}

// oneObject says that the bytes begin with a JSON object that goes on over several lines, or is all
// there is: it is answered by one.
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

// appendCompact copies JSON that was looked at, without line ends between its values: inside of
// strings there are none.
func appendCompact(to, from []byte) []byte {
	for _, c := range from {
		if c == '\n' || c == '\r' {
			c = ' '
		}
		to = append(to, c)
	}
	return to
}
