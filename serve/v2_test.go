package serve_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// answered is the protocol's answer, in JSON.
type answered struct {
	Model   string `json:"model_name"`
	Version string `json:"model_version"`
	ID      string
	Outputs []struct {
		Name, Datatype string
		Shape          []int
		Parameters     map[string]int
		Data           []any
	}
}

func (a *answered) numbers(t testing.TB, name string) []float64 { return dataOf[float64](t, a, name) }

func (a *answered) texts(t testing.TB, name string) []string { return dataOf[string](t, a, name) }

func dataOf[E any](t testing.TB, a *answered, name string) []E {
	t.Helper()
	for _, o := range a.Outputs {
		if o.Name == name {
			out := make([]E, len(o.Data))
			for i, v := range o.Data {
				out[i] = v.(E)
			}
			return out
		}
	}
	t.Fatalf("no output %q in %v", name, a.Outputs)
	return nil
}

// rowsJSON is the numbers of all columns but the target as the data of a tensor.
func rowsJSON(d *data.Dataset) (body string, n, k int) {
	var b strings.Builder
	for i := range d.Len() {
		k = 0
		for _, c := range d.Features() {
			if b.Len() > 0 {
				b.WriteByte(',')
			}
			b.WriteString(phrase.Number(c.Numbers[i]))
			k++
		}
	}
	return b.String(), d.Len(), k
}

func same(t testing.TB, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: number %d is %v, want %v to the last bit", what, i, got[i], want[i])
		}
	}
}

// All outputs of a classifier have the bits of model.Predict, in JSON and in binary form, whole and
// by the row.
func TestInferClassifier(t *testing.T) {
	m, d := irisModel(), iris()
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": m})
	want := must(m.Predict(t.Context(), d, model.Want{Proba: true, Scores: true}))
	body, n, k := rowsJSON(d)
	got := answered{}
	r := ask(t, s, "POST", "/v2/models/iris/infer", "application/json",
		[]byte(fmt.Sprintf(`{"id":"a\"1","inputs":[{"name":"input-0","shape":[%d,%d],"datatype":"FP64","data":[%s]}]}`, n, k,
			body)))
	if r.status != 200 {
		t.Fatal(r.text())
	}
	r.into(t, &got)
	if got.Model != "iris" || got.Version != "1" || got.ID != `a"1` || len(got.Outputs) != 4 {
		t.Errorf("%+v", got)
	}
	for i, label := range got.texts(t, "prediction") {
		if label != want.Labels[i] {
			t.Fatalf("row %d is %s, want %s", i, label, want.Labels[i])
		}
	}
	for i, c := range got.numbers(t, "class") {
		if int(c) != want.Codes[i] {
			t.Fatalf("row %d is class %g, want %d", i, c, want.Codes[i])
		}
	}
	same(t, "probabilities", got.numbers(t, "probabilities"), want.Proba.RawMatrix().Data)
	same(t, "decision", got.numbers(t, "decision"), want.Scores.RawMatrix().Data)
	for i := range d.Len() { // one row at a time, a tensor for each column, in another order
		var inputs []string
		for _, c := range d.Features() {
			inputs = append([]string{fmt.Sprintf(`{"data":[%s],"name":%q,"shape":[1],"datatype":"FP64"}`,
				phrase.Number(c.Numbers[i]), c.Name)}, inputs...)
		}
		one := answered{}
		ask(t, s, "POST", "/v2/models/iris/versions/1/infer", "",
			[]byte(`{"inputs":[`+strings.Join(inputs, ",")+`],"outputs":[{"name":"probabilities"}]}`)).into(t, &one)
		same(t, "probabilities of one row", one.numbers(t, "probabilities"), want.Proba.RawRowView(i))
	}
}

// The binary extension both ways: every datatype in, FP64, FP32, INT64 and BYTES out.
func TestInferBinary(t *testing.T) {
	m, d := irisModel(), iris()
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": m})
	rows := d.Gather([]int{0, 60, 120})
	for _, kind := range []string{"FP64", "FP32", "INT64", "UINT8"} {
		var raw []byte
		taken := rows.Gather([]int{0, 1, 2})
		for i := range 3 {
			for j := range taken.Features() {
				x := &taken.Columns[j].Numbers[i]
				switch kind {
				case "FP64":
					raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(*x))
				case "FP32":
					*x = float64(float32(*x))
					raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(*x)))
				case "INT64":
					*x = math.Round(*x)
					raw = binary.LittleEndian.AppendUint64(raw, uint64(*x))
				case "UINT8":
					*x = math.Round(*x)
					raw = append(raw, byte(*x))
				}
			}
		}
		want := must(m.Predict(t.Context(), taken, model.Want{Proba: true}))
		head := fmt.Sprintf(`{"inputs":[{"name":"x","shape":[3,4],"datatype":%q,"parameters":{"binary_data_size":%d}}],`+
			`"outputs":[{"name":"prediction","parameters":{"binary_data":true}},{"name":"class","parameters":{"binary_data":true}},{"name":"probabilities","parameters":{"binary_data":true}},`+
			`{"name":"decision"}]}`, kind, len(raw))
		r := ask(t, s, "POST", "/v2/models/iris/infer", "application/octet-stream", append([]byte(head), raw...),
			"Inference-Header-Content-Length", strconv.Itoa(len(head)))
		n, err := strconv.Atoi(r.header.Get("Inference-Header-Content-Length"))
		if r.status != 200 || err != nil {
			t.Fatalf("%s: %d %s", kind, r.status, r.text())
		}
		got := answered{}
		if err := json.Unmarshal(r.body[:n], &got); err != nil {
			t.Fatal(err)
		}
		rest := r.body[n:]
		for _, label := range want.Labels {
			size := int(binary.LittleEndian.Uint32(rest))
			if string(rest[4:4+size]) != label {
				t.Errorf("%s: label %q, want %q", kind, rest[4:4+size], label)
			}
			rest = rest[4+size:]
		}
		for _, c := range want.Codes {
			if int(binary.LittleEndian.Uint64(rest)) != c {
				t.Errorf("%s: class %d, want %d", kind, binary.LittleEndian.Uint64(rest), c)
			}
			rest = rest[8:]
		}
		var proba []float64
		for range want.Proba.RawMatrix().Data {
			proba = append(proba, math.Float64frombits(binary.LittleEndian.Uint64(rest)))
			rest = rest[8:]
		}
		same(t, kind, proba, want.Proba.RawMatrix().Data)
		if len(rest) != 0 || got.Outputs[2].Parameters["binary_data_size"] != 8*9 || len(got.Outputs[3].Data) != 9 {
			t.Errorf("%s: %d bytes left, %+v", kind, len(rest), got)
		}
	}
	// All outputs binary by one parameter, one of them as FP32.
	body := `{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","shape":[1,4],"datatype":"FP64","data":[5,3,1,0.2]}],"outputs":[{"name":"probabilities","parameters":{"datatype":"FP32"}}]}`
	r := ask(t, s, "POST", "/v2/models/iris/infer", "", []byte(body))
	n, _ := strconv.Atoi(r.header.Get("Inference-Header-Content-Length"))
	if r.status != 200 || len(r.body)-n != 12 {
		t.Errorf("%d: %d bytes after the head, want 12: %s", r.status, len(r.body)-n, r.text())
	}
}

// A regression with a distribution gives deviations and quantiles.
func TestInferUncertain(t *testing.T) {
	m := waitingModel()
	s := serving(t, serve.Options{}, map[string]*model.Model{"waiting": m})
	d := &data.Dataset{Columns: []data.Column{data.NumberColumn("eruptions", []float64{1.8, 3.1, 4.5})}}
	nine := must(m.Predict(t.Context(), d, model.Want{Std: true, Interval: 0.9}))
	half := must(m.Predict(t.Context(), d, model.Want{Interval: 0.5}))
	got := answered{}
	ask(t, s, "POST", "/v2/models/waiting/infer", "",
		[]byte(`{"parameters":{"quantiles":"0.05, 0.25,0.5,0.75,0.95"},"inputs":[{"name":"eruptions","shape":[3],"datatype":"FP64","data":[1.8,3.1,4.5]}]}`)).into(t,
		&got)
	same(t, "prediction", got.numbers(t, "prediction"), nine.Values)
	same(t, "std_mean", got.numbers(t, "std_mean"), nine.Std)
	same(t, "std_observation", got.numbers(t, "std_observation"), nine.ObservationStd)
	var want, squares []float64
	for i := range 3 {
		want = append(want, nine.Low[i], half.Low[i], nine.Values[i], half.High[i], nine.High[i])
		squares = append(squares, nine.ObservationStd[i]*nine.ObservationStd[i])
	}
	same(t, "quantiles", got.numbers(t, "quantiles"), want)
	same(t, "variance", got.numbers(t, "variance"), squares)
}

// Columns of every kind come as tensors of numbers and of BYTES, and are read by the model's own
// encoder.
func TestInferEveryKind(t *testing.T) {
	m, d := ordersModel(), orders(24)
	s := serving(t, serve.Options{}, map[string]*model.Model{"orders": m})
	want := must(m.Predict(t.Context(), d, model.Want{}))
	var inputs []map[string]any
	for _, c := range d.Features() {
		in := map[string]any{"name": c.Name, "datatype": "BYTES", "shape": []int{d.Len()}}
		texts := make([]string, d.Len())
		for i := range texts {
			if texts[i] = c.String(i); c.Kind == data.Time {
				y, mo, da := texts[i][:4], texts[i][5:7], texts[i][8:10]
				texts[i] = da + "/" + mo + "/" + y // as the file had it
			}
		}
		in["data"] = texts
		switch c.Kind {
		case data.Numeric:
			in["datatype"], in["data"] = "FP64", c.Numbers
		case data.Sequence:
			in["datatype"], in["data"], in["shape"] = "FP64", c.Sequences, []int{d.Len(), 3}
		}
		inputs = append(inputs, in)
	}
	got := answered{}
	r := ask(t, s, "POST", "/v2/models/orders/infer", "", must(json.Marshal(map[string]any{"inputs": inputs})))
	if r.status != 200 {
		t.Fatal(r.text())
	}
	r.into(t, &got)
	same(t, "prediction", got.numbers(t, "prediction"), want.Values)
	for _, in := range inputs { // series as text, too
		if in["name"] == "sold" {
			texts := make([]string, d.Len())
			for i := range texts {
				c, _ := d.Column("sold")
				texts[i] = c.String(i)
			}
			in["datatype"], in["shape"], in["data"] = "BYTES", []int{d.Len()}, texts
		}
	}
	got = answered{}
	ask(t, s, "POST", "/v2/models/orders/infer", "", must(json.Marshal(map[string]any{"inputs": inputs}))).into(t, &got)
	same(t, "prediction with series as text", got.numbers(t, "prediction"), want.Values)
}

// Sparse features come as lines of LIBSVM, or spelt out.
func TestInferSparse(t *testing.T) {
	m, d := sparseModel()
	s := serving(t, serve.Options{}, map[string]*model.Model{"sparse": m})
	want := must(m.Predict(t.Context(), d, model.Want{Scores: true}))
	lines := make([]string, d.Len())
	spelt := make([]float64, d.Len()*100)
	for i := range lines {
		v := d.Sparse.At(i)
		for k, j := range v.Index {
			lines[i] += fmt.Sprintf(" %d:%s", j+1, phrase.Number(v.Value[k]))
			spelt[i*100+int(j)] = v.Value[k]
		}
	}
	for _, in := range []map[string]any{
		{"name": "features", "datatype": "BYTES", "shape": []int{d.Len()}, "data": lines},
		{"name": "features", "datatype": "FP64", "shape": []int{d.Len(), 100}, "data": spelt},
	} {
		got := answered{}
		r := ask(t, s, "POST", "/v2/models/sparse/infer", "", must(json.Marshal(map[string]any{"inputs": []any{in}})))
		if r.status != 200 {
			t.Fatal(r.text())
		}
		r.into(t, &got)
		same(t, "decision", got.numbers(t, "decision"), want.Scores.RawMatrix().Data)
	}
}

// Every kind of model file that there is is served.
func TestInferEveryLearner(t *testing.T) {
	files, _ := filepath.Glob("../model/testdata/golden/v1/*.mercer")
	if len(files) < 20 {
		t.Fatalf("%d model files", len(files))
	}
	s := serve.New(serve.Options{})
	for _, f := range files {
		m := must(model.Load(f))
		name := strings.TrimSuffix(filepath.Base(f), ".mercer")
		if err := s.Add(name, m); err != nil {
			t.Error(err)
			continue
		}
		row := make([]float64, m.Dim())
		var cells []data.Column
		for j := range row {
			row[j] = 0.25 * float64(j%5)
			cells = append(cells, data.NumberColumn(fmt.Sprintf("c%d", j), row[j:j+1]))
		}
		want := must(m.Predict(t.Context(), &data.Dataset{Columns: cells}, model.Want{Scores: true}))
		got := answered{}
		r := ask(t, s, "POST", "/v2/models/"+name+"/infer", "",
			must(json.Marshal(map[string]any{"inputs": []any{map[string]any{"name": "features", "datatype": "FP64",
				"shape": []int{1, m.Dim()}, "data": row}}})))
		if r.status != 200 {
			t.Errorf("%s: %s", name, r.text())
			continue
		}
		r.into(t, &got)
		same(t, name, got.numbers(t, "decision"), want.Scores.RawMatrix().Data)
	}
}

// Metadata and health are the protocol's.
func TestMetadata(t *testing.T) {
	s := serving(t, serve.Options{Version: "1.2"}, map[string]*model.Model{"iris": irisModel(), "orders": ordersModel()})
	for path, want := range map[string]string{
		"/v2":                            `{"extensions":["binary_tensor_data","parameters"],"name":"mercer","version":"1.2"}`,
		"/v2/health/live":                `{"live":true}`,
		"/v2/health/ready":               `{"ready":true}`,
		"/v2/models/iris/ready":          `{"name":"iris","ready":true}`,
		"/v2/models/iris/versions/2":     `{"error":"model \"iris\" has no version \"2\" (it has: 1)"}`,
		"/v2/models/irs/ready":           `{"error":"there is no model \"irs\"; is \"iris\" meant?"}`,
		"/v2/models/%2e%2e/ready":        `{"error":"there is no model \"..\""}`,
		"/v2/models/a%00b/ready":         `{"error":"there is no model \"a\\x00b\""}`,
		"/v2/models/iris/infer":          `{"error":"GET is not answered here; send POST"}`,
		"/nothing":                       `{"error":"there is nothing at this path; / lists the models"}`,
		"/v2/models/..%2f..%2fetc/infer": `{"error":"GET is not answered here; send POST"}`,
	} {
		r := ask(t, s, "GET", path, "", nil)
		if got := strings.TrimSpace(r.text()); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if r.header.Get("Content-Type") != "application/json" || r.header.Get("X-Request-Id") == "" {
			t.Errorf("%s: header %v", path, r.header)
		}
	}
	var m struct {
		Name, Platform  string
		Versions        []string
		Inputs, Outputs []struct {
			Name, Datatype string
			Shape          []int
		}
		Properties map[string]string
	}
	ask(t, s, "GET", "/v2/models/iris", "", nil).into(t, &m)
	if fmt.Sprint(m.Versions, m.Inputs,
		m.Outputs) != "[1] [{features FP64 [-1 4]}] [{prediction BYTES [-1]} {class INT64 [-1]} {probabilities FP64 [-1 "+
		"3]} {decision FP64 [-1 3]}]" || m.Platform != "mercer_svc" {
		t.Errorf("%+v", m)
	}
	ask(t, s, "GET", "/v2/models/orders", "", nil).into(t, &m)
	if len(m.Inputs) != 10 || m.Inputs[1].Datatype != "BYTES" || fmt.Sprint(m.Inputs[5]) != "{sold FP64 [-1 -1]}" {
		t.Errorf("%+v", m.Inputs)
	}
	if r := ask(t, s, "GET", "/v2", "", nil, "X-Request-Id", "mine-7"); r.header.Get("X-Request-Id") != "mine-7" {
		t.Errorf("request id %q", r.header.Get("X-Request-Id"))
	}
	s.Drain()
	if r := ask(t, s, "GET", "/v2/health/ready", "", nil); r.status != http.StatusServiceUnavailable {
		t.Errorf("ready while draining: %d", r.status)
	}
}
