/* Group, Object, ObjectIter, VFS and its stream buffers, FragmentInfo. */
#include "fixtures.h"

#include <algorithm>
#include <istream>
#include <ostream>

using namespace tiledb;

TEST(groups_have_members_and_metadata) {
  const Context ctx;
  const std::string root = harness::scratch();
  create_group(ctx, root);
  Group::create(ctx, root + "/inner");
  const std::string array = fixtures::dense_array(ctx);
  {
    Group group(ctx, root, TILEDB_WRITE);
    group.add_member("inner", true, "child");
    group.add_member(array, false, std::nullopt, TILEDB_ARRAY);
    group.put_metadata("k", TILEDB_INT32, 1, "abcd");
  }
  Group group(ctx, root, TILEDB_READ, Config());
  CHECK_EQ(group.member_count(), 2);
  CHECK(group.is_open() && group.query_type() == TILEDB_READ);
  CHECK(group.uri().find(root) != std::string::npos);
  const Object child = group.member("child");
  CHECK(child.type() == Object::Type::Group && child.name() == "child");
  CHECK(group.is_relative("child"));
  CHECK_EQ(group.member(0).name().has_value() + group.member(1).name().has_value(), 1);
  CHECK(group.dump(false).find("child") != std::string::npos);
  CHECK_EQ(group.metadata_num(), 1);
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t number = 0;
  const void* value = nullptr;
  group.get_metadata("k", &type, &number, &value);
  CHECK(type == TILEDB_INT32 && number == 1);
  CHECK(group.has_metadata("k", &type) && !group.has_metadata("other", &type));
  std::string key;
  group.get_metadata_from_index(0, &key, &type, &number, &value);
  CHECK_EQ(key, "k");
  CHECK_THROWS_WITH(group.member("none"), TileDBError, "none");
  CHECK_THROWS_WITH(group.member(2), TileDBError, "");
  group.close();
  CHECK(!group.is_open());
  group.open(TILEDB_WRITE);
  group.remove_member("child");
  group.delete_metadata("k");
  group.close(false);
  Group::consolidate_metadata(ctx, root);
  Group::vacuum_metadata(ctx, root);
  Group again(ctx, root, TILEDB_READ);
  CHECK_EQ(again.member_count(), 1);
  again.close();
  again.open(TILEDB_MODIFY_EXCLUSIVE);
  again.delete_group(root, false);
  again.close(false);
  CHECK(Object::object(ctx, array).type() == Object::Type::Array);
}

TEST(closed_and_moved_from_groups_fail) {
  const Context ctx;
  const std::string root = harness::scratch();
  Group::create(ctx, root);
  Group group(ctx, root, TILEDB_READ);
  Group moved = std::move(group);
  CHECK_THROWS_WITH(group.member_count(), TileDBError, "Invalid TileDB group object");
  moved.close();
  CHECK_THROWS_WITH(moved.member_count(), TileDBError, "");
  CHECK_THROWS_WITH(Group(ctx, harness::scratch(), TILEDB_READ), TileDBError, "");
  Config config = moved.config();
  moved.set_config(config);
  CHECK(moved.config() == config);
}

TEST(objects_are_found_moved_and_removed) {
  const Context ctx;
  const std::string uri = fixtures::dense_array(ctx), moved = harness::scratch();
  CHECK(Object::object(ctx, uri).type() == Object::Type::Array);
  Object::move(ctx, uri, moved);
  CHECK(Object::object(ctx, uri).type() == Object::Type::Invalid);
  CHECK_EQ(Object::object(ctx, moved).to_str(), "Obj<ARRAY \"" + moved + "\"");
  Object::remove(ctx, moved);
  CHECK_THROWS_WITH(Object::remove(ctx, moved), TileDBError, "");
  const Object member(Object::Type::Group, "u", "n");
  CHECK_EQ(harness::show(member), "Obj<GROUP \"u\" - \"n\">");
  CHECK(member == Object(TILEDB_GROUP, "u", "n") && member != Object(TILEDB_GROUP, "u"));
}

TEST(folders_are_walked) {
  Context ctx;
  const std::string root = harness::scratch();
  Group::create(ctx, root);
  Group::create(ctx, root + "/g");
  Array::create(root + "/g/a", fixtures::dense_schema(ctx));
  ObjectIter walk(ctx, root);
  size_t found = 0;
  for (const Object& object : walk)
    found += object.type() == Object::Type::Group;
  CHECK_EQ(found, 1);
  walk.set_recursive(TILEDB_POSTORDER);
  auto it = walk.begin();
  CHECK(it->type() == Object::Type::Array);
  CHECK((*++it).type() == Object::Type::Group);
  CHECK(++it == walk.end() && ++it == it.end());
  walk.set_iter_policy(false, true);
  CHECK(++walk.begin() == walk.end());
  walk.set_non_recursive();
  CHECK(walk.begin() == walk.end());
}

TEST(vfs_handles_files_and_folders) {
  const Context ctx;
  const VFS vfs(ctx);
  const std::string root = harness::scratch();
  vfs.create_dir(root);
  vfs.touch(root + "/a");
  CHECK(vfs.is_dir(root) && vfs.is_file(root + "/a") && !vfs.is_dir(root + "/a"));
  vfs.copy_file(root + "/a", root + "/b");
  vfs.move_file(root + "/b", root + "/c");
  CHECK_EQ(vfs.ls(root).size(), 2);
  CHECK_EQ(vfs.dir_size(root), 0);
  vfs.copy_dir(root, root + "2");
  vfs.move_dir(root + "2", root + "3");
  CHECK_EQ(vfs.ls(root + "3").size(), 2);
  vfs.remove_file(root + "/a");
  vfs.remove_dir(root);
  CHECK(!vfs.is_dir(root));
  CHECK_THROWS_WITH(vfs.file_size(root + "/a"), TileDBError, "");
}

TEST(vfs_has_a_configuration) {
  const Context ctx;
  Config config;
  config["vfs.file.posix_file_permissions"] = "600";
  const VFS vfs(ctx, config);
  CHECK_EQ(vfs.config().get("vfs.file.posix_file_permissions"), "600");
  CHECK(&vfs.context() == &ctx);
  const VFS borrowed(ctx, vfs.ptr().get(), false);
  CHECK(!borrowed.is_dir(harness::scratch()));
  CHECK_THROWS(VFS(ctx, static_cast<tiledb_vfs_t*>(nullptr)), TileDBError,
      "[TileDB::C++API] Error: Failed to create VFS from pointer");
  VFS source(ctx);
  const VFS moved = std::move(source);
  CHECK_THROWS_WITH(source.is_dir("/"), TileDBError, "");
  CHECK(moved.is_dir("/"));
}

TEST(stream_buffers_write_append_and_read) {
  const Context ctx;
  const VFS vfs(ctx);
  const std::string file = harness::scratch();
  {
    VFS::filebuf buffer(vfs);
    CHECK(buffer.open(file, std::ios::out) == &buffer);
    std::ostream stream(&buffer);
    stream << "line one\nline two\n" << 'x';
    buffer.close();
    CHECK(buffer.open(file, std::ios::app) == &buffer);
    stream << "yz";
    stream << "!";
  }
  VFS::filebuf buffer(vfs);
  CHECK(buffer.open(file) == &buffer);
  CHECK(buffer.is_open() && buffer.get_uri() == file);
  std::istream stream(&buffer);
  std::string line;
  CHECK(std::getline(stream, line) && line == "line one");
  CHECK_EQ(stream.tellg(), std::streampos(9));
  stream.seekg(-2, std::ios::end);
  CHECK_EQ(stream.get(), 'z');
  CHECK_EQ(stream.get(), '!');
  CHECK_EQ(stream.get(), std::char_traits<char>::eof());
  stream.clear();
  stream.seekg(0);
  std::string all(100, ' ');
  stream.read(all.data(), 100);
  CHECK_EQ(stream.gcount(), 22);
  CHECK_EQ(all.substr(0, 22), "line one\nline two\nxyz!");
  stream.clear();
  stream.seekg(1000);
  CHECK(stream.fail());
}

TEST(stream_buffers_that_do_not_open_are_closed) {
  const Context ctx;
  const VFS vfs(ctx);
  VFS::filebuf buffer(vfs);
  CHECK(buffer.open(harness::scratch() + "/no/file") == nullptr);
  CHECK(!buffer.is_open());
  CHECK(buffer.open(harness::scratch(), std::ios::in | std::ios::out) == nullptr);
  CHECK(buffer.close() == &buffer);
}

TEST(large_files_are_read_in_blocks) {
  const Context ctx;
  const VFS vfs(ctx);
  const std::string file = harness::scratch();
  std::string text(200000, ' ');
  for (size_t i = 0; i < text.size(); i++)
    text[i] = static_cast<char>('a' + i % 26);
  VFS::filebuf out(vfs);
  out.open(file, std::ios::out | std::ios::binary);
  CHECK_EQ(out.sputn(text.data(), 200000), 200000);
  out.close();
  VFS::filebuf in(vfs);
  in.open(file, std::ios::in | std::ios::binary);
  std::string read(10, ' ');
  CHECK_EQ(in.sgetn(read.data(), 10), 10);
  VFS::filebuf copy = in;
  VFS::filebuf moved = std::move(in);
  CHECK(!in.is_open());
  std::string rest(199990, ' ');
  CHECK_EQ(moved.sgetn(rest.data(), 199990), 199990);
  CHECK(read + rest == text);
  CHECK_EQ(copy.sbumpc(), text[10]);
}

TEST(folders_are_listed_recursively) {
  const Context ctx;
  const VFS vfs(ctx);
  const std::string root = harness::scratch();
  vfs.create_dir(root);
  vfs.create_dir(root + "/d");
  vfs.touch(root + "/d/f");
  std::vector<std::string> seen;
  VFSExperimental::ls_recursive_v2(ctx, vfs, root, [&](std::string_view path, uint64_t, bool is_dir) {
    seen.push_back(std::string(path) + (is_dir ? "/" : ""));
    return true;
  });
  CHECK_EQ(seen.size(), 2);
  const auto files = VFSExperimental::ls_recursive_filter_v2(
      ctx, vfs, root, [](std::string_view, uint64_t, bool is_dir) { return !is_dir; });
  CHECK_EQ(files.size(), 1);
  CHECK_EQ(VFSExperimental::ls_recursive_filter_v2(ctx, vfs, root).size(), 2);
  CHECK_THROWS(VFSExperimental::ls_recursive_v2(ctx, vfs, root, nullptr), std::logic_error,
      "ls_recursive_v2 callback function cannot be null");
  const auto throwing = [](std::string_view, uint64_t, bool) -> bool { throw std::runtime_error("from a callback"); };
  CHECK_THROWS_WITH(VFSExperimental::ls_recursive_v2(ctx, vfs, root, throwing), TileDBError, "from a callback");
}

TEST(fragment_info_describes_fragments) {
  const Context ctx;
  FragmentInfo info(ctx, fixtures::sparse_array(ctx));
  info.load();
  CHECK_EQ(info.fragment_num(), 1);
  CHECK_EQ(info.cell_num(0), 3);
  CHECK_EQ(info.total_cell_num(), 3);
  CHECK(info.sparse(0) && !info.dense(0));
  CHECK(info.fragment_size(0) > 0);
  CHECK_EQ(info.version(0), std::get<1>(version()) >= 31 ? 23 : 22);
  CHECK(info.fragment_uri(0).find(info.fragment_name(0)) != std::string::npos);
  CHECK_EQ(info.timestamp_range(0).first, info.timestamp_range(0).second);
  CHECK_EQ(info.non_empty_domain_var(0, 0).second, "cc");
  CHECK_EQ(info.non_empty_domain_var(0, "id").first, "a");
  uint64_t ends[2] = {};
  info.get_non_empty_domain(0, 1, ends);
  CHECK_EQ(ends[1], 3);
  info.get_non_empty_domain(0, "t", ends);
  CHECK_EQ(ends[0], 1);
  CHECK_EQ(info.mbr_num(0), 2);
  info.get_mbr(0, 0, 1, ends);
  CHECK_EQ(ends[1], 2);
  info.get_mbr(0, 1, "t", ends);
  CHECK_EQ(ends[0], 3);
  CHECK_EQ(info.mbr_var(0, 1, 0).first, "cc");
  CHECK_EQ(info.mbr_var(0, 0, "id").second, "b");
  CHECK_EQ(info.array_schema(0).attribute_num(), 2);
  CHECK(!info.array_schema_name(0).empty());
  CHECK(!info.has_consolidated_metadata(0));
  CHECK_EQ(info.unconsolidated_metadata_num(), 1);
  CHECK_EQ(info.to_vacuum_num(), 0);
  CHECK_THROWS_WITH(info.to_vacuum_uri(0), TileDBError, "");
  CHECK_THROWS_WITH(info.cell_num(1), TileDBError, "");
  CHECK(harness::show(info).find("Fragment num: 1") != std::string::npos);
  const FragmentInfo moved = std::move(info);
  CHECK_THROWS_WITH(info.fragment_num(), TileDBError, "");
  CHECK_EQ(moved.fragment_num(), 1);
}
