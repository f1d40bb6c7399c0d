package cli

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

func (a *App) report(ctx context.Context, d *data.Dataset, r *tune.AutoResult, m *model.Model, o *fitOptions) (string, error) {
	return "", nil
}
