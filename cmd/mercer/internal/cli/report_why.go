package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/markup"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// reportWhy is a row and what its columns add to its prediction.
type reportWhy struct{ Row, Text string }

// The work that goes into the worst rows of a page: so many are drawn, and as many are told of
// where the values are not in closed form.
const (
	drawnWhy = 3
	pageDraw = 64
)

// why tells of the rows that the model gets most wrong what each column adds to its prediction.
func (p *reportPage) why(ctx context.Context, d *data.Dataset, r *tune.AutoResult, m *model.Model) error {
	if d.Sparse != nil || len(d.Features()) > mostExplained || m.Centers() > mostSummed {
		return nil
	}
	for n, w := range p.Worst {
		if w.at < 0 || ctx.Err() != nil {
			continue
		}
		of := m
		if len(r.Targets) > 0 {
			var err error
			if of, err = m.Of(r.Targets[w.target].Name); err != nil {
				return err
			}
		}
		x, err := of.Encode(d.Gather([]int{w.at}))
		if err != nil || x.Len() == 0 {
			continue // a row that only the fit could encode
		}
		c, err := contributionsOf(ctx, of, x, d, r.Split.Train)
		if errors.Is(err, model.ErrNoContributions) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		said, err := of.PredictEncoded(ctx, x, model.Want{})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		p.WhyNote = fmt.Sprintf("What each column adds to %s, by the model in the file: Shapley values, %s.", unitText(of, c),
			contributionNote(c))
		if len(r.Targets) > 0 {
			p.WhyNote = "What each column adds, by the model in the file: Shapley values, " + contributionNote(c) + "."
		}
		p.WorstWhy = append(p.WorstWhy, reportWhy{w.Row, predictedText(of, said, 0) + contributionLine(c, 0)})
		if n < drawnWhy {
			f, err := contributionFigure(of, c, 0, "what each column adds to the prediction of row "+w.Row)
			if err != nil {
				return err
			}
			svg, err := f.Inline()
			if err != nil {
				return err
			}
			p.WhyFigures = append(p.WhyFigures, reportFigure{Title: "Row " + w.Row,
				Caption: fmt.Sprintf("From %s, the mean, to %s.", number(c.Base[c.Told[0]]), number(c.Value.At(0, c.Told[0]))),
				SVG:     markup.HTML(svg)})
		}
		if c.How != "closed form" && len(p.WorstWhy) == drawnWhy {
			return nil
		}
	}
	return nil
}

// whys is what was found of the worst rows.
func (b *reportBody) whys(p *reportPage) {
	if len(p.WorstWhy) == 0 {
		return
	}
	b.Add("<h3>Why it says so of these rows</h3>\n<p class=\"soft\">%s</p>\n", p.WhyNote)
	b.open("wide", "Contributions of columns")
	b.Add(`<table><thead><tr><th class="n" style="width:5rem">row</th><th>prediction</th></tr></thead><tbody>`)
	for _, w := range p.WorstWhy {
		b.Add(`<tr><td class="n">%s</td><td>%s</td></tr>`, w.Row, whole(w.Text))
	}
	b.end()
	b.Add(`<div class="figures" style="margin-top:1rem">`)
	for _, f := range p.WhyFigures {
		b.Add("<figure>%s<figcaption><b>%s</b>%s</figcaption></figure>\n", f.SVG, f.Title, f.Caption)
	}
	b.Add("</div>\n")
}

// contributionsOf compares a row with rows of the table where the file keeps none of its own.
func contributionsOf(
	ctx context.Context, m *model.Model, x *data.Encoded, d *data.Dataset, train []int,
) (*model.Contributions, error) {
	o := model.ContributionOptions{Draws: pageDraw, Seed: 1}
	c, err := m.Contributions(ctx, x, o)
	if err == nil || len(train) == 0 {
		return c, err
	}
	some := make([]int, min(len(train), pageDraw))
	for i := range some {
		some[i] = train[i*len(train)/len(some)]
	}
	if o.Background, err = m.Encode(d.Gather(some)); err != nil {
		return nil, err
	}
	return m.Contributions(ctx, x, o)
}
