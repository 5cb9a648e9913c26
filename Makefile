# The two commands of the README, and installing. Each sets up what it needs: cargo, a C compiler,
# make, python3 and pip must be there; cmake is installed where it is missing.
#
#   make demo      build the library and run the examples on a picture and a table
#   make test      everything that must hold; ends with an error if something does not
#   make install   into PREFIX (/usr/local)
#   make deb       a Debian package in the build folder
#   make wheel     a package for Python in the build folder, with which TileDB-Py uses the library
#   make reproducible   builds the commit twice, in two folders, and compares the library, the header and the package

BUILD ?= build
PREFIX ?= /usr/local
CMAKE := $(BUILD)/tools/cmake
# Sets the Python of tests, which has pyarrow and polars.
WITH_PYTHON = TILEDB_RS_PYTHON="$$(capi-tests/python-environment $(BUILD)/python)"

# The engine's features that the C library does not have, and SQL.
FEATURES := --features tiledb-engine/arrow,tiledb-engine/ndarray,tiledb-datafusion/proto

.PHONY: demo test install deb wheel reproducible format lint crate-tests c-programs c-tests

demo: $(CMAKE)
	"$(CMAKE)" -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	"$(CMAKE)" --build $(BUILD) --target demo

# The committed header is tested, not a renewed one.
# The release library and the C programs are built at low priority beside the other checks, which
# do not use all processors all the time. If that fails, c-tests repeats it and shows the errors.
test: export TILEDB_RS_KEEP_HEADER = 1
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
	cargo clippy --workspace --all-targets $(FEATURES) --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --package tiledb-engine --features arrow,ndarray --no-deps --locked
	cargo test --workspace $(FEATURES) --locked --test prose --test names --test dependencies

# At the end it repeats the failures, which are far from the end of the output.
crate-tests: SHELL = bash
crate-tests:
	@echo "== tests of the crates; against libtiledb where it can be had"
	@mkdir -p $(BUILD)
	@set -o pipefail; export TILEDB_UPSTREAM_LIB="$$(capi-tests/upstream-library)"; \
	$(WITH_PYTHON) cargo test --workspace $(FEATURES) --locked --no-fail-fast 2>&1 | tee "$(BUILD)/crate-tests.log" || { \
		echo "== the failures:"; \
		sed -n '/^failures:/,/^test result: FAILED/p; /^Caused by:/,/^$$/p' "$(BUILD)/crate-tests.log"; \
		tail -n 20 "$(BUILD)/crate-tests.log"; exit 1; }

c-programs: $(CMAKE)
	"$(CMAKE)" -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DTILEDB_UPSTREAM_LIB="$$(capi-tests/upstream-library)"
	"$(CMAKE)" --build $(BUILD) --parallel 2

c-tests: c-programs
	@echo "== tests in C and C++, on our library and, where it can be had, on libtiledb"
	$(WITH_PYTHON); export TILEDB_RS_PYTHON; cd $(BUILD) && tools/ctest --output-on-failure --parallel 2

install: $(CMAKE)
	"$(CMAKE)" -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	"$(CMAKE)" --build $(BUILD) --target tiledb_cargo
	"$(CMAKE)" --install $(BUILD) --prefix "$(PREFIX)"

deb: $(CMAKE)
	"$(CMAKE)" -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	"$(CMAKE)" --build $(BUILD) --target tiledb_cargo
	"$(CMAKE)" --build $(BUILD) --target package

wheel: $(CMAKE)
	"$(CMAKE)" -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	"$(CMAKE)" --build $(BUILD) --target tiledb_cargo
	python/build-wheel target/release/libtiledb_rs.so $(BUILD)/wheels

reproducible:
	cmake/reproducible

$(CMAKE):
	cmake/get-cmake $(BUILD)/tools
