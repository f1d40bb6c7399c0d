package model

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/format/container"
)

func sample() *container.File {
	m := linalg.New[float64](2, 3)
	copy(m.Data, []float64{1, math.Copysign(0, -1), math.Inf(1), 5e-324, math.Pi, -1e308})
	return &container.File{
		Metadata: map[string]string{"kernel": "gaussian(lengthscale=2)", "α": "β"},
		Tensors: map[string]container.Tensor{"centers": container.MatrixTensor(m), "index": container.Int32s([]int32{-1,
			7}), "none": container.Float64s(nil, 0, 4)},
	}
}

func encode(t testing.TB, c *container.File) []byte {
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
	back, err := container.Read(b)
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
		if _, err := container.Read(b[:cut]); err == nil {
			t.Fatalf("a file cut to %d of %d bytes was accepted", cut, len(b))
		}
	}
	for i := range b {
		for _, bit := range []byte{1, 0x80} {
			bad := bytes.Clone(b)
			bad[i] ^= bit
			c, err := container.Read(bad)
			if err == nil && !reflect.DeepEqual(c, mustRead(t, b)) {
				t.Fatalf("bit %#x of byte %d flipped: accepted, with another content", bit, i)
			}
		}
	}
	if _, err := container.Read(append(bytes.Clone(b), 0)); err == nil {
		t.Fatal("a file with a byte too many was accepted")
	}
	if _, err := container.Read([]byte("sepal,petal\n1,2\n")); !errors.Is(err, container.ErrNone) {
		t.Fatalf("a CSV file: %v, want ErrNotContainer", err)
	}
}

func mustRead(t testing.TB, b []byte) *container.File {
	c, err := container.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestContainerRefusesHugeShapes(t *testing.T) {
	header := `{"a":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`
	b := append([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}, header...)
	var bad *container.DamagedError
	if _, err := container.Read(b); !errors.As(err, &bad) {
		t.Fatalf("error %v, want a CorruptError", err)
	}
}

func FuzzReadContainer(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := container.Read(b)
		if err != nil {
			return
		}
		back, err := container.Read(encode(t, c))
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Fatalf("accepted, but does not come back: %v", err)
		}
	})
}
