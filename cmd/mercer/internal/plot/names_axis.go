package plot

// NameX puts names at places of the horizontal axis, in place of numbers.
func (f *Figure) NameX(at []float64, names []string) {
	ticks := make(constantTicks, len(at))
	for i := range at {
		ticks[i] = tick{Value: at[i], Label: names[i]}
	}
	f.p.X.Ticks = ticks
}
