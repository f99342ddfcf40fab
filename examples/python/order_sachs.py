"""The causal order of 11 proteins in single cells (Sachs et al. 2005), the edges along it, and how right they are.

    PYTHONPATH=build/release/python python3 examples/python/order_sachs.py [FIGURE.png]
"""

import sys
import warnings

import olem


def main() -> None:
    sachs = olem.load_sachs()
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always", olem.OlemWarning)
        learner = olem.OLEM(n_jobs=-1).fit(sachs.data)
    print(f"{len(sachs.data)} cells, {sachs.data.shape[1]} proteins, causes first:")
    print("  " + " > ".join(learner.causal_order_))
    undecided = [f"{step.sink}, {step.runner_up}" for step in learner.steps_ if not step.decided]
    print(f"The data did not decide between: {'; '.join(undecided)}.")
    for warning in issued:
        print(f"Warning: {warning.message}")

    print(f"\nEdges that the data needs: {', '.join(f'{a} -> {b}' for a, b in learner.graph_.edges)}.")
    found = olem.compare(sachs.graph, learner)
    print(f"Against the consensus network of {found['true_edges']} edges: DIV {found['div']}, SHD {found['shd']}, "
          f"SHD with reversed edges counting 2 {found['shd2']}, SID {found['sid']}.")  # fmt: skip

    if len(sys.argv) > 1:
        import matplotlib.pyplot as plt

        figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
        olem.plot_order(learner, ax=left)
        olem.plot_graph(learner, ax=right)
        figure.savefig(sys.argv[1], dpi=120)


if __name__ == "__main__":
    main()
