#include "olem/model_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "decide/helpers.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/impute.h"
#include "olem/random.h"
#include "olem/sampler_state.h"
#include "support/process.h"

namespace olem::test::model_file_test {

using namespace internal;
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kPrefix = 32;
constexpr std::size_t kByteOrderAt = 8;
constexpr std::size_t kFormatAt = 12;
constexpr std::size_t kHeaderSizeAt = 16;
constexpr std::size_t kCountAt = 24;

template <class Unsigned>
void put(std::string& bytes, std::size_t at, Unsigned value) {
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) bytes[at + i] = static_cast<char>((value >> (8 * i)) & 0xFFU);
}

// The bytes with a checksum that fits them.
std::string sealed(std::string bytes) {
  put(bytes, bytes.size() - 8, crc64(std::string_view(bytes).substr(0, bytes.size() - 8)));
  return bytes;
}

std::size_t header_size(const std::string& bytes) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < 8; ++i)
    size |= std::size_t{static_cast<unsigned char>(bytes[kHeaderSizeAt + i])} << (8 * i);
  return size;
}

Json header_of(const std::string& bytes) { return Json::parse(bytes.substr(kPrefix, header_size(bytes))); }

// A file that is whole in itself, with another header.
std::string with_header(const std::string& bytes, const Json& header) {
  const std::string text = header.dump();
  std::string changed = bytes.substr(0, kPrefix) + text + bytes.substr(kPrefix + header_size(bytes));
  put(changed, kHeaderSizeAt, std::uint64_t{text.size()});
  return sealed(changed);
}

std::string refusal(const std::string& bytes) {
  try {
    parse_model(bytes, "m.olem");
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("m.olem"));
    return error.what();
  }
  return "";
}

// A few kilobytes, so that everything that can happen to it can be tried.
const std::string& small_file() {
  static const std::string bytes = model_bytes(farm_model(12, "linear"));
  return bytes;
}

Json decisions(const RehearsalModel& model) {
  DecisionOptions options;
  options.draws = options.judge_draws = 200;
  Json json;
  for (const double weather : {-0.5, 1.0}) {
    Json decision =
        to_json(decide(decision_problem(model, named_values(model.task.context, std::vector{weather})), options, {}));
    decision.erase("seconds");
    json.push_back(decision);
  }
  return json;
}

// Counts of the columns are kept for pages; models that were made without them are as good for everything else.
TEST(ModelFile, CountsOfColumnsAreKeptAndMayBeMissing) {
  const std::string bytes = model_bytes(farm_model(60, "linear"));
  const SamplerVariable variable = parse_model(bytes, "m.olem").samplers->variables.front();
  std::size_t rows = 0;
  for (const std::size_t count : variable.counts) rows += count;
  EXPECT_EQ(rows, 60U);
  Json header = header_of(bytes);
  for (Json& entry : header["samplers"]["variables"]) entry.erase("counts");
  EXPECT_TRUE(parse_model(with_header(bytes, header), "m.olem").samplers->variables.front().counts.empty());
}

TEST(ModelFile, RoundTripDecidesTheSame) {
  for (const char* sampler : {"gp", "linear"}) {
    Context context;
    context.seed = std::numeric_limits<std::uint64_t>::max();
    const RehearsalModel model = farm_model(150, sampler, context);
    const std::string bytes = model_bytes(model);
    const RehearsalModel loaded = parse_model(bytes, "m.olem");
    EXPECT_EQ(decisions(loaded).dump(), decisions(model).dump()) << sampler;
    EXPECT_EQ(model_bytes(loaded), bytes) << sampler;
    EXPECT_EQ(models_json(loaded), models_json(model));
    EXPECT_EQ(undecided_between(loaded), undecided_between(model));
    EXPECT_EQ(loaded.seed, context.seed);
    EXPECT_EQ(loaded.task.source, "m.olem");
    EXPECT_EQ(loaded.options.samplers.sampler, sampler);
  }
}

// The farm with a tenth of the cells gone.
IncompleteTable farm_with_gaps(std::size_t rows) {
  const Table table = farm(rows, 2);
  RandomStream random(4, "test.gaps");
  std::vector<double> values(table.values().begin(), table.values().end());
  for (double& value : values) {
    if (random.uniform() < 0.1) value = std::numeric_limits<double>::quiet_NaN();
  }
  return make_incomplete(table.names(), values, table.source(), table.about());
}

TEST(ModelFile, KeepsWhatWasMissingAndTheModelOfTheContext) {
  RehearsalOptions options;
  options.samplers.sampler = "linear";
  options.context_model = true;
  options.calibrate = true;
  const CompletedTables tables = impute(farm_with_gaps(120), {.imputations = 3}, {});
  const RehearsalModel model = fit_rehearsal(farm_task(), tables, options, std::nullopt, {});
  ASSERT_TRUE(model.gaps && model.agreement && model.context_model);
  EXPECT_EQ(model.agreement->differing.size(), 3U);
  EXPECT_EQ(model.samplers->variables.back().sampler->state().kind, "mixture");
  const std::string bytes = model_bytes(model);
  const RehearsalModel loaded = parse_model(bytes, "m.olem");
  EXPECT_EQ(model_bytes(loaded), bytes);
  EXPECT_EQ(to_json(*loaded.gaps), to_json(*model.gaps));
  EXPECT_EQ(to_json(*loaded.agreement), to_json(*model.agreement));
  EXPECT_EQ(decisions(loaded).dump(), decisions(model).dump());
  DecisionOptions search;
  search.draws = search.judge_draws = 200;
  search.worth_draws = 3;
  const auto unknown = [&](const RehearsalModel& one) {
    Json json = to_json(decide(one, std::span<const NamedValue>(), search, {}, UnknownPolicy::kDraw));
    json.erase("seconds");
    return json;
  };
  EXPECT_EQ(unknown(loaded), unknown(model));
  EXPECT_EQ(unknown(model)["unknown"].size(), model.task.context.size());

  // Files of earlier versions have no such model, and say so when it is needed.
  RehearsalModel older = model;
  older.context_model = nullptr;
  older = parse_model(model_bytes(older), "m.olem");
  try {
    decision_problem(older, {}, UnknownPolicy::kDraw);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds no models of the context variables"));
    EXPECT_THAT(error.what(), HasSubstr("Fit the model again"));
  }
  Json header = header_of(bytes);
  header["context_model"][0]["name"] = "other";
  EXPECT_THAT(refusal(with_header(bytes, header)), HasSubstr("given the others"));
  header = header_of(bytes);
  header["agreement"]["differing"] = Json::array();
  EXPECT_THAT(refusal(with_header(bytes, header)), HasSubstr("differing"));
}

TEST(ModelFile, KeepsOptionsAndEvidenceOfTheOrder) {
  RehearsalOptions options;
  options.order.bootstrap = 3;
  options.calibrate = true;
  options.order.olem.entropy.k = 4;
  options.samplers.gp.prune = 0.25;
  options.samplers.gp.kernel = GpKernel::kRbf;
  const RehearsalModel model = fit_rehearsal(farm_task(), farm(60, 2), options, std::nullopt, {});
  const RehearsalModel loaded = parse_model(model_bytes(model), "m.olem");
  EXPECT_EQ(to_json(loaded.options), to_json(model.options));
  EXPECT_EQ(loaded.options.samplers.gp.kernel, GpKernel::kRbf);
  EXPECT_EQ(to_json(loaded.order), to_json(model.order));
  ASSERT_TRUE(loaded.order.stability.has_value());
  EXPECT_EQ(to_json(*loaded.calibration), to_json(*model.calibration));

  options = {};
  options.order.method = "cam";
  const RehearsalModel cam = fit_rehearsal(farm_task(), farm(60, 2), options, std::nullopt, {});
  ASSERT_FALSE(cam.order.inclusions.empty());
  EXPECT_EQ(to_json(parse_model(model_bytes(cam), "m.olem").order), to_json(cam.order));
}

TEST(ModelFile, EqualModelsHaveEqualFiles) {
  Context one;
  one.threads = 1;
  Context two;
  two.threads = 2;
  EXPECT_EQ(model_bytes(farm_model(60, "gp", one)), model_bytes(farm_model(60, "gp", two)));
}

TEST(ModelFile, EveryCutIsRefused) {
  const std::string& bytes = small_file();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_NE(refusal(bytes.substr(0, size)), "") << "cut to " << size << " of " << bytes.size() << " bytes";
  }
  EXPECT_THAT(refusal(bytes.substr(0, bytes.size() / 2)), HasSubstr("is not whole"));
  EXPECT_THAT(refusal(bytes + "x"), HasSubstr(fmt::format("should have {} bytes", bytes.size())));
  EXPECT_EQ(refusal(bytes), "");
}

TEST(ModelFile, EveryChangedByteIsRefused) {
  std::string bytes = small_file();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x20, 0x80, 0xFF}) {
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      ASSERT_NE(refusal(bytes), "") << "byte " << at << " changed by " << change;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
    }
  }
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  EXPECT_THAT(refusal(bytes), HasSubstr("its checksum is wrong"));
}

TEST(ModelFile, ForeignFilesAreTold) {
  EXPECT_THAT(refusal(""), HasSubstr("This is not a model file of olem."));
  EXPECT_THAT(refusal("a,b\n1,2\n"), HasSubstr("This is not a model file of olem."));
  std::string text_mode = small_file();
  text_mode.erase(text_mode.find('\r'), 1);
  EXPECT_THAT(refusal(text_mode), HasSubstr("This is not a model file of olem."));

  std::string newer = small_file();
  put(newer, kFormatAt, std::uint32_t{kModelFormat + 1});
  EXPECT_THAT(refusal(sealed(newer)), HasSubstr("has format 2, but olem"));

  std::string big_endian = small_file();
  put(big_endian, kByteOrderAt, std::uint32_t{0x04030201});
  EXPECT_THAT(refusal(sealed(big_endian)), HasSubstr("big endian"));
}

// Were the sizes believed, the first would wrap around to a small sum and the others ask for more than any machine has.
TEST(ModelFile, AbsurdSizesAreRefusedBeforeAllocation) {
  for (const std::size_t at : {kHeaderSizeAt, kCountAt}) {
    for (const std::uint64_t size :
         {~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 61, std::uint64_t{1} << 45}) {
      std::string bytes = small_file();
      put(bytes, at, size);
      EXPECT_THAT(refusal(sealed(bytes)), HasSubstr("is not whole")) << size;
    }
  }
  Json header = header_of(small_file());
  header["samplers"]["variables"][1]["sampler"]["arrays"][0]["size"] = std::uint64_t{1} << 60;
  EXPECT_THAT(refusal(with_header(small_file(), header)),
              HasSubstr("'samplers.variables[1].sampler.arrays[0].size' is not a whole number from 0 to"));
}

TEST(ModelFile, NumbersThatAreNotFiniteAreRefused) {
  const std::size_t first = kPrefix + header_size(small_file());
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (std::size_t at = first; at + 8 < small_file().size(); at += 8) {
      std::string bytes = small_file();
      put(bytes, at, std::bit_cast<std::uint64_t>(value));
      ASSERT_THAT(refusal(sealed(bytes)), HasSubstr("sampler")) << at;
    }
  }
}

TEST(ModelFile, PartsThatDoNotFitTogetherAreNamed) {
  struct Case {
    std::function<void(Json&)> change;
    std::string message;
  };
  const Case cases[] = {
      {[](Json& h) {
         h["order"]["names"] = {"dose", "weather", "rate", "yield"};
       },
       "where the order has it"},
      {[](Json& h) { h["order"]["names"].push_back("rain"); }, "lacks variables of the order"},
      {[](Json& h) { h["samplers"]["variables"][1]["name"] = "weather"; }, "stands twice"},
      {[](Json& h) {
         h["samplers"]["variables"][2]["conditions"] = {0, 2};
       },
       "whole number from 0 to 1"},
      {[](Json& h) { h["samplers"]["variables"][2]["conditions"] = {0}; }, "has 1 conditions, but its sampler takes 2"},
      {[](Json& h) { h["samplers"]["variables"][3].erase("sampler"); }, ""},
      {[](Json& h) { h["samplers"]["variables"][3]["sd"] = 0.0; }, "is not positive"},
      {[](Json& h) { h["samplers"]["variables"][3]["sampler"]["kind"] = "oracle"; }, "'oracle'"},
      {[](Json& h) { h["task"]["context"] = {"rain"}; }, "names 'rain' as context, which is no variable of the model"},
      {[](Json& h) { h["task"]["context"] = {"yield"}; }, "gives 'yield' two roles"},
      {[](Json& h) {
         h["task"]["alterable"]["weather"] = {0, 1};
       },
       "gives 'weather' two roles"},
      {[](Json& h) {
         h["task"]["alterable"]["dose"] = {1, 0};
       },
       "impossible domain for 'dose'"},
      {[](Json& h) { h["task"]["colour"] = "red"; }, "The key \"colour\" is not known."},
      {[](Json& h) { h["context"] = Json::array(); }, "one entry for each context variable"},
      {[](Json& h) {
         h["centre"]["means"] = {0.0, 1.0};
       },
       "one number for each outcome"},
      {[](Json& h) { h["options"]["sampler"] = "oracle"; }, "'oracle' is not a sampler"},
      {[](Json& h) { h["options"]["olem_plus_beta"] = -1; }, "'options' cannot be understood"},
      {[](Json& h) { h["seed"] = -1; }, "'seed' is not a whole number"},
      {[](Json& h) { h.erase("summary"); }, "'summary' is missing."},
  };
  for (const Case& wrong : cases) {
    Json header = header_of(small_file());
    wrong.change(header);
    const std::string message = refusal(with_header(small_file(), header));
    EXPECT_NE(message, "") << wrong.message;
    EXPECT_THAT(message, HasSubstr(wrong.message));
  }
}

// Samplers of members take names, and short arrays that are equal, from earlier ones.
TEST(ModelFile, SamplersOfMembersAreKeptBriefly) {
  RehearsalOptions options;
  options.members = MemberOptions{2, 4};
  const std::string bytes = model_bytes(fit_rehearsal(farm_task(), farm(120, 1), options, std::nullopt, Context()));
  const Json header = header_of(bytes);
  const Json& samplers = header["members"]["samplers"];
  std::size_t alike = 0;
  std::size_t repeated = 0;
  for (const Json& sampler : samplers) {
    if (!sampler.contains("like")) continue;
    ++alike;
    for (const Json& size : sampler["arrays"]) repeated += size.is_null() ? 1 : 0;
  }
  EXPECT_GT(2 * alike, samplers.size());
  EXPECT_GT(repeated, alike);  // the knots of the noise of as many rows, and what is empty or the same anyway
  const auto last = samplers.size() - 1;
  ASSERT_TRUE(samplers[last].contains("like"));
  const auto refused = [&](const std::function<void(Json&)>& change) {
    Json changed = header;
    change(changed["members"]["samplers"][last]);
    return refusal(with_header(bytes, changed));
  };
  EXPECT_THAT(refused([&](Json& sampler) { sampler["like"] = last; }), HasSubstr("is no earlier sampler"));
  EXPECT_THAT(refused([](Json& sampler) { sampler["like"] = -1; }), HasSubstr("like"));
  EXPECT_THAT(refused([](Json& sampler) { sampler["arrays"].push_back(0); }), HasSubstr("another number of arrays"));
  EXPECT_NE(refused([](Json& sampler) { sampler.erase("like"); }), "");
  // Only short arrays: a small file asks for no more memory than it has numbers.
  Json longer = header;
  Json& first = longer["members"]["samplers"][samplers[last]["like"].get<std::size_t>()];
  for (auto& [name, size] : first["arrays"].items()) size = 65;
  EXPECT_NE(refusal(with_header(bytes, longer)), "");
}

// Whatever stands in a header, it is read or refused as data; nothing else happens.
TEST(ModelFile, AnyValueInTheHeaderIsReadOrRefused) {
  const Json header = header_of(small_file());
  const Json leaves = header.flatten();
  const Json replacements[] = {nullptr, -1, std::uint64_t{1} << 62, "x", Json::array()};
  std::size_t refused = 0;
  for (const auto& [pointer, value] : leaves.items()) {
    for (const Json& replacement : replacements) {
      Json changed = header;
      changed[Json::json_pointer(pointer)] = replacement;
      refused += refusal(with_header(small_file(), changed)).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, leaves.size());
}

TEST(ModelFile, IsWrittenWholeAndNotOverAnother) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.olem");
  const RehearsalModel model = farm_model(12, "linear");
  write_model(path, model, false);
  EXPECT_EQ(read_text(path), model_bytes(model));
  EXPECT_EQ(model_bytes(read_model(path, {})), model_bytes(model));
  EXPECT_THROW(write_model(path, model, false), Error);
  write_model(path, model, true);
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"m.olem"});
}

}  // namespace
}  // namespace olem::test::model_file_test
