//! Writes the first inputs of all targets to a folder.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "corpus".to_owned());
    tiledb_rs_fuzz::corpus::write(Path::new(&folder))
}
