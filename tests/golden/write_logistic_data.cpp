// Writes the tables behind tests/golden/logistic.csv: FOLDER/FORM_train.csv and FOLDER/FORM_held_out.csv.
#include <fmt/format.h>

#include <fstream>
#include <string>

#include "sampler/discrete_data.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const auto write = [&](const std::string& form, const std::string& part, std::size_t rows, std::uint64_t seed) {
    const olem::test::DiscreteData data = olem::test::discrete_data(form, rows, seed);
    std::ofstream file(fmt::format("{}/{}_{}.csv", arguments[1], form, part));
    file << "a,b,g,y\n";
    for (std::size_t i = 0; i < rows; ++i)
      file << fmt::format("{},{},{},{}\n", data.a[i], data.b[i], data.g[i], data.y[i]);
  };
  for (const char* form : {"binary", "bent", "ordinal", "category"}) {
    write(form, "train", olem::test::kGoldenRows, 1);
    write(form, "held_out", olem::test::kGoldenHeldOut, 2);
  }
}
