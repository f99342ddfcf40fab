#include "decide/helpers.h"
#include "helpers.h"
#include "olem/model_file.h"

namespace olem::test::faults_model_test {
namespace {

using ::testing::HasSubstr;

struct Fault {
  std::string name;
  std::string content;
  std::string fragment;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

std::vector<Fault> faults() {
  const std::string good = model_bytes(farm_model(12, "linear"));
  std::string flipped = good;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 4);
  std::string newer = good;
  newer[12] = 2;
  std::string big_endian = good;
  std::reverse(big_endian.begin() + 8, big_endian.begin() + 12);
  std::string absurd = good;
  absurd[31] = 0x7F;
  return {
      {"truncated", good.substr(0, good.size() - 100), "This model file is not whole: it should have"},
      {"cut_short", good.substr(0, 20), "This model file is not whole: it should have at least 40 bytes, but has 20."},
      {"longer", good + good, "This model file is not whole"},
      {"flipped_bit", flipped, "This model file is damaged: its checksum is wrong."},
      {"not_a_model", R"({"decisions": []})", "This is not a model file of olem."},
      {"empty", "", "This is not a model file of olem."},
      {"newer_version", newer, "This model file has format 2"},
      {"other_byte_order", big_endian, "big endian"},
      {"absurd_size", absurd, "This model file is not whole"},
  };
}

class ModelFault : public testing::TestWithParam<Fault> {};

TEST_P(ModelFault, IsBadInput) {
  const TemporaryFolder folder;
  folder.write("m.olem", GetParam().content);
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result = run_olem({"decide", "--model", "m.olem", "--context", "weather=1"}, options);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("olem: m.olem: "));
  EXPECT_THAT(result.err, HasSubstr(GetParam().fragment));
}

TEST_P(ModelFault, IsFoundByCheck) {
  const TemporaryFolder folder;
  folder.write("m.olem", GetParam().content);
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result = run_olem({"check", "m.olem", "--json"}, options);
  EXPECT_EQ(result.exit_code, 3);
  const auto json = parse_json(result.out);
  ASSERT_EQ(json["problems"].size(), 1U);
  EXPECT_EQ(json["problems"][0]["code"], "not_a_model");
  EXPECT_THAT(json["problems"][0]["text"].get<std::string>(), HasSubstr(GetParam().fragment));
}

INSTANTIATE_TEST_SUITE_P(Faults, ModelFault, testing::ValuesIn(faults()),
                         [](const auto& instance) { return instance.param.name; });

TEST(ModelFaults, MissingFileIsAFileError) {
  const ProcessResult result = run_olem({"decide", "--model", "absent.olem"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.err, "olem: Cannot read absent.olem: No such file or directory.\n");
}

}  // namespace
}  // namespace olem::test::faults_model_test
