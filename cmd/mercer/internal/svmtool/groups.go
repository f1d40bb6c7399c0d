package svmtool

// groups is the classes of a training set in LIBSVM's order: as they first
// appear, except that of -1 and +1 the positive class comes first.
type groups struct {
	label  []int
	class  []int   // class of each row
	member [][]int // rows of each class, in order
}

func groupClasses(y []float64) groups {
	g := groups{class: make([]int, len(y))}
	place := map[int]int{}
	for i, v := range y {
		l := int(v)
		c, seen := place[l]
		if !seen {
			c = len(g.label)
			place[l] = c
			g.label = append(g.label, l)
		}
		g.class[i] = c
	}
	if len(g.label) == 2 && g.label[0] == -1 && g.label[1] == 1 {
		g.label[0], g.label[1] = 1, -1
		for i := range g.class {
			g.class[i] = 1 - g.class[i]
		}
	}
	g.member = make([][]int, len(g.label))
	for i, c := range g.class {
		g.member[c] = append(g.member[c], i)
	}
	return g
}

// feasible says whether ν-SVC has a solution for every pair of classes.
func (g groups) feasible(nu float64) bool {
	for a := range g.member {
		for _, other := range g.member[a+1:] {
			n, m := len(g.member[a]), len(other)
			if nu*float64(n+m)/2 > float64(min(n, m)) {
				return false
			}
		}
	}
	return true
}
