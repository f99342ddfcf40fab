#include "olem/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "olem/error.h"
#include "study/kind.h"
#include "study/table.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::test {

using namespace internal;
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> texts(const std::vector<StudySetting>& settings) {
  std::vector<std::string> list;
  for (const StudySetting& setting : settings) list.push_back(setting.text());
  return list;
}

const StudyRow& row_of(const StudyResult& result, const std::string& method, const std::string& metric) {
  for (const StudyRow& row : result.rows) {
    if (row.method == method && row.metric == metric) return row;
  }
  throw std::runtime_error("no such row");
}

TEST(Settings, FilterKeepsWhatMatchesEveryKey) {
  const std::vector<StudySetting> all = {StudySetting{{"d", "5"}, {"p", "0.3"}}, StudySetting{{"d", "5"}, {"p", "0.5"}},
                                         StudySetting{{"d", "10"}, {"p", "0.3"}},
                                         StudySetting{{"d", "10"}, {"p", "0.8"}}};
  EXPECT_EQ(filter_settings(all, {}), all);
  EXPECT_THAT(texts(filter_settings(all, {"d=10", "p=.3"})), ElementsAre("d=10 p=0.3"));
  EXPECT_THAT(texts(filter_settings(all, {"p=0.30", "p=0.5"})), ElementsAre("d=5 p=0.3", "d=5 p=0.5", "d=10 p=0.3"));
  EXPECT_THAT(texts(filter_settings(all, {"0.8"})), ElementsAre("d=10 p=0.8"));
  using Words = std::vector<std::string>;
  for (const Words& wrong : {Words{"d=7"}, Words{"q=5"}, Words{"d=5", "p=0.8"}, Words{"beta"}}) {
    EXPECT_THROW(filter_settings(all, wrong), Error) << wrong.front();
  }
}

// The paper: 3 noises, 8 pairs of d and p (20 with .8 left out), 5 values of r, 5 epochs of 7 models. Ours: one pair of
// d and p in two other kinds of units.
TEST(OrderStudy, HasThePapersCellsAndNumbers) {
  StudyOptions options;
  options.study = "order";
  options.metrics = {"div"};
  options.methods = {"olem"};
  EXPECT_EQ(forecast_study(options, {}).cells, 3U * (8 + 2) * 5 * 35);
  options.settings = {"units=own"};
  EXPECT_EQ(forecast_study(options, {}).cells, 3U * 8 * 5 * 35);
  const StudyKind kind = order_study();
  std::size_t published = 0;
  for (const StudySetting& setting : kind.settings) {
    for (const StudyName& method : kind.methods) {
      for (const StudyName& metric : kind.metrics) {
        published += kind.published(setting, method.name, metric.name) ? 1U : 0U;
      }
    }
  }
  EXPECT_EQ(published, 3U * 8 * 5 * 6 * 3);
  const StudySetting first{{"d", "10"}, {"p", "0.3"}, {"noise", "beta"}, {"r", "0.25"}, {"units", "own"}};
  EXPECT_EQ(kind.published(first, "olem", "div")->mean, 0.2);
  EXPECT_EQ(kind.published(first, "olem", "div")->deviation, 0.07);
  EXPECT_EQ(kind.published(first, "diffan", "div")->mean, 6.5429);
}

TEST(DecisionStudies, HaveThePapersNumbers) {
  for (const StudyKind& kind : {auf_study(), bermuda_study()}) {
    EXPECT_EQ(kind.methods.size(), 9U);
    for (const StudySetting& setting : kind.settings) {
      for (const StudyName& method : kind.methods) {
        EXPECT_EQ(kind.published(setting, method.name, "success").has_value(), method.name != "olem-rh+")
            << setting.text() << " " << method.name;
      }
    }
  }
  const StudyKind auf = auf_study();
  EXPECT_EQ(auf.published(StudySetting{{"data", "SynNlrExp"}}, "olem-rh", "success")->mean, 0.844);
  EXPECT_EQ(bermuda_study().published(StudySetting{{"data", "Bermuda"}}, "olem-rh-caps", "success")->deviation, 0.005);
  EXPECT_EQ(samples_study().published(StudySetting{{"n", "300"}}, "olem-rh", "success")->mean, 0.593129);
  EXPECT_EQ(samples_study().published(StudySetting{{"n", "1000"}}, "gap", "success")->mean, 0.010355);
}

// Worked by hand: two settings, our squared errors 1 and 4, published errors 0.5 and 1.5. Those of the same models add
// up to 2, those of different ones to sqrt(2.5).
TEST(StudyTable, PublishedNumbersOfTheSameModelsErrTogether) {
  StudyKind kind;
  kind.methods = {{"m", "M"}};
  kind.metrics = {{"x", "X"}};
  kind.settings = {StudySetting{{"d", "5"}, {"r", "0"}}, StudySetting{{"d", "5"}, {"r", "1"}}};
  kind.published = [](const StudySetting& setting, const std::string&, const std::string&) {
    return PublishedNumber{0.0, setting.at("r") == "0" ? 1.0 : 3.0, 5};
  };
  StudyRequest request;
  request.methods = {"m"};
  request.metrics = {"x"};
  request.settings = kind.settings;
  std::vector<Batch> batches(2);
  std::map<std::string, JournalRecord> records;
  for (std::size_t s = 0; s < 2; ++s) {
    for (int i = 0; i < 2; ++i) {  // 3 - e and 3 + e: their mean has the squared error e^2
      Cell cell;
      cell.setting = kind.settings[s];
      cell.method = "m";
      cell.key = std::to_string(s) + std::to_string(i);
      records[cell.key] = {cell.key, {{"x", 3.0 + (i == 0 ? -1.0 : 1.0) * (s == 0 ? 1.0 : 2.0)}}, 0.0};
      batches[s].cells.push_back(cell);
    }
  }
  const auto pool_of = [&] {
    StudyResult result;
    fill_table(kind, request, batches, records, true, result);
    return result.pools.at(0);
  };
  const double apart = std::sqrt(1.0 + 4.0 + 0.25 + 2.25) / 2.0;
  EXPECT_DOUBLE_EQ(pool_of().standard_error, apart);
  kind.shared_models = {"r"};
  EXPECT_DOUBLE_EQ(pool_of().standard_error, std::sqrt(1.0 + 4.0 + 4.0) / 2.0);
  EXPECT_DOUBLE_EQ(pool_of().independent_error, apart);
  EXPECT_FALSE(pool_of().marked);
  kind.shared_models = {"d"};  // one model for every d, but r differs
  EXPECT_DOUBLE_EQ(pool_of().standard_error, apart);
}

// Worked by hand: cells 1, 3, 5, 7 in two epochs; their mean is 4 with squared error (20 / 3) / 4, the epochs' means
// are 2 and 6 with deviation 2. Published 3 with deviation 1 over 5 epochs: squared error 1 / 4.
TEST(StudyTable, StandardErrorsCountBothSides) {
  StudyKind kind;
  kind.methods = {{"m", "M"}};
  kind.metrics = {{"x", "X"}};
  kind.settings = {StudySetting{{"s", "1"}}};
  kind.published = [](const StudySetting&, const std::string&, const std::string&) {
    return PublishedNumber{3.0, 1.0, 5};
  };
  StudyRequest request;
  request.methods = {"m"};
  request.metrics = {"x"};
  request.settings = kind.settings;
  Batch batch;
  std::map<std::string, JournalRecord> records;
  for (int i = 0; i < 4; ++i) {
    Cell cell;
    cell.setting = kind.settings.front();
    cell.method = "m";
    cell.epoch = i / 2;
    cell.key = std::to_string(i);
    records[cell.key] = {cell.key, {{"x", 1.0 + 2.0 * i}}, 0.0};
    batch.cells.push_back(cell);
  }
  StudyResult result;
  fill_table(kind, request, {batch}, records, true, result);
  ASSERT_EQ(result.rows.size(), 1U);
  const StudyRow& row = result.rows.front();
  EXPECT_DOUBLE_EQ(row.mean, 4.0);
  EXPECT_DOUBLE_EQ(row.deviation, 2.0);
  EXPECT_DOUBLE_EQ(*row.difference, 1.0);
  EXPECT_DOUBLE_EQ(*row.standard_error, std::sqrt(20.0 / 3.0 / 4.0 + 0.25));
  EXPECT_FALSE(row.marked);
  ASSERT_EQ(result.pools.size(), 1U);
  EXPECT_DOUBLE_EQ(result.pools.front().standard_error, *row.standard_error);

  for (auto& [key, record] : records) record.values.front().second = 5.0;  // no spread of ours: 2 beyond 3 x 0.5
  StudyResult exact;
  fill_table(kind, request, {batch}, records, true, exact);
  EXPECT_TRUE(exact.rows.front().marked);
  EXPECT_THAT(study_text(exact), HasSubstr("4.0  *"));
}

TEST(SachsStudy, RepeatsTheTable) {
  StudyOptions options;
  options.methods = {"olem", "score", "varsort"};
  options.epochs = 2;
  const StudyResult result = run_study(options, {});
  EXPECT_EQ(row_of(result, "olem", "div").mean, 8.0);
  EXPECT_EQ(row_of(result, "olem", "div").deviation, 0.0);
  EXPECT_EQ(row_of(result, "olem", "sid").mean, 45.0);
  // One edge sits on the cutoff of the pruning: the paper has 16.
  EXPECT_EQ(row_of(result, "olem", "shd2").mean, 15.0);
  EXPECT_TRUE(row_of(result, "olem", "shd2").marked);
  EXPECT_EQ(row_of(result, "score", "div").mean, 8.0);
  EXPECT_FALSE(row_of(result, "varsort", "div").published);
}

StudyOptions small_order_study() {
  StudyOptions options;
  options.study = "order";
  options.settings = {"d=5", "p=0.5", "noise=gaussian", "r=0.5", "r=1"};
  options.methods = {"olem", "listen", "varsort"};
  options.epochs = 2;
  options.tasks = 2;
  options.rows = 120;
  return options;
}

TEST(OrderStudy, DoesNotDependOnThreadsNorOnWhatWasCutAway) {
  Context one;
  one.threads = 1;
  Context three;
  three.threads = 3;
  const StudyResult result = run_study(small_order_study(), one);
  EXPECT_EQ(to_json(run_study(small_order_study(), three)).dump(), to_json(result).dump());
  EXPECT_FALSE(result.rows.front().published) << "120 rows are not the paper's";

  StudyOptions part = small_order_study();
  part.methods = {"olem"};
  part.settings = {"d=5", "p=0.5", "noise=gaussian", "r=0.5"};
  const StudyResult alone = run_study(part, three);
  EXPECT_EQ(row_of(alone, "olem", "sid").mean, row_of(result, "olem", "sid").mean);
}

TEST(OrderStudy, OtherSeedsGiveOtherModels) {
  Context other;
  other.seed = 1;
  EXPECT_NE(to_json(run_study(small_order_study(), other)).dump(), to_json(run_study(small_order_study(), {})).dump());
}

TEST(BermudaStudy, DecidesWellAndClaimsNoMoreThanCanBe) {
  StudyOptions options;
  options.study = "bermuda";
  options.methods = {"olem-rh", "grad-rh-ges", "grad-rh", "qwz23"};
  options.tasks = 1;
  options.rounds = 2;
  options.rows = 300;
  const StudyResult result = run_study(options, {});
  for (const char* const method : {"olem-rh", "grad-rh", "qwz23"}) {
    EXPECT_GT(row_of(result, method, "success").mean, 0.5);
    EXPECT_LT(row_of(result, method, "success").mean, 0.6794 + 4 * std::sqrt(0.6794 * 0.3206 / 2000));
  }
  EXPECT_LT(row_of(result, "olem-rh", "idle").mean, row_of(result, "olem-rh", "success").mean);
}

TEST(SpeedStudy, MeasuresEveryMethodInAProcessOfItsOwn) {
  StudyOptions options;
  options.study = "speed";
  options.settings = {"d=5", "n=500"};
  options.methods = {"olem", "pc"};
  options.tasks = 1;
  const StudyResult result = run_study(options, {});
  EXPECT_GT(row_of(result, "olem", "seconds").mean, 0.0);
  EXPECT_GE(row_of(result, "pc", "memory").mean, 0.0);
}

TEST(Studies, FiguresHaveAPanelPerMetricAndALinePerMethod) {
  const auto figures = study_figures(run_study(small_order_study(), {}));
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures.front().name, "order-d-5-p-0.5-noise-gaussian");
  for (const char* const text : {"DIV", "SHD2", "SID", "OLEM", "LISTEN", "varsort"}) {
    EXPECT_THAT(figures.front().svg, HasSubstr(text));
  }
}

// Each sampler that is offered can model the columns, which are numbers.
TEST(PublishedStudy, RunsEverySamplerThatItOffers) {
  StudyOptions options;
  options.study = "published";
  options.settings = {"simulator=comfort"};
  options.metrics = {"success"};
  options.rows = 40;
  options.tasks = 1;
  options.rounds = 1;
  for (const StudyName& method : published_study().methods) {
    if (method.name.starts_with("sampler-") && method.name != "sampler-cinn") options.methods.push_back(method.name);
  }
  EXPECT_GE(options.methods.size(), 5U);
  EXPECT_EQ(run_study(options, {}).rows.size(), options.methods.size());
}

// The table of docs/study.md: the last cell of a study's row, with a blank between thousands.
TEST(Studies, ThePageSaysHowManyCellsThereAre) {
  std::map<std::string, std::size_t> said;
  std::istringstream page(read_text(source_path("docs/study.md")));
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    std::string number = line.substr(line.rfind('|', line.size() - 2) + 1);
    std::erase_if(number, [](char c) { return c == ' ' || c == '|'; });
    if (!number.empty() && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
      said[name] = std::stoul(number);
  }
  for (const StudyDescription& study : studies()) {
    StudyOptions options;
    options.study = study.name;
    ASSERT_TRUE(said.contains(study.name)) << study.name;
    EXPECT_EQ(said[study.name], forecast_study(options, {}).cells) << study.name;
  }
}

TEST(Studies, UnknownNamesAreUsageErrors) {
  const auto fails = [](auto change) {
    StudyOptions options = small_order_study();
    change(options);
    try {
      forecast_study(options, {});
    } catch (const Error& error) {
      return error.category() == ErrorCategory::kUsage;
    }
    return false;
  };
  EXPECT_TRUE(fails([](StudyOptions& options) { options.study = "ordr"; }));
  EXPECT_TRUE(fails([](StudyOptions& options) { options.methods = {"olm"}; }));
  EXPECT_TRUE(fails([](StudyOptions& options) { options.metrics = {"success"}; }));
  EXPECT_TRUE(fails([](StudyOptions& options) { options.settings = {"d=6"}; }));
  EXPECT_TRUE(fails([](StudyOptions& options) { options.without = options.methods; }));
  EXPECT_TRUE(fails([](StudyOptions& options) { options.rounds = 3; }));
}

}  // namespace
}  // namespace olem::test
