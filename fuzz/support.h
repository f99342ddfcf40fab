#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "olem/context.h"
#include "olem/error.h"
#include "olem/graph_file.h"
#include "olem/table.h"

// What the targets share. A target promises more than that nothing crashes: what a reader accepts can be written and
// read again, and what it refuses, it refuses with an error that a user can act on. A broken promise ends the process,
// and libFuzzer keeps the input.
namespace olem::fuzz {

// Every input has this name, with which messages about it begin.
extern const std::string kSource;

// One thread and 32 MB. ./check lets no single allocation be larger than that, so whatever an input can make large must
// be foreseen by Context::require_memory.
const Context& small_context();

// Ends the process with the promise unless it was kept.
void require(bool kept, std::string_view promise);

// Ends the process unless this is how a reader refuses its input: a data, usage or resource error in sentences of
// UTF-8, which for a data error begin with the name of the input.
void require_refusal(const Error& error);

// What `read` returns, or nothing when it refuses. Exceptions other than Error pass, and so end the process.
template <class Read>
std::optional<std::invoke_result_t<Read>> accepted(Read read) {
  try {
    return read();
  } catch (const Error& error) {
    require_refusal(error);
    return std::nullopt;
  }
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A graph that was written and read again is the same. An edge list is silent about nodes without edges and about the
// order of the others.
void require_same_graph(const GraphFile& again, const MixedGraph& graph);

// The same table read from CSV text that holds it, to the last bit.
void require_table_survives_csv(const Table& table);

// For custom mutators: a part of an input changed as libFuzzer would, to at most `capacity` bytes.
std::string mutated(std::string_view part, std::size_t capacity);

// The same for JSON. Mostly a value is replaced, moved, repeated or left out, so that the text stays JSON and gets past
// the parser; sometimes bytes are changed.
std::string mutated_json(std::string_view text, std::size_t capacity, unsigned seed);

// Hands a custom mutator's result back; the size that libFuzzer wants to know.
std::size_t hand_back(std::string_view result, std::uint8_t* data, std::size_t capacity);

}  // namespace olem::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity,
                                               unsigned seed);
