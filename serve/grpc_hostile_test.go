package serve_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
	"github.com/mercer-ml/mercer/serve/internal/oip"
)

// grown is the memory that something has made, in all.
func grown(do func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// delimitedField is a field of bytes.
func delimitedField(number int, b []byte) []byte {
	out := binary.AppendUvarint(nil, uint64(number)<<3|2)
	return append(binary.AppendUvarint(out, uint64(len(b))), b...)
}

// A few bytes of protobuf may be very much: tensors of two bytes, elements of one, parameters of
// four. What they become is counted before it is made, and given back.
func TestProtobufThatBecomesMuch(t *testing.T) {
	s := serving(t, serve.Options{MaxBody: 4 << 20, Bytes: 16 << 20}, map[string]*model.Model{"iris": irisModel()})
	client, at := overHTTP2(t, s)
	const much = 3 << 20
	name := delimitedField(1, []byte("iris"))
	ones := bytes.Repeat([]byte{1}, much)
	for what, tail := range map[string][]byte{
		"tensors":    bytes.Repeat([]byte{5<<3 | 2, 0}, much/2),
		"outputs":    bytes.Repeat([]byte{6<<3 | 2, 0}, much/2),
		"raw":        bytes.Repeat([]byte{7<<3 | 2, 0}, much/2),
		"shape":      delimitedField(5, delimitedField(3, ones)),
		"bools":      delimitedField(5, delimitedField(5, delimitedField(1, ones))),
		"int64s":     delimitedField(5, delimitedField(5, delimitedField(3, ones))),
		"one by one": delimitedField(5, delimitedField(5, bytes.Repeat([]byte{3 << 3, 1}, much/2))),
		"texts":      delimitedField(5, delimitedField(5, bytes.Repeat([]byte{8<<3 | 2, 0}, much/2))),
		"parameters": bytes.Repeat(delimitedField(4, delimitedField(1, []byte("a"))), much/5),
	} {
		var a called
		made := grown(func() {
			a = send(t, client, at, "ModelInfer", bytes.NewReader(framed(0, append(bytes.Clone(name), tail...))))
		})
		if a.code != "8" && a.code != "3" { // RESOURCE_EXHAUSTED, or INVALID_ARGUMENT where it is in vain anyhow
			t.Errorf("%s: status %s, %s", what, a.code, a.text)
		}
		if made > 48<<20 {
			t.Errorf("%s: %d bytes were made of %d", what, made, len(tail))
		}
	}
	if a := inferOne(t, client, at); a.code != "0" {
		t.Errorf("what was taken is not given back: %s %s", a.code, a.text)
	}
}

// inferOne asks for the class of one flower.
func inferOne(t *testing.T, client *http.Client, at string) called {
	t.Helper()
	var raw []byte
	for range 4 {
		raw = append(raw, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f)
	}
	b := delimitedField(1, []byte("iris"))
	in := delimitedField(1, []byte("x"))
	in = append(in, delimitedField(2, []byte("FP64"))...)
	in = append(in, delimitedField(3, []byte{1, 4})...)
	b = append(b, delimitedField(5, in)...)
	return send(t, client, at, "ModelInfer", bytes.NewReader(framed(0, append(b, delimitedField(7, raw)...))))
}

// The memory of requests is that of gRPC, too: many that are sent slowly do not add up beyond it.
func TestGRPCBodiesAreCounted(t *testing.T) {
	s := serving(t, serve.Options{MaxBody: 4 << 20, Bytes: 6 << 20}, map[string]*model.Model{"iris": irisModel()})
	client, at := overHTTP2(t, s)
	begun, finish := make(chan bool), make(chan bool)
	first := make(chan called)
	body := framed(0, append(delimitedField(1, []byte("iris")), delimitedField(9, make([]byte, 3<<20))...))
	go func() {
		r, w := io.Pipe()
		go func() {
			_, _ = w.Write(body[:len(body)-1])
			close(begun)
			<-finish
			_, _ = w.Write(body[len(body)-1:])
			_ = w.Close()
		}()
		first <- send(t, client, at, "ModelInfer", r)
	}()
	<-begun
	// The first has its bytes; there is no room for as many again. It may take a moment until they
	// have come through.
	var a called
	for range 200 {
		if a = send(t, client, at, "ModelInfer", bytes.NewReader(body)); a.code == "14" || a.code == "8" {
			break
		}
	}
	if a.code != "14" && a.code != "8" { // UNAVAILABLE: come again
		t.Errorf("status %s, %s", a.code, a.text)
	}
	close(finish)
	if a := <-first; a.code != "3" { // it has no tensors
		t.Errorf("the first: %s %s", a.code, a.text)
	}
	if a := inferOne(t, client, at); a.code != "0" {
		t.Errorf("what was taken is not given back: %s %s", a.code, a.text)
	}
}

// Questions that anybody may ask, without a token and however much there is to do, cost next to
// nothing.
func TestProbesAreSmall(t *testing.T) {
	s := serving(t, serve.Options{MaxBody: 64 << 20, Tokens: func() []string { return []string{"0123456789abcdef"} }},
		map[string]*model.Model{"iris": irisModel()})
	client, at := overHTTP2(t, s)
	big := delimitedField(9, make([]byte, 8<<20))
	for _, name := range []string{"ServerLive", "ServerReady", "ModelReady"} {
		for how, body := range map[string][]byte{"plain": framed(0, big), "gzip": framed(1, zipped(big))} {
			var a called
			made := grown(func() { a = send(t, client, at, name, bytes.NewReader(body), "Grpc-Encoding", "gzip") })
			if a.code != "8" {
				t.Errorf("%s, %s: status %s, %s", name, how, a.code, a.text)
			}
			if made > 12<<20 { // of the client, which has the body
				t.Errorf("%s, %s: %d bytes", name, how, made)
			}
		}
	}
	if a := send(t, client, at, "ServerLive", bytes.NewReader(framed(0, nil))); a.code != "0" {
		t.Errorf("ServerLive: %s %s", a.code, a.text)
	}
	if a := inferOne(t, client, at); a.code != "16" { // UNAUTHENTICATED
		t.Errorf("without a token: %s %s", a.code, a.text)
	}
}

// No change of a byte, no cut and no repetition of a sound message does more than get a status.
func TestMalformedProtobuf(t *testing.T) {
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": irisModel(), "orders": ordersModel()})
	client, at := overHTTP2(t, s)
	sound := delimitedField(1, []byte("iris"))
	in := delimitedField(1, []byte("x"))
	in = append(in, delimitedField(2, []byte("FP64"))...)
	in = append(in, delimitedField(3, []byte{1, 4})...)
	in = append(in, delimitedField(5, delimitedField(7, make([]byte, 32)))...)
	sound = append(sound, delimitedField(5, in)...)
	try := func(b []byte) {
		t.Helper()
		switch a := send(t, client, at, "ModelInfer", bytes.NewReader(framed(0, b))); a.code {
		case "0", "3", "5", "8", "12": // an answer, or whose fault it is
		default:
			t.Errorf("%x: status %s, %s", b, a.code, a.text)
		}
	}
	for i := range sound {
		try(sound[:i])
		for _, x := range []byte{0x01, 0x80, 0xff} {
			changed := bytes.Clone(sound)
			changed[i] ^= x
			try(changed)
		}
	}
	try(append(bytes.Clone(sound), sound...))
	for _, b := range [][]byte{
		bytes.Repeat([]byte{9<<3 | 3}, 1000),                                           // groups in groups
		{5<<3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},         // a length of 2⁶⁴
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},             // a number without an end
		append([]byte{0x80, 0x80, 0x80, 0x80, 0x10}, 0),                                // a field beyond those there are
		delimitedField(1, []byte{0xff}),                                                // not UTF-8
		delimitedField(5, delimitedField(3, binary.AppendUvarint(nil, 1<<63))),         // a shape of -2⁶³
		delimitedField(5, delimitedField(5, delimitedField(7, make([]byte, 7)))),       // seven eighths of a number
		delimitedField(4, delimitedField(2, []byte(strings.Repeat("\x1a\x00", 1000)))), // a parameter of many values
	} {
		try(append(delimitedField(1, []byte("iris")), b...))
	}
	if oip.Weigh(sound) <= 0 {
		t.Error("a message weighs nothing")
	}
	if a := inferOne(t, client, at); a.code != "0" {
		t.Errorf("in the end: %s %s", a.code, a.text)
	}
}
