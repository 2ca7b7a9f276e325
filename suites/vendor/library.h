#pragma once
#include <string>

namespace acceptance {

/// A vendor's shared library, opened on first use. The only place that calls dlopen.
class Library {
 public:
  /// Throws Skip with the loader's exact words when it isn't there.
  /// `global`: its symbols are visible to libraries loaded later (MPI plug-ins need that).
  explicit Library(const std::string& file, bool global = false);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Fills a function pointer by name. Throws Skip when the library has no such symbol.
  template <class Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  std::string file_;
  void* handle_;
};

}  // namespace acceptance
