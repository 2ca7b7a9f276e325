#include "reports/embedded.h"

#include <stdexcept>
#include <string>

namespace acceptance {

std::string_view embedded_file(std::string_view name) {
  for (const EmbeddedFile& f : embedded_table())
    if (f.name == name) return f.text;
  throw std::logic_error("no file within the program is called " + std::string(name));
}

}  // namespace acceptance
