#include <array>
#include <cmath>
#include <cstring>

#include "helpers.h"
#include "olem/random.h"

namespace olem::test::order_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string sachs() { return source_path("data/sachs/sachs.csv"); }

// The order of the raw Sachs data under the published method, whose divergence from the consensus graph is the 8 of the
// paper's table.
const std::vector<std::string> kSachsOrder = {"PKC", "P38",  "Erk", "Akt",  "Plcg", "Mek",
                                              "Jnk", "PIP3", "Raf", "PIP2", "PKA"};

nlohmann::ordered_json order_json(const std::vector<std::string>& arguments, const ProcessOptions& options = {}) {
  const ProcessResult result = run_olem(joined({"order", "--json", "-q"}, arguments), options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return parse_json(result.out);
}

std::vector<std::string> order_of(const nlohmann::ordered_json& json) { return json.at("order"); }

std::size_t place(const nlohmann::ordered_json& json, const std::string& name) {
  const auto order = order_of(json);
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), name) - order.begin());
}

TEST(OrderVerb, PrintsTheSachsOrderAsText) {
  const ProcessResult result = run_olem({"order", sachs(), "--method", "olem"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("The order of 11 variables from 853 rows of " + sachs() + ", causes first:"));
  EXPECT_THAT(result.out, HasSubstr(fmt::format("\n  {}\n", fmt::join(kSachsOrder, " > "))));
  EXPECT_THAT(result.out, HasSubstr("2.4146 ± 0.1302   by units"));
  EXPECT_THAT(result.out, HasSubstr("No step counts as decided"));
  EXPECT_THAT(result.err, HasSubstr("warning: The conditional entropies along this order lie 6.6 nats apart"));
  EXPECT_THAT(result.err, HasSubstr("warning: Up to 91.0 % of the points had a nearest neighbour at distance zero"));
}

TEST(OrderVerb, PrintsTheSachsOrderAsJson) {
  const auto json = order_json({sachs(), "--method", "olem"});
  EXPECT_EQ(order_of(json), kSachsOrder);
  EXPECT_EQ(json["verb"], "order");
  EXPECT_EQ(json["method"], "olem");
  EXPECT_EQ(json["seed"], 0);
  EXPECT_TRUE(json["version"].is_string());
  EXPECT_TRUE(json["seconds"].is_number());
  EXPECT_EQ(json["options"]["ties"], "skip");
  EXPECT_EQ(json["options"]["estimator"], "kl");
  EXPECT_EQ(json["data"]["rows"], 853);
  EXPECT_THAT(warning_codes(json), ElementsAre("zero_distances", "units"));
  EXPECT_FALSE(json.contains("before"));

  ASSERT_EQ(json["steps"].size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    const auto& step = json["steps"][i];
    EXPECT_EQ(step["sink"], kSachsOrder[10 - i]);
    EXPECT_EQ(step["conditional_entropy"].size(), 11 - i);
    EXPECT_GE(step["gap"].get<double>(), 0.0);
    EXPECT_FALSE(step["decided"].get<bool>());
    const double best = step["conditional_entropy"][step["sink"].get<std::string>()];
    for (const auto& [name, value] : step["conditional_entropy"].items()) EXPECT_LE(value.get<double>(), best) << name;
  }
}

TEST(OrderVerb, OlemPlusSaysWhatDecidedEachStep) {
  const ProcessResult text = run_olem({"order", sachs(), "--method", "olem+"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("decided by shape"));
  const auto json = order_json({sachs(), "--method", "olem+"});
  EXPECT_EQ(json["method"], "olem+");
  EXPECT_EQ(json["options"]["olem_plus_units"], "auto");
  EXPECT_EQ(json["scale_weight"], 0.0);
  ASSERT_EQ(json["steps"].size(), 10U);
  for (const auto& step : json["steps"]) {
    const double gap = step["gap_shape"];
    const bool by_shape = gap > 2.0 * step["gap_shape_standard_error"].get<double>();
    EXPECT_EQ(step["decided"].get<bool>(), by_shape);
    EXPECT_EQ(step["decided_by"], by_shape ? "shape" : "none");
    EXPECT_EQ(step["gap_scale"], 0.0);
    EXPECT_GE(step["gap_scale_standard_error"].get<double>(), 0.0);
  }
  const auto known = order_json({sachs(), "--method", "olem+", "--before", "Raf,Mek,Erk"});
  EXPECT_LT(place(known, "Raf"), place(known, "Mek"));
  EXPECT_LT(place(known, "Mek"), place(known, "Erk"));
}

TEST(OrderVerb, WritesTheObjectItPrints) {
  const TemporaryFolder folder;
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult printed = run_olem({"order", sachs(), "--json", "-o", "out.json"}, options);
  ASSERT_EQ(printed.exit_code, 0);
  EXPECT_EQ(read_text(folder.file("out.json")), printed.out);
  EXPECT_THAT(folder.entries(), ElementsAre("out.json"));

  folder.write("out.json", "old");
  const ProcessResult refused = run_olem({"order", sachs(), "-o", "out.json"}, options);
  EXPECT_EQ(refused.exit_code, 5);
  EXPECT_THAT(refused.err, HasSubstr("out.json exists already. Replace it: --force."));
  EXPECT_EQ(read_text(folder.file("out.json")), "old");

  // Text on the terminal, the object in the file.
  const ProcessResult forced = run_olem({"order", sachs(), "--method", "olem", "-o", "out.json", "--force"}, options);
  EXPECT_EQ(forced.exit_code, 0);
  EXPECT_THAT(forced.out, HasSubstr("causes first"));
  EXPECT_EQ(order_of(parse_json(read_text(folder.file("out.json")))), kSachsOrder);
}

TEST(OrderVerb, NeverReplacesItsOwnData) {
  const TemporaryFolder folder;
  const std::string content = csv_of(ka5());
  folder.write("d.csv", content);
  ProcessOptions options;
  options.folder = folder.path();
  for (const char* const verb : {"order", "check"}) {
    const ProcessResult result = run_olem({verb, "d.csv", "-o", "./d.csv", "--force"}, options);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("-o: ./d.csv is the file with the data"));
    EXPECT_EQ(read_text(folder.file("d.csv")), content);
  }
}

TEST(OrderVerb, DoesNotDependOnThreadsOrInstructionSet) {
  const std::vector<std::string> task = {sachs(), "--method", "olem", "--bootstrap", "6", "--threads"};
  const auto reference = comparable(order_json(joined(task, {"1"})));
  EXPECT_EQ(comparable(order_json(joined(task, {"2"}))), reference);
  EXPECT_EQ(comparable(order_json(joined(task, {"8"}))), reference);
  for (const char* const set : {"auto", "portable", "avx2", "avx512"}) {
    const ProcessResult result =
        run_olem(joined({"order", "--json", "-q"}, joined(task, {"2", "--instruction-set", set})));
    if (result.exit_code == 2) {
      EXPECT_THAT(result.err, HasSubstr("--instruction-set: This machine does not have it"));
      EXPECT_THAT(set, HasSubstr("avx"));
      continue;
    }
    EXPECT_EQ(comparable(parse_json(result.out)), reference) << set;
  }
}

TEST(OrderVerb, DoesNotDependOnTheDeviceOrSaysThatThereIsNone) {
  const std::vector<std::string> task = {sachs(), "--method", "olem"};
  const auto reference = comparable(order_json(joined(task, {"--device", "cpu"})));
  EXPECT_EQ(comparable(order_json(task)), reference);
  const ProcessResult result = run_olem(joined({"order", "--json", "-q"}, joined(task, {"--device", "cuda"})));
  if (result.exit_code == 2) {
    EXPECT_THAT(result.err, HasSubstr("--device: There is no CUDA device"));
    EXPECT_THAT(result.err, HasSubstr("--device cpu"));
  } else {
    EXPECT_EQ(comparable(parse_json(result.out)), reference);
  }
}

TEST(OrderVerb, DoesNotDependOnTheEnvironment) {
  const auto reference = comparable(order_json({sachs()}));
  const std::vector<std::vector<std::string>> environments = {
      {"LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8"}, {"OMP_NUM_THREADS=3", "OPENBLAS_NUM_THREADS=7"}, {"TZ=Asia/Tokyo"}};
  for (const auto& environment : environments) {
    ProcessOptions options;
    options.environment = environment;
    EXPECT_EQ(comparable(order_json({sachs()}, options)), reference) << environment.front();
  }
}

TEST(OrderVerb, MeasuresStabilityOnHalfSamples) {
  const auto json = order_json({sachs(), "--method", "olem", "--bootstrap", "20"});
  EXPECT_EQ(order_of(json), kSachsOrder);
  const std::vector<std::string> names = json["names"];
  const std::vector<std::vector<double>> before = json["before"];
  ASSERT_EQ(before.size(), 11U);
  for (std::size_t i = 0; i < 11; ++i) {
    for (std::size_t j = 0; j < 11; ++j) EXPECT_NEAR(before[i][j] + before[j][i], i == j ? 0.0 : 1.0, 1e-12);
  }
  std::vector<std::string> consensus = json["consensus"];
  const std::vector<double> stability = json["stability"];
  ASSERT_EQ(stability.size(), 10U);
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(stability[i], before.at(index(consensus[i])).at(index(consensus[i + 1])));
  }
  std::sort(consensus.begin(), consensus.end());
  std::vector<std::string> sorted = kSachsOrder;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(consensus, sorted);
}

TEST(OrderVerb, RepeatsItselfForASeedAndOnlyForIt) {
  const std::vector<std::string> task = {sachs(), "--bootstrap", "20", "--seed"};
  const auto seven = comparable(order_json(joined(task, {"7"})));
  EXPECT_EQ(comparable(order_json(joined(task, {"7"}))), seven);
  const auto eight = order_json(joined(task, {"8"}));
  EXPECT_NE(eight["before"], seven["before"]);
  EXPECT_EQ(eight["steps"], seven["steps"]);
}

TEST(OrderVerb, ObeysKnowledgeFromFlags) {
  // Against the order of the data: PKA is last and PKC first in it.
  const auto json = order_json({"--tier", "PKA,Raf", "--tier", "PKC", "--before", "Jnk,P38,Mek", sachs()});
  EXPECT_LT(place(json, "PKA"), place(json, "PKC"));
  EXPECT_LT(place(json, "Raf"), place(json, "PKC"));
  EXPECT_LT(place(json, "Jnk"), place(json, "P38"));
  EXPECT_LT(place(json, "P38"), place(json, "Mek"));
  EXPECT_EQ(json["knowledge"]["tiers"].dump(), R"([["PKA","Raf"],["PKC"]])");
  EXPECT_EQ(json["knowledge"]["before"].dump(), R"([["Jnk","P38"],["P38","Mek"]])");
}

TEST(OrderVerb, ObeysKnowledgeFromAFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write("k.json", R"({
    // as known from the experiment
    "tiers": [["PKA", "Raf"], ["PKC"]], "before": [["Jnk", "P38", "Mek"]]})");
  const auto flags = order_json({sachs(), "--tier", "PKA,Raf", "--tier", "PKC", "--before", "Jnk,P38,Mek"});
  EXPECT_EQ(comparable(order_json({sachs(), "--knowledge", file})), comparable(flags));
  // Half-samples obey as well.
  const auto halves = order_json({sachs(), "--knowledge", file, "--bootstrap", "5"});
  const std::vector<std::string> names = halves["names"];
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  EXPECT_EQ(halves["before"][index("PKA")][index("PKC")], 1.0);
}

TEST(OrderVerb, RefusesKnowledgeThatCannotBeObeyed) {
  const TemporaryFolder folder;
  const std::string file = folder.write("k.json", R"({"tiers": [["PKA"], ["PKC"]]})");
  const ProcessResult cycle = run_olem({"order", sachs(), "--knowledge", file, "--before", "PKC,PKA"});
  EXPECT_EQ(cycle.exit_code, 3);
  EXPECT_THAT(cycle.err, HasSubstr("PKA -> PKC -> PKA"));
  EXPECT_THAT(cycle.err, HasSubstr("the pair 'PKC' before 'PKA'"));
  const ProcessResult unknown = run_olem({"order", sachs(), "--before", "Eark,PKA"});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("There is no column 'Eark'. Did you mean 'Erk'?"));
  const ProcessResult single = run_olem({"order", sachs(), "--before", "PKA"});
  EXPECT_EQ(single.exit_code, 2);
  EXPECT_THAT(single.err, HasSubstr("--before: 'PKA' is one name"));
  const ProcessResult absent = run_olem({"order", sachs(), "--knowledge", "absent.json"});
  EXPECT_EQ(absent.exit_code, 5);
  EXPECT_THAT(absent.err, HasSubstr("Cannot read absent.json: No such file or directory"));
}

TEST(OrderVerb, SuggestsTheColumnThatWasMeant) {
  for (const char* const flag : {"--columns", "--drop-columns"}) {
    const ProcessResult result = run_olem({"order", sachs(), flag, "PKA,Eark"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(fmt::format("{}: {} has no column 'Eark'. Did you mean 'Erk'?", flag, sachs())));
  }
}

TEST(OrderVerb, RunsWithEveryTiePolicy) {
  for (const char* const ties : {"skip", "distinct"}) {
    EXPECT_EQ(order_of(order_json({sachs(), "--method", "olem", "--ties", ties})), kSachsOrder) << ties;
  }
  // With every distance raised to 1e-3, P38 comes before PKC.
  const auto floored = order_json({sachs(), "--method", "olem", "--ties", "floor", "--floor", "1e-3"});
  EXPECT_LT(place(floored, "P38"), place(floored, "PKC"));
  EXPECT_EQ(order_of(order_json({sachs(), "--method", "olem", "--ties", "jitter"})).size(), 11U);

  const ProcessResult refused = run_olem({"order", sachs(), "--method", "olem", "--ties", "error"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("have a nearest neighbour at distance zero"));
  EXPECT_THAT(refused.err, HasSubstr("Allow them: --ties skip, --ties distinct or --ties jitter."));
}

TEST(OrderVerb, RunsWithEveryEstimator) {
  const TemporaryFolder folder;
  const std::string file = folder.write("ka5.csv", csv_of(ka5()));
  const std::vector<std::string> truth = {"x0", "x1", "x2", "x3", "x4"};
  for (const char* const k : {"1", "3", "5"})
    EXPECT_EQ(order_of(order_json({file, "--method", "olem", "--k", k})), truth) << k;
  EXPECT_EQ(order_of(order_json({file, "--method", "olem", "--estimator", "gaussian"})), truth);
  for (const char* const estimator : {"kl", "knn", "weighted", "ensemble", "gaussian"}) {
    const auto json = order_json({sachs(), "--method", "olem", "--estimator", estimator});
    EXPECT_EQ(json["options"]["estimator"], estimator);
    EXPECT_EQ(order_of(json).size(), 11U);
  }
}

TEST(OrderVerb, ReadsStandardInput) {
  ProcessOptions options;
  options.input = csv_of(ka5());
  const auto json = order_json({"-"}, options);
  EXPECT_THAT(order_of(json), ElementsAre("x0", "x1", "x2", "x3", "x4"));
  EXPECT_EQ(json["data"]["source"], "standard input");
}

TEST(OrderVerb, ReadsNumpyFiles) {
  const Table table = ka5();
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': True, 'shape': ({}, 5), }}", table.rows());
  header.resize(117, ' ');  // the data begin at a multiple of 64
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header;
  const std::size_t at = bytes.size();
  ASSERT_EQ(at % 64, 0U);
  bytes.resize(at + table.values().size_bytes());
  std::memcpy(bytes.data() + at, table.values().data(), table.values().size_bytes());
  const TemporaryFolder folder;
  const auto json = order_json({folder.write("ka5.npy", bytes)});
  EXPECT_THAT(order_of(json), ElementsAre("V1", "V2", "V3", "V4", "V5"));
}

TEST(OrderVerb, AcceptsAnyFileName) {
  const TemporaryFolder folder;
  folder.write("w\xE9rte.csv", csv_of(ka5()));
  ProcessOptions options;
  options.folder = folder.path();
  EXPECT_EQ(order_of(order_json({"w\xE9rte.csv"}, options)).size(), 5U);
}

TEST(ConfigFile, GivesOptionsAndFlagsWin) {
  const TemporaryFolder folder;
  folder.write("c.json", R"({
    // names as on the command line, dashes or underscores
    "method": "olem", "ties": "distinct", "k": 2, "seed": 7, "json": true, "strict": false, "instruction_set": "portable",
    "drop-columns": ["Raf", "Mek"], "tier": [["PKA", "Plcg"], ["PKC"]], "before": ["Jnk,P38"], "output": "c-out.json"})");
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result =
      run_olem({"order", sachs(), "--config", "c.json", "--seed", "9", "--k=1", "-o", "flag-out.json"}, options);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = parse_json(result.out);
  EXPECT_EQ(json["options"]["ties"], "distinct");
  EXPECT_EQ(json["options"]["instruction_set"], "portable");
  EXPECT_EQ(json["options"]["k"], 1);
  EXPECT_EQ(json["seed"], 9);
  EXPECT_EQ(json["data"]["columns"], 9);
  EXPECT_EQ(json["knowledge"]["tiers"].dump(), R"([["PKA","Plcg"],["PKC"]])");
  EXPECT_EQ(json["knowledge"]["before"].dump(), R"([["Jnk","P38"]])");
  EXPECT_THAT(folder.entries(), ElementsAre("c.json", "flag-out.json"));
}

TEST(ConfigFile, IsRefusedWithFileAndKey) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"tread": 2})", "c.json: 'tread' is not an option of olem order that a file can give. Did you mean threads?"},
      {R"({"config": "d.json"})", "c.json: 'config' is not an option"},
      {R"({"DATA": "d.csv"})", "c.json: 'DATA' is not an option"},
      {R"({"json": 1})", "c.json: 'json' must be true or false."},
      {R"({"k": true})", "c.json: 'k' needs a number, a text or a list of names."},
      {R"({"columns": [1]})", "c.json: 'columns' has a list of something else"},
      {R"({"k": 0})", "--k: '0' is not a whole number from 1 to 1000."},
      {R"([])", "c.json is not an object of option names and values"},
      {"{\"k\": 1,\n,}", "c.json, line 2, column 1: This is not valid JSON: "},
      {R"({"k": 1e999})", "c.json: This JSON cannot be read: number overflow parsing '1e999'."},
      {R"({"k": 1, "k": 2})", "c.json: The key \"k\" stands twice"},
  };
  for (const auto& [content, message] : cases) {
    const TemporaryFolder folder;
    folder.write("c.json", content);
    ProcessOptions options;
    options.folder = folder.path();
    const ProcessResult result = run_olem({"order", sachs(), "--config=c.json", "-o", "out.json"}, options);
    EXPECT_EQ(result.exit_code, 2) << content;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_THAT(folder.entries(), ElementsAre("c.json"));
  }
  const ProcessResult absent = run_olem({"order", sachs(), "--config", "absent.json"});
  EXPECT_EQ(absent.exit_code, 5);
  EXPECT_THAT(absent.err, HasSubstr("Cannot read absent.json: No such file or directory"));
}

// Season and temperature determine each other, so that neither is needed beside the other: the content depends on one
// of them all the same, and its place is after them.
TEST(OrderVerb, KeepsAnEffectThatTwoColumnsShare) {
  RandomStream random(3, "season");
  std::string csv = "season,temperature,switch,content\n";
  for (int i = 0; i < 800; ++i) {
    const std::size_t season = random.below(3);
    const double temperature = std::array{2.0, 12.0, 22.0}[season] + random.exponential(0.25);
    const auto on = static_cast<double>(random.below(2));
    const double odds = std::exp(3.0 * on + 0.3 * (temperature - 16.0));
    csv += fmt::format("{},{:.6f},{},{}\n", std::array{"winter", "spring", "summer"}[season], temperature, on,
                       random.uniform() < odds / (1.0 + odds) ? 1 : 0);
  }
  const TemporaryFolder folder;
  const auto json = order_json({folder.write("rooms.csv", csv)});
  EXPECT_EQ(order_of(json).back(), "content");
  for (const auto& step : json["steps"]) {
    if (step["sink"] == "temperature") {
      EXPECT_EQ(step["runner_up"], "season");
    }
  }
}

}  // namespace
}  // namespace olem::test::order_test
