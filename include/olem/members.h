#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/json.h"
#include "olem/options.h"
#include "olem/order_result.h"
#include "olem/sampler_set.h"

namespace olem {

// Further fits of the same task beside the one that decides (docs/methods/uncertainty.md).
struct MemberOptions {
  // Orders learned with rows weighted by Exp(1) numbers (Bayesian bootstrap): other orders that the data allow. They
  // decide and judge beside the fit. More than 8 change little.
  int orders = 8;
  // Fits to halves of the rows, in complementary pairs, from the order on: their spread around the whole fit is that of
  // the whole fit (delete-half jackknife). They widen the interval and never decide. 4 are nearly enough.
  int halves = 8;
};

OptionSet describe(MemberOptions& options);

enum class MemberKind {
  kOrder,       // all rows, an order learned with weighted rows
  kHalf,        // half of the rows, with the order or graph that they give
  kOtherOrder,  // all rows, levers first where the fit has them as learned, and the other way round; never decides
  kOtherUnits,  // all rows, the order by what is free of the units of the columns; never decides
  kOpinion,     // all rows, the order or graph of another learner; never decides
};

// "order", "half", "other_order", "other_units", "opinion": as in JSON results and model files.
std::string_view name_of(MemberKind kind);
// A data error for any other word.
MemberKind member_kind(std::string_view name);

// One of them. Samplers of the same variable given the same variables, from the same rows, are shared with the fit and
// with other members.
struct ModelMember {
  MemberKind kind = MemberKind::kOrder;
  Order order;
  std::shared_ptr<const SamplerSet> samplers;  // in this order; the fit's own where nothing differs
  std::string learner = {};                    // of an opinion: a name of order_learners() or graph_learners()
};

// All of them; orders first, then halves, then the others.
struct ModelMembers {
  std::vector<ModelMember> list;

  std::vector<const ModelMember*> of(MemberKind kind) const;
};

// Learners whose opinion can be asked for: those of orders, then those of graphs that learn no order first.
std::vector<std::string> opinion_learners();

// "olem,ges" as a list. A usage error that names the closest learner for a name that is none, and for one that stands
// twice.
std::vector<std::string> parse_opinions(std::string_view text);
void check_opinions(std::span<const std::string> learners);

}  // namespace olem
