#include "order/olem_plus_ranks.h"

#include "core/rank_share.h"

namespace olem::internal {

namespace {

void write_fit(ByteWriter& writer, const PlusFit& fit) {
  writer.write(fit.entropy);
  writer.write(fit.choice.model);
  writer.write(fit.choice.smoothing);
  writer.write(fit.choice.length);
  writer.write(fit.choice.transformed);
  writer.write(fit.choice.scaled);
  writer.write(fit.choice.products.size());
  for (const auto& [first, second] : fit.choice.products) {
    writer.write(first);
    writer.write(second);
  }
  writer.write(fit.contributions);
}

void read_fit(ByteReader& reader, PlusFit& fit) {
  reader.read(fit.entropy);
  reader.read(fit.choice.model);
  reader.read(fit.choice.smoothing);
  reader.read(fit.choice.length);
  reader.read(fit.choice.transformed);
  reader.read(fit.choice.scaled);
  std::size_t products = 0;
  reader.read(products);
  fit.choice.products.resize(products);
  for (auto& [first, second] : fit.choice.products) {
    reader.read(first);
    reader.read(second);
  }
  reader.read(fit.contributions);
}

}  // namespace

void share_fits(std::span<PlusFit* const> fits, const Context& context) {
  share_items(
      context, fits.size(), [&](std::size_t i, ByteWriter& writer) { write_fit(writer, *fits[i]); },
      [&](std::size_t i, ByteReader& reader) { read_fit(reader, *fits[i]); });
}

}  // namespace olem::internal
