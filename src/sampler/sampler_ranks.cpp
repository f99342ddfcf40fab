#include "sampler/sampler_ranks.h"

#include <nlohmann/json.hpp>

#include "olem/sampler_state.h"

namespace olem::internal {

namespace {

void write_warnings(ByteWriter& writer, const std::vector<Warning>& warnings) {
  writer.write(warnings.size());
  for (const Warning& warning : warnings) {
    for (const std::string* text : {&warning.code, &warning.text, &warning.where}) writer.write(*text);
    writer.write(warning.remedies.size());
    for (const Remedy& remedy : warning.remedies) {
      for (const std::string* text : {&remedy.advice, &remedy.option, &remedy.value}) writer.write(*text);
    }
  }
}

void read_warnings(ByteReader& reader, std::vector<Warning>& warnings) {
  warnings.resize(reader.take<std::size_t>());
  for (Warning& warning : warnings) {
    for (std::string* text : {&warning.code, &warning.text, &warning.where}) reader.read(*text);
    warning.remedies.resize(reader.take<std::size_t>());
    for (Remedy& remedy : warning.remedies) {
      for (std::string* text : {&remedy.advice, &remedy.option, &remedy.value}) reader.read(*text);
    }
  }
}

}  // namespace

void write_sampler(ByteWriter& writer, const ConditionalSampler& sampler) {
  const SamplerState state = sampler.state();
  writer.write(state.kind);
  writer.write(state.settings.dump());
  writer.write(state.arrays.size());
  for (const SamplerState::Array& array : state.arrays) {
    writer.write(array.name);
    writer.write(array.values);
  }
}

std::shared_ptr<const ConditionalSampler> read_sampler(ByteReader& reader) {
  SamplerState state;
  reader.read(state.kind);
  std::string settings;
  reader.read(settings);
  state.settings = Json::parse(settings);
  state.arrays.resize(reader.take<std::size_t>());
  for (SamplerState::Array& array : state.arrays) {
    reader.read(array.name);
    reader.read(array.values);
  }
  return restore_sampler(state);
}

void share_samplers(std::span<const SharedFit> fits, const Context& context) {
  share_items(
      context, fits.size(),
      [&](std::size_t i, ByteWriter& writer) {
        if (fits[i].sampler == nullptr) return;
        write_sampler(writer, **fits[i].sampler);
        if (fits[i].warnings != nullptr) write_warnings(writer, *fits[i].warnings);
      },
      [&](std::size_t i, ByteReader& reader) {
        if (fits[i].sampler == nullptr) return;
        *fits[i].sampler = read_sampler(reader);
        if (fits[i].warnings != nullptr) read_warnings(reader, *fits[i].warnings);
      });
}

}  // namespace olem::internal
