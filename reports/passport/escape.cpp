#include "reports/passport/escape.h"

#include "suites/core/text.h"

namespace acceptance {

std::string md(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '|' || c == '*' || c == '_' || c == '`' || c == '<' || c == '\\' || c == '[')
      out += '\\';
    out += c;
  }
  return out;
}

std::string esc(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  return out;
}

std::string esc(const Json& text) { return esc(text.get<std::string>()); }

}  // namespace acceptance
