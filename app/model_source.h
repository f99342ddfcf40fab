#pragma once

#include <optional>
#include <string>

#include "rehearsal_options.h"
#include "session.h"

namespace olem::app {

// What a verb works with that needs a model: one read from a file, or a task to learn one for.
struct ModelSource {
  Task task;                            // with the values that are observed
  std::optional<RehearsalModel> model;  // when --model names one
};

// Reads the task and the model that are named; either name may be empty, not both. A task beside a model may say what
// is observed and where its table was, and nothing else that the model's does not: a data error otherwise. `verb` is
// for messages.
ModelSource find_model_source(const std::string& task, const std::string& model, const RehearsalArguments& learning,
                              const std::string& verb, const Session& session);

// The model of the source, learned now when there is none; the options that say where it comes from are put into
// `options`.
RehearsalModel take_model(ModelSource& source, const std::string& model, const RehearsalArguments& learning,
                          Session& session, Json& options);

}  // namespace olem::app
