package kernel

import (
	"strings"
	"testing"
)

// ownKernel is a user's, without a Name.
type ownKernel struct{}

func (ownKernel) Eval(x, y Vec) float64 { return 1 }

// TestNameOf: a kernel has one name, with the type of its points and without.
func TestNameOf(t *testing.T) {
	sparse, err := OnSparse(Gaussian{Lengthscale: 2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for want, k := range map[string]Kernel[Vec]{
		"gaussian":                   Gaussian{},
		"ownKernel":                  ownKernel{},
		"gaussian + 2*linear":        Sum[Vec](Gaussian{}, Scale[Vec](2, Linear{})),
		"ownKernel*poly":             Product[Vec](ownKernel{}, Polynomial{Degree: 2}),
		"normalize(linear + linear)": Normalize[Vec](Sum[Vec](Linear{}, Linear{})),
		"(gaussian + linear)^2*poly": Product(Power(Sum[Vec](Gaussian{}, Linear{}), 2), Kernel[Vec](Polynomial{})),
		"(linear*linear)^3":          Power(Product[Vec](Linear{}, Linear{}), 3),
		"polynomial(linear)":         PowersOf[Vec]{Kernel: Linear{}, Coef: []float64{1}},
		"on":                         On(Gaussian{}, 1),
	} {
		for _, got := range []string{NameOf(k), NameOf(Erase(k)), NameOf(OnVectors(k))} {
			if got != want {
				t.Errorf("%T is called %q, want %q", k, got, want)
			}
		}
	}
	if got := NameOf(OnSparseVectors(sparse)); got != "gaussian" {
		t.Errorf("a kernel on sparse rows is called %q", got)
	}
	if got := NameOf[Vec](nil); got != "no kernel" {
		t.Errorf("nothing is called %q", got)
	}
}

// TestMessagesNameTheKernel: not a wrapper around it.
func TestMessagesNameTheKernel(t *testing.T) {
	own := FromVectors[any](ownKernel{})
	for what, err := range map[string]error{
		"spectral measure": func() error { _, err := SpectralOf(Sum[Vec](Gaussian{}, ownKernel{}), 2); return err }(),
		"derivative":       InputGrad(Sum[Vec](Gaussian{}, ownKernel{}), make(Vec, 2), make(Vec, 2), make(Vec, 2)),
		"erased":           noInputGrad(own),
	} {
		if err == nil || !strings.Contains(err.Error(), "ownKernel") || strings.Contains(err.Error(), "erased") ||
			strings.Contains(err.Error(), "[") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
