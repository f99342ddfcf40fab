#include "model_source.h"

#include <fmt/format.h>

#include "olem/error.h"
#include "olem/model_file.h"

namespace olem::app {

namespace {

void check_same_task(const Task& task, const Task& learned) {
  Json given = to_json(task);
  Json known = to_json(learned);
  for (const char* key : {"data", "observed"}) {
    given.erase(key);
    known.erase(key);
  }
  for (const Json* side : {&given, &known}) {
    for (const auto& [key, value] : side->items()) {
      if (given.contains(key) && known.contains(key) && given[key] == known[key]) continue;
      throw Error(ErrorCategory::kData,
                  fmt::format("{}: \"{}\" is not the one that the model in {} was fitted for. Leave the task out to "
                              "decide with the model's own, or fit again.",
                              task.source, key, learned.source));
    }
  }
}

}  // namespace

ModelSource find_model_source(const std::string& task, const std::string& model, const RehearsalArguments& learning,
                              const std::string& verb, const Session& session) {
  if (model.empty()) {
    if (task.empty())
      throw Error(ErrorCategory::kUsage,
                  fmt::format("Give a task file, or a model with --model. See olem {} --help.", verb));
    return {load_task(task, session), std::nullopt};
  }
  refuse_rehearsal_options(learning, "With --model nothing is learned, so this has no effect. Give it to olem fit.");
  ModelSource source;
  source.model = read_model(model, session.context());
  source.task = source.model->task;
  if (!task.empty()) {
    const Task given = load_task(task, session);
    check_same_task(given, source.model->task);
    source.task = given;
  }
  return source;
}

RehearsalModel take_model(ModelSource& source, const std::string& model, const RehearsalArguments& learning,
                          Session& session, Json& options) {
  if (source.model) {
    session.warn(source.model->summary.warnings);
    options["model"] = model;
    return std::move(*source.model);
  }
  const DataOptions data = data_options(learning, source.task);
  const LoadedTable loaded = load_table(data, session);
  options.update(to_json(data));
  return learn_model(learning, source.task, loaded.table, session);
}

}  // namespace olem::app
