// Writes the tables of tests/gam/additive_models.h as model_<number>.csv into the folder given, with all digits, for
// cam_pruning.R to read; prints their checksums. See README.md beside this file.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "gam/additive_models.h"
#include "olem/file.h"

using namespace olem::internal;

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FOLDER\n", argv[0]);
    return 2;
  }
  fmt::print("model,checksum\n");
  for (std::size_t model = 0; model < olem::test::kAdditiveModels; ++model) {
    const olem::Table table = olem::test::additive_model(model);
    std::string text = fmt::format("{}\n", fmt::join(table.names(), ","));
    for (std::size_t i = 0; i < table.rows(); ++i) {
      for (std::size_t j = 0; j < table.columns(); ++j) {
        text += fmt::format("{}{}", table.at(i, j), j + 1 < table.columns() ? "," : "\n");
      }
    }
    olem::write_file_atomically(fmt::format("{}/model_{}.csv", argv[1], model), text, true);
    fmt::print("{},{:.12g}\n", model, olem::test::checksum(table));
  }
}
