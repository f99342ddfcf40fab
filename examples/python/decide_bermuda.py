"""A coral reef: which of five properties of the water should be changed so that calcification (NEC) is as wanted?

    PYTHONPATH=build/release/python python3 examples/python/decide_bermuda.py [FIGURE.png]

The simulator behind the data is known, so the decision can be tried out on the truth.
"""

import sys

import olem


def main() -> None:
    reef = olem.load_bermuda()
    rehearsal = olem.Rehearsal(**reef.task, n_jobs=-1).fit(reef.data)
    print("Learned order: " + " > ".join(rehearsal.causal_order_))

    context = reef.contexts.iloc[0].to_dict()
    print("Observed: " + ", ".join(f"{name} = {value:.3f}" for name, value in context.items()) + "\n")
    decision = rehearsal.suggest(context)
    print(decision)

    low, high = reef.task["desired"]["NEC"]
    for what, alterations in (("with", decision), ("without", None)):
        truth = reef.simulate_decision(context, alterations, 10_000)["NEC"].between(low, high).mean()
        print(f"\nWhat really happens {what} it: success in {100 * truth:.1f} % of 10000 trials.", end="")
    print()

    if len(sys.argv) > 1:
        (ax,) = olem.plot_outcome(rehearsal, decision)
        ax.figure.savefig(sys.argv[1], dpi=120)


if __name__ == "__main__":
    main()
