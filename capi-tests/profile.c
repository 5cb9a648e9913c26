/* Profiles: named sets of parameters in a file, and configurations that refer to them. */
#include "arrays.h"

#include <sys/stat.h>

/* Checks that the call succeeds without an error. Here and below, calls store errors in `error`. */
#define CHECK_SUCCEEDS(call)                    \
  do {                                      \
    CHECK_EQ((call), TILEDB_OK);            \
    CHECK(error == NULL);                   \
  } while (0)

/* Checks that the call fails with an error that begins with this text. */
#define CHECK_REFUSED(call, text)           \
  do {                                      \
    CHECK_EQ((call), TILEDB_ERR);           \
    check_error(&error, text);              \
  } while (0)

/* Checks that the text of an error begins with `begin`, and frees the error. */
static void check_error(tiledb_error_t** error, const char* begin) {
  const char* text = NULL;
  CHECK(*error != NULL);
  CHECK_EQ(tiledb_error_message(*error, &text), TILEDB_OK);
  if (strncmp(text, begin, strlen(begin)) != 0) harness_fail(__FILE__, __LINE__, "'%s' does not begin with '%s'", text, begin);
  tiledb_error_free(error);
}

static tiledb_profile_t* new_profile(const char* name, const char* folder) {
  tiledb_profile_t* profile = NULL;
  tiledb_error_t* error = NULL;
  CHECK_SUCCEEDS(tiledb_profile_alloc(name, folder, &profile, &error));
  return profile;
}

static void set_in(tiledb_profile_t* profile, const char* param, const char* value) {
  tiledb_error_t* error = NULL;
  CHECK_SUCCEEDS(tiledb_profile_set_param(profile, param, value, &error));
}

/* Returns the value of a parameter, or null if it is not set. Valid until the next call. */
static const char* param_of(tiledb_profile_t* profile, const char* param) {
  tiledb_string_t* value = NULL;
  tiledb_error_t* error = NULL;
  CHECK_SUCCEEDS(tiledb_profile_get_param(profile, param, &value, &error));
  return value == NULL ? NULL : text_of(&value);
}

TEST(a_profile_has_a_name_a_folder_and_parameters) {
  tiledb_error_t* error = NULL;
  tiledb_string_t* text = NULL;
  tiledb_profile_t* profile = new_profile("mine", "/some/folder");
  CHECK_SUCCEEDS(tiledb_profile_get_name(profile, &text, &error));
  CHECK_TEXT(text_of(&text), "mine");
  CHECK_SUCCEEDS(tiledb_profile_get_dir(profile, &text, &error));
  CHECK_TEXT(text_of(&text), "/some/folder/");
  CHECK_SUCCEEDS(tiledb_profile_dump_str(profile, &text, &error));
  CHECK_TEXT(text_of(&text), "{\n  \"mine\": null\n}");
  CHECK(param_of(profile, "rest.token") == NULL);
  set_in(profile, "rest.token", "a \"b\"");
  set_in(profile, "foo", NULL);
  CHECK_TEXT(param_of(profile, "rest.token"), "a \"b\"");
  CHECK_TEXT(param_of(profile, "foo"), "");
  CHECK_SUCCEEDS(tiledb_profile_dump_str(profile, &text, &error));
  CHECK_TEXT(text_of(&text), "{\n  \"mine\": {\n    \"foo\": \"\",\n    \"rest.token\": \"a \\\"b\\\"\"\n  }\n}");
  tiledb_profile_free(&profile);
  CHECK(profile == NULL);
}

TEST(default_profile_is_in_the_home_folder) {
  char home[128], expected[160], before[512] = "";
  tiledb_error_t* error = NULL;
  tiledb_string_t* text = NULL;
  snprintf(home, sizeof home, "%s", scratch());
  snprintf(expected, sizeof expected, "%s/.tiledb/", home);
  if (getenv("HOME") != NULL) snprintf(before, sizeof before, "%s", getenv("HOME"));
  setenv("HOME", home, 1);
  tiledb_profile_t* profile = new_profile(NULL, "");
  CHECK_SUCCEEDS(tiledb_profile_get_name(profile, &text, &error));
  CHECK_TEXT(text_of(&text), "default");
  CHECK_SUCCEEDS(tiledb_profile_get_dir(profile, &text, &error));
  CHECK_TEXT(text_of(&text), expected);
  tiledb_profile_free(&profile);
  setenv("TILEDB_PROFILE_DIR", "/other", 1);
  profile = new_profile("", NULL);
  CHECK_SUCCEEDS(tiledb_profile_get_dir(profile, &text, &error));
  CHECK_TEXT(text_of(&text), "/other/");
  tiledb_profile_free(&profile);
  unsetenv("TILEDB_PROFILE_DIR");
  unsetenv("HOME");
  CHECK_REFUSED(tiledb_profile_alloc(NULL, NULL, &profile, &error), "RestProfile: Failed to create RestProfile; $HOME");
  if (before[0] != '\0') setenv("HOME", before, 1);
}

TEST(saved_profiles_can_be_loaded_and_removed) {
  char folder[128];
  tiledb_error_t* error = NULL;
  snprintf(folder, sizeof folder, "%s", scratch());
  tiledb_profile_t *one = new_profile("one", folder), *other = new_profile("other", folder), *again = NULL;
  CHECK_REFUSED(tiledb_profile_load(one, &error), "RestProfile: Failed to load profile; file does not exist.");
  CHECK_REFUSED(tiledb_profile_remove("one", folder, &error), "RestProfile: Failed to remove profile; file does not");
  set_in(one, "sm.memory_budget", "77");
  CHECK_SUCCEEDS(tiledb_profile_save(one, 0, &error));
  CHECK_REFUSED(tiledb_profile_load(other, &error), "RestProfile: Failed to load profile; profile 'other' does not");
  CHECK_SUCCEEDS(tiledb_profile_save(other, 0, &error));
  CHECK_REFUSED(tiledb_profile_save(one, 0, &error), "RestProfile: Failed to save 'one'; This profile already exists.");
  CHECK_SUCCEEDS(tiledb_profile_save(one, 1, &error));
  again = new_profile("one", folder);
  set_in(again, "own", "kept");
  CHECK_SUCCEEDS(tiledb_profile_load(again, &error));
  CHECK_TEXT(param_of(again, "sm.memory_budget"), "77");
  CHECK_TEXT(param_of(again, "own"), "kept");
  CHECK_SUCCEEDS(tiledb_profile_remove("one", folder, &error));
  CHECK_REFUSED(tiledb_profile_remove("one", folder, &error), "RestProfile: Failed to remove profile; profile does");
  CHECK_SUCCEEDS(tiledb_profile_load(other, &error));
  tiledb_profile_free(&again);
  tiledb_profile_free(&other);
  tiledb_profile_free(&one);
}

TEST(profiles_are_readable_by_their_owner_only) {
  char folder[128], file[160];
  struct stat status;
  tiledb_error_t* error = NULL;
  snprintf(folder, sizeof folder, "%s", scratch());
  tiledb_profile_t* profile = new_profile("one", folder);
  CHECK_SUCCEEDS(tiledb_profile_save(profile, 0, &error));
  snprintf(file, sizeof file, "%s/profiles.json", folder);
  CHECK_EQ(stat(file, &status), 0);
#ifndef LIBTILEDB_ITSELF
  CHECK_EQ(status.st_mode & 077, 0);
#endif
  tiledb_profile_free(&profile);
}

TEST(a_user_needs_a_password) {
  tiledb_error_t* error = NULL;
  tiledb_profile_t* profile = new_profile("one", scratch());
  set_in(profile, "rest.username", "me");
  CHECK_REFUSED(tiledb_profile_save(profile, 0, &error), "RestProfile: Failed to save profile: 'rest.username' and");
  set_in(profile, "rest.password", "secret");
  CHECK_SUCCEEDS(tiledb_profile_save(profile, 0, &error));
  tiledb_profile_free(&profile);
}

static void check_value(tiledb_config_t* config, const char* param, const char* expected) {
  tiledb_error_t* error = NULL;
  const char* value = NULL;
  CHECK_SUCCEEDS(tiledb_config_get(config, param, &value, &error));
  CHECK_TEXT(value, expected);
}

TEST(a_configuration_takes_parameters_of_the_profile_it_names) {
  char folder[128];
  tiledb_error_t* error = NULL;
  tiledb_config_t *config = NULL, *of_context = NULL;
  tiledb_ctx_t* ctx = NULL;
  snprintf(folder, sizeof folder, "%s", scratch());
  tiledb_profile_t* profile = new_profile("mine", folder);
  set_in(profile, "sm.memory_budget", "77");
  set_in(profile, "my.own", "text");
  set_in(profile, "rest.token", "token");
  CHECK_SUCCEEDS(tiledb_profile_save(profile, 0, &error));
  tiledb_profile_free(&profile);
  CHECK_SUCCEEDS(tiledb_config_alloc(&config, &error));
  check_value(config, "my.own", NULL);
  CHECK_SUCCEEDS(tiledb_config_set(config, "profile_name", "mine", &error));
  CHECK_SUCCEEDS(tiledb_config_set(config, "profile_dir", folder, &error));
  check_value(config, "sm.memory_budget", "77");
  check_value(config, "my.own", "text");
  check_value(config, "rest.token", "token");
  /* Environment variables take precedence over the profile, and explicit settings over both. */
  setenv("TILEDB_SM_MEMORY_BUDGET", "78", 1);
  check_value(config, "sm.memory_budget", "78");
  unsetenv("TILEDB_SM_MEMORY_BUDGET");
  CHECK_SUCCEEDS(tiledb_config_set(config, "my.own", "set", &error));
  check_value(config, "my.own", "set");
  CHECK_EQ(tiledb_ctx_alloc(config, &ctx), TILEDB_OK);
  CHECK_OK(ctx, tiledb_ctx_get_config(ctx, &of_context));
  check_value(of_context, "sm.memory_budget", "77");
  tiledb_config_free(&of_context);
  tiledb_ctx_free(&ctx);
  tiledb_config_free(&config);
}

TEST(a_missing_profile_in_a_configured_folder_is_an_error) {
  tiledb_error_t* error = NULL;
  tiledb_config_t* config = NULL;
  tiledb_ctx_t* ctx = NULL;
  const char* value = NULL;
  const char* no_profile = "Config: Failed to load the REST profile.";
  CHECK_SUCCEEDS(tiledb_config_alloc(&config, &error));
  CHECK_SUCCEEDS(tiledb_config_set(config, "profile_dir", scratch(), &error));
  CHECK_REFUSED(tiledb_config_get(config, "sm.memory_budget", &value, &error), no_profile);
  tiledb_config_free(&config);
  CHECK_SUCCEEDS(tiledb_config_alloc(&config, &error));
  CHECK_SUCCEEDS(tiledb_config_set(config, "profile_dir", scratch(), &error));
  CHECK_REFUSED(tiledb_ctx_alloc_with_error(config, &ctx, &error), no_profile);
  CHECK(ctx == NULL);
  tiledb_config_free(&config);
}

TEST(bad_arguments_are_errors) {
  tiledb_error_t* error = NULL;
  tiledb_string_t* text = NULL;
  tiledb_profile_t* profile = new_profile("one", "/x");
  CHECK_REFUSED(tiledb_profile_alloc("one", "/x", NULL, &error), "C API: Invalid output pointer for object");
  CHECK_REFUSED(tiledb_profile_get_name(NULL, &text, &error), "C API: Invalid TileDB profile object");
  CHECK_REFUSED(tiledb_profile_get_dir(profile, NULL, &error), "C API: Invalid output pointer for object");
  CHECK_REFUSED(tiledb_profile_load(NULL, &error), "C API: Invalid TileDB profile object");
  CHECK_REFUSED(tiledb_profile_set_param(profile, NULL, "x", &error), "C API: [tiledb_profile_set_param] Parameter");
  CHECK_REFUSED(tiledb_profile_set_param(profile, "", "x", &error), "RestProfile: Failed to retrieve parameter;");
  CHECK_REFUSED(tiledb_profile_get_param(profile, NULL, &text, &error), "C API: [tiledb_profile_get_param] Parameter");
  CHECK_EQ(tiledb_profile_load(profile, NULL), TILEDB_INVALID_ERROR);
  tiledb_profile_free(&profile);
}

TEST(a_profile_of_the_environment_gives_way_to_one_of_the_configuration) {
  char folder[128];
  tiledb_error_t* error = NULL;
  snprintf(folder, sizeof folder, "%s", scratch());
  const char* names[] = {"one", "other"};
  for (int i = 0; i < 2; i++) {
    tiledb_profile_t* profile = new_profile(names[i], folder);
    set_in(profile, "my.own", names[i]);
    CHECK_SUCCEEDS(tiledb_profile_save(profile, 0, &error));
    tiledb_profile_free(&profile);
  }
  setenv("TILEDB_PROFILE_NAME", "one", 1);
  setenv("TILEDB_PROFILE_DIR", folder, 1);
  tiledb_config_t* config = config_with(NULL, NULL);
  check_value(config, "my.own", "one");
  set_param(config, "profile_name", "other");
  check_value(config, "my.own", "other");
  unsetenv("TILEDB_PROFILE_NAME");
  unsetenv("TILEDB_PROFILE_DIR");
  tiledb_config_free(&config);
}
