// Writes the model files of this version and their answers into the folder given, which must not hold any of them yet.
// See README.md beside this file.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "kept/answers.h"
#include "kept/wanted.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/model_file.h"
#include "olem/version.h"

namespace olem::test {

using namespace internal;
namespace {

void write_all(const std::string& folder) {
  const std::string name = std::filesystem::path(folder).filename().string();
  if (name != version()) {
    throw Error(ErrorCategory::kUsage, fmt::format("This is version {}, whose models belong into a folder of that "
                                                   "name, not '{}'.",
                                                   version(), name));
  }
  std::filesystem::create_directories(folder);
  for (const WantedModel& one : wanted_models()) {
    const RehearsalModel model = fit_wanted(one);
    write_model(fmt::format("{}/{}.olem", folder, one.name), model, false);
    write_file_atomically(fmt::format("{}/{}.json", folder, one.name), kept_answers(model).dump(1) + "\n", false);
  }
}

}  // namespace
}  // namespace olem::test

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FOLDER\n", argv[0]);
    return 2;
  }
  try {
    olem::test::write_all(argv[1]);
  } catch (const olem::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
