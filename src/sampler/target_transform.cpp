#include "sampler/target_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/special.h"
#include "data/greatest_share.h"

namespace olem::internal::sampling {

namespace {

constexpr std::array<const char*, 4> kTransformNames = {"identity", "log", "logit", "count"};
constexpr double kLargestExponent = 600.0;  // draws beyond are absurd anyway, but must stay finite

double transformed(TargetTransform::Form form, double value) {
  switch (form) {
    case TargetTransform::Form::kLog: return value > 0.0 ? std::log(value) : -kInfinity;
    case TargetTransform::Form::kLogit:
      if (!(value > 0.0)) return -kInfinity;
      return value < 1.0 ? std::log(value / (1.0 - value)) : kInfinity;
    case TargetTransform::Form::kCount: return value > -1.0 ? std::log1p(value) : -kInfinity;
    case TargetTransform::Form::kIdentity: break;
  }
  return value;
}

// What one is in the user's units: shares are counted from 0 to 1, whether they are written so or as percentages.
double unit_of(TargetTransform::Form form, const SamplerColumn& column) {
  return form == TargetTransform::Form::kLogit ? greatest_share(column.about) : 1.0;
}

}  // namespace

double TargetTransform::forward(double y) const {
  if (form == Form::kIdentity) return y;
  return (transformed(form, mean + sd * y) - centre) / spread;
}

double TargetTransform::inverse(double t) const {
  if (form == Form::kIdentity) return t;
  const double raw = std::clamp(centre + spread * t, -kLargestExponent, kLargestExponent);
  double value = 0.0;
  if (form == Form::kLog) value = std::exp(raw);
  if (form == Form::kLogit) value = 1.0 / (1.0 + std::exp(-raw));
  if (form == Form::kCount) value = std::expm1(raw);
  return (value - mean) / sd;
}

double TargetTransform::inverse_slope(double t) const {
  if (form == Form::kIdentity) return 1.0;
  const double raw = centre + spread * t;
  if (std::abs(raw) > kLargestExponent) return 0.0;
  if (form == Form::kLogit) {
    const double value = 1.0 / (1.0 + std::exp(-raw));
    return spread * value * (1.0 - value) / sd;
  }
  return spread * std::exp(raw) / sd;
}

double TargetTransform::log_slope(double y) const {
  if (form == Form::kIdentity) return 0.0;
  const double t = forward(y);
  if (!std::isfinite(t)) return -kInfinity;
  const double value = mean + sd * y;
  double slope = 1.0 / value;
  if (form == Form::kLogit) slope = 1.0 / (value * (1.0 - value));
  if (form == Form::kCount) slope = 1.0 / (1.0 + value);
  return std::log(slope * sd / spread);
}

double TargetTransform::round(double y) const { return (std::max(0.0, std::floor(mean + sd * y + 0.5)) - mean) / sd; }

double TargetTransform::lower_end(double y) const {
  const double count = std::floor(mean + sd * y + 0.5);
  return count < 0.5 ? -kInfinity : (std::log1p(count - 0.5) - centre) / spread;
}

double TargetTransform::upper_end(double y) const {
  const double count = std::floor(mean + sd * y + 0.5);
  return count < -0.5 ? -kInfinity : (std::log1p(count + 0.5) - centre) / spread;
}

TargetTransform make_transform(TargetTransform::Form form, const SamplerData& data) {
  TargetTransform transform;
  transform.form = form;
  if (form == TargetTransform::Form::kIdentity) return transform;
  const double unit = unit_of(form, data.target_column);
  transform.mean = data.target_column.mean / unit;
  transform.sd = data.target_column.sd / unit;
  const auto n = static_cast<double>(data.target.size());
  for (const double y : data.target) transform.centre += transformed(form, transform.mean + transform.sd * y) / n;
  double squares = 0.0;
  for (const double y : data.target) {
    const double off = transformed(form, transform.mean + transform.sd * y) - transform.centre;
    squares += off * off;
  }
  transform.spread = std::sqrt(squares / n);
  if (!(transform.spread > 0.0)) transform.spread = 1.0;
  return transform;
}

bool suits(TargetTransform::Form form, const SamplerData& data) {
  const double unit = unit_of(form, data.target_column);
  return std::all_of(data.target.begin(), data.target.end(),
                     [&](double y) { return std::isfinite(transformed(form, data.target_column.restore(y) / unit)); });
}

const char* transform_name(TargetTransform::Form form) { return kTransformNames[static_cast<std::size_t>(form)]; }

void store_transform(const TargetTransform& transform, SamplerState& state) {
  state.settings["transform"] = std::string(transform_name(transform.form));
  state.arrays.push_back({"transform", {transform.mean, transform.sd, transform.centre, transform.spread}});
}

TargetTransform read_transform(const StateReader& reader) {
  const std::string name = reader.word("transform");
  const auto found = std::find(kTransformNames.begin(), kTransformNames.end(), name);
  if (found == kTransformNames.end()) reader.fail(fmt::format("'{}' is not a transform", name));
  const std::vector<double> numbers = reader.array("transform", 4);
  if (!(numbers[1] > 0.0) || !(numbers[3] > 0.0)) reader.fail("its transform is not increasing");
  return {static_cast<TargetTransform::Form>(found - kTransformNames.begin()), numbers[0], numbers[1], numbers[2],
          numbers[3]};
}

}  // namespace olem::internal::sampling
