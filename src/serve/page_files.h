#pragma once

#include <string_view>

namespace olem::internal {

// The files of web/, as they are.
std::string_view embedded_index_html();
std::string_view embedded_page_css();
std::string_view embedded_page_js();

}  // namespace olem::internal
