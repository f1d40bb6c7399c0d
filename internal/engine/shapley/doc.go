// Package shapley shares the value of a game among its players.
//
// A game gives every set S of d players a value v(S). The Shapley value of player j is what it adds
// when it joins, on average over all orders in which the players may come (L. S. Shapley, A value
// for n-person games, 1953):
//
//	φⱼ = Σ_{S ∌ j} |S|!(d-|S|-1)!/d! · (v(S∪{j}) - v(S)),     Σⱼ φⱼ = v(all) - v(none).
//
// A sum over subsets takes 2ᵈ values. G. Owen (Multilinear extensions of games, Management Science
// 18, 1972) writes it as an integral along the diagonal of a cube,
//
//	φⱼ = ∫₀¹ ∂f/∂qⱼ (q, …, q) dq,     f(q₁, …, q_d) = Σ_S Π_{j∈S} qⱼ Π_{j∉S} (1-qⱼ) v(S),
//
// which is a polynomial of degree d-1 in q for every game, and of a product game easy to evaluate.
package shapley
