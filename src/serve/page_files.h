#pragma once

#include <span>
#include <string_view>

namespace olem::internal {

// A file of web/, as it is.
struct PageFile {
  std::string_view path;  // of the address
  std::string_view type;  // Content-Type
  std::string_view content;
};

std::span<const PageFile> embedded_page_files();

}  // namespace olem::internal
