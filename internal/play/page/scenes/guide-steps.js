// The steps of the guide: two sentences, a task, what there is to find, and the scene that it is found in.
// @ts-check

/** @type {Array<{title: string, text: string, task: string, find: string, scene: string, settings: Record<string, any>}>} */
export const steps = [
  {
    title: 'A kernel is a similarity',
    text: 'A kernel is a function k(x, y) that says how alike two things are. The picture shows k(x₀, ·): how alike every place is to the place x₀.',
    task: 'move the length-scale of the first kernel, and then x₀. Look at the functions drawn below it as you do.',
    find: 'The length-scale is how far a likeness reaches. Functions that a kernel draws are as smooth as the kernel is near its own place: the first kernel is round at its top and its functions are smooth; the second has a corner there, and its functions are rough.',
    scene: 'look', settings: { first: { text: 'gaussian(lengthscale=1)' }, second: { text: 'matern(nu=0.5, lengthscale=1)' } },
  },
  {
    title: 'A kernel is a map to more features',
    text: 'No straight line parts a ring from what it surrounds, and a linear kernel can draw nothing else. A kernel that compares products of coordinates as well is a straight cut in a space with more features, and that cut is a curve here.',
    task: 'write poly(degree=2) in place of linear() in the box of the kernel.',
    find: 'The border becomes a ring, and the error falls to nothing. Nobody ever wrote down the new features x², xy and y²: the kernel is their inner product, and the learner asks for no more than that.',
    scene: 'classify', settings: { data: { name: 'circles' }, kernel: { text: 'linear()' } },
  },
  {
    title: 'The widest street',
    text: 'Many lines part these points. The support vector machine takes the one with the widest street beside it, and only the points at its kerbs, which have rings, hold it in place.',
    task: 'drag a point that has no ring, and then one that has. Then make C small.',
    find: 'Points without a ring can go anywhere behind the kerb and nothing moves: they could be left out. With a small C a street may be wider at the price of points that stand in it, and more of them have a say.',
    scene: 'classify',
    settings: {
      kernel: { text: 'linear()' }, params: { C: 1000 }, window: { x0: -3, x1: 3, y0: -2.5, y1: 2.5 },
      data: { name: 'hand', points: [-2.2, 0.6, -1.6, 1.4, -1.1, 0.2, -1.9, -0.7, -1.2, -1.3, -0.7, 0.9, 0.9, -0.9, 1.2, 0.5, 1.7, -0.3, 2.1, 0.9, 1.6, 1.5, 2.2, -1.2], kinds: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1] },
    },
  },
  {
    title: 'Not too faithful',
    text: 'A curve that goes through every point has learnt the noise as well. The penalty λ is the price of a curve that bends.',
    task: 'move λ to the left end, then to the right, and watch the lower picture: it is the error for points that were left out.',
    find: 'With little λ the training error is small and the error for new points is large; with much λ both are large. The best place is between them, and points that are left out show where.',
    scene: 'regress', settings: { data: { name: 'sine', n: 30, noise: 0.35 }, kernel: { text: 'gaussian(lengthscale=0.7)' }, params: { lambda: 0.0001 } },
  },
  {
    title: 'How sure is it?',
    text: 'A Gaussian process predicts with a band: where there are points it is narrow, and where there are none it opens. The green curves are functions that all agree with the points.',
    task: 'place a point in the gap in the middle, and watch the band. Then move the length-scale.',
    find: 'One point closes the band around it, as far as the length-scale reaches. A process knows what it does not know, provided that the kernel is right.',
    scene: 'regress',
    settings: {
      learner: 'gp', samples: 5, kernel: { text: 'gaussian(lengthscale=1)' }, params: { noise: 0.1 }, window: { x0: -5, x1: 5, y0: -2.5, y1: 2.5 },
      data: { name: 'hand', points: [-4.5, 0.9, -4, 0.8, -3.4, 0.3, -3, -0.2, -2.6, -0.5, -2.2, -0.8, 2.1, 0.9, 2.5, 0.6, 3, 0.1, 3.5, -0.3, 4, -0.8, 4.5, -1] },
    },
  },
  {
    title: 'Directions that bend',
    text: 'Principal components are the directions in which points differ most. With a kernel they are directions in the space of features, and bend with the points here.',
    task: 'drag a whole cloud away, point by point, or make the length-scale small.',
    find: 'The first two pictures part the three clouds, though nobody said which point is of which. With a small length-scale every point is a direction of its own.',
    scene: 'project', settings: { part: 'components', data: { name: 'blobs' }, components: 4 },
  },
  {
    title: 'Are two clouds one?',
    text: 'Two samples differ even if they are of one kind, by chance. The lower picture has what chance does: the difference with the colours exchanged at random, and a line where the true one is.',
    task: 'drag blue points into the orange cloud until the answer changes. Then take “nothing: draw it” and try two clouds with the same middle, one wide and one narrow.',
    find: 'The colours of the picture are the witness: where it is blue, blue is more likely than orange. A difference in width is found as well as one of the middle, since the kernel compares whole distributions.',
    scene: 'test', settings: { kind: 'two-sample' },
  },
  {
    title: 'Kernels on anything',
    text: 'Everything so far asked only for k(x, y). So x may be a word, a tree or a graph, as long as somebody says how alike two of them are: here by the runs of letters that they share.',
    task: 'change the words, then choose graphs in the menu “Kernel on”, and tie two more nodes.',
    find: 'Every learner of this page works on them unchanged: support vector machines on molecules, tests between texts. The table has the features that both share, and what each adds to k(x, y).',
    scene: 'structured', settings: { on: 'strings' },
  },
];
