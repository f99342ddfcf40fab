#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decide/ensemble.h"
#include "olem/json.h"
#include "olem/serve.h"
#include "serve/guard.h"
#include "serve/http.h"
#include "serve/rehearser.h"

namespace olem::internal {

// The API of the rehearsal page over one model, without any network: a request in, an answer out (docs/serve.md). May
// be used by many threads at once. Whatever a request holds, the answer is one that it deserves: 4xx with {"error":
// "a sentence"} for what is wrong with it, never a path of this machine; no request changes anything but the list of
// the last hundred recommendations.
class RehearsalApi : public HttpService {
 public:
  // Host and Origin of requests must name `port` of this machine. The context is watched for interruption; each
  // recommendation gets a deadline of its own.
  RehearsalApi(RehearsalModel model, const ServeOptions& options, int port, const Context& context);

  static std::span<const HttpRoute> routes();

  // What the page shows of the model.
  Json model_json();

  std::optional<HttpAnswer> refuse(const HttpRequest& head) const override;
  HttpAnswer answer(const HttpRequest& request) override;
  HttpAnswer broken(int status) const override;

 private:
  struct Result;  // a recommendation that was made
  class Job;      // one of the few long computations that may run at once

  HttpAnswer respond(const HttpRequest& request);
  Json rehearse_json(const std::string& body);
  Json compare_json(const std::string& body);
  Json rounded_json(const RecommendRequest& request, const Decision& decision);
  Json interval_json(const std::string& body);
  bool has_members() const { return model_.members != nullptr && !options_.decision.quick; }
  // What the members say of a decision; nothing for a model without them.
  std::optional<SuccessClaim> claim(const RehearseRequest& request) const;
  // What was claimed of a scenario that is a plan in steps; nothing for any other.
  std::optional<SuccessClaim> plan_claim(const CompareRequest::Scenario& scenario) const;
  Json recommend_json(const std::string& body);
  Json looking_json(const std::string& body);
  Json contexts_json(const std::string& body);
  HttpAnswer result_answer(const std::string& file);
  Json full_result(const Result& result) const;

  DecisionProblem problem_for(const std::vector<double>& context_values, const std::string& group,
                              const Switches& switches, const Region& desired) const;
  Context limited_context() const;
  void keep(const std::string& id, std::shared_ptr<const Result> result);
  std::shared_ptr<const Result> look_up(const std::string& id) const;  // null: unknown or forgotten
  std::shared_ptr<const Result> find(const std::string& id) const;     // refuses then

  RehearsalModel model_;
  ServeOptions options_;
  int port_;
  Context context_;
  Rehearser rehearser_;
  std::atomic<int> jobs_{0};
  mutable std::mutex mutex_;
  std::deque<std::pair<std::string, std::shared_ptr<const Result>>> results_;  // oldest first; with `mutex_`
};

}  // namespace olem::internal
