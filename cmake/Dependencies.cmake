# Debian 12's archives, named by file so that the static link takes the archive and nothing else.
function(assay_archive target archive)
  find_library(${target}_path NAMES ${archive} REQUIRED)
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${target}_path})
endfunction()

find_package(Threads REQUIRED)
assay_archive(dep_re2 libre2.a)
target_link_libraries(dep_re2 INTERFACE Threads::Threads)
assay_archive(dep_yaml libyaml-cpp.a)
assay_archive(dep_zlib libz.a)
assay_archive(dep_zstd libzstd.a)
assay_archive(dep_sodium libsodium.a)

# toml++, nlohmann-json and CLI11 are headers in /usr/include, which every compiler takes as SYSTEM.
add_library(dep_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt_library.cc)
