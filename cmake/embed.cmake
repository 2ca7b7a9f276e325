# Writes OUTPUT, a source file with the text of each of FILES under the name folder/file.
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} content)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  get_filename_component(name ${file} NAME)
  string(APPEND text "    {\"${folder}/${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"reports/embedded.h\"

namespace acceptance {
std::span<const EmbeddedFile> embedded_table() {
  static constexpr EmbeddedFile all[]{
${text}  };
  return all;
}
}  // namespace acceptance
")
