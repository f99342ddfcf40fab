#pragma once

#include <string>
#include <vector>

#include "olem/journal.h"

namespace olem {

// How the claims of earlier decisions compare with what came out, as text for a terminal.
std::string realised_text(const RealisedCalibration& realised);

// The same in one sentence: "Success was claimed with 71.0 % on average in 60 decisions; 41 came true (68.3 %)."
std::string realised_sentence(const RealisedCalibration& realised);

// That sentence and those behind it: the interval, whether the claims fit, what waits for its outcome.
std::vector<std::string> realised_sentences(const RealisedCalibration& realised);

}  // namespace olem
