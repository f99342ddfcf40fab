#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "olem/json.h"
#include "olem/members.h"
#include "olem/named_value.h"

namespace olem {

// What one fit says of a decision.
struct MemberSuccess {
  std::string kind;  // "fit", a name of MemberKind, or "posterior_function"
  double success = 0.0;
  double without_action = 0.0;
};

// A decision that somebody else would take, in the user's units; variables that are left alone are not in it.
struct OtherDecision {
  std::vector<NamedValue> alterations;
  double success = 0.0;  // by those who would take it
};

// Two variables whose order separates the fits that disagree: the question to ask somebody who knows.
struct OrderQuestion {
  std::string first;  // comes before `second` in the fit
  std::string second;
  double as_learned = 0.0;       // success of the decision by the orders with `first` before `second`
  double other_way = 0.0;        // by the others
  double explained = 0.0;        // share of the variance over the orders that lies between the two groups
  OtherDecision other_decision;  // the best decision by the others
};

// The order that the rule about levers did not take (docs/methods/olem-plus.md).
struct OtherOrderNote {
  double success = 0.0;  // of the decision along it
  double without_action = 0.0;
  // Columns that stand before a lever in one of the two orders and after it in the other: (column, lever).
  std::vector<std::pair<std::string, std::string>> pairs;
};

// The order by what is free of the units of the columns.
struct UnitsNote {
  double success = 0.0;     // of the decision along it
  OtherDecision decision;   // what would be decided along it; its success along it
  double by_members = 0.0;  // success of that decision by the fit and its orders
};

// Why no lever can change an outcome: a step of the order, and what would be decided with it the other way round.
struct InfluenceStep {
  std::string first;  // comes before `second` in the fit
  std::string second;
  std::string by;          // who has it the other way round: a name of MemberKind
  OtherDecision decision;  // its best decision, and the success by it
  double without_action = 0.0;
};

// What would shrink the interval most.
struct NextMeasurement {
  enum class Kind { kRows, kPair, kRegion };
  Kind kind = Kind::kRows;
  std::string first;       // of a pair, or the variable to be measured near the decision
  std::string second;      // of a pair
  double reduction = 0.0;  // expected share of the variance on the logit scale
};

// How sure the success of a decision is (docs/methods/uncertainty.md). Variances are those of its logit.
struct DecisionUncertainty {
  double low_80 = 0.0;
  double high_80 = 1.0;
  double low_draws = 0.0;  // Clopper and Pearson on the draws of the fit alone, 95 %
  double high_draws = 1.0;
  double without_action_low = 0.0;  // 95 %, as that of the success
  double without_action_high = 1.0;
  double draws = 0.0;                  // chance of the draws
  double rows = 0.0;                   // which rows there are, beside the order
  double order = 0.0;                  // the order of the variables
  double extrapolation = 0.0;          // posterior functions: what the samplers do not know where the decision leads
  std::vector<MemberSuccess> members;  // the fit, weighted orders, half-samples, posterior functions
  bool chosen_by_members = false;      // another decision than that of the fit alone
  std::optional<OrderQuestion> question;
  std::optional<OtherOrderNote> other_order;    // where its success differs by more than .1
  std::optional<UnitsNote> units;               // where the answer rests on the units
  std::optional<InfluenceStep> influence_step;  // where no lever can change an outcome in the fit
  std::optional<NextMeasurement> next;

  double variance() const { return draws + rows + order + extrapolation; }
};

// Success if something unobserved moves both a lever and an outcome, and for how strong a cause no action is as good.
struct HiddenCause {
  struct Point {
    double strength = 0.0;   // correlation of the cause with both noises
    double success = 0.0;    // least over levers, outcomes and signs
    std::string lever = {};  // the pair that it is the least of; empty where no pair makes it less
    std::string outcome = {};
  };
  std::vector<Point> curve;
  std::optional<double> breakdown;  // the least strength at which success is that of no action; nothing: above .95
  std::string lever;                // the pair that breaks first
  std::string outcome;
  std::vector<std::string> left_out;  // levers and outcomes that cannot be shifted
};

// {"uncertainty", "members", "interval_80", ...}: what a decision with members has beside its other keys.
void add_json(Json& decision, const DecisionUncertainty& uncertainty);
Json to_json(const HiddenCause& cause);

}  // namespace olem
