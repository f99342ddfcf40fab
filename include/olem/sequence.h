#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "olem/column.h"
#include "olem/column_types.h"
#include "olem/json.h"
#include "olem/named_value.h"
#include "olem/task.h"

namespace olem {

// How a lever of a later step will be set, by what will have been seen by then. All in the user's units.
struct AlterationRule {
  enum class Form {
    kAffine,  // constant + sum of slopes x seen + sum of squares x seen^2, cut to [low, high]
    kScores,  // each value has such a sum as its score, and the highest one wins
    kTable,   // a value for each combination of the levels that were seen
  };
  // A sum over what was seen; of kScores with the value that it speaks for.
  struct Sum {
    std::optional<double> value;
    double constant = 0.0;
    std::vector<double> slopes;   // one per input
    std::vector<double> squares;  // the same; empty: none
  };
  struct Cell {
    std::vector<double> seen;  // one level per input
    double value = 0.0;
  };

  // Of a constraint between levers: weight x lever + sum of weight x other <= max, others that are settled after the
  // lever counting with the least that they can add.
  struct Limit {
    struct Other {
      std::string name;
      double weight = 0.0;
      double least = 0.0;   // of weight x other in its domain
      bool before = false;  // it is settled before the lever
    };
    double weight = 0.0;
    double max = 0.0;
    std::vector<Other> others;
  };

  std::string name;                 // of the lever
  std::size_t step = 0;             // in which it is set; the present one is 1
  Form form = Form::kAffine;        //
  std::vector<std::string> inputs;  // what will have been seen
  double low = 0.0;                 // ends of the lever's domain
  double high = 0.0;                //
  std::vector<Sum> sums;            // one of kAffine, one per value of kScores
  std::vector<Cell> cells;          // of kTable
  std::vector<Limit> limits;        // that cut what the rule says

  // What the rule says; one value per input. Limits may still cut it.
  double operator()(std::span<const double> seen) const;
};

// What is planned beyond the present step.
struct SequencePlan {
  std::vector<SequenceStep> steps;    // from now on, the present one first
  std::vector<AlterationRule> rules;  // of the levers of later steps that are to be altered
  double at_once = 0.0;               // probability of success when everything is set now
};

// {"step", "form", "inputs", "min", "max", "constant", "slopes", ...} as docs/methods/sequence.md describes. Levels are
// written by their words.
Json to_json(const AlterationRule& rule, std::span<const NamedColumn> columns = {});
Json to_json(const SequencePlan& plan, std::span<const NamedColumn> columns = {});

}  // namespace olem
