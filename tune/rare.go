package tune

import (
	"github.com/mercer-ml/mercer/data"
)

// RareShare is the share of rows that all classes but the commonest have together below which they
// are rare: always naming the commonest is then right for nine rows of ten and more, and accuracy
// says little.
const RareShare = 0.1

// settleMetric chooses what a search is judged by where nobody says. Of classes that are rare the
// share of right answers is nearly 1 for who never names them; average precision looks at what is
// found of them, and of more than two classes the log loss at the probability that each row's own
// class is given. It is settled by all rows, so that searches on parts of them have one measure.
func (o *AutoOptions) settleMetric(d *data.Dataset, r *AutoResult) error {
	if o.Metric.Score != nil || o.Evidence || !r.Task.Classification() {
		return nil
	}
	target, err := d.Column(d.Target)
	if err != nil {
		return err
	}
	name, share, rows := commonest(target)
	switch asked := o.Threshold != nil || o.Costs != nil; {
	case rows > 0 && share >= 1-RareShare && r.Task == data.Binary:
		o.Metric = AveragePrecision()
		r.note("chosen by average precision, since always %q is right for %.1f %%", name, 100*share)
	case rows > 0 && share >= 1-RareShare:
		o.Metric = LogLoss()
		r.note("chosen by log loss, since always %q is right for %.1f %%", name, 100*share)
	case asked:
		o.Metric = LogLoss()
		r.note("chosen by log loss: a threshold asks for probabilities, not for the likelier class")
	default:
		return nil
	}
	o.unasked = true
	return nil
}

// commonest is the commonest value of a column, its share of the rows that have one, and how many
// these are.
func commonest(c *data.Column) (name string, share float64, rows int) {
	count := map[string]int{}
	for i := range c.Len() {
		if !c.IsMissing(i) {
			rows++
			count[c.String(i)]++
		}
	}
	most := 0
	for value, n := range count {
		if n > most || n == most && value < name {
			name, most = value, n
		}
	}
	return name, float64(most) / float64(max(rows, 1)), rows
}
