# assay_warnings: every target of ours links it; third-party headers come in as SYSTEM and are exempt.
add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>)
option(ASSAY_WERROR "Warnings are errors" ON)
if(ASSAY_WERROR)
  target_compile_options(assay_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Every field of a descriptor may be left out; C++20 defines what the missing ones are.
  target_compile_options(assay_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>)
else()
  # std::stable_sort of libstdc++ 12 calls a function that the library itself deprecates, and clang blames its caller.
  target_compile_options(assay_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-designated-field-initializers
    -Wno-missing-field-initializers -Wno-deprecated-declarations>)
endif()
