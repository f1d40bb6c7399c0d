package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// csvOf is a data set as a file.
func csvOf(d *data.Dataset) []byte {
	var b bytes.Buffer
	w := csvio.NewWriter(&b, ',')
	if err := w.Write(d); err != nil {
		panic(err)
	}
	if err := w.Flush(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// ordersCSV has dates as the model's own file had them.
func ordersCSV(n int) []byte {
	d := orders(n)
	c, _ := d.Column("day")
	texts := make([]string, n)
	for i := range texts {
		s := c.String(i)
		texts[i] = s[8:10] + "/" + s[5:7] + "/" + s[:4]
	}
	*c = data.TextColumn("day", texts)
	return csvOf(d)
}

// A table is answered with the bytes that mercer predict writes.
func TestPredictCSV(t *testing.T) {
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": irisModel(), "orders": ordersModel(),
		"waiting": waitingModel()})
	gaps := "price,shop,day,code,note,sold,parse,tags,votes,molecule,extra\n" +
		`2.5,nowhere,25/02/2024,ACGT,good,"1,2,3",(S (A a)),a;b,x>y,"{""edges"":[[0,1]]}",7` + "\n" +
		`,north,25/02/2024,ACGT,good,"1,2,3",(S (A a)),a;b,x>y,"{""edges"":[[0,1]]}",8` + "\n"
	for _, c := range []struct {
		name, query string
		text        []byte
		want        model.Want
		keep        bool
	}{
		{"iris", "", csvOf(iris()), model.Want{}, false},
		{"iris", "?proba=1&decision=true&keep", csvOf(iris()), model.Want{Proba: true, Scores: true}, true},
		{"waiting", "?std=1&interval=0.9", csvOf(must(data.Builtin("faithful", 0))), model.Want{Std: true, Interval: 0.9},
			false},
		{"orders", "", ordersCSV(24), model.Want{}, false},
		{"orders", "?keep=0", []byte(gaps), model.Want{}, false}, // a gap and a new category
	} {
		m := map[string]*model.Model{"iris": irisModel(), "orders": ordersModel(), "waiting": waitingModel()}[c.name]
		want := csvOf(predictFile(t, m, c.text, "csv", c.want, c.keep))
		for _, kind := range []string{"text/csv", "application/x-www-form-urlencoded"} {
			r := ask(t, s, "POST", "/predict/"+c.name+c.query, kind, c.text)
			if r.status != 200 || !bytes.Equal(r.body, want) {
				t.Errorf("%s%s as %s: %d\n%s\nwant\n%s", c.name, c.query, kind, r.status, clipped(r.text()), clipped(string(want)))
			}
			if !strings.HasPrefix(r.header.Get("Content-Type"), "text/csv") {
				t.Errorf("answered as %s", r.header.Get("Content-Type"))
			}
		}
	}
}

func clipped(s string) string { return s[:min(len(s), 400)] }

// JSON lines are answered with lines, an object with an object and a list with a list; numbers have
// all their digits.
func TestPredictJSON(t *testing.T) {
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": irisModel(), "waiting": waitingModel()})
	want := must(irisModel().Predict(t.Context(), iris(), model.Want{Proba: true}))
	var lines bytes.Buffer
	var all []map[string]any
	d := iris()
	for i := range d.Len() {
		row := map[string]any{}
		for _, c := range d.Features() {
			row[c.Name] = c.Numbers[i]
		}
		all = append(all, row)
		lines.Write(append(must(json.Marshal(row)), '\n'))
	}
	check := func(i int, got map[string]any) {
		t.Helper()
		if got["prediction"] != want.Labels[i] || got["p("+want.Labels[i]+")"] != want.Proba.At(i, want.Codes[i]) {
			t.Fatalf("row %d: %v, want %s %v", i, got, want.Labels[i], want.Proba.RawRowView(i))
		}
	}
	for _, kind := range []string{"application/jsonl", "application/x-ndjson", ""} {
		r := ask(t, s, "POST", "/predict/iris?proba=1", kind, lines.Bytes())
		answers := strings.Split(strings.TrimSpace(r.text()), "\n")
		if r.status != 200 || len(answers) != d.Len() {
			t.Fatalf("%d: %d lines: %s", r.status, len(answers), clipped(r.text()))
		}
		for i, line := range answers {
			var got map[string]any
			asked{body: []byte(line)}.into(t, &got)
			check(i, got)
		}
	}
	pretty := must(json.MarshalIndent(all[3], "", "  "))
	for _, kind := range []string{"application/json", "", "application/x-www-form-urlencoded"} {
		var got map[string]any
		ask(t, s, "POST", "/predict/iris?proba=1", kind, pretty).into(t, &got)
		check(3, got)
	}
	for name, body := range map[string][]byte{"on a line": must(json.Marshal(all)),
		"on many": must(json.MarshalIndent(all, "", " "))} {
		for _, kind := range []string{"application/json", ""} {
			var list []map[string]any
			ask(t, s, "POST", "/predict/iris?proba=1", kind, body).into(t, &list)
			for i := range list {
				check(i, list[i])
			}
			if len(list) != d.Len() {
				t.Errorf("%d answers to a list of %d %s, sent as %q", len(list), d.Len(), name, kind)
			}
		}
	}
	var got map[string]any
	ask(t, s, "POST", "/predict/waiting", "application/json", []byte(`{"eruptions": 3.1}`)).into(t, &got)
	one := must(waitingModel().Predict(t.Context(),
		&data.Dataset{Columns: []data.Column{data.NumberColumn("eruptions", []float64{3.1})}}, model.Want{}))
	if got["prediction"] != one.Values[0] {
		t.Errorf("%v, want %v", got, one.Values[0])
	}
	ask(t, s, "POST", "/predict/waiting?keep=1", "application/json",
		[]byte(`{"eruptions": null, "at": "a\nb<c>"}`)).into(t, &got)
	if got["prediction"] != nil || got["at"] != "a\nb<c>" {
		t.Errorf("a gap: %v", got)
	}
}

// Other formats that mercer predict takes are taken as well, and answered with CSV.
func TestPredictOtherFormats(t *testing.T) {
	m, d := sparseModel()
	s := serving(t, serve.Options{}, map[string]*model.Model{"sparse": m})
	var b strings.Builder
	for i := range d.Len() {
		b.WriteString("0")
		v := d.Sparse.At(i)
		for k, j := range v.Index {
			fmt.Fprintf(&b, " %d:%s", j+1, phrase.Number(v.Value[k]))
		}
		b.WriteByte('\n')
	}
	want := csvOf(predictFile(t, m, []byte(b.String()), "libsvm", model.Want{Scores: true}, false))
	for _, kind := range []string{"text/x-libsvm", ""} {
		if r := ask(t, s, "POST", "/predict/sparse?decision=1", kind, []byte(b.String())); r.status != 200 ||
			!bytes.Equal(r.body, want) {
			t.Errorf("%q: %d %s", kind, r.status, clipped(r.text()))
		}
	}
}

// What is wrong with a table is said with its line and column, in words of requests.
func TestPredictFaults(t *testing.T) {
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": irisModel(), "orders": ordersModel()})
	for name, c := range map[string]struct {
		query, kind, body, says string
		status                  int
	}{
		"nothing":        {"iris", "text/csv", "", "no rows", 400},
		"a header alone": {"iris", "text/csv", "sepal_length,sepal_width,petal_length,petal_width\n", "no rows", 400},
		"columns absent": {"iris", "text/csv", "a,b\n1,2\n", `the model needs columns "sepal_length"`, 400},
		"a word for a number": {"iris", "text/csv", "sepal_length,sepal_width,petal_length,petal_width\n1,2,3,x\n",
			`request:2:7: column "petal_width" is "x"`, 400},
		"not JSON":          {"iris", "application/json", "{", "JSON", 400},
		"numbers, not rows": {"iris", "application/json", "[1,2]", "a row is an object", 400},
		"deep JSON":         {"iris", "application/json", `{"a":` + strings.Repeat("[", 1000), "nested deeper", 400},
		"no such model":     {"irs", "text/csv", "a\n1\n", `is "iris" meant?`, 404},
		"no probabilities":  {"orders?proba=1", "text/csv", "a\n1\n", "no class probabilities", 400},
		"no intervals":      {"iris?interval=0.9", "text/csv", "a\n1\n", "no intervals", 400},
		"an interval of 2":  {"iris?interval=2", "text/csv", "a\n1\n", "between 0 and 1", 400},
		"a policy":          {"iris?missing=x", "text/csv", "a\n1\n", "give error, drop or mean", 400},
		"missing, refused": {"iris?missing=error", "text/csv", "sepal_length,sepal_width,petal_length,petal_width\n1,2,3,\n",
			"missing=drop or missing=mean", 400},
		"unseen, refused": {"orders?unseen=error", "application/json",
			`{"price":1,"shop":"moon","day":"25/02/2024","code":"A","note":"bad","sold":[1,2],"parse":"(S (A a))","tags":"a","votes":"x>y","molecule":"{\"edges\":[[0,1]]}"}`,
			"unseen=zero", 400},
		"a format":    {"iris?format=doc", "", "a\n1\n", "unknown format", 400},
		"a delimiter": {"iris?delimiter=ab", "", "a\n1\n", "delimiter", 400},
	} {
		r := ask(t, s, "POST", "/predict/"+c.query, c.kind, []byte(c.body))
		var said struct{ Error string }
		r.into(t, &said)
		if r.status != c.status || !strings.Contains(said.Error, c.says) {
			t.Errorf("%s: %d %s, want %d with %q", name, r.status, said.Error, c.status, c.says)
		}
	}
}

// counted is a file of n rows that is made as it is read.
type counted struct {
	rows, at int
	rest     []byte
	bad      bool          // the last row is damaged
	let      chan struct{} // where it is there, the second half waits for it
}

func (c *counted) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		switch {
		case c.at == 0:
			c.rest = []byte("sepal_length,sepal_width,petal_length,petal_width\n")
		case c.at > c.rows:
			return 0, io.EOF
		case c.bad && c.at == c.rows:
			c.rest = []byte("1,2,3,x\n")
		default:
			c.rest = fmt.Appendf(nil, "%d.5,3.%d,1.%d,0.2\n", 4+c.at%4, c.at%10, c.at%7)
		}
		if c.at++; c.let != nil && c.at == c.rows/2 {
			<-c.let
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// A stream is answered while it is sent, over a real connection: the second half of the rows is not
// sent before the answer to the first has begun.
func TestPredictStreams(t *testing.T) {
	server := httptest.NewServer(serving(t, serve.Options{}, map[string]*model.Model{"iris": irisModel()}))
	defer server.Close()
	rows := datatest.Size(400_000, 200_000) // 7 or 3.5 MB: several blocks
	body := &counted{rows: rows, let: make(chan struct{})}
	r, err := http.Post(server.URL+"/predict/iris", "text/csv", body)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	close(body.let)
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 || bytes.Count(text, []byte("\n")) != rows+1 {
		t.Fatalf("%d: %d lines, %v", r.StatusCode, bytes.Count(text, []byte("\n")), err)
	}
	// A fault in the middle: a client that reads trailers is told, another sees that the answer is
	// not whole.
	for _, trailers := range []bool{true, false} {
		request := must(http.NewRequest("POST", server.URL+"/predict/iris", &counted{rows: rows / 2, bad: true}))
		request.Header.Set("Content-Type", "text/csv")
		if trailers {
			request.Header.Set("TE", "trailers")
		}
		r, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, r.Body)
		r.Body.Close()
		said := r.Trailer.Get("Mercer-Error")
		if trailers && (err != nil || !strings.Contains(said, `is \"x\"`)) || !trailers && err == nil {
			t.Errorf("trailers %v: %v, %q", trailers, err, said)
		}
	}
}
