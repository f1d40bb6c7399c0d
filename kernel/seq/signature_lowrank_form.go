package seq

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Params are Scale, Level, and the parameters of the static kernel.
func (k LowRankSignature) Params() []kernel.Param {
	p := []kernel.Param{positive("lowranksignature.scale", or(k.Scale, 1)), whole("lowranksignature.level", k.level(), 1)}
	return append(p, staticParams(k.Static)...)
}

// With sets Scale, Level and the parameters of the static kernel.
func (k LowRankSignature) With(theta []float64) kernel.Kernel[Series] {
	k.Scale, k.Level, k.Static = theta[0], int(theta[1]), staticWith(k.Static, theta[2:])
	return k
}

// Validate refuses Level, Rank or Scale < 0, and landmarks without a static kernel or none with
// one.
func (k LowRankSignature) Validate() error {
	if (k.Static == nil) != (len(k.Landmarks) == 0) {
		return fmt.Errorf("seq: lowranksignature: %d landmarks; a static kernel needs some, and the inner product none",
			len(k.Landmarks))
	}
	if k.Static != nil {
		if err := kernel.Check(k.Static, data.Points[kernel.Vec](data.Slice[kernel.Vec](k.Landmarks))); err != nil {
			return fmt.Errorf("seq: lowranksignature: the landmarks: %w", err)
		}
	}
	return firstError(
		mustBe(k.Level >= 0, "lowranksignature", "level", k.Level, "at least 1"),
		mustBe(k.Rank >= 0, "lowranksignature", "rank", k.Rank, "at least 1"),
		mustBe(k.Scale >= 0 && finite(k.Scale), "lowranksignature", "scale", k.Scale, "a finite number > 0"),
		staticValid(k.Static))
}

// CheckPoints refuses numbers that are not finite, different channels, and steps of another size
// than the landmarks.
func (k LowRankSignature) CheckPoints(x data.Points[Series]) error {
	if err := checkStatic("lowranksignature", k.Static, or(k.Scale, 1), x); err != nil || k.Static == nil {
		return err
	}
	for i := range x.Len() {
		if s := x.At(i); s.Len() > 0 && s.Channels() != len(k.Landmarks[0]) {
			return fmt.Errorf("seq: lowranksignature: row %d has %d channels, the landmarks have %d", i, s.Channels(),
				len(k.Landmarks[0]))
		}
	}
	return nil
}

// Properties of an inner product in finitely many dimensions.
func (LowRankSignature) Properties() kernel.Properties {
	p := sums()
	p.Strict = kernel.No
	return p
}
