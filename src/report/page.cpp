#include "report/page.h"

#include <fmt/format.h>

#include <cstdlib>

#include "report/svg.h"

namespace olem::internal {

namespace {

// On paper the page is light, whatever the screen prefers.
constexpr std::string_view kStyle =
    ":root{color-scheme:light;--ink:#1c1e21;--muted:#5b6068;--paper:#fff;--line:#d9dce0;--soft:#f3f5f7;"
    "--good:#00795a;--alert:#b3400e;--blue:#0072b2}"
    "@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;--ink:#e8e9eb;--muted:#a3a8b0;"
    "--paper:#17191d;--line:#34383f;--soft:#212429;--good:#43d6a8;--alert:#ff9c6b;--blue:#4aa8e0}}"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,\"Segoe UI\","
    "sans-serif}"
    "main{max-width:66rem;margin:0 auto;padding:2rem 1.2rem 4rem}"
    "h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0 1rem}"
    "h2{font-size:1.2rem;margin:2.4rem 0 .6rem;padding-bottom:.2rem;border-bottom:1px solid var(--line)}"
    "h3{font-size:1rem;margin:1.4rem 0 .4rem}p,ul{max-width:46rem}"
    ".answer{font-size:1.2rem;line-height:1.4;margin:0 0 1.5rem;padding:.3rem 0 .3rem 1rem;"
    "border-left:.3rem solid var(--good)}h1,h2,h3,p,li,dt,dd,summary,figcaption{overflow-wrap:anywhere}"
    ".scroll{overflow-x:auto;margin:.8rem 0}table{border-collapse:collapse}"
    "th,td{padding:.25rem .9rem .25rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}"
    "th{font-weight:600;color:var(--muted)}"
    "td+td,th+th{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}table.words td+td,table.words "
    "th+th{text-align:left;white-space:normal}"
    "figure{margin:1.2rem 0;break-inside:avoid}figcaption{color:var(--muted);font-size:.9rem;max-width:46rem}"
    ".wide{overflow-x:auto}@media screen{.wide svg.olem-plot{min-width:56rem}}"
    ".bands{display:flex;flex-wrap:wrap;gap:.8rem;margin:1rem 0}"
    ".band{background:var(--soft);border-radius:.5rem;padding:.4rem 1.2rem .7rem .7rem;break-inside:avoid}"
    ".band h3{margin:0 0 .4rem;font-size:.8rem;font-weight:400;color:var(--muted)}"
    ".byline{color:var(--muted);font-size:.9rem;margin:0 0 1rem}"
    "summary{cursor:pointer;color:var(--blue);width:max-content;max-width:100%}"
    "@media print{details::details-content{content-visibility:visible;block-size:auto}}"
    "dl{max-width:46rem}dt{font-weight:600}dd{margin:0 0 .6rem}"
    // Ranks, without arrows between neighbours: neighbours need not influence each other.
    ".chain{display:flex;flex-wrap:wrap;align-items:stretch;gap:.5rem;margin:0;padding:0;list-style:none}"
    ".chain i{font-style:normal;font-size:.8rem;color:var(--muted);margin-right:.4rem}"
    ".chain li{background:var(--paper);border:1.5px solid "
    "var(--line);border-radius:.4rem;padding:.2rem .6rem}"
    ".chain li.alterable{border-color:var(--blue);border-width:2.5px}.chain li.open{border-style:dashed;"
    "border-color:var(--alert)}"
    ".chain b{font-weight:600}.chain small{display:block;color:var(--muted)}.chain li.open small{color:var(--alert)}"
    "@media "
    "print{main{padding:0}body{font-size:10.5pt}h2,h3,h2+p{break-after:avoid}.scroll{overflow:visible}td+td{white-"
    "space:normal}"
    "tr{break-inside:avoid}}";

// Text for the page: no line ends between a number and its percent sign or degrees.
std::string prose(std::string_view text) {
  constexpr std::string_view kNarrow = "\u202f";
  std::string kept;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view behind = text.substr(i + 1);
    const bool before_unit = behind.starts_with('%') || behind.starts_with("\u00b0");
    if (text[i] == ' ' && before_unit && i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9') {
      kept += kNarrow;
    } else {
      kept += text[i];
    }
  }
  return plot::escape(kept);
}

}  // namespace

void Page::section(std::string_view title) { body_ += fmt::format("<h2>{}</h2>\n", prose(title)); }

void Page::subsection(std::string_view title) { body_ += fmt::format("<h3>{}</h3>\n", prose(title)); }

void Page::paragraph(std::string_view text) { body_ += fmt::format("<p>{}</p>\n", prose(text)); }

void Page::byline(std::string_view text) { body_ += fmt::format("<p class=\"byline\">{}</p>\n", prose(text)); }

void Page::fold(std::string_view title) { body_ += fmt::format("<details><summary>{}</summary>\n", prose(title)); }

void Page::unfold() { body_ += "</details>\n"; }

void Page::list(const std::vector<std::string>& entries) {
  body_ += "<ul>\n";
  for (const std::string& entry : entries) body_ += fmt::format("<li>{}</li>\n", prose(entry));
  body_ += "</ul>\n";
}

void Page::table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
                 bool words) {
  // A table that is wider than the screen is moved sideways, by the keyboard too.
  body_ += fmt::format("<div class=\"scroll\" tabindex=\"0\"><table{}><thead><tr>", words ? " class=\"words\"" : "");
  for (const std::string& cell : header) body_ += fmt::format("<th scope=\"col\">{}</th>", prose(cell));
  body_ += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    body_ += "<tr>";
    for (std::size_t i = 0; i < header.size(); ++i)
      body_ += fmt::format("<td>{}</td>", i < row.size() ? prose(row[i]) : "");
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void Page::figure(const std::string& svg, std::string_view caption) {
  // On a telephone the letters of a wide figure would be too small: it is moved sideways there, by the keyboard too.
  constexpr double kWide = 640.0;
  constexpr std::string_view kBefore = "viewBox=\"0 0 ";
  const std::size_t place = svg.find(kBefore);
  const bool wide = place != std::string::npos && std::strtod(svg.c_str() + place + kBefore.size(), nullptr) > kWide;
  body_ += fmt::format("<figure{}>{}<figcaption>{}</figcaption></figure>\n",
                       wide ? " class=\"wide\" tabindex=\"0\"" : "", svg, prose(caption));
}

std::string Page::finish() const {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      // Whatever a name in the data may try: nothing is loaded and nothing runs.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}\n{2}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
      prose(heading_), kStyle, plot::style_sheet());
  if (!answer_.empty()) page += fmt::format("<p class=\"answer\">{}</p>\n", prose(answer_));
  return page + body_ + "</main>\n</body>\n</html>\n";
}

}  // namespace olem::internal
