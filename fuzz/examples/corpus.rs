//! Writes the first inputs of each target to a folder of its name.

use std::fs;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let top = PathBuf::from(std::env::args().nth(1).as_deref().unwrap_or("corpus"));
    for (target, inputs) in tiledb_rs_fuzz::corpus::inputs() {
        let folder = top.join(target);
        fs::create_dir_all(&folder)?;
        for (number, input) in inputs.iter().enumerate() {
            fs::write(folder.join(format!("seed-{number}")), input)?;
        }
    }
    Ok(())
}
