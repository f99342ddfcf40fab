#pragma once

#include <optional>

#include "decision_rows.h"
#include "olem/rehearsal.h"
#include "study/task_texts.h"

namespace olem::bench {

using internal::TaskTexts;

inline RehearsalModel fit_texts(const TaskTexts& texts, const Variant& variant, const std::optional<Order>& given,
                                const Context& context) {
  return internal::fit_texts(texts, variant.rehearsal(), given, context);
}

}  // namespace olem::bench
