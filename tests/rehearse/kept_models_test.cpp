#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/checksum.h"
#include "kept/answers.h"
#include "kept/wanted.h"
#include "olem/error.h"
#include "olem/model_file.h"
#include "olem/sampler_state.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::test::kept_models_test {

using namespace internal;
namespace {

using ::testing::HasSubstr;

// Paths of all kept models without their endings, by version.
std::vector<std::string> kept_models() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_path("tests/kept"))) {
    if (entry.path().extension() == ".olem")
      all.push_back(std::filesystem::path(entry.path()).replace_extension().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

// What was kept is there and equal, numbers up to rounding. Later versions may say more.
void expect_contains(const Json& now, const Json& kept, const std::string& place) {
  if (kept.is_object()) {
    for (const auto& [key, value] : kept.items()) {
      ASSERT_TRUE(now.is_object() && now.contains(key)) << place << "/" << key;
      expect_contains(now[key], value, place + "/" + key);
    }
  } else if (kept.is_array()) {
    ASSERT_TRUE(now.is_array()) << place;
    ASSERT_EQ(now.size(), kept.size()) << place;
    for (std::size_t i = 0; i < kept.size(); ++i) expect_contains(now[i], kept[i], place + "/" + std::to_string(i));
  } else if (kept.is_number_float()) {
    ASSERT_TRUE(now.is_number()) << place;
    const double value = kept.get<double>();
    // What was stored is exact. What is computed in single precision differs a little between instruction sets.
    const bool drawn = place.starts_with("/without_action") || place.starts_with("/at_three_quarters");
    const double tolerance = place.ends_with("/success") ? 1.01 / static_cast<double>(kKeptDraws) : drawn ? 1e-4 : 1e-9;
    if (std::isinf(value)) {
      EXPECT_EQ(now.get<double>(), value) << place;
    } else {
      EXPECT_NEAR(now.get<double>(), value, tolerance * std::max(1.0, std::abs(value))) << place;
    }
  } else if (kept.is_null() && now.is_number_float()) {
    EXPECT_FALSE(std::isfinite(now.get<double>())) << place;  // JSON has no infinity and writes null
  } else {
    EXPECT_EQ(now, kept) << place;
  }
}

TEST(KeptModels, EveryOneLoadsAndAnswersAsItDid) {
  const std::vector<std::string> all = kept_models();
  ASSERT_GE(all.size(), 8U);
  for (const std::string& model : all) {
    SCOPED_TRACE(model);
    const RehearsalModel loaded = read_model(model + ".olem", {});
    expect_contains(kept_answers(loaded), parse_json(read_text(model + ".json")), "");
    // What was read can be saved by this version and read again.
    EXPECT_EQ(kept_answers(parse_model(model_bytes(loaded), "again.olem")), kept_answers(loaded));
  }
}

// What this version would keep can be kept: every part that a file can hold is written and read again as it was.
TEST(KeptModels, WhatThisVersionWritesItReads) {
  std::set<std::string> parts;
  std::set<std::string> said;  // keys of the tasks
  std::string kinds;           // of the samplers, those inside of others too
  for (const WantedModel& one : wanted_models()) {
    SCOPED_TRACE(one.name);
    const RehearsalModel model = fit_wanted(one);
    const std::string bytes = model_bytes(model);
    const RehearsalModel read = parse_model(bytes, "again.olem");
    const Json answers = kept_answers(model);
    expect_contains(kept_answers(read), answers, "");  // keys may stand in another order
    EXPECT_EQ(model_bytes(read), bytes);
    for (const auto& [part, answer] : answers.items()) parts.insert(part);
    for (const auto& [key, value] : answers["task"].items()) said.insert(key);
    for (const SamplerVariable& variable : read.samplers->variables) {
      if (!variable.sampler) continue;
      const SamplerState state = variable.sampler->state();
      kinds += fmt::format("\"{}\" {}\n", state.kind, state.settings.dump());
    }
  }
  for (const char* const part : {"calibration", "graph", "groups", "effective_rows", "rows", "members", "opinions",
                                 "set_by_hand", "missing", "column_types"})
    EXPECT_TRUE(parts.contains(part)) << part;
  for (const char* const key : {"sequence", "cost", "constraints", "max_alterations", "columns", "set_by_hand", "group",
                                "weight", "time", "before"})
    EXPECT_TRUE(said.contains(key)) << key;
  for (const char* const kind : {"gp", "linear", "gaussian", "spline", "cinn", "location-scale", "constant", "mixture",
                                 "acted", "encoded", "hurdle", "binary", "ordinal", "category", "count"})
    EXPECT_THAT(kinds, HasSubstr(fmt::format("\"{}\"", kind)));
  EXPECT_THAT(kinds, HasSubstr("\"groups\":20"));
}

// Whatever a later format holds, this version does not guess at it; and there never was a format 0.
TEST(KeptModels, OtherFormatsAreRefused) {
  constexpr std::size_t kFormatAt = 12;
  const std::string path = source_path("tests/kept/0.1.0/linear.olem");
  const auto refusal = [&](unsigned format) -> std::string {
    std::string bytes = read_text(path);
    bytes[kFormatAt] = static_cast<char>(format);
    std::uint64_t sum = crc64(std::string_view(bytes).substr(0, bytes.size() - 8));
    for (std::size_t i = bytes.size() - 8; i < bytes.size(); ++i, sum >>= 8U) bytes[i] = static_cast<char>(sum & 0xFFU);
    try {
      parse_model(bytes, "kept.olem");
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kData);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(1), "");
  EXPECT_THAT(refusal(kModelFormat + 1),
              HasSubstr(fmt::format("kept.olem: This model file has format {}, but olem", kModelFormat + 1)));
  EXPECT_THAT(refusal(kModelFormat + 1), HasSubstr("Use the version of olem that wrote it, or fit the model again."));
  EXPECT_THAT(refusal(0), HasSubstr("kept.olem: This model file is damaged: it has format 0, which does not exist."));
}

}  // namespace
}  // namespace olem::test::kept_models_test
