# cmake -DIN=file -DOUT=file.cpp -DNAME=function -P embed.cmake
# Writes a source with `std::string_view davit::blocknode::NAME()`: the bytes of IN.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
get_filename_component(from ${IN} NAME)
file(WRITE ${OUT} "// Generated from ${from} by embed.cmake.
#include <string_view>

namespace davit::blocknode {

std::string_view ${NAME}();

std::string_view ${NAME}() {
  static constexpr unsigned char kBytes[] = {
${bytes}};
  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};
}

}  // namespace davit::blocknode
")
