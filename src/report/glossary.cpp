#include "report/glossary.h"

namespace olem::internal {

namespace {

constexpr GlossaryEntry kEntries[] = {
    {"success", "probability of success",
     "The share of draws from the model in which every outcome is where it is wanted, with the values that are set."},
    {"without", "without action",
     "The same probability when nothing is set: what the model forecasts if everything is left alone."},
    {"interval", "95 % interval",
     "The range in which the probability lies 95 times of 100. Where the model has members it covers the draws, the "
     "rows "
     "that happen to be in the table, the order and little data; otherwise the chance of the draws only."},
    {"sources", "what an interval is made of",
     "The parts of its variance: the chance of the draws, the rows (another sample would give another model), the "
     "order, "
     "and how far the decision leads to where there is little data."},
    {"steps", "in steps",
     "Some levers are set later, after something was observed. A rule gives their values for every value that may be "
     "observed."},
    {"seen", "seen since",
     "Values that were observed after some levers were set. The next recommendation takes them into account."},
    {"looking", "worth of looking",
     "By how much the probability of success is higher on average if a variable is seen before later levers are set."},
    {"draws", "draws",
     "Random cases from the model. Every number is counted on the same draws, so that differences between decisions "
     "are "
     "not chance."},
    {"outcome", "outcome", "A variable that should end up in the desired region."},
    {"lever", "lever",
     "A variable that can be set to any value of its domain. Setting it is an action, not an observation."},
    {"modes", "leave alone, free, fixed",
     "What a recommendation may do with a lever. Leave alone: it is never set. Free: the search chooses. Fixed: it "
     "keeps "
     "the value that you gave."},
    {"expected", "expected", "What the model expects of a variable on average when nothing is done."},
    {"context", "context",
     "What is observed before the decision and cannot be changed. A value that is not known is drawn given the values "
     "that are known."},
    {"recommendation", "recommendation",
     "The values with the highest probability of success that the search found, or with a target the cheapest that "
     "reach it. "
     "Levers that add nothing are left alone."},
    {"target", "target",
     "A probability of success that is enough: the cheapest decision that reaches it is looked for."},
    {"proposals", "alternatives", "Other decisions that differ visibly from the recommended one and from each other."},
    {"cost", "cost",
     "How far the levers are moved from their expected values without action: each distance times its weight in the "
     "task, or in standard deviations where the task has no weights. Another level of a switch or category costs the "
     "weight. A task may count from another point, and square the distance."},
    {"scenario", "scenario",
     "A setting that is kept under a letter: levers, context and what is wanted, all rehearsed "
     "on the same draws."},
    {"order", "order",
     "A ranking of the variables in which each may depend on any of those before it and on none "
     "after it. Neighbours need not influence each other."},
    {"shape", "decided by shape",
     "The shape of the data tells which of two neighbours comes first, whatever their units."},
    {"scale", "decided by scale",
     "Only the spread of the values tells which comes first. It holds if the units of the "
     "columns are comparable."},
    {"undecided", "not decided",
     "The data do not tell which of two neighbours comes first. If they stand the other way "
     "round, the answer may change."},
    {"knowledge", "by knowledge",
     "The task says it: context comes first, outcomes come last, and pairs that it names."},
    {"extrapolation", "little data",
     "The model was asked about values that were hardly ever observed: the number there "
     "is a guess."},
    {"rounded", "digits that matter",
     "A recommended value is shown with as few decimals as leave the probability of "
     "success within half a point. The exact value is used in the computation."},
};

}  // namespace

std::span<const GlossaryEntry> glossary() { return kEntries; }

}  // namespace olem::internal
