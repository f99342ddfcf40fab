#pragma once

#include "olem/sampler.h"
#include "sampler/state_reader.h"

namespace olem::internal::sampling {

// The scale on which a variable is modelled: t = (T(value) - centre) / spread, where value = mean + sd y is in the
// user's units (percentages divided by 100) and y is standardised.
struct TargetTransform {
  enum class Form {
    kIdentity,  // t = y
    kLog,       // of values above 0
    kLogit,     // of values between 0 and 1
    kCount,     // ln(1 + value) of counts, whose draws are rounded
  };
  Form form = Form::kIdentity;
  double mean = 0.0;
  double sd = 1.0;
  double centre = 0.0;
  double spread = 1.0;

  double forward(double y) const;  // minus infinity, or infinity for logit, where there is no such value
  double inverse(double t) const;
  double inverse_slope(double t) const;  // dy/dt
  double log_slope(double y) const;      // ln dt/dy; minus infinity where there is no such value
  // Counts: the nearest one, and the ends of what is rounded to it, as t.
  double round(double y) const;
  double lower_end(double y) const;
  double upper_end(double y) const;
};

// Fitted to the target, all of whose values it must know.
TargetTransform make_transform(TargetTransform::Form form, const SamplerData& data);
bool suits(TargetTransform::Form form, const SamplerData& data);
const char* transform_name(TargetTransform::Form form);

void store_transform(const TargetTransform& transform, SamplerState& state);
TargetTransform read_transform(const StateReader& reader);

}  // namespace olem::internal::sampling
