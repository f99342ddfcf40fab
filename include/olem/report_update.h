#pragma once

#include <string>

#include "olem/update.h"

namespace olem {

// What became of the models of the variables, as text for a terminal.
std::string update_text(const ModelUpdate& update);

// Whether new rows are as the model forecasts them, by variable.
std::string drift_text(const DriftCheck& check);

}  // namespace olem
