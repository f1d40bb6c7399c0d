package svmtool

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
)

// A feature has the eight digits of C's %.8g where these read back as the same number, else as many
// as it takes.
func TestFeaturesOfAModel(t *testing.T) {
	check := func(x float64) {
		t.Helper()
		want := libsvm.FormatG(x, 8)
		if back, err := strconv.ParseFloat(want, 64); err != nil || back != x {
			want = strconv.FormatFloat(x, 'g', -1, 64)
		}
		if got := string(appendFeature(nil, x)); got != want {
			t.Errorf("%v is written as %s, want %s", x, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20_000 {
		check(rng.NormFloat64() * math.Pow(10, float64(rng.IntN(24)-12)))
		x, _ := strconv.ParseFloat(strconv.FormatFloat(rng.NormFloat64()*math.Pow(10, float64(rng.IntN(24)-12)), 'g',
			1+rng.IntN(9), 64), 64)
		check(x)
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 100000, 999999.5, 999999, 1e6, 1234567, 12345678,
		123456789, 1e8, 1e-4, 1e-5, 0.00012345678, 5e-324, 1e308} {
		check(x)
	}
}

// What is written is read back, whatever the number of lines is beside that of cores; a line that
// is wrong is named.
func TestModelsReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	file := filepath.Join(t.TempDir(), "model")
	text := ""
	for _, total := range []int{1, 63, 64, 65, 700} {
		rows := make([]data.SparseVec, total)
		m := &modelFile{kernelParams: kernelParams{Type: rbf, Gamma: 0.5}}
		m.machines = machines{Type: cSVC, Label: []int{1, 2, 3}, Rho: []float64{1, 2, 3}, Count: []int{total, 0, 0},
			Coef: make([][]float64, 2)}
		for i := range rows {
			for a := range m.Coef {
				m.Coef[a] = append(m.Coef[a], rng.NormFloat64())
			}
			for j := range int32(9) {
				if rng.IntN(3) > 0 || j == 8 && i == 0 {
					rows[i].Index, rows[i].Value = append(rows[i].Index, j), append(rows[i].Value, rng.NormFloat64()*1e3)
				}
			}
		}
		m.sv = data.SparseOf(rows, 9)
		var b bytes.Buffer
		if err := m.write(&b); err != nil {
			t.Fatal(err)
		}
		text = b.String()
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := readModel(file)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back.Coef, m.Coef) || !reflect.DeepEqual(back.sv.CSR(), m.sv.CSR()) {
			t.Fatalf("%d support vectors come back otherwise", total)
		}
	}
	lines := strings.SplitAfter(text, "\n")
	last := len(lines) - 2
	for wrong, want := range map[string]string{
		"1 2 3:x\n": "is not index:value", "1 2 0:1\n": "index 0: indices count from 1",
		"1 2 2:1 2:1\n": "index 2: indices count from 1 and increase",
		"1\n":           "fewer coefficients than 2", "1 nan 2:1\n": `"nan" is not a finite number`,
		"": "the file ends after 699 of 700",
	} {
		if err := os.WriteFile(file, []byte(strings.Join(lines[:last], "")+wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readModel(file)
		if err == nil || !strings.Contains(err.Error(), want) || wrong != "" &&
			!strings.Contains(err.Error(), fmt.Sprintf(":%d:", last+1)) {
			t.Errorf("%q: %v, want line %d and %q", wrong, err, last+1, want)
		}
	}
}
