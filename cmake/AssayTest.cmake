# assay_test(name LINKS …): one gtest program from every *_test.cc of the folder, so that a test file that exists runs.
# Properties (RapidCheck) start from one seed, so that a run repeats. Slow suites carry "Slow" in their name and the label "slow": `./dev test` leaves them to `./dev ci`.
include(GoogleTest)
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
function(assay_test name)
  cmake_parse_arguments(PARSE_ARGV 1 A "" "" "LINKS")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  if(NOT sources)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}: no *_test.cc")
  endif()
  add_executable(${name}_test ${sources})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name}_test PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name}_test PRIVATE assay_test_support ${A_LINKS} assay_warnings dep_fmt GTest::gtest GTest::gtest_main
    rapidcheck rapidcheck_gtest)
  gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST TEST_FILTER "-*Slow*" 
    PROPERTIES TIMEOUT 120 ENVIRONMENT RC_PARAMS=seed=7)
  gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST TEST_FILTER "*Slow*"
    TEST_LIST ${name}_slow PROPERTIES LABELS slow TIMEOUT 900 ENVIRONMENT RC_PARAMS=seed=7)
endfunction()
