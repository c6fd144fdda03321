# A catalogue is a folder in which every DIR/<id>.cc defines `extern const TYPE NAMESPACE::<id>`; nothing else lists the entries.
# assay_catalogue(NAME n DIR d PATH p TYPE t NAMESPACE ns HEADER h LINKS …) makes target assay_<n> and the function
# `std::span<const TYPE* const> NAMESPACE::All()`, in name order. A file whose symbol does not match its name is a link error that
# names the missing entry; a file without a test or with a bad name stops here.
function(assay_catalogue)
  cmake_parse_arguments(PARSE_ARGV 0 A "" "NAME;DIR;PATH;TYPE;NAMESPACE;HEADER" "LINKS;PRIVATE_LINKS")
  file(GLOB entries CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${A_DIR}/*.cc)
  list(SORT entries)
  list(LENGTH entries count)
  set(declarations "")
  set(rows "")
  foreach(path IN LISTS entries)
    get_filename_component(id ${path} NAME_WE)
    if(NOT id MATCHES "^[a-z][a-z0-9_]*$")
      message(FATAL_ERROR "${path}: an entry's file name is its id: lower_snake_case")
    endif()
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/tests/${A_PATH}/${id}_test.cc)
      message(FATAL_ERROR "${A_PATH}/${id}.cc has no test: write tests/${A_PATH}/${id}_test.cc")
    endif()
    string(APPEND declarations "extern const ${A_TYPE} ${id};\n")
    string(APPEND rows "    &${A_NAMESPACE}::${id},\n")
  endforeach()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${A_NAME}_catalogue.cc)
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT [=[
// Generated from the folder @A_PATH@: one row per file, in name order.
#include "@A_HEADER@"

#include <array>

namespace @A_NAMESPACE@ {

@declarations@
namespace {
constexpr std::array<const @A_TYPE@*, @count@> kEntries{
@rows@};
}  // namespace

std::span<const @A_TYPE@* const> All() { return kEntries; }

}  // namespace @A_NAMESPACE@
]=])
  add_library(assay_${A_NAME} STATIC ${entries} ${out})
  target_include_directories(assay_${A_NAME} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(assay_${A_NAME} PUBLIC ${A_LINKS} PRIVATE assay_warnings dep_fmt ${A_PRIVATE_LINKS})
endfunction()
