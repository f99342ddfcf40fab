#include "olem/update.h"

#include <fmt/format.h>

#include <memory>

#include "command_line.h"
#include "data_options.h"
#include "log_options.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/model_file.h"
#include "olem/report_update.h"
#include "session.h"
#include "values.h"

namespace olem::app {

namespace {

struct UpdateArguments {
  CommonOptions common;
  std::string model;
  std::string rows;
  DataOptions data;  // `file`: the old rows
  std::vector<std::string> set_by_hand;
  LogArguments log;
  bool keep_rows = false;
};

Table read_rows(const std::string& path, const UpdateArguments& arguments, const RehearsalModel& model,
                Session& session) {
  DataOptions data = arguments.data;
  data.file = path;
  data.new_rows = true;
  if (data.missing == "impute")
    throw Error::of_option("missing", "Rows with imputed cells do not update a model: they are no data.",
                           {{"Leave out the rows", "missing", "drop"}});
  for (const NamedColumn& column : model.columns) {
    if (!has_levels(column.about.type)) continue;
    DeclaredType declared{column.name, column.about.type, {}};
    for (const ColumnLevel& level : column.about.levels) declared.levels.push_back(level.name);
    data.words.push_back(std::move(declared));
  }
  ReadResult read = read_data(data, session);
  session.warn(read.warnings);
  return std::move(read.table);
}

int run_update(const UpdateArguments& arguments) {
  const bool in_place = arguments.common.output.empty();
  const std::string file = in_place ? arguments.model : arguments.common.output;
  CommonOptions common = arguments.common;
  common.output.clear();  // the model here, not the JSON
  Session session(common);
  if (!in_place) {
    session.reserve_file(file, "-o");
    session.protect(arguments.model, "the model; leave -o out to replace it");
    session.protect(arguments.rows, "the file with the rows");
  }
  if (!arguments.log.log.empty()) session.protect(arguments.log.log, "the log of decisions");
  const std::string old_bytes = read_file(arguments.model, session.context());
  const RehearsalModel model = parse_model(old_bytes, arguments.model);
  if (!model.rows && arguments.data.file.empty()) {
    throw Error(ErrorCategory::kUsage, fmt::format("{} holds no rows, which updating it needs.", arguments.model),
                {{"Give the rows that it was learned from", "data"}, {"Fit it again with its rows kept"}});
  }
  if (model.rows && !arguments.data.file.empty())
    throw Error::of_option("data", "The model holds the rows that it was learned from.", {{"Leave it out"}});
  UpdateOptions options;
  options.keep_rows = arguments.keep_rows;
  for (const NamedWord& given : parse_texts(arguments.set_by_hand, "set_by_hand"))
    options.set_by_hand.emplace_back(given.name, given.word);
  const Table old_rows = model.rows ? *model.rows : read_rows(arguments.data.file, arguments, model, session);
  const Table new_rows = read_rows(arguments.rows, arguments, model, session);
  const ModelUpdate update = update_model(model, old_rows, new_rows, options, session.context());
  session.warn(update.model.summary.warnings);
  session.warn(update.warnings);

  Json json;
  json["model"] = file;
  json["old_rows"] = update.old_rows;
  json["new_rows"] = update.new_rows;
  json["variables"] = to_json(update.variables);
  std::string text = update_text(update);
  if (!arguments.log.log.empty()) {
    LogArguments log = arguments.log;
    log.record = true;
    const IncompleteTable whole(new_rows, std::vector<unsigned char>(new_rows.rows() * new_rows.columns(), 0));
    JoinedLog joined = join_log(log, &whole, session);
    json["realised"] = std::move(joined.json);
    text += "\n" + joined.text;
  }
  text += in_place ? fmt::format("\nWritten: {}; as it was before: {}~.\n", file, file)
                   : fmt::format("\nWritten: {}.\n", file);
  session.finish("update", json, to_json(arguments.data), text, "", [&] {
    // The old model stays whole whenever this is broken off.
    if (in_place) write_file_atomically(file + "~", old_bytes, true);
    write_model(file, update.model, in_place || common.force);
  });
  return 0;
}

}  // namespace

std::function<int()> fill_update_verb(CLI::App* verb) {
  auto arguments = std::make_shared<UpdateArguments>();
  verb->add_option("MODEL", arguments->model, "model of olem fit; replaced unless -o is given")
      ->required()
      ->type_name("");
  verb->add_option("ROWS", arguments->rows, "CSV or .npy file with new rows in time order")->required()->type_name("");
  add_data_options(*verb, arguments->data, "--data");
  verb->get_option("--data")->description("the rows that the model was learned from, where it does not keep them");
  verb->add_option("--set-by-hand", arguments->set_by_hand,
                   "a variable that was set from outside in some rows, and the column of 0 and 1 that says in which; "
                   "may be repeated")
      ->type_name("NAME=COLUMN")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Data");
  verb->add_flag("--keep-rows", arguments->keep_rows, "keep the rows in the model for the next update")->group("Data");
  add_log_options(*verb, arguments->log, false);
  add_common_options(*verb, arguments->common, "write the model here and leave the old one as it is");
  verb->footer(R"(
Examples:
  olem fit task.json -o reef.olem --keep-rows
  olem update reef.olem new.csv
  olem update reef.olem new.csv -o reef-2.olem
  olem update reef.olem new.csv --data old.csv
  olem update reef.olem new.csv --set-by-hand DIC=DIC_was_set --log decisions.jsonl

Without -o the model is replaced and the old one kept as MODEL~. A run that is broken off leaves the model whole.

Exit codes: 0 done, 2 usage, 3 bad input, 5 file, 6 memory or time, 130 interrupted.)");
  return [arguments] { return run_update(*arguments); };
}

}  // namespace olem::app
