#include "reports/reference/catalogue.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "reports/reference/derive.h"

using namespace acceptance;
namespace fs = std::filesystem;

/// The text takes the place of one file of the catalogue after the other.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const fs::path folder = [] {
    fs::path made = fs::temp_directory_path() / ("accept-fuzz-" + std::to_string(::getpid()));
    fs::create_directories(made);
    return made;
  }();
  if (size == 0) return 0;
  static constexpr const char* files[] = {"gpus.yaml",      "servers.yaml", "fabrics.yaml",
                                          "nics.yaml",      "cpus.yaml",    "storage.yaml",
                                          "published.yaml", "sources.yaml"};
  const fs::path file = folder / files[data[0] % 8];
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data) + 1, std::streamsize(size) - 1);
  try {
    const Catalogue c = load_catalogue(folder);
    if (c.published.size() < 300) validate(c);
  } catch (const std::invalid_argument&) {
  }
  fs::remove(file);
  return 0;
}
