#include "serve/model_shelf.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/version.h"
#include "report/glossary.h"
#include "report/svg.h"
#include "serve/guard.h"
#include "serve/page_files.h"

namespace olem::internal {

namespace {

constexpr std::string_view kIcon =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><path d=\"M1 12Q5 12 8 7T15 3\" fill=\"none\" "
    "stroke=\"#0072b2\" stroke-width=\"2\"/><circle cx=\"8\" cy=\"7\" r=\"2.5\" fill=\"#d55e00\"/></svg>";
constexpr std::string_view kIconPath = "/favicon.ico";
constexpr std::string_view kModelsPath = "/api/models";

// The page itself, its icon, the list and the API of a model.
const std::vector<HttpRoute>& shelf_routes() {
  static const std::vector<HttpRoute> kShelfRoutes = [] {
    std::vector<HttpRoute> all = {{kModelsPath, "GET"}, {kIconPath, "GET"}};
    for (const PageFile& file : embedded_page_files()) all.push_back({file.path, "GET"});
    const std::span<const HttpRoute> api = RehearsalApi::routes();
    all.insert(all.end(), api.begin(), api.end());
    return all;
  }();
  return kShelfRoutes;
}

std::optional<HttpAnswer> page_answer(std::string_view path) {
  if (path == kIconPath) return text_answer(std::string(kIcon), "image/svg+xml");
  for (const PageFile& file : embedded_page_files()) {
    if (file.path != path) continue;
    std::string content(file.content);
    if (path.ends_with(".css")) content += "\n" + plot::switchable_style_sheet() + "\n";
    return text_answer(std::move(content), file.type);
  }
  return std::nullopt;
}

// The number behind "model=" in the target; 0 when there is none, nothing when it is no number.
std::optional<std::size_t> place_in(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return 0;
  constexpr std::string_view kKey = "model=";
  const std::string_view query = target.substr(mark + 1);
  if (!query.starts_with(kKey)) return 0;
  const std::string_view text = query.substr(kKey.size());
  std::size_t place = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return place;
}

// FNV-1a: tells models apart, and guards nothing.
std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{:016x}", hash).substr(0, 10);
}

}  // namespace

ModelShelf::ModelShelf(std::vector<ServedModel> models, const ServeOptions& options, int port, const Context& context)
    : options_(options), port_(port), context_(context) {
  for (ServedModel& model : models) {
    Entry& entry = entries_.emplace_back();
    entry.source = std::move(model);
    if (!entry.source.model) continue;
    put(entry, std::move(*entry.source.model));
    entry.source.model.reset();
  }
  const bool all =
      std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.api != nullptr; });
  if (all) return;
  learning_ = std::thread([this] {
    for (Entry& entry : entries_) {
      if (!entry.api) learn(entry);
    }
  });
}

ModelShelf::~ModelShelf() {
  if (learning_.joinable()) learning_.join();
}

void ModelShelf::put(Entry& entry, RehearsalModel model) {
  std::string title = model.task.name;
  auto api = std::make_unique<RehearsalApi>(std::move(model), options_, port_, context_);
  std::string id = fingerprint(api->model_json().dump(-1, ' ', false, Json::error_handler_t::replace));
  const std::scoped_lock lock(mutex_);
  entry.title = std::move(title);
  entry.id = std::move(id);
  entry.api = std::move(api);
}

void ModelShelf::learn(Entry& entry) {
  Context watched = context_;
  watched.progress = [this, &entry](double fraction, std::string_view phase) {
    const std::scoped_lock lock(mutex_);
    entry.fraction = fraction;
    entry.phase = phase;
  };
  std::string error = "Something went wrong inside of olem. This is a defect.";
  try {
    put(entry, entry.source.learn(watched));
    return;
  } catch (const Error& failure) {
    error = failure.text(advice_spelling());
  } catch (const std::bad_alloc&) {
    error = "There is not enough memory to learn the model.";
  } catch (const std::exception&) {
    // As said.
  }
  if (entry.source.failed) entry.source.failed(error);
  const std::scoped_lock lock(mutex_);
  entry.error = error;
}

std::optional<HttpAnswer> ModelShelf::refuse(const HttpRequest& head) const {
  return guard(head, shelf_routes(), port_);
}

HttpAnswer ModelShelf::broken(int status) const { return broken_answer(status); }

Json ModelShelf::models_json() const {
  const std::scoped_lock lock(mutex_);
  Json json = {{"version", version()}, {"models", Json::array()}, {"glossary", Json::array()}};
  for (const GlossaryEntry& entry : glossary())
    json["glossary"].push_back({{"key", entry.key}, {"word", entry.word}, {"text", entry.text}});
  for (const Entry& entry : entries_) {
    Json one = {{"file", entry.source.file}, {"date", entry.source.date}, {"title", entry.title}};
    one["state"] = entry.api ? "ready" : entry.error.empty() ? "learning" : "failed";
    if (entry.api) {
      one["id"] = entry.id;
    } else if (entry.error.empty()) {
      one["fraction"] = entry.fraction;
      one["phase"] = entry.phase;
    } else {
      one["error"] = entry.error;
    }
    json["models"].push_back(std::move(one));
  }
  return json;
}

HttpAnswer ModelShelf::answer(const HttpRequest& request) {
  if (std::optional<HttpAnswer> refused = refuse(request)) return *refused;
  const std::string_view path = path_of(request.target);
  try {
    if (std::optional<HttpAnswer> page = page_answer(path)) return *page;
    if (path == kModelsPath) {
      return text_answer(models_json().dump(-1, ' ', false, Json::error_handler_t::replace) + "\n",
                         "application/json; charset=utf-8");
    }
  } catch (const std::exception&) {
    return broken(500);
  }
  const std::optional<std::size_t> place = place_in(request.target);
  if (!place || *place >= entries_.size()) return error_answer(404, "There is no such model.");
  RehearsalApi* api = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    api = entries_[*place].api.get();  // stays until the end once it is there
  }
  return api != nullptr ? api->answer(request) : error_answer(503, "The model is still being learned.");
}

}  // namespace olem::internal
