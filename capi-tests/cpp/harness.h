/*
 * Tests of the C++ API: tests register themselves, main() in harness.cpp runs those of the files it
 * is given.
 *
 *   TEST(adds_numbers) { CHECK_EQ(1 + 1, 2); }
 *
 * A check that fails throws; the other tests still run. Files that a test makes go below scratch(),
 * which is removed at the end.
 */
#ifndef CPP_HARNESS_H
#define CPP_HARNESS_H

#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <exception>
#include <sstream>
#include <string>

namespace harness {

struct Failure {
  std::string text;
};

struct Test {
  Test(const char* file, const char* name, void (*run)());
};

[[noreturn]] void fail(const char* file, int line, const std::string& text);

/* Returns a path that does not exist, in a folder of this run. */
std::string scratch();

/* Returns whether the library is libtiledb, for the few expectations that it does not meet. */
bool on_libtiledb();

template <typename T>
std::string show(const T& value) {
  std::ostringstream text;
  if constexpr (std::is_enum_v<T>)
    text << static_cast<long long>(value);
  else
    text << value;
  return text.str();
}

template <typename A, typename B>
bool equal(const A& a, const B& b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
    return static_cast<long long>(a) == static_cast<long long>(b);
  else
    return a == b;
}

/* Runs `call` and returns the Error that it throws; fails if it throws nothing or another type. */
template <typename Error, typename Call>
std::string thrown(const char* file, int line, const char* what, Call call) {
  try {
    call();
  } catch (const Error& error) {
    if (typeid(error) != typeid(Error))
      fail(file, line, std::string(what) + " throws a " + typeid(error).name() + ": " + error.what());
    return error.what();
  } catch (const std::exception& error) {
    fail(file, line, std::string(what) + " throws a " + typeid(error).name() + ": " + error.what());
  }
  fail(file, line, std::string(what) + " does not throw");
}

}  // namespace harness

#define TEST(name)                                                  \
  static void name();                                               \
  static const harness::Test test_##name(__FILE__, #name, name);    \
  static void name()

#define CHECK(condition)                                            \
  do {                                                              \
    if (!(condition))                                               \
      harness::fail(__FILE__, __LINE__, #condition);                \
  } while (0)

#define CHECK_EQ(given, expected)                                                                                     \
  do {                                                                                                              \
    const auto check_given = (given);                                                                               \
    const auto check_wanted = (expected);                                                                             \
    if (!harness::equal(check_given, check_wanted))                                                                 \
      harness::fail(__FILE__, __LINE__,                                                                             \
          std::string(#given) + " is '" + harness::show(check_given) + "', not '" + harness::show(check_wanted) + "'"); \
  } while (0)

/* Checks that the call throws exactly this type with exactly this message. */
#define CHECK_THROWS(call, Error, text) \
  CHECK_EQ(harness::thrown<Error>(__FILE__, __LINE__, #call, [&] { (void)(call); }), std::string(text))

/* Checks that the call throws exactly this type and that the message contains this text. */
#define CHECK_THROWS_WITH(call, Error, text)                                                                        \
  do {                                                                                                              \
    const std::string check_text = harness::thrown<Error>(__FILE__, __LINE__, #call, [&] { (void)(call); });        \
    if (check_text.find(text) == std::string::npos)                                                                 \
      harness::fail(__FILE__, __LINE__, std::string(#call) + " says '" + check_text + "', not '" + (text) + "'");   \
  } while (0)

#endif
