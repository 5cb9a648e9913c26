# The two commands of the README, and installing. Each sets up what it needs: cargo, a C compiler,
# make, python3 and pip must be there; cmake is installed where it is missing.
#
#   make demo      build the library and run the examples on a picture and a table
#   make test      everything that must hold; ends with an error if something does not
#   make sql-programs  the tool with SQL and the native module of SQL for Python, in target/tool, as they are released
#   make sql-tests the tests of SQL: of the crate and of the tool's command
#   make ballista-tests  queries on several processes with Ballista, which takes long to compile
#   make sql-bench queries over one table, beside DuckDB on a Parquet file; it needs the packages of sql/tests/tables.py
#   make tpch      the queries of TPC-H over arrays, compared with DuckDB; it needs the packages of sql/tests/tpch/run.py
#   make check     in a few minutes: format, lint, unit tests, and the checks of documents and structure
#   make docs      the documents as a site in build/site; mdbook is built if it is missing
#   make install   into PREFIX (/usr/local)
#   make deb       a Debian package in the build folder
#   make wheel     a package for Python in the build folder, which TileDB-Py can use as its library; GLIBC=2.28 builds it for
#                  that version of the C library and later ones, with the linker of zig
#   make release  everything that a release publishes, in build/release (docs/release.md)
#   make reproducible   builds the commit twice, in two folders, and compares the library, the header and the package

BUILD ?= build
PREFIX ?= /usr/local
CMAKE := $(BUILD)/tools/cmake
# Sets the Python of tests, which has pyarrow and polars.
WITH_PYTHON = TILEDB_RS_PYTHON="$$(capi-tests/python-environment $(BUILD)/python)"

# The engine's features that the C library does not have. SQL is tested by `make sql-tests`: DataFusion takes
# longer to compile than everything else together.
FEATURES := --features tiledb-engine/arrow,tiledb-engine/ndarray,tiledb-engine/serde,tiledb-engine/async,tiledb-engine/testing
CRATES := --workspace --exclude tiledb-datafusion --exclude tiledb-python-sql $(FEATURES) --locked
# All commands with DataFusion have these packages and features, because its dependencies have others otherwise,
# and it is compiled again. Tests need tiledb-python.
SQL := --package tiledb-datafusion --package tiledb-python-sql --package tiledb-python --package tiledb-rs-cli \
	--features tiledb-datafusion/proto,tiledb-rs-cli/sql --locked

MDBOOK := $(BUILD)/tools/bin/mdbook
ZIG := $(BUILD)/tools/zig
MACHINE = $(shell uname -m)-unknown-linux-gnu

.PHONY: demo test sql-bench sql-programs sql-tests ballista-tests tpch check docs install deb wheel release reproducible format lint crate-tests c-programs c-tests

demo: $(CMAKE)
	"$(CMAKE)" -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	"$(CMAKE)" --build $(BUILD) --target demo

# The committed header is tested, not a renewed one.
# The release library and the C programs are built at low priority beside the other checks, which
# do not use all processors all the time. If that fails, c-tests repeats it and shows the errors.
# Compiling without incremental state takes a sixth less time and several gigabytes less.
test: export TILEDB_RS_KEEP_HEADER = 1
test: export CARGO_INCREMENTAL = 0
test: SHELL = bash
test: format $(CMAKE)
	@echo "== building the programs of the C tests in the background"
	@capi-tests/upstream-library >/dev/null
	@capi-tests/python-environment $(BUILD)/python >/dev/null
	@set -m; nice -n 19 $(MAKE) c-programs >"$(BUILD)/c-programs.log" 2>&1 & builder=$$!; set +m; \
	trap 'kill -- -$$builder 2>/dev/null' EXIT; \
	$(MAKE) lint crate-tests || exit 1; \
	wait $$builder || echo "the programs of the C tests were not built"
	$(MAKE) c-tests
	@echo "== all tests passed"

format:
	@echo "== format"
	cargo fmt --all --check

lint:
	@echo "== lint"
	cargo clippy $(CRATES) --all-targets -- -D warnings
	cargo check --package tiledb-engine --locked
	RUSTDOCFLAGS="-D warnings" cargo doc --package tiledb-engine --features arrow,async,ndarray,serde --no-deps --locked
	docs/public-names target/doc/tiledb_engine | diff engine/public-names.txt - \
		|| { echo "the public names of the engine are others: see docs/public-names"; exit 1; }
	cargo test $(CRATES) --test prose --test names --test dependencies

crate-tests:
	@echo "== tests of the crates; against libtiledb where it can be had"
	@mkdir -p $(BUILD)
	@export TILEDB_UPSTREAM_LIB="$$(capi-tests/upstream-library)"; \
	$(WITH_PYTHON) tests/run-crates "$(BUILD)/crate-tests.log" $(CRATES)

sql-tests:
	cargo clippy $(SQL) --all-targets -- -D warnings
	@export TILEDB_UPSTREAM_LIB="$$(capi-tests/upstream-library)"; \
	$(WITH_PYTHON) cargo test $(SQL)

ballista-tests:
	cd sql/ballista && cargo clippy --all-targets --locked -- -D warnings && cargo test --locked

# The program of the benchmark, of which cargo prints the path.
QUERIES = cargo bench --profile tool $(SQL) --bench queries --no-run --message-format=json | grep '"name":"queries"' | grep -o '"executable":"[^"]*' | cut -d'"' -f4

sql-programs:
	cargo build --profile tool $(SQL)

tpch:
	cargo build --profile tool $(SQL) --bin tiledb-rs
	python3 sql/tests/tpch/run.py --tool target/tool/tiledb-rs --times --program "$$($(QUERIES))"

sql-bench:
	python3 sql/tests/tables.py --program "$$($(QUERIES))"

c-programs: $(CMAKE)
	"$(CMAKE)" -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DTILEDB_UPSTREAM_LIB="$$(capi-tests/upstream-library)"
	"$(CMAKE)" --build $(BUILD) --parallel 2

# Many of these tests wait for disks and servers: there are more at a time than processors.
c-tests: c-programs
	@echo "== tests in C and C++, on our library and, where it can be had, on libtiledb"
	$(WITH_PYTHON); export TILEDB_RS_PYTHON; cd $(BUILD) && tools/ctest --output-on-failure --parallel 4

# A first look: what most mistakes break. It builds no release library, and all commands share one build.
check: export TILEDB_RS_KEEP_HEADER = 1
check: format
	@echo "== lint"
	cargo clippy $(CRATES) --lib -- -D warnings
	@echo "== unit tests, documents, names and structure"
	cargo test $(CRATES) --lib --test prose --test names --test behaviours --test documents --test documented \
		--test module_order --test import_cycles --test type_names --test unsafe_code --test statics
	@echo "== a C program"
	cargo build $(CRATES) --lib
	@mkdir -p $(BUILD)/check
	@ln -sf "$(CURDIR)/target/debug/libtiledb_rs.so" $(BUILD)/check/libtiledb.so.2.30
	$(CC) examples-c/first.c -Iinclude $(BUILD)/check/libtiledb.so.2.30 -Wl,-rpath,"$(CURDIR)/$(BUILD)/check" \
		-o $(BUILD)/check/first
	cd $(BUILD)/check && ./first
	@echo "== all checks passed"

# References in C and C++ are left out without doxygen.
docs: $(MDBOOK)
	cargo doc --package tiledb-engine --features arrow,async,ndarray,serde --no-deps --locked
	@references="Rust=target/doc/tiledb_engine/index.html"; \
	if command -v doxygen >/dev/null; then mkdir -p $(BUILD)/doxygen; \
		{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $(BUILD)/doxygen/cpp"; } | doxygen - && \
		{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $(BUILD)/doxygen/c"; echo "PROJECT_NAME = \"TileDB in Rust: C API\""; \
			echo "INPUT = include docs/c-api.md"; echo "USE_MDFILE_AS_MAINPAGE = docs/c-api.md"; echo "RECURSIVE = NO"; \
			echo "EXCLUDE_PATTERNS ="; echo "FILE_PATTERNS = *.h *.md"; } | doxygen - && \
		references="$$references C=$(BUILD)/doxygen/c/html/index.html C++=$(BUILD)/doxygen/cpp/html/index.html"; \
	else echo "skipped: references in C and C++ need doxygen"; fi; \
	docs/build-site $(BUILD)/site "$(MDBOOK)" $$references
	@echo "== $(BUILD)/site/book/index.html"

$(MDBOOK):
	cargo install mdbook --version 0.5.4 --locked --root $(BUILD)/tools

install: $(CMAKE)
	"$(CMAKE)" -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	"$(CMAKE)" --build $(BUILD) --target tiledb_cargo
	"$(CMAKE)" --install $(BUILD) --prefix "$(PREFIX)"

deb: $(CMAKE)
	"$(CMAKE)" -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	"$(CMAKE)" --build $(BUILD) --target tiledb_cargo
	"$(CMAKE)" --build $(BUILD) --target package

ifdef GLIBC
wheel: $(ZIG)
	PATH="$(abspath $(ZIG))/bin:$$PATH" cargo zigbuild --release --locked --package tiledb-python --target $(MACHINE).$(GLIBC)
	python/build-wheel target/$(MACHINE)/release/libtiledb_python.so $(BUILD)/wheels
else
wheel:
	cargo build --release --locked --package tiledb-python
	python/build-wheel target/release/libtiledb_python.so $(BUILD)/wheels
endif

$(ZIG):
	python3 -m venv $@
	$@/bin/pip install --quiet ziglang==0.17.1 cargo-zigbuild==0.24.1

release: $(CMAKE)
	cmake/release $(BUILD)/release "$(CMAKE)" $(LAST_RELEASE)

reproducible:
	cmake/reproducible

$(CMAKE):
	cmake/get-cmake $(BUILD)/tools
