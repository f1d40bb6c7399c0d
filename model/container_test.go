package model

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

func sample() *Container {
	m := linalg.New[float64](2, 3)
	copy(m.Data, []float64{1, math.Copysign(0, -1), math.Inf(1), 5e-324, math.Pi, -1e308})
	return &Container{
		Metadata: map[string]string{"kernel": "gaussian(lengthscale=2)", "α": "β"},
		Tensors:  map[string]Tensor{"centers": MatrixTensor(m), "index": Int32s([]int32{-1, 7}), "none": Float64s(nil, 0, 4)},
	}
}

func encode(t testing.TB, c *Container) []byte {
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestContainerRoundTripKeepsEveryBit(t *testing.T) {
	c := sample()
	b := encode(t, c)
	if again := encode(t, c); !bytes.Equal(b, again) {
		t.Fatal("two writes of one container differ")
	}
	back, err := ReadContainer(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Metadata, c.Metadata) {
		t.Errorf("metadata %v, want %v", back.Metadata, c.Metadata)
	}
	for name, want := range c.Tensors {
		got := back.Tensors[name]
		if got.DType != want.DType || !reflect.DeepEqual(got.Shape, want.Shape) || !bytes.Equal(got.Bytes, want.Bytes) {
			t.Errorf("tensor %q came back as %v, want %v", name, got, want)
		}
	}
}

func TestContainerRefusesEveryDamage(t *testing.T) {
	b := encode(t, sample())
	for cut := range b {
		if _, err := ReadContainer(b[:cut]); err == nil {
			t.Fatalf("a file cut to %d of %d bytes was accepted", cut, len(b))
		}
	}
	for i := range b {
		for _, bit := range []byte{1, 0x80} {
			bad := bytes.Clone(b)
			bad[i] ^= bit
			c, err := ReadContainer(bad)
			if err == nil && !reflect.DeepEqual(c, mustRead(t, b)) {
				t.Fatalf("bit %#x of byte %d flipped: accepted, with another content", bit, i)
			}
		}
	}
	if _, err := ReadContainer(append(bytes.Clone(b), 0)); err == nil {
		t.Fatal("a file with a byte too many was accepted")
	}
	if _, err := ReadContainer([]byte("sepal,petal\n1,2\n")); !errors.Is(err, ErrNotContainer) {
		t.Fatalf("a CSV file: %v, want ErrNotContainer", err)
	}
}

func mustRead(t testing.TB, b []byte) *Container {
	c, err := ReadContainer(b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestContainerRefusesHugeShapes(t *testing.T) {
	header := `{"a":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`
	b := append([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}, header...)
	var bad *CorruptError
	if _, err := ReadContainer(b); !errors.As(err, &bad) {
		t.Fatalf("error %v, want a CorruptError", err)
	}
}

func FuzzReadContainer(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ReadContainer(b)
		if err != nil {
			return
		}
		back, err := ReadContainer(encode(t, c))
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Fatalf("accepted, but does not come back: %v", err)
		}
	})
}
