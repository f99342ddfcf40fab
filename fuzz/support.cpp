#include "support.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "core/text.h"
#include "olem/json.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t capacity);

namespace olem::fuzz {

using namespace internal;

const std::string kSource = "input";

const Context& small_context() {
  static const Context context = [] {
    Context made;
    made.threads = 1;
    made.memory_limit = std::size_t{32} << 20U;
    return made;
  }();
  return context;
}

void require(bool kept, std::string_view promise) {
  if (kept) return;
  fmt::print(stderr, "BROKEN PROMISE: {}\n", promise);
  std::abort();
}

void require_refusal(const Error& error) {
  const std::string_view text = error.what();
  const ErrorCategory category = error.category();
  const bool allowed =
      category == ErrorCategory::kData || category == ErrorCategory::kUsage || category == ErrorCategory::kResource;
  require(allowed, fmt::format("an input is never an error of the category {}: {}", category_name(category), text));
  require(!find_invalid_utf8(text), fmt::format("messages are UTF-8: {}", text));
  require(category != ErrorCategory::kData || text.starts_with(kSource),
          fmt::format("messages begin with the name of the input: {}", text));
}

void require_same_graph(const GraphFile& again, const MixedGraph& graph) {
  require(again.graph.edge_count() == graph.edge_count(), "edges survive");
  require((again.lists_nodes ? again.graph : again.graph.with_nodes(graph.names().list())) == graph,
          "a graph survives its formats");
}

void require_table_survives_csv(const Table& table) {
  fmt::memory_buffer buffer;
  auto out = std::back_inserter(buffer);
  for (std::size_t j = 0; j < table.columns(); ++j) {
    fmt::format_to(out, "{}\"", j > 0 ? "," : "");
    for (const char c : table.name(j)) fmt::format_to(out, "{}{}", c == '"' ? "\"" : "", c);
    buffer.push_back('"');
  }
  // Words are written as words, but for a column that is declared to have levels, which could hold anything.
  const auto in_words = [&](std::size_t j) { return has_words(table.about(j)) && !table.about(j).declared; };
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t j = 0; j < table.columns(); ++j) {
      buffer.push_back(j > 0 ? ',' : '\n');
      if (in_words(j)) {
        buffer.push_back('"');
        for (const char c : value_name(table.about(j), table.at(i, j)))
          fmt::format_to(out, "{}{}", c == '"' ? "\"" : "", c);
        buffer.push_back('"');
      } else {
        fmt::format_to(out, "{}", table.at(i, j));
      }
    }
  }
  ReadOptions options;
  options.delimiter = ',';
  options.decimal = '.';
  options.header = HeaderMode::kPresent;
  const Table again = read_csv_text(fmt::to_string(buffer), "the table written again", options, small_context()).table;
  require(again.names() == table.names(), "names survive CSV");
  const auto same_bits = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  require(
      std::equal(again.values().begin(), again.values().end(), table.values().begin(), table.values().end(), same_bits),
      "numbers survive CSV");
  for (std::size_t j = 0; j < table.columns(); ++j)
    require(!in_words(j) || again.about(j).levels == table.about(j).levels, "levels survive CSV");
}

std::string mutated(std::string_view part, std::size_t capacity) {
  std::vector<std::uint8_t> bytes(part.begin(), part.end());
  bytes.resize(std::max(capacity, part.size()));
  const std::size_t size = LLVMFuzzerMutate(bytes.data(), part.size(), bytes.size());
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

std::string mutated_json(std::string_view text, std::size_t capacity, unsigned seed) {
  std::minstd_rand random(seed);
  Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  if (document.is_discarded() || random() % 4 == 0) return mutated(text, capacity);
  std::vector<Json*> values{&document};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]->is_structured()) {
      for (Json& child : *values[i]) values.push_back(&child);
    }
  }
  static const std::vector<Json> kSpecial = {nullptr,       true,          0,         1,          -1, 0.5, 1e308,
                                             -1e308,        5e-324,        INT64_MIN, UINT64_MAX, "", "a", "a\n<b>\"&",
                                             Json::array(), Json::object()};
  Json& target = *values[random() % values.size()];
  const Json donor = *values[random() % values.size()];
  const std::size_t child = target.empty() ? 0 : random() % target.size();
  switch (random() % 5) {
    case 0: target = donor; break;
    case 1:
      if (target.is_string()) {
        const std::string& name = target.get_ref<const std::string&>();
        target = mutated(name, name.size() + 8);
        break;
      }
      [[fallthrough]];
    case 2: target = kSpecial[random() % kSpecial.size()]; break;
    case 3:
      if (target.is_array()) target.push_back(donor);
      if (target.is_object()) target[fmt::format("{}", random() % 10)] = donor;
      break;
    default:
      if (target.is_structured() && !target.empty())
        target.erase(std::next(target.begin(), static_cast<std::ptrdiff_t>(child)));
  }
  const std::string result = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  return result.size() <= capacity ? result : mutated(text, capacity);
}

std::size_t hand_back(std::string_view result, std::uint8_t* data, std::size_t capacity) {
  const std::size_t size = std::min(result.size(), capacity);
  std::memcpy(data, result.data(), size);
  return size;
}

}  // namespace olem::fuzz
