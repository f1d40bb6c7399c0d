package serve_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// Tensors of gRPC whose shape, datatype and contents do not agree are the client's fault, and it is
// told which tensor and why; numbers that the datatype does not have are not taken for others.
func TestTensorsThatDoNotAgree(t *testing.T) {
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": irisModel(), "orders": ordersModel()})
	client, at := overHTTP2(t, s)
	varint := func(v int64) []byte { return binary.AppendUvarint(nil, uint64(v)) }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	four := func(of []byte) []byte { return bytes.Repeat(of, 4) }
	doubles := delimitedField(7, make([]byte, 32))
	// A tensor of a name, datatype, shape and what else there is.
	tensor := func(name, kind string, shape []int64, more ...[]byte) []byte {
		var sizes []byte
		for _, n := range shape {
			sizes = append(sizes, varint(n)...)
		}
		return delimitedField(5, join(delimitedField(1, []byte(name)), delimitedField(2, []byte(kind)),
			delimitedField(3, sizes), join(more...)))
	}
	contents := func(lists ...[]byte) []byte { return delimitedField(5, join(lists...)) }
	row := []int64{1, 4}
	sound := tensor("x", "FP64", row, contents(doubles))
	for name, c := range map[string]struct {
		message []byte
		says    string
	}{
		"the list of another datatype": {tensor("x", "FP64", row, contents(delimitedField(2, four(varint(1))))),
			"int_contents"},
		"two lists": {tensor("x", "FP64", row, contents(doubles, delimitedField(2, four(varint(1))))),
			"int_contents"},
		"numbers for texts": {tensor("x", "BYTES", row, contents(doubles)), "fp64_contents"},
		"no contents":       {tensor("x", "FP64", row), "0 elements"},
		"too few": {tensor("x", "FP64", row, contents(delimitedField(7, make([]byte, 24)))),
			"3 elements"},
		"too many": {tensor("x", "FP64", row, contents(delimitedField(7, make([]byte, 40)))),
			"5 elements"},
		"a negative size":               {tensor("x", "FP64", []int64{-1, -4}, contents(doubles)), "negative"},
		"sizes whose product is beyond": {tensor("x", "FP64", []int64{1 << 62, 4}, contents(doubles)), "more elements"},
		"nine dimensions": {tensor("x", "FP64", []int64{1, 1, 1, 1, 1, 1, 1, 1, 4}, contents(doubles)),
			"9 dimensions"},
		"no such datatype": {tensor("x", "FP16", row, contents(doubles)), "FP16"},
		"no datatype":      {tensor("x", "", row, contents(doubles)), "datatype"},
		"beyond a byte": {tensor("x", "UINT8", row, contents(delimitedField(4, four(varint(256))))),
			"256 is not a UINT8"},
		"beyond a signed byte": {tensor("x", "INT8", row, contents(delimitedField(2, four(varint(200))))),
			"200 is not a INT8"},
		"raw of another length": {join(tensor("x", "FP64", row), delimitedField(7, make([]byte, 31))), "31 bytes"},
		"raw and contents":      {join(sound, delimitedField(7, make([]byte, 32))), "both"},
		"two raws for one tensor": {join(tensor("x", "FP64", row), delimitedField(7, make([]byte, 32)),
			delimitedField(7, make([]byte, 32))), "2 raw contents for 1"},
		"raw texts whose lengths lie": {join(tensor("code", "BYTES", []int64{1}),
			delimitedField(7, []byte("\xff\xff\xff\x7fab"))), "2147483647"},
		"no number": {tensor("x", "FP64", row,
			contents(delimitedField(7, four(binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN())))))),
			"sepal_length"},
		"another width": {tensor("x", "FP64", []int64{1, 3}, contents(delimitedField(7, make([]byte, 24)))),
			"wants [rows, 4]"},
	} {
		a := send(t, client, at, "ModelInfer",
			bytes.NewReader(framed(0, append(delimitedField(1, []byte("iris")), c.message...))))
		if a.code != "3" || !strings.Contains(a.text, c.says) {
			t.Errorf("%s: status %s, %q, want INVALID_ARGUMENT with %q", name, a.code, a.text, c.says)
		}
	}
	if a := inferOne(t, client, at); a.code != "0" {
		t.Errorf("in the end: %s %s", a.code, a.text)
	}
}
