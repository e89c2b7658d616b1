# Language level, warnings, linker, sanitizers: the same for every target.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -g1")

set(DAVIT_SANITIZE "" CACHE STRING "Value of -fsanitize=, empty for none")

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wno-missing-designated-field-initializers
                    -fno-strict-aliasing
                    -ftemplate-backtrace-limit=4)
add_link_options(-fuse-ld=lld-19 -Wl,--as-needed)
# ccache may reuse objects built with a precompiled header only if the header carries no timestamp.
add_compile_options("SHELL:-Xclang -fno-pch-timestamp")

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_definitions(_GLIBCXX_ASSERTIONS _FORTIFY_SOURCE=2)
  add_compile_options(-fstack-protector-strong -ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections)
endif()

if(DAVIT_SANITIZE)
  add_compile_options(-fsanitize=${DAVIT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DAVIT_SANITIZE})
  add_compile_definitions(DAVIT_SANITIZED)
endif()

# Deliberate bugs that the simulator's judges must find (src/base/mutant.hpp). Never in anything shipped.
option(DAVIT_MUTANTS "Compile the mutants in" OFF)
if(DAVIT_MUTANTS)
  add_compile_definitions(DAVIT_MUTANTS)
endif()
