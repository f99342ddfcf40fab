#include "serve/model_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>

#include "decide/helpers.h"
#include "olem/error.h"
#include "serve/page_files.h"

namespace olem::model_shelf_test {

using namespace internal;
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kPort = 8080;

ServeOptions small_options() {
  ServeOptions options;
  options.decision.draws = 50;
  options.decision.judge_draws = 50;
  return options;
}

ServedModel served(const std::string& file, double low) {
  ServedModel model;
  model.file = file;
  model.date = "2026-11-17 03:30";
  model.model = test::farm_model(60, "linear");
  model.model->task.desired = Region::box({{"yield", low, std::nullopt}});
  return model;
}

HttpAnswer ask(ModelShelf& shelf, const std::string& target, const std::string& body = "") {
  HttpRequest request{body.empty() ? "GET" : "POST", target, {{"Host", "127.0.0.1:8080"}}, body};
  if (!body.empty()) {
    request.headers.push_back({"Content-Type", "application/json"});
    request.headers.push_back({"Content-Length", std::to_string(body.size())});
  }
  return shelf.answer(request);
}

std::string header(const HttpAnswer& answer, const std::string& name) {
  for (const HttpHeader& entry : answer.headers) {
    if (entry.name == name) return entry.value;
  }
  return "";
}

Json list_of(ModelShelf& shelf) { return Json::parse(ask(shelf, "/api/models").body); }

std::vector<ServedModel> one(ServedModel model) {
  std::vector<ServedModel> models;
  models.push_back(std::move(model));
  return models;
}

TEST(ModelShelf, ServesThePageAndWhatItNeeds) {
  ModelShelf shelf(one(served("farm.olem", 3.0)), small_options(), kPort, Context());
  EXPECT_THAT(ask(shelf, "/").body, HasSubstr("<!DOCTYPE html>"));
  EXPECT_EQ(header(ask(shelf, "/"), "Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(header(ask(shelf, "/"), "Content-Security-Policy"), StartsWith("default-src 'none'; script-src 'self';"));
  for (const PageFile& file : embedded_page_files()) {
    const HttpAnswer answer = ask(shelf, std::string(file.path));
    EXPECT_EQ(answer.status, 200) << file.path;
    EXPECT_EQ(header(answer, "Content-Type"), file.type) << file.path;
    EXPECT_EQ(file.type.starts_with("text/javascript"), file.path.ends_with(".js")) << file.path;
  }
  const HttpAnswer style = ask(shelf, "/page.css?v=1");
  EXPECT_EQ(header(style, "Content-Type"), "text/css; charset=utf-8");
  EXPECT_THAT(style.body, HasSubstr(":root[data-theme=\"dark\"] svg.olem-plot .ink"));
  EXPECT_EQ(ask(shelf, "/favicon.ico").status, 200);
  EXPECT_EQ(shelf.answer({"HEAD", "/", {{"Host", "127.0.0.1:8080"}}, ""}).status, 200);
  EXPECT_EQ(shelf.answer({"GET", "/", {{"Host", "evil.example"}}, ""}).status, 421);
  EXPECT_EQ(ask(shelf, "/index.html").status, 404);
}

TEST(ModelShelf, ListsItsModelsAndAsksTheOneThatIsMeant) {
  std::vector<ServedModel> models = one(served("farm.olem", 3.0));
  models.push_back(served("other.olem", 1.0));
  ModelShelf shelf(std::move(models), small_options(), kPort, Context());
  const Json list = list_of(shelf);
  ASSERT_EQ(list["models"].size(), 2U);
  EXPECT_EQ(list["models"][0]["file"], "farm.olem");
  EXPECT_EQ(list["models"][0]["date"], "2026-11-17 03:30");
  EXPECT_EQ(list["models"][0]["state"], "ready");
  EXPECT_NE(list["models"][0]["id"], list["models"][1]["id"]);
  EXPECT_FALSE(list["glossary"].empty());
  const auto low = [&](const std::string& target) {
    return Json::parse(ask(shelf, target).body)["outcome"][0]["low"].get<double>();
  };
  EXPECT_EQ(low("/api/model"), 3.0);
  EXPECT_EQ(low("/api/model?model=0"), 3.0);
  EXPECT_EQ(low("/api/model?model=1"), 1.0);
  EXPECT_EQ(low("/api/model?other=1"), 3.0);
  for (const char* const target : {"/api/model?model=2", "/api/model?model=-1", "/api/model?model=",
                                   "/api/model?model=1x", "/api/model?model=99999999999999999999999"})
    EXPECT_EQ(ask(shelf, target).status, 404) << target;
  EXPECT_EQ(ask(shelf, "/api/rehearse?model=1", "{}").status, 200);
  EXPECT_NE(ask(shelf, "/api/rehearse?model=1", "{}").body, ask(shelf, "/api/rehearse", "{}").body);
  // Equal models have equal names, wherever they are served.
  ModelShelf again(one(served("renamed.olem", 3.0)), small_options(), kPort, Context());
  EXPECT_EQ(list_of(again)["models"][0]["id"], list["models"][0]["id"]);
}

// A gate that learning waits at, so that the test decides when it goes on.
class Gate {
 public:
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// Asks until the model is no longer being learned.
Json when_settled(ModelShelf& shelf) {
  Json model;
  do {
    model = list_of(shelf)["models"][0];
  } while (model["state"] == "learning");
  return model;
}

TEST(ModelShelf, LearnsWhatIsNotThereAndSaysHowFarItIs) {
  Gate reported;
  Gate go_on;
  ServedModel model;
  model.file = "task.json";
  model.learn = [&](const Context& context) {
    context.report_progress(0.25, "learning the order");
    reported.open();
    go_on.wait();
    return test::farm_model(60, "linear");
  };
  ModelShelf shelf(one(std::move(model)), small_options(), kPort, Context());
  reported.wait();
  const Json learning = list_of(shelf)["models"][0];
  EXPECT_EQ(learning["state"], "learning");
  EXPECT_EQ(learning["fraction"], 0.25);
  EXPECT_EQ(learning["phase"], "learning the order");
  EXPECT_EQ(ask(shelf, "/api/model").status, 503);
  EXPECT_EQ(ask(shelf, "/").status, 200);
  go_on.open();
  EXPECT_EQ(when_settled(shelf)["state"], "ready");
  EXPECT_EQ(ask(shelf, "/api/model").status, 200);
}

TEST(ModelShelf, SaysWhyAModelCannotBeLearned) {
  std::string told;
  ServedModel model;
  model.learn = [](const Context&) -> RehearsalModel { throw Error(ErrorCategory::kTask, "The task is hopeless."); };
  model.failed = [&](const std::string& text) { told = text; };
  ModelShelf shelf(one(std::move(model)), small_options(), kPort, Context());
  const Json failed = when_settled(shelf);
  EXPECT_EQ(failed["state"], "failed");
  EXPECT_EQ(failed["error"], "The task is hopeless.");
  EXPECT_EQ(told, "The task is hopeless.");
  EXPECT_EQ(ask(shelf, "/api/model").status, 503);
}

TEST(ModelShelf, AnInterruptionEndsTheLearning) {
  std::atomic<bool> stop{false};
  Context context;
  context.interrupt = &stop;
  ServedModel model;
  Gate begun;
  std::atomic<bool> ended{false};
  model.learn = [&](const Context& given) -> RehearsalModel {
    begun.open();
    try {
      while (true) given.check_interrupt();
    } catch (const Error&) {
      ended = true;
      throw;
    }
  };
  {
    ModelShelf shelf(one(std::move(model)), small_options(), kPort, context);
    begun.wait();
    stop = true;
  }
  EXPECT_TRUE(ended) << "and it was waited for";
}

}  // namespace
}  // namespace olem::model_shelf_test
