#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "decide/success_interval.h"
#include "olem/decision.h"
#include "olem/explain.h"
#include "olem/post_decision.h"
#include "olem/rehearsal.h"
#include "serve/requests.h"

namespace olem::internal {

// What would become of one decision.
struct Rehearsal {
  double success = 0.0;
  Interval interval;  // 95 %, of the draws
  double without_action = 0.0;
  Interval interval_without_action;
  double cost = 0.0;             // as Decision::cost
  std::vector<double> expected;  // mean of each alterable variable when nothing is done, in the order of the task
  std::vector<OutcomeForecast> outcomes;
  std::vector<OutcomeForecast> outcomes_without_action;
  std::vector<OutcomeHistogram> histograms;
  std::vector<std::string> extrapolated;  // as in a Decision
  std::vector<Warning> warnings;
};

// What stands behind it.
struct RehearsalDraws {
  OutcomeDraws with;
  OutcomeDraws without;
  std::vector<unsigned char> inside;  // whether each draw of `with` is in the desired region
};

// The last few values by key. take() gives one away, so that whoever has it is alone with it; put() gives it back, and
// lets go of the one that was not used for longest when there are too many.
template <class Value>
class LendingCache {
 public:
  explicit LendingCache(std::size_t capacity) : capacity_(capacity) {}

  std::unique_ptr<Value> take(const std::string& key) {
    const std::scoped_lock lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->first != key) continue;
      std::unique_ptr<Value> value = std::move(entry->second);
      entries_.erase(entry);
      return value;
    }
    return nullptr;
  }

  void put(std::string key, std::unique_ptr<Value> value) {
    std::unique_ptr<Value> last;  // ends after the lock
    const std::scoped_lock lock(mutex_);
    entries_.emplace_front(std::move(key), std::move(value));
    if (entries_.size() <= capacity_) return;
    last = std::move(entries_.back().second);
    entries_.pop_back();
  }

 private:
  std::size_t capacity_;
  std::mutex mutex_;
  std::list<std::pair<std::string, std::unique_ptr<Value>>> entries_;
};

// Rehearses decisions of one model with draws that are the same every time, so that nothing flickers while a lever
// moves: those with which a recommendation is reported, so that one decision has one number everywhere. What does not
// depend on the lever is kept for the last few positions. May be used by many threads at once.
class Rehearser {
 public:
  // `model` must outlive it. `options` as for decisions: its caution, and the draws behind expected values.
  Rehearser(const RehearsalModel& model, const DecisionOptions& options, const Context& context);

  std::size_t draw_count() const;

  // A task error when the desired region is empty. With `draws` these are kept there.
  Rehearsal rehearse(const RehearseRequest& request, RehearsalDraws* draws = nullptr);

  // The values that are set, each with as few decimals as leave the probability of success where it is: within a
  // quarter of a point for each alone and half a point for all of them, less than the error of the draws. What has a
  // list of values keeps its own.
  std::vector<NamedValue> rounded(const RehearseRequest& request);

  // Of each alterable variable, in the order of the task.
  std::vector<double> expected(const std::vector<double>& context_values, const std::string& group);

 private:
  // What happens without action in one context.
  struct Idle {
    OutcomeDraws draws;
    std::vector<double> expected;
    std::vector<double> standardised;  // the same in the units of the samplers
  };
  // What happens in one context when certain variables are set.
  struct Acting {
    PostDecisionSampler outcomes;
    PostDecisionSampler few;  // to find out how far from data a decision leads, which costs more than its success
  };

  // A context: the values of its variables and the group, empty for a new one.
  struct Place {
    const std::vector<double>& values;
    const std::string& group;
  };

  std::unique_ptr<Idle> idle(const Place& place, const std::string& key);
  std::unique_ptr<Acting> acting(const RehearseRequest& request, const std::string& key);
  std::vector<double> standardise(const std::vector<NamedValue>& values) const;
  double cost(const RehearseRequest& request, const Idle& without) const;
  std::shared_ptr<const SamplerSet> samplers_of(const std::string& group) const;
  PostDecisionSampler sampler(const Place& place, std::vector<std::string> altered, std::vector<std::string> outcomes,
                              std::size_t draws, DrawStream stream) const;

  const RehearsalModel& model_;
  DecisionOptions options_;
  Context context_;
  LendingCache<Idle> idle_;
  LendingCache<Acting> acting_;
};

}  // namespace olem::internal
