#include "runner/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "reports/run_files.h"

namespace acceptance {
namespace fs = std::filesystem;

RunFolder::RunFolder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(logs(), error);
  const fs::path file = folder_ / "records.jsonl";
  records_ = Descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (error || records_.get() < 0)
    throw std::invalid_argument(
        fmt::format("can't write in {}: {}", folder_.string(),
                    error ? error.message() : std::generic_category().message(errno)));
  if (::flock(records_.get(), LOCK_EX | LOCK_NB) != 0)
    throw std::invalid_argument(fmt::format("another accept is at work in {}", folder_.string()));
}

RunFolder RunFolder::create(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw std::invalid_argument(
        fmt::format("can't make the output folder {}: {}", folder.string(), error.message()));
  const bool empty = fs::is_empty(folder, error);
  if (error)
    throw std::invalid_argument(
        fmt::format("can't read the output folder {}: {}", folder.string(), error.message()));
  if (!empty)
    throw std::invalid_argument(
        fmt::format("the output folder {} isn't empty; name another with --output, or go on "
                    "with its run by --resume",
                    folder.string()));
  return RunFolder(folder);
}

RunFolder RunFolder::reopen(const fs::path& folder) {
  if (!fs::is_regular_file(folder / "run.json"))
    throw std::invalid_argument(
        fmt::format("{} is no run folder: it has no run.json", folder.string()));
  RunFolder opened(folder);
  const fs::path records = folder / "records.jsonl";
  fs::resize_file(records, whole_bytes(records));
  return opened;
}

void RunFolder::write(const char* file, const Json& content) const {
  write_file(folder_ / file, dump(content, 1) + "\n");
}

void RunFolder::write_lines(const char* file, const std::vector<Assignment>& plan) const {
  std::string text;
  for (const Assignment& a : plan) text += dump(a) + "\n";
  write_file(folder_ / file, text);
}

void RunFolder::append(const Record& record) {
  const std::string line = dump(record) + "\n";
  const off_t before = ::lseek(records_.get(), 0, SEEK_END);
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t n = ::write(records_.get(), line.data() + at, line.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : ENOSPC;
      // Half a line in the middle of the file would spoil it for good.
      [[maybe_unused]] const int undone = ::ftruncate(records_.get(), before);
      throw std::system_error(error, std::generic_category(),
                              "write " + (folder_ / "records.jsonl").string());
    }
    at += static_cast<std::size_t>(n);
  }
}

void RunFolder::note(const std::string& text) const {
  std::ofstream(logs() / "head.log", std::ios::app) << text << "\n";
}

}  // namespace acceptance
