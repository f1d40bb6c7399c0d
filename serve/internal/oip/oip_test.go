package oip_test

import (
	"encoding/hex"
	"math"
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/serve/internal/oip"
	"github.com/mercer-ml/mercer/serve/internal/oip/oiptest"
)

// official is a request with every field, written by google.golang.org/protobuf 1.36.12 from the
// protocol's own description.
const official = "0a04697269731201321a03c3a93722070a01621202080122100a0169120b10fbffffffffffffffff0122050a016e1200220a0a017312051a037820792a8b010a01781204465036341a0d02ac02ffffffffffffffffff01" +
	"22080a016b12031a01762a670a0201001215ffffffffffffffffff010780808080f8ffffffff011a0c80808080808080808001ac022206ffffffff0f002a0affffffffffffffffff0132080000c03f0000807f3a18666666666666144000000000000000800100" +
	"00000000f87f4202ff0042002a030a0179321f0a0a70726564696374696f6e12110a0b62696e6172795f64617461120208003a030102033a00"

func request() *oip.Infer {
	return &oip.Infer{Model: oip.Model{Name: "iris", Version: "2"}, ID: "é7",
		Parameters: map[string]string{"b": "true", "i": "-5", "s": "x y"},
		Inputs: []oip.Tensor{{Name: "x", Datatype: "FP64", Shape: []int64{2, 300, -1},
			Parameters: map[string]string{"k": "v"},
			Contents: &oip.Contents{Bools: []bool{true, false}, Ints: []int32{-1, 7, math.MinInt32},
				Int64s: []int64{math.MinInt64, 300}, Uints: []uint32{math.MaxUint32, 0}, Uint64s: []uint64{math.MaxUint64},
				Fp32s: []float32{1.5, float32(math.Inf(1))}, Fp64s: []float64{5.1, math.Copysign(0, -1), 7},
				Bytes: [][]byte{{0xff, 0}, {}}}},
			{Name: "y"}},
		Outputs: []oip.Tensor{{Name: "prediction", Parameters: map[string]string{"binary_data": "false"}}},
		Raw:     [][]byte{{1, 2, 3}, {}}}
}

func TestReadsWhatProtobufWrites(t *testing.T) {
	b, err := hex.DecodeString(official)
	if err != nil {
		t.Fatal(err)
	}
	var got oip.Infer
	if err := got.Read(b); err != nil {
		t.Fatal(err)
	}
	last := got.Inputs[0].Contents.Fp64s
	if !math.IsNaN(last[2]) || !math.Signbit(last[1]) {
		t.Errorf("%v", last)
	}
	last[2] = 7 // NaN is not equal to itself
	if want := request(); !reflect.DeepEqual(&got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, *want)
	}
	for n := range len(b) { // none of its beginnings makes anything panic
		_ = new(oip.Infer).Read(b[:n])
	}
}

// Rules of the encoding that no writer of ours uses
// (https://protobuf.dev/programming-guides/encoding).
func TestRules(t *testing.T) {
	for name, c := range map[string]struct {
		message string
		want    oip.Infer
	}{
		"the last of two counts": {"\x0a\x01a\x0a\x01b", oip.Infer{Model: oip.Model{Name: "b"}}},
		"unknown fields are passed over": {"\xf8\x07\x01\xfa\x07\x01x\xf9\x0712345678\xfd\x071234\x0a\x01a",
			oip.Infer{Model: oip.Model{Name: "a"}}},
		"and so are groups":              {"\x2b\x08\x01\x33\x34\x2c\x0a\x01a", oip.Infer{Model: oip.Model{Name: "a"}}},
		"and known ones of another kind": {"\x08\x01\x0a\x01a\x38\x05", oip.Infer{Model: oip.Model{Name: "a"}}},
		"a list comes packed or not, in parts": {"\x2a\x0b\x18\x05\x1a\x02\x06\x07\x18\xac\x02\x18\x00",
			oip.Infer{Inputs: []oip.Tensor{{Shape: []int64{5, 6, 7, 300, 0}}}}},
		"a message in parts is one": {"\x2a\x0a\x2a\x03\x12\x01\x01\x2a\x03\x12\x01\x02",
			oip.Infer{Inputs: []oip.Tensor{{Contents: &oip.Contents{Ints: []int32{1, 2}}}}}},
		"numbers are cut to their size": {"\x2a\x08\x2a\x06\x10\x81\x80\x80\x80\x10",
			oip.Infer{Inputs: []oip.Tensor{{Contents: &oip.Contents{Ints: []int32{1}}}}}},
		"the last choice counts": {"\x22\x09\x0a\x01k\x12\x04\x08\x01\x10\x07",
			oip.Infer{Parameters: map[string]string{"k": "7"}}},
		"the last of a key counts": {"\x22\x07\x0a\x01k\x12\x02\x08\x01\x22\x03\x0a\x01k",
			oip.Infer{Parameters: map[string]string{}}},
	} {
		var got oip.Infer
		if err := got.Read([]byte(c.message)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, message := range map[string]string{
		"a number without end": "\x08\xff", "a number too long": "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		"a length beyond the end": "\x0a\x05a", "a length beyond all": "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"field 0": "\x02\x00", "a kind that is none": "\x0e", "the end of no group": "\x0c",
		"a group without end": "\x2b\x08\x01", "the end of another group": "\x2b\x34", "no UTF-8": "\x0a\x01\xff",
		"half a double": "\x2a\x06\x2a\x04\x3a\x02\x01\x02", "short fixed numbers": "\xf9\x071234",
		"half of a packed number": "\x2a\x03\x1a\x01\xff",
	} {
		if err := new(oip.Infer).Read([]byte(message)); err == nil {
			t.Errorf("%s is taken", name)
		}
		if name[0] != 'h' && oip.Empty([]byte(message)) == nil && name != "no UTF-8" {
			t.Errorf("%s is taken by a message without fields", name)
		}
	}
	if err := new(oip.Infer).Read(deepGroups(101)); err == nil {
		t.Error("groups of any depth are taken")
	}
}

func deepGroups(n int) []byte {
	var b []byte
	for range n {
		b = append(b, 0x2b)
	}
	for range n {
		b = append(b, 0x2c)
	}
	return b
}

// FuzzRead: what is read, written by the client's side and read again is the same; nothing panics.
func FuzzRead(f *testing.F) {
	b, _ := hex.DecodeString(official)
	f.Add(b)
	f.Add([]byte("\x2a\x0b\x18\x05\x1a\x02\x06\x07\x18\xac\x02\x18\x00"))
	f.Add([]byte("\x2b\x08\x01\x33\x34\x2c\x0a\x01a"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var first, second oip.Infer
		weight := oip.Weigh(b)
		if first.Read(b) != nil {
			return
		}
		if least := 72 * int64(len(first.Inputs)+len(first.Outputs)); weight < least {
			t.Fatalf("%x weighs %d, and its tensors alone are %d", b, weight, least)
		}
		written := oiptest.Infer(&first)
		if err := second.Read(written); err != nil {
			t.Fatalf("%x is read, and %x is not: %v", b, written, err)
		}
		again := oiptest.Infer(&second)
		if len(again) != len(written) { // parameters may be in another order
			t.Fatalf("%x, %x", written, again)
		}
	})
}
