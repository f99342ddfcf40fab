#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/decision.h"
#include "olem/journal.h"
#include "olem/rehearsal.h"

namespace olem {

struct ServeOptions {
  int port = 8080;           // of 127.0.0.1, as people expect of such a page; 0: any that is free
  double time_limit = 30.0;  // seconds for one recommendation, or for all contexts of one table
  DecisionOptions decision;  // of every recommendation; a request may ask for another target and number of proposals
  // How earlier decisions came out; every model's page shows it. Nothing: the page has no such part.
  std::optional<RealisedCalibration> realised;
};

// Of the server itself; `decision` has its own.
OptionSet describe(ServeOptions& options);

// A model to be served: one that is there, or one that is learned while its page shows how far that is.
struct ServedModel {
  std::string file;  // what people know it by: the name of its file, without folders
  std::string date;  // when it was made, as people write it; may be empty
  std::optional<RehearsalModel> model;
  // Where there is no model: learns it, in a thread of its own. What it throws is shown on the page and given to
  // `failed`, if there is one.
  std::function<RehearsalModel(const Context&)> learn;
  std::function<void(const std::string&)> failed;
};

// The rehearsal page of some models, at least one, on 127.0.0.1, and the API behind it (docs/serve.md). Calls `ready`
// with its address, such as "http://127.0.0.1:8080/", once it listens, and returns when the context is interrupted,
// within a second. The context's seed decides all draws, its threads are shared by all requests; progress and log are
// not used.
//
// A file error when the port cannot be used or this olem was built without its HTTP module, a usage error for options
// out of range and for no model.
void serve(std::vector<ServedModel> models, const ServeOptions& options,
           const std::function<void(const std::string&)>& ready, const Context& context);

// The same for one model.
void serve(RehearsalModel model, const ServeOptions& options, const std::function<void(const std::string&)>& ready,
           const Context& context);

}  // namespace olem
