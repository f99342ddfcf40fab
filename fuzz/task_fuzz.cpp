#include <nlohmann/json.hpp>

#include "olem/task.h"
#include "support.h"

using namespace olem;

namespace {

// What the tasks of the corpus speak of.
const Table& columns() {
  static const Table table(
      {"c1", "c2", "a1", "a2", "m", "y1", "y2"},
      {0, 1, 2, 3, 4, 1, 0, 2, 0, 1, 5, 3, 2, 4, 1, 2, 2, 1, 0, 7, 1, 0, 3, 1, 2, 4, 4, 2, 9, 3, 1, 5, 1, 8, 2});
  return table;
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned seed) {
  return fuzz::hand_back(fuzz::mutated_json(fuzz::as_text(data, size), capacity, seed), data, capacity);
}

// Task files: read, written and read again; checked against a table; their observed context.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto task = fuzz::accepted([&] { return parse_task(fuzz::as_text(data, size), fuzz::kSource); });
  if (!task) return 0;
  const std::string text = to_json(*task).dump();
  fuzz::require(to_json(parse_task(text, "the task written again")).dump() == text, "a task survives its JSON");
  check_task(*task, columns(), fuzz::small_context());
  fuzz::accepted([&] { return read_contexts(*task, {}, fuzz::small_context()); });
  return 0;
}
