#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "serve/rehearsal_api.h"
#include "support.h"

using namespace olem::internal;

using namespace olem;

namespace {

constexpr int kPort = 8080;

// A small model, and a search that takes no time: what is looked at is how requests are read.
RehearsalApi& api() {
  static RehearsalApi made = [] {
    const Task task = parse_task(
        R"({"context": ["c"], "alterable": {"a": [-1, 1], "b": [0, 2]}, "outcome": ["y"], "desired": {"y": [0.5, null]}})",
        "task");
    std::array<std::vector<double>, 4> columns;
    for (int i = 0; i < 30; ++i) {
      const std::array<double, 4> row = {std::sin(i), std::cos(3 * i), std::sin(i) + std::sin(7 * i), std::cos(i * i)};
      for (std::size_t j = 0; j < 4; ++j) columns[j].push_back(row[j] + (j == 3 ? row[1] + row[2] : 0.0));
    }
    std::vector<double> values;
    for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
    RehearsalOptions learning;
    learning.samplers.sampler = "linear";
    ServeOptions options;
    options.decision.draws = 10;
    options.decision.judge_draws = 10;
    options.decision.steps = 2;
    options.decision.restarts = 0;
    options.decision.screen = 2;
    options.decision.ascent_steps = 1;
    return RehearsalApi(fit_rehearsal(task, Table({"c", "a", "b", "y"}, values), learning, Order{"c", "a", "b", "y"},
                                      fuzz::small_context()),
                        options, kPort, fuzz::small_context());
  }();
  return made;
}

std::string take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

// The parts of a request as a server finds them; nothing is too odd to be handed on.
HttpRequest request_of(std::string_view text) {
  HttpRequest request;
  const std::string first = take_line(text);
  const std::size_t blank = std::min(first.find(' '), first.size());
  request.method = first.substr(0, blank);
  request.target = first.substr(std::min(blank + 1, first.size()));
  request.target.resize(std::min(request.target.find(' '), request.target.size()));
  for (std::string line = take_line(text); !line.empty(); line = take_line(text)) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    request.headers.push_back({line.substr(0, colon), line.substr(value)});
  }
  request.body = text;
  return request;
}

}  // namespace

// Mostly a change of the JSON in the body.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned seed) {
  const std::string_view text = fuzz::as_text(data, size);
  const std::size_t end = text.find("\n\n");
  if (end == std::string_view::npos || seed % 8 == 0)
    return fuzz::hand_back(fuzz::mutated(text, capacity), data, capacity);
  std::string result(text.substr(0, end + 2));
  result += fuzz::mutated_json(text.substr(end + 2), capacity - result.size(), seed / 8);
  return fuzz::hand_back(result, data, capacity);
}

// Requests to olem serve.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const HttpAnswer answer = api().answer(request_of(fuzz::as_text(data, size)));
  constexpr std::array kStatuses = {200, 400, 403, 404, 405, 411, 413, 415, 421, 422};
  fuzz::require(std::find(kStatuses.begin(), kStatuses.end(), answer.status) != kStatuses.end(),
                "whatever is asked, the server is not at fault");
  fuzz::require(std::any_of(answer.headers.begin(), answer.headers.end(),
                            [](const HttpHeader& header) { return header.name == "Content-Security-Policy"; }),
                "every answer says what a browser may do with it");
  const bool page = answer.status == 200 && !answer.body.starts_with('{');
  if (page) return 0;
  const Json json = Json::parse(answer.body);
  fuzz::require(json.contains("error") == (answer.status != 200), "an error is told as {\"error\": ...}");
  return 0;
}
