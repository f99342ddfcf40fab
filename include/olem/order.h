#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/order_cam.h"
#include "olem/order_caps.h"
#include "olem/order_diffan.h"
#include "olem/order_listen.h"
#include "olem/order_olem.h"
#include "olem/order_olem_plus.h"
#include "olem/order_result.h"
#include "olem/order_score.h"
#include "olem/order_varsort.h"
#include "olem/table.h"

namespace olem {

// The options of every order learner; each reads its own.
struct OrderOptions {
  std::string method = "olem+";  // a name of order_learners()
  // Repetitions on half-samples for the stability of the order; 0: none. 100 gives probabilities to about .05.
  int bootstrap = 0;
  OlemOptions olem;
  OlemPlusOptions olem_plus;
  ListenOptions listen;
  CamOptions cam;
  DiffanOptions diffan;
  SteinOptions stein;  // of score and caps
  ScoreOptions score;
  CapsOptions caps;
};

// What leaves the answer of a method as it is: the order equal, values to 1e-9 relative.
struct Invariances {
  bool column_permutation = true;  // absent exact ties
  bool row_permutation = true;
  bool translation = true;     // a constant added to each column
  bool common_scaling = true;  // all columns multiplied by one number; values may scale with it
  std::string why_not;         // where one does not hold
};

// A method, chosen by name.
struct OrderLearnerKind {
  std::string name;
  std::string help;         // one line
  std::string explanation;  // what its steps compare, in full sentences
  OptionSet (*describe)(OrderOptions& options);
  // Fewest rows that the method can work with.
  std::size_t (*least_rows)(std::size_t columns, const OrderOptions& options);
  OrderResult (*learn)(const Table& table, const OrderOptions& options, const Precedence& knowledge,
                       const Context& context);
  Invariances invariances;
};

const std::vector<OrderLearnerKind>& order_learners();

// Throws a usage error that suggests the closest name when there is none such.
const OrderLearnerKind& order_learner(const std::string& name);

// Learns an order by the chosen method. Columns that never vary and tables with too few rows are data errors; a table
// with one column has the trivial order. With `bootstrap` the method runs again on half-samples.
OrderResult learn_order(const Table& table, const OrderOptions& options, const Precedence& knowledge,
                        const Context& context);

}  // namespace olem
