"""GraKeL doing the work of kernel/graph."""


def read(nodes, edges):
    graphs = [(set(), {}) for _ in range(int(nodes[-1, 0]) + 1)]
    for g, label in nodes.astype(int).tolist():
        graphs[g][1][len(graphs[g][1])] = label
    for g, i, j in edges.astype(int).tolist():
        graphs[g][0].add((i, j))
    return [(e, labels) if e else ({v: {} for v in labels}, labels) for e, labels in graphs]


def named(kernel):
    import grakel

    return f"GraKeL {grakel.__version__} {kernel}"


def wl(nodes, edges, h):
    from grakel.kernels import VertexHistogram, WeisfeilerLehman

    graphs = read(nodes, edges)
    return named("WeisfeilerLehman"), lambda: WeisfeilerLehman(n_iter=h, base_graph_kernel=VertexHistogram).fit_transform(graphs)


def shortest_path(nodes, edges):
    from grakel.kernels import ShortestPath

    graphs = read(nodes, edges)
    return named("ShortestPath"), lambda: ShortestPath().fit_transform(graphs)


def wl_assignment(nodes, edges, h):
    from grakel.kernels import WeisfeilerLehmanOptimalAssignment

    graphs = read(nodes, edges)
    return named("WeisfeilerLehmanOptimalAssignment"), lambda: WeisfeilerLehmanOptimalAssignment(n_iter=h).fit_transform(graphs)
