#include "reports/run_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace acceptance {
namespace {
namespace fs = std::filesystem;

Json read_json(const fs::path& file) {
  try {
    return Json::parse(read_file(file));
  } catch (const Json::exception& e) {
    throw std::invalid_argument(fmt::format("{}: {}", file.string(), e.what()));
  }
}

/// What judging relies on.
void check(const Assignment& a, const std::string& run) {
  if (a.places.empty()) throw std::invalid_argument(fmt::format("{} has no place", a.test));
  if (a.run != run)
    throw std::invalid_argument(
        fmt::format("{} is of another run ({}, not {})", a.id(), a.run, run));
}

const Assignment& assignment_in(const Assignment& a) { return a; }
const Assignment& assignment_in(const Record& r) { return r.assignment; }

/// One thing a line; a torn last line is left out.
template <class Thing>
std::vector<Thing> read_lines(const fs::path& file, const std::string& run) {
  std::ifstream in(file, std::ios::binary);
  std::vector<Thing> things;
  int number = 0;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    ++number;
    try {
      things.push_back(Json::parse(line).get<Thing>());
      check(assignment_in(things.back()), run);
    } catch (const std::exception& e) {
      throw std::invalid_argument(fmt::format("{}:{}: {}", file.string(), number, e.what()));
    }
  }
  return things;
}

}  // namespace

std::string read_file(const fs::path& file, std::size_t most_bytes) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  std::array<char, 65536> chunk{};
  while (in && text.size() <= most_bytes) {
    in.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > most_bytes)
    throw std::invalid_argument(fmt::format("{}: larger than {}", file.string(),
                                            format(static_cast<double>(most_bytes), Unit::bytes)));
  if (!in.eof() || (text.empty() && fs::is_directory(file)))
    throw std::invalid_argument(
        fmt::format("can't read {}: {}", file.string(),
                    std::generic_category().message(errno ? errno : ENOENT)));
  return text;
}

namespace {
/// The machine under test may be reset at any moment: a file must be whole before it takes
/// another's place.
void sync_file(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}
}  // namespace

void write_file(const fs::path& file, const std::string& text) {
  const fs::path fresh = file.string() + ".new";
  {
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out << text;
    out.flush();
    if (!out)
      throw std::system_error(errno ? errno : EIO, std::generic_category(),
                              "write " + fresh.string());
  }
  sync_file(fresh);
  fs::rename(fresh, file);
}

std::uintmax_t whole_bytes(const fs::path& records) {
  const std::string text = read_file(records);
  const std::size_t last = text.rfind('\n');
  return last == std::string::npos ? 0 : last + 1;
}

std::string digest(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return in ? digest(in) : "";
}

std::string digest(std::istream& in) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  std::array<char, 65536> chunk{};
  while (in.read(chunk.data(), chunk.size()) || in.gcount() > 0)
    EVP_DigestUpdate(context.get(), chunk.data(), static_cast<std::size_t>(in.gcount()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned length = 0;
  EVP_DigestFinal_ex(context.get(), sum.data(), &length);
  std::string text = "sha256:";
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", sum[i]);
  return text;
}

RunFiles read_run(const fs::path& folder, const fs::path& topology, const fs::path& catalogue) {
  if (!fs::is_regular_file(folder / "run.json"))
    throw std::invalid_argument(
        fmt::format("{} is no run folder: it has no run.json", folder.string()));
  RunFiles files;
  files.folder = folder;
  files.run = read_json(folder / "run.json");
  const auto part = [&](const char* file, auto&& read) {
    try {
      read();
    } catch (const Json::exception& e) {
      throw std::invalid_argument(fmt::format("{}: {}", (folder / file).string(), e.what()));
    }
  };
  std::string run;
  part("run.json", [&] {
    if (files.run.at("format") != "accept.run/1")
      throw std::invalid_argument(fmt::format(
          "{}: unknown format {}", (folder / "run.json").string(), dump(files.run.at("format"))));
    files.run.at("tests").get_to(files.tests);
    files.run.at("tag").get_to(run);
  });
  if (fs::exists(folder / "nodes.json"))
    part("nodes.json", [&] { read_json(folder / "nodes.json").get_to(files.nodes); });
  files.plan = read_lines<Assignment>(folder / "plan.jsonl", run);
  files.records = read_lines<Record>(folder / "records.jsonl", run);
  const auto own = [&](const char* file) { return fs::exists(folder / file) ? folder / file : ""; };
  files.promise = load_promise(topology.empty() ? own("cluster.yaml") : topology,
                               catalogue.empty() ? own("catalogue") : catalogue);
  return files;
}

}  // namespace acceptance
