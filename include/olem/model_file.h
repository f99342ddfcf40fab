#pragma once

#include <string>
#include <string_view>

#include "olem/context.h"
#include "olem/rehearsal.h"

namespace olem {

// The version of the format that is written, and the newest that is read.
inline constexpr unsigned kModelFormat = 1;

// A model as a file holds it (docs/model-file.md): what deciding, explaining and rehearsing need, and of the data only
// what samplers keep. Equal models give equal bytes; seconds are not kept. Of the order's evidence the steps,
// inclusions and half-samples are kept, not the matrices from which some learners make graphs.
std::string model_bytes(const RehearsalModel& model);

// The inverse: decisions from the result equal those from the model, to the last bit. `source` begins every message and
// becomes the source of the task. Sizes are compared with the number of bytes before anything is allocated that they
// ask for, then the checksum, then every value. A data error, with a sentence of its own, for bytes that are no model,
// cut off, changed, of a newer format or another byte order, and for contents that do not fit together.
RehearsalModel parse_model(std::string_view bytes, const std::string& source);

// The same through a file, which is written whole or not at all. File errors as write_file_atomically and read_file.
void write_model(const std::string& path, const RehearsalModel& model, bool overwrite);
RehearsalModel read_model(const std::string& path, const Context& context);

// Whether a file that begins like this is, or once was, a model.
bool looks_like_model(std::string_view beginning);

}  // namespace olem
