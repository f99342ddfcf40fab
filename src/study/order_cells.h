#pragma once

#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/table.h"
#include "study/kind.h"

namespace olem::internal {

// What a cell of an order-learning study does.
enum class OrderMeasure {
  kOrder,  // learns the order: div
  kGraph,  // learns the graph, too: div, shd, shd2, sid
};

// The same columns in other units (kOwnUnits and the names beside it). What is random depends on seed and index alone.
// Logarithms need positive values.
Table in_units(const Table& table, const std::string& units, std::uint64_t seed, std::uint64_t index);

// The least work that gives all these metrics.
OrderMeasure measure_for(const std::vector<std::string>& metrics);

// DIV, SHD and SID as metrics, in the paper's order; SHD with a reversed edge counted twice, as the paper does.
std::vector<StudyName> order_metric_names();

// One cell per method on one data set; `place` tells data sets of one setting apart.
std::vector<Cell> order_cells(const StudyRequest& request, const StudySetting& setting, const std::string& place,
                              int epoch, int task, double variables, double rows);

// Learns by the method named and compares with the truth. The context's seed is the method's.
StudyValues measure_order_method(const Table& table, const Dag& truth, const std::string& method, OrderMeasure measure,
                                 const Context& context);

}  // namespace olem::internal
