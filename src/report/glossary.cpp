#include "report/glossary.h"

namespace olem::internal {

namespace {

constexpr GlossaryEntry kEntries[] = {
    {"success", "probability of success",
     "The share of draws from the model in which every outcome is where it is wanted, with the values that are set."},
    {"without", "without action",
     "The same probability when nothing is set: what the model forecasts if everything is left alone."},
    {"interval", "95 % interval",
     "The range in which the probability lies 95 times of 100. Where the model has members it reflects the draws, the "
     "rows "
     "that happen to be there, the order and little data; otherwise only that other draws would give another number."},
    {"sources", "what an interval is made of",
     "How much of the uncertainty comes from the chance of the draws, from the rows that happen to be there, from an "
     "order that might be another, and from leading to where there is little data."},
    {"steps", "in steps",
     "Some levers are set later, when something has been seen. The rule says how they will answer to it."},
    {"seen", "seen since",
     "Values that were observed after some levers were set. They tell how this case goes, and the next levers answer "
     "to it."},
    {"looking", "worth of looking",
     "By how much the probability of success is higher on average if a variable is seen before later levers are set."},
    {"draws", "draws",
     "Cases that the model makes up, as probable as it thinks them to be. Every number is counted on "
     "the same draws, so that differences between decisions are not chance."},
    {"outcome", "outcome", "A variable that should come to lie in the desired region."},
    {"lever", "lever",
     "A variable that can be set, within its domain. Setting it means to act, not to observe it there."},
    {"modes", "leave alone, free, fixed",
     "What a recommendation may do with a lever: leave it alone never sets it, free lets the search choose, fixed "
     "keeps "
     "the value that you gave."},
    {"expected", "expected", "What the model expects of a variable on average when nothing is done."},
    {"context", "context",
     "What is observed before the decision and cannot be changed. A value that is not known is "
     "drawn from what the others tell about it."},
    {"recommendation", "recommendation",
     "The values that the search found to make success most probable, or with a target the cheapest that reach it. "
     "Levers that add nothing are left alone."},
    {"target", "target",
     "A probability of success that is enough: the cheapest decision that reaches it is looked for."},
    {"proposals", "alternatives", "Other decisions that differ visibly from the recommended one and from each other."},
    {"cost", "cost",
     "How far what is set lies from what is expected of it without action: each distance times its "
     "weight in the task, or in standard deviations where the task has no weights."},
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
    {"knowledge", "by knowledge", "The task says it: context comes first, outcomes come last, and what was declared."},
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
