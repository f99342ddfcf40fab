#include <bit>
#include <limits>

#include "core/checksum.h"
#include "decide/helpers.h"
#include "faults.h"
#include "olem/model_file.h"

namespace olem::test::faults_model_test {

using namespace internal;
namespace {

using ::testing::HasSubstr;

std::string with_change(std::string bytes, std::size_t at, unsigned char flip) {
  bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
  return bytes;
}

// A file that is whole in itself with one number of its last array replaced: the checksum fits.
std::string with_last_number(std::string bytes, double value) {
  const auto put = [&](std::size_t at, std::uint64_t bits) {
    for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(bits >> (8 * i) & 0xFFU);
  };
  put(bytes.size() - 16, std::bit_cast<std::uint64_t>(value));
  put(bytes.size() - 8, crc64(std::string_view(bytes).substr(0, bytes.size() - 8)));
  return bytes;
}

std::vector<Fault> faults() {
  const std::string good = model_bytes(farm_model(12, "linear"));
  std::string newer = good;
  newer[12] = 2;
  std::string big_endian = good;
  std::reverse(big_endian.begin() + 8, big_endian.begin() + 12);
  std::string absurd = good;
  absurd[31] = 0x7F;
  const std::pair<std::string, std::pair<std::string, std::string>> contents_and_messages[] = {
      {"truncated", {good.substr(0, good.size() - 100), "This model file is not whole: it should have"}},
      {"cut_short",
       {good.substr(0, 20), "This model file is not whole: it should have at least 40 bytes, but has 20."}},
      {"longer", {good + good, "This model file is not whole"}},
      {"flipped_bit", {with_change(good, good.size() / 2, 4), "This model file is damaged: its checksum is wrong."}},
      {"flipped_last_bit", {with_change(good, good.size() - 1, 1), "is damaged: its checksum is wrong."}},
      {"wrong_magic", {with_change(good, 0, 1), "This is not a model file of olem."}},
      {"not_a_model", {R"({"decisions": []})", "This is not a model file of olem."}},
      {"empty", {"", "This is not a model file of olem."}},
      {"newer_version", {newer, "This model file has format 2"}},
      {"other_byte_order", {big_endian, "big endian"}},
      {"absurd_size", {absurd, "This model file is not whole"}},
      {"weight_not_finite", {with_last_number(good, std::numeric_limits<double>::quiet_NaN()), "not finite"}},
  };
  std::vector<Fault> all;
  for (const auto& [name, pair] : contents_and_messages) {
    all.push_back({name,
                   {{"m.olem", pair.first}},
                   {"decide", "--model", "m.olem", "--context", "weather=1"},
                   3,
                   {"olem: m.olem: ", pair.second},
                   ""});
  }
  return all;
}

class ModelFault : public testing::TestWithParam<Fault> {};

TEST_P(ModelFault, IsBadInput) { expect_answer(GetParam()); }

TEST_P(ModelFault, IsFoundByCheck) {
  const TemporaryFolder folder;
  folder.write("m.olem", GetParam().files[0].second);
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result = run_olem({"check", "m.olem", "--json"}, options);
  EXPECT_EQ(result.exit_code, 3);
  const auto json = parse_json(result.out);
  ASSERT_EQ(json["problems"].size(), 1U);
  EXPECT_EQ(json["problems"][0]["code"], "not_a_model");
  EXPECT_THAT(json["problems"][0]["text"].get<std::string>(), HasSubstr(GetParam().fragments[1]));
}

INSTANTIATE_TEST_SUITE_P(Faults, ModelFault, testing::ValuesIn(faults()), fault_name);

TEST(ModelFaults, AnotherTaskThanTheModelsIsNamed) {
  nlohmann::ordered_json other = to_json(farm_task());
  other["outcome"] = {"harvest"};
  other["desired"] = {{"harvest", {3, nullptr}}};
  const std::string model = model_bytes(farm_model(12, "linear"));
  expect_answer({"",
                 {{"m.olem", model}, {"t.json", other.dump()}},
                 {"decide", "t.json", "--model", "m.olem"},
                 3,
                 {"t.json: \"outcome\" is not the one that the model in m.olem was fitted for"},
                 ""});
}

TEST(NumberFaults, NotConvergingIsAFlagAndAWarning) {
  const Files table(csv_of(linear_table(60, 5, 1)));
  expect_answer({"",
                 table,
                 {"graph", "d.csv", "--method", "notears", "--notears-iterations", "1"},
                 "not_converged",
                 {"Allow more iterations: --notears-iterations NUMBER."},
                 ""});
  expect_answer({"",
                 table,
                 {"order", "d.csv", "--method", "diffan", "--diffan-epochs", "2"},
                 "not_validated",
                 {"Train longer (--diffan-epochs NUMBER)"},
                 ""});
}

TEST(NumberFaults, ANetworkThatHasNotConvergedIsNamed) {
  const Files files = {{"farm.csv", csv_of(farm(200, 1))}, {"t.json", to_json(farm_task()).dump()}};
  const std::vector<std::string> decide = {"decide",        "t.json", "--network-epochs", "3", "--draws",    "20",
                                           "--judge-draws", "20",     "--steps",          "2", "--restarts", "0",
                                           "--screen",      "0",      "--sampler"};
  const std::vector<std::string> samplers[] = {{"spline"}, {"cinn", "--cinn-width", "8"}};
  for (const auto& sampler : samplers) {
    expect_answer({"",
                   files,
                   joined(decide, sampler),
                   "not_converged",
                   {fmt::format("Training the {} sampler of '", sampler[0]),
                    "after 3 epochs. Train longer: --network-epochs NUMBER."}});
  }
}

// Values with an extent of 10^200 have no squares: whoever needs them says so, and names the column where it can.
TEST(NumberFaults, ValuesThatCannotBeSquaredAreRefused) {
  Cells cells = cells_of(linear_table(60, 3, 1));
  cells[1][1] = "1e200";
  for (const std::vector<std::string>& method : {std::vector<std::string>{"order"},
                                                 {"order", "--method", "olem"},
                                                 {"order", "--method", "olem", "--k", "3"},
                                                 {"order", "--method", "olem", "--estimator", "ensemble"},
                                                 {"graph"},
                                                 {"order", "--method", "listen"},
                                                 {"order", "--method", "cam"},
                                                 {"order", "--method", "diffan"},
                                                 {"graph", "--method", "notears"}}) {
    std::vector<std::string> arguments = method;
    arguments.insert(arguments.begin() + 1, "d.csv");
    expect_answer(
        {"", csv_of(cells), arguments, 3, {"d.csv: The values of column 'x1' are too large", "Rescale it."}, ""});
  }
}

TEST(ModelFaults, MissingFileIsAFileError) {
  const ProcessResult result = run_olem({"decide", "--model", "absent.olem"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.err, "olem: Cannot read absent.olem: No such file or directory.\n");
}

}  // namespace
}  // namespace olem::test::faults_model_test
