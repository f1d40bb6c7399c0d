package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// Contributions over the wire are those of the model: as columns of a table, and as tensors where
// they are named. They add up to the decision values.
func TestContributionsOverTheWire(t *testing.T) {
	m := irisModel()
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": m, "orders": ordersModel()})
	text := csvOf(iris())
	want := csvOf(predictFile(t, m, text, "csv", model.Want{Contributions: true}, false))
	if r := ask(t, s, "POST", "/predict/iris?contributions=1", "text/csv", text); r.status != 200 ||
		!bytes.Equal(r.body, want) {
		t.Errorf("%d\n%s\nwant\n%s", r.status, clipped(r.text()), clipped(string(want)))
	}
	r := ask(t, s, "POST", "/predict/iris?contributions=1", "application/json",
		[]byte(`{"sepal_length":5.1,"sepal_width":3.5,"petal_length":1.4,"petal_width":0.2}`))
	var row map[string]any
	if err := json.Unmarshal(r.body, &row); err != nil || r.status != 200 {
		t.Fatalf("%d %s: %v", r.status, r.text(), err)
	}
	found := 0
	for name, v := range row {
		if _, number := v.(float64); strings.HasPrefix(name, "contribution(") && number {
			found++
		}
	}
	if found == 0 || found%4 != 0 {
		t.Errorf("%d contributions in %s", found, r.text())
	}

	d := iris().Gather([]int{0, 60, 120})
	body, n, k := rowsJSON(d)
	request := fmt.Sprintf(`{"inputs":[{"name":"features","datatype":"FP64","shape":[%d,%d],"data":[%s]}],"outputs":[{"name":"base"},{"name":"contributions"},{"name":"contribution_errors"},{"name":"decision"}]}`,
		n, k, body)
	r = ask(t, s, "POST", "/v2/models/iris/infer", "application/json", []byte(request))
	var got answered
	if err := json.Unmarshal(r.body, &got); err != nil || r.status != 200 {
		t.Fatalf("%d %s: %v", r.status, r.text(), err)
	}
	base, shares, errors, decision := got.numbers(t, "base"), got.numbers(t, "contributions"),
		got.numbers(t, "contribution_errors"), got.numbers(t, "decision")
	x, err := m.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Contributions(context.Background(), x, model.ContributionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	outputs := len(c.Outputs)
	if shape := got.Outputs[1].Shape; len(shape) != 3 || shape[0] != 3 || shape[1] != outputs || shape[2] != 4 ||
		len(errors) != len(shares) {
		t.Fatalf("shape %v", shape)
	}
	for i := range n {
		for o := range outputs {
			sum := base[i*outputs+o]
			for j := range 4 {
				v := shares[(i*outputs+o)*4+j]
				if sum += v; v != c.Share[o].At(i, j) || errors[(i*outputs+o)*4+j] != 0 {
					t.Errorf("row %d, output %d, column %d: %g ± %g, want %g", i, o, j, v, errors[(i*outputs+o)*4+j],
						c.Share[o].At(i, j))
				}
			}
			if off := math.Abs(sum - decision[i*outputs+o]); off > 1e-9*(1+math.Abs(sum)) {
				t.Errorf("row %d, output %d: %g, decided %g", i, o, sum, decision[i*outputs+o])
			}
		}
	}
	// Who names no outputs gets none of these, and hears of them in the metadata.
	plain := fmt.Sprintf(`{"inputs":[{"name":"features","datatype":"FP64","shape":[%d,%d],"data":[%s]}]}`, n, k, body)
	if r := ask(t, s, "POST", "/v2/models/iris/infer", "application/json", []byte(plain)); r.status != 200 ||
		strings.Contains(r.text(), "contributions") {
		t.Errorf("%d %s", r.status, clipped(r.text()))
	}
	if r := ask(t, s, "GET", "/v2/models/iris", "", nil); !strings.Contains(r.text(), "outputs_where_named") {
		t.Errorf("the metadata is %s", r.text())
	}
}

// A model without an encoder has no columns with names: it refuses, and says why.
func TestNoContributionsOverTheWire(t *testing.T) {
	bare, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 1}.Fit(context.Background(),
		data.Line([]float64{1, 2, 4}), []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	s := serving(t, serve.Options{}, map[string]*model.Model{"bare": must(model.New(bare, model.Info{}))})
	r := ask(t, s, "POST", "/predict/bare?contributions=1", "text/csv", []byte("x1\n3\n"))
	if r.status != 400 || !strings.Contains(r.text(), "no columns that a prediction could be shared among") {
		t.Errorf("%d %s", r.status, r.text())
	}
}
