package cli

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/spf13/cobra"
)

// saveFlag is the flag of verbs that fit what is no predictor.
func (o *exploreOptions) saveFlag(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&o.Save, "save", "", "model file for "+what+"; mercer transform FILE NEW applies it to new rows")
}

// save writes what was fitted to a model file, where one was asked for.
func (a *App) save(
	o *exploreOptions, d *data.Dataset, enc *data.Encoder, rows int, fitted rkhs.Plainer[any], info model.Info,
) error {
	if o.Save == "" {
		return nil
	}
	info.Encoder, info.DataName, info.DataHash, info.Rows, info.Seed, info.Version = enc, d.Name, d.Hash, rows, o.Seed,
		Version
	m, err := model.NewTransform(fitted, info)
	if err != nil {
		return usage("--save: %w", err)
	}
	return m.Save(o.Save)
}

// loadPredictor is loadModel for verbs that need predictions.
func loadPredictor(path string) (*model.Model, error) {
	m, err := loadModel(path)
	if err == nil && m.Role() != "predictor" {
		return nil, usage("%s holds no predictor but a %s (%s); use: mercer transform %s DATA", path, m.Role(), m.Learner(),
			shellWord(path))
	}
	return m, err
}

// describeTransform lists what a file holds that is no predictor.
func describeTransform(m *model.Model) []field {
	out := []field{{"what it is", fmt.Sprintf("%s (%s)", m.Role(), m.Learner())}}
	if k := m.Kernel(); k != "" {
		out = append(out, field{"kernel", k})
	}
	for _, f := range m.Facts() {
		out = append(out, field{f.Name, strings.ReplaceAll(f.Text, "Level", "--level")})
	}
	gives := strings.Join(m.TransformNames(), ", ")
	if n := len(m.Info().HeldDensity); n > 0 {
		gives += ", rarity; anomaly with --anomalies SHARE"
		out = append(out, field{"rarity", fmt.Sprintf("by %s rows, each judged by a fit to others", phrase.Thousands(n))})
	}
	return append(out, field{"gives", gives})
}
