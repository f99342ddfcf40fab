#pragma once

#include <string>

#include "olem/ges.h"
#include "olem/independence.h"
#include "olem/notears.h"
#include "olem/order.h"
#include "olem/prune.h"

namespace olem {

// The options of every graph learner; each reads its own.
struct GraphOptions {
  std::string method = "olem+";  // a name of graph_learners()
  bool dag = false;              // turn a CPDAG into a DAG of its class
  OrderOptions order;            // of the learners that learn an order first
  PruneOptions prune;
  ListenGraphOptions listen;
  GesOptions ges;
  IndependenceOptions independence;  // of pc and fci
  CapsGraphOptions caps;             // how CaPS chooses edges
  NotearsOptions notears;
};

}  // namespace olem
