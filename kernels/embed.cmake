# Texts -> C arrays, run by `cmake -P` when a text has changed.
#
#   OUT    C file to write
#   FILES  texts, separated by "|"; each becomes a row { "<file name>", bytes, size } of ob_embedded (kernels/embed.h)
#
# No string literals: their length is limited by the C standard, and quoting would have to be right for every text.
string(REPLACE "|" ";" files "${FILES}")
set(arrays "")
set(rows "")
set(n 0)
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char text_${n}[] = { ${bytes}0 };\n")
  string(APPEND rows "    { \"${name}\", (const char *)text_${n}, sizeof text_${n} - 1 },\n")
  math(EXPR n "${n} + 1")
endforeach()
file(WRITE "${OUT}" "/* Made by kernels/embed.cmake. */\n#include \"kernels/embed.h\"\n\n${arrays}\n"
     "const ob_embedded_file ob_embedded[] = {\n${rows}    { 0 },\n};\n")
