package serve_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// Bad requests get a status that says whose fault it is and a text that says what, and none of them
// costs memory.
func TestHostileTensors(t *testing.T) {
	s := serving(t, serve.Options{MaxBody: 1 << 20}, map[string]*model.Model{"iris": irisModel(), "orders": ordersModel()})
	x := func(shape, kind, rest string) string {
		return fmt.Sprintf(`{"inputs":[{"name":"x","shape":%s,"datatype":%q%s}]}`, shape, kind, rest)
	}
	row := `,"data":[1,2,3,4]`
	for name, c := range map[string]struct{ body, says string }{
		"shapes past int64":       {x("[4611686018427387904,4]", "FP64", row), "more elements than a request can hold"},
		"a product past int64":    {x("[3037000500,3037000500,3037000500]", "FP64", row), "more elements"},
		"a number past int64":     {x("[99999999999999999999]", "FP64", row), "not a whole number of 64 bits"},
		"a negative size":         {x("[-1,4]", "FP64", row), "negative"},
		"too few elements":        {x("[2,4]", "FP64", row), "4 elements for shape [2 4], which has 8"},
		"too many elements":       {x("[1,4]", "FP64", `,"data":[1,2,3,4,5]`), "more than the 4 elements"},
		"no rows":                 {x("[0,4]", "FP64", `,"data":[]`), "no rows"},
		"another width":           {x("[1,3]", "FP64", `,"data":[1,2,3]`), "wants [rows, 4]: columns sepal_length"},
		"nine dimensions":         {x("[1,1,1,1,1,1,1,1,4]", "FP64", row), "8 dimensions"},
		"no shape":                {`{"inputs":[{"name":"x","datatype":"FP64","data":[1]}]}`, "no shape"},
		"no datatype":             {`{"inputs":[{"name":"x","shape":[1],"data":[1]}]}`, `datatype ""`},
		"another datatype":        {x("[1,4]", "FP16", row), `datatype "FP16" is not taken`},
		"text for a number":       {x("[1,4]", "FP64", `,"data":[1,2,"a",4]`), "a number is needed here"},
		"beyond a byte":           {x("[1,4]", "UINT8", `,"data":[1,2,256,4]`), "256 is not a UINT8"},
		"beyond float64":          {x("[1,4]", "FP64", `,"data":[1,2,1e999,4]`), "beyond the range"},
		"an infinity by digits":   {x("[1,4]", "FP32", `,"data":[1,2,1e300,4]`), "not a finite number"},
		"NaN":                     {x("[1,4]", "FP64", `,"data":[1,2,NaN,4]`), "petal_length (1)"},
		"null":                    {x("[1,4]", "FP64", `,"data":[1,2,null,4]`), "petal_length (1)"},
		"numbers too large":       {x("[1,4]", "FP64", `,"data":[1,2,1e305,4]`), "petal_length"},
		"no inputs":               {`{"inputs":[]}`, "no input tensors"},
		"nothing":                 {``, `"{" is needed here`},
		"not JSON":                {`hello`, `"{" is needed here`},
		"more after it":           {`{"inputs":[]} {}`, "more after the end"},
		"deep JSON":               {`{"a":` + strings.Repeat("[", 100_000), "nested deeper"},
		"deep data":               {x("[1,4]", "FP64", `,"data":`+strings.Repeat("[", 90_000)), "nested deeper"},
		"a member twice":          {`{"inputs":[],"inputs":[]}`, "stands twice"},
		"an open string":          {`{"inputs":[{"name":"x`, "without an end"},
		"a lone surrogate escape": {`{"id":"\q"}`, "escape"},
		"not UTF-8":               {"{\"id\":\"\xff\"}", "not UTF-8"},
		"a lying binary size":     {x("[1,4]", "FP64", `,"parameters":{"binary_data_size":32}`), "where 0 bytes are left"},
		"a negative binary size":  {x("[1,4]", "FP64", `,"parameters":{"binary_data_size":-32}`), "not a number of bytes"},
		"an output it has not": {`{"inputs":[{"name":"x","shape":[1,4],"datatype":"FP64","data":[1,2,3,4]}],"outputs":[{"name":"variance"}]}`,
			`no output "variance" (it has: prediction`},
		"quantiles it has not": {`{"inputs":[{"name":"x","shape":[1,4],"datatype":"FP64","data":[1,2,3,4]}],"outputs":[{"name":"quantiles"}]}`,
			`no output "quantiles"`},
		"rows that differ": {`{"inputs":[{"name":"sepal_length","shape":[1],"datatype":"FP64","data":[1]},{"name":"sepal_width","shape":[2],"datatype":"FP64","data":[1,2]}]}`,
			`2 rows, where tensor "sepal_length" has 1`},
		"a column twice": {`{"inputs":[{"name":"sepal_length","shape":[1],"datatype":"FP64","data":[1]},{"name":"sepal_length","shape":[1],"datatype":"FP64","data":[1]}]}`,
			"second tensor"},
		"columns that are absent": {`{"inputs":[{"name":"sepal_length","shape":[1],"datatype":"FP64","data":[1]},{"name":"sepal_width","shape":[1],"datatype":"FP64","data":[1]}]}`,
			`the model needs columns "petal_length", "petal_width"`},
		"another column": {`{"inputs":[{"name":"sepal_length","shape":[1],"datatype":"FP64","data":[1]},{"name":"sepal_widht","shape":[1],"datatype":"FP64","data":[1]}]}`,
			"is sepal_width meant?"},
		"a policy it has not": {`{"parameters":{"missing":"guess"},"inputs":[{"name":"x","shape":[1,4],"datatype":"FP64","data":[1,2,3,4]}]}`,
			`missing="guess"`},
		"many members": {`{"a0":1` + strings.Repeat(`,"a`, 1) + `1":1,` + manyMembers(400) + `}`, "members"},
	} {
		r := ask(t, s, "POST", "/v2/models/iris/infer", "application/json", []byte(c.body))
		var said struct{ Error string }
		r.into(t, &said)
		if r.status != http.StatusBadRequest || !strings.Contains(said.Error, c.says) {
			t.Errorf("%s: %d %s, want 400 with %q", name, r.status, said.Error, c.says)
		}
	}
	for name, c := range map[string]struct {
		head, body, length, says string
	}{
		"texts whose lengths lie": {`{"inputs":[{"name":"code","shape":[1],"datatype":"BYTES","parameters":{"binary_data_size":8}}]}`,
			"\xff\xff\xff\x7fabcd", "", "says that it has 2147483647 bytes"},
		"more texts than bytes": {`{"inputs":[{"name":"code","shape":[2000000000],"datatype":"BYTES","parameters":{"binary_data_size":8}}]}`,
			"\x04\x00\x00\x00abcd", "", "hold no 2000000000 texts"},
		"bytes that are left": {`{"inputs":[{"name":"code","shape":[1],"datatype":"BYTES","parameters":{"binary_data_size":5}}]}`,
			"\x00\x00\x00\x00x", "", "1 bytes after the last text"},
		"numbers cut short": {`{"inputs":[{"name":"price","shape":[2],"datatype":"FP64","parameters":{"binary_data_size":8}}]}`,
			"01234567", "", "8 bytes for shape [2] of FP64, which takes 16"},
		"a head that lies": {`{}`, "", "999999", "Inference-Header-Content-Length"},
		"a negative head":  {`{}`, "", "-1", "Inference-Header-Content-Length"},
		"bytes for nobody": {`{"inputs":[]}`, "abc", "", "3 bytes after the tensors"},
	} {
		if c.length == "" {
			c.length = fmt.Sprint(len(c.head))
		}
		r := ask(t, s, "POST", "/v2/models/orders/infer", "application/octet-stream", []byte(c.head+c.body),
			"Inference-Header-Content-Length", c.length)
		if r.status != http.StatusBadRequest || !strings.Contains(r.text(), c.says) {
			t.Errorf("%s: %d %s, want 400 with %q", name, r.status, r.text(), c.says)
		}
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"m%d":0`, i)
	}
	return b.String()
}

// zeros is a gzip stream that becomes so many megabytes.
func zeros(t *testing.T, megabytes int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.Repeat(b.Bytes(), megabytes) // members of one file
}

// What a body becomes is bounded, not what it is: a bomb of 300 kB that would become 300 MB takes
// no more than a body may.
func TestGzipBomb(t *testing.T) {
	s := serving(t, serve.Options{MaxBody: 1 << 20}, map[string]*model.Model{"iris": irisModel()})
	bomb := zeros(t, 300)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := ask(t, s, "POST", "/v2/models/iris/infer", "application/json", bomb, "Content-Encoding", "gzip")
	runtime.ReadMemStats(&after)
	if r.status != http.StatusRequestEntityTooLarge || !strings.Contains(r.text(), "1.05 MB") {
		t.Errorf("%d %s", r.status, r.text())
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("%d bytes for a body of at most %d", grown, 1<<20)
	}
	for encoding, want := range map[string]int{"br": http.StatusUnsupportedMediaType, "deflate": http.StatusBadRequest} {
		if r := ask(t, s, "POST", "/v2/models/iris/infer", "application/json", bomb, "Content-Encoding",
			encoding); r.status != want {
			t.Errorf("%s: %d, want %d: %s", encoding, r.status, want, r.text())
		}
	}
	// A table of one endless field ends, too.
	r = ask(t, s, "POST", "/predict/iris", "text/csv", zeros(t, 200), "Content-Encoding", "gzip")
	if r.status/100 != 4 {
		t.Errorf("a table that is a bomb: %d %s", r.status, r.text())
	}
}

// A body above the limit, memory that is taken, and too many at a time.
func TestLimits(t *testing.T) {
	m := irisModel()
	one := []byte(`{"inputs":[{"name":"x","shape":[1,4],"datatype":"FP64","data":[1,2,3,4]}]}`)
	s := serving(t, serve.Options{MaxBody: 50}, map[string]*model.Model{"iris": m})
	if r := ask(t, s, "POST", "/v2/models/iris/infer", "", one); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("body: %d %s", r.status, r.text())
	}
	s = serving(t, serve.Options{Bytes: 100}, map[string]*model.Model{"iris": m})
	if r := ask(t, s, "POST", "/v2/models/iris/infer", "", one); r.status != http.StatusRequestEntityTooLarge ||
		!strings.Contains(r.text(), "100 bytes") {
		t.Errorf("memory: %d %s", r.status, r.text())
	}
	many := fmt.Sprintf(`{"inputs":[{"name":"x","shape":[60000,4],"datatype":"BOOL","data":[%s]}]}`,
		strings.TrimSuffix(strings.Repeat("1,", 240000), ","))
	s = serving(t, serve.Options{Bytes: 4 << 20}, map[string]*model.Model{"iris": m})
	if r := ask(t, s, "POST", "/v2/models/iris/infer", "", []byte(many)); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("rows that become more than memory: %d %s", r.status, r.text())
	}
	if r := ask(t, s, "POST", "/v2/models/iris/infer", "", one); r.status != 200 {
		t.Errorf("what was taken is not given back: %d %s", r.status, r.text())
	}
}
