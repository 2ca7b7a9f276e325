#pragma once
#include <span>
#include <string_view>

namespace acceptance {

/// A data file that travels within the program: "catalogue/gpus.yaml", "preset/start.yaml".
struct EmbeddedFile {
  std::string_view name, text;
};

/// All of them, by name; the build makes this of the files themselves.
std::span<const EmbeddedFile> embedded_table();
/// The text of one. Throws std::logic_error when there is none of that name.
std::string_view embedded_file(std::string_view name);

}  // namespace acceptance
