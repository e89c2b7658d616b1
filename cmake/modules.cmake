include(GoogleTest)

# Every test program of davit_test; what sanitizer builds make.
add_custom_target(all_tests)

# davit_module(NAME SOURCES a.cpp … DEPS x …): one static library per module folder.
function(davit_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  # Only what a program needs is built.
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
endfunction()

# Unit tests are built by the presets that run them (debug, asan, tsan); release is what users get.
option(DAVIT_TESTS "Build the unit tests" ON)

# davit_test(NAME SOURCES a_test.cpp … DEPS x … [LABELS l …]): one gtest program, every case a CTest case.
function(davit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  if(NOT DAVIT_TESTS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS fast)
  endif()
  add_dependencies(all_tests ${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 900)
endfunction()
