package play

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
)

type denoiseAsked struct {
	Image       []float64 `json:"image"` // side×side numbers from 0 to 1
	Lengthscale float64   `json:"lengthscale"`
	Components  int       `json:"components"`
	Method      string    `json:"method"` // "fixed-point", "gradient" or "learned"
	Seed        uint64    `json:"seed"`
}

// Denoised is an image and what the components leave of it.
type Denoised struct {
	Side     int       `json:"side"`
	Clean    Drawn     `json:"clean"`
	Linear   Drawn     `json:"linear"` // by as many components of ordinary PCA
	Readings []Reading `json:"readings"`
}

// denoise projects a drawn digit on the kernel components of digits and finds the image of the
// projection.
func denoise(ctx context.Context, _ *Player, q denoiseAsked, send sender) error {
	if len(q.Image) != digitSide*digitSide {
		return &Fault{Field: "image", Message: fmt.Sprintf("an image of %d numbers; give %d × %d", len(q.Image), digitSide,
			digitSide)}
	}
	for i, v := range q.Image {
		if !(v >= -10 && v <= 10) {
			return &Fault{Field: "image", Message: fmt.Sprintf("pixel %d is %g; give numbers near 0 to 1", i+1, v)}
		}
	}
	if q.Components < 1 || q.Components > 200 {
		return &Fault{Field: "components", Message: fmt.Sprintf("%d components; give 1 to 200", q.Components)}
	}
	x := Digits(trainingDigits, q.Seed)
	k := kernel.Gaussian{Lengthscale: q.Lengthscale}
	if err := kernel.Validate[vec](k); err != nil || q.Lengthscale == 0 {
		return &Fault{Field: "lengthscale", Message: fmt.Sprintf("the length-scale is %g; give a number above 0",
			q.Lengthscale)}
	}
	clean, m, err := preimage(ctx, k, x, q)
	if err != nil {
		return at("image", err)
	}
	linear, err := project.PCA[vec]{Kernel: kernel.Linear{}, Components: min(q.Components, digitSide*digitSide)}.Fit(ctx,
		x)
	if err != nil {
		return err
	}
	flat, err := project.Denoise(ctx, linear, project.Gradient{Model: linear}, single(q.Image))
	if err != nil {
		return err
	}
	far, err := m.ReconstructionErrors(ctx, single(q.Image))
	if err != nil {
		return err
	}
	return send("denoised", Denoised{Side: digitSide, Clean: rows(clean)[0], Linear: rows(flat)[0], Readings: []Reading{
		reading("reconstruction", "‖φ(x) − Pφ(x)‖²", far[0]),
		reading("components", "components kept", float64(m.Components())),
		reading("training", "digits learned from", trainingDigits)}})
}

// single is one vector as points.
func single(v []float64) data.Points[vec] { return data.Rows(mat.NewDense(1, len(v), v)) }

// preimage is the image whose place in feature space is nearest to the projection of the one given.
func preimage(
	ctx context.Context, k kernel.Gaussian, x data.Points[vec], q denoiseAsked,
) (*mat.Dense, *project.PCAModel[vec], error) {
	m, err := project.PCA[vec]{Kernel: k, Components: q.Components}.Fit(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	var p project.Preimager
	switch q.Method {
	case "fixed-point":
		p = project.FixedPoint{Model: m}
	case "gradient":
		p = project.Gradient{Model: m}
	case "learned":
		if p, err = (project.MapLearner{}).Fit(ctx, m.Scores(), x); err != nil {
			return nil, nil, err
		}
	default:
		return nil, nil, &Fault{Field: "method", Message: "pre-images are found by fixed-point, gradient or learned"}
	}
	clean, err := project.Denoise(ctx, m, p, single(q.Image))
	return clean, m, err
}

type digitAsked struct {
	Digit int    `json:"digit"`
	Seed  uint64 `json:"seed"`
}

// DigitImage is a drawn digit.
type DigitImage struct {
	Image Drawn `json:"image"`
}

// digit draws one, which none of those that denoise learns from is.
func digit(_ context.Context, _ *Player, q digitAsked, send sender) error {
	if q.Digit < 0 || q.Digit > 9 {
		return &Fault{Field: "digit", Message: fmt.Sprintf("%d is no digit; give 0 to 9", q.Digit)}
	}
	image := make([]float64, digitSide*digitSide)
	drawDigit(image, q.Digit, rand.New(rand.NewPCG(q.Seed, 0x6e6577)))
	return send("digit", DigitImage{image})
}
