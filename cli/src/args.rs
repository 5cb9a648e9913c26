//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};

const EXIT_CODES: &str = "Exit codes:
  0    success
  1    `diff` found differences, or `check` found damage
  2    invalid arguments: the command line, a name, a value or a condition
  3    the array or group does not exist
  4    storage failed, or stored data is damaged
  130  interrupted by Ctrl-C; 143 by a request to terminate";

/// Inspects, converts and maintains TileDB arrays and groups.
#[derive(Debug, Parser)]
#[command(name = "tiledb-rs", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Prints the result as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Sets a configuration parameter; can be repeated
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    pub(crate) config: Vec<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The time at which an array is read.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Time {
    /// Reads the state at this timestamp, in milliseconds since 1970
    #[arg(long, value_name = "TIMESTAMP", allow_negative_numbers = true)]
    pub(crate) at: Option<u64>,
}

/// The selection of cells.
#[derive(Args, Clone, Debug)]
pub(crate) struct Cells {
    /// Selects fields, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "FIELDS")]
    pub(crate) columns: Vec<String>,
    /// Selects a range of a dimension, both bounds included; can be repeated. Without one, tables
    /// and statistics have all cells of a sparse array, or the box of a dense array that contains
    /// all written cells
    #[arg(long, value_name = "DIMENSION=LOW..HIGH", allow_hyphen_values = true)]
    pub(crate) range: Vec<String>,
    /// Selects cells that satisfy a condition, such as "a > 3 AND b = 'x'"
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) condition: Option<String>,
    #[command(flatten)]
    pub(crate) time: Time,
}

/// The format of printed cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CellFormat {
    /// Aligned columns
    Table,
    /// Comma-separated values
    Csv,
    /// A JSON array of objects
    Json,
    /// A stream of Arrow record batches, for programs
    Arrow,
}

/// The files that consolidation merges and vacuum removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Fragments
    Fragments,
    /// Footers of fragments
    FragmentMeta,
    /// Commit files
    Commits,
    /// Metadata of an array
    ArrayMeta,
    /// Remains of killed processes; for vacuum only
    Garbage,
}

/// The format of an imported or exported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// Comma-separated values with a header
    Csv,
    /// A NumPy array
    Npy,
    /// Several NumPy arrays, which become a group; for import only
    Npz,
    /// A JSON array of objects; for export only
    Json,
    /// A Parquet file
    Parquet,
    /// An Arrow file, also known as Feather
    Arrow,
    /// A stream of Arrow record batches
    ArrowStream,
    /// A PNG picture
    Png,
    /// A TIFF picture
    Tiff,
}

/// The representation of the channels of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Channels {
    /// An attribute for each channel
    Attributes,
    /// A third dimension
    Dimension,
}

/// The goal for which the schema of an imported array is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaGoal {
    /// The time of reads on a local disk, and the size
    #[default]
    Balanced,
    /// The size
    Size,
    /// The time of reads of data in memory
    Speed,
    /// Nothing: zstd for all fields, and texts as they are
    None,
}

/// The comparison after a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Verification {
    /// The sizes and hashes of all files
    Files,
    /// The files, and then all cells
    Cells,
}

/// A picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Picture {
    /// The domains of the fragments, colored by age
    Fragments,
    /// The bounding rectangles of the tiles; with --range, --where or --explain colored by what a
    /// read of these cells does with them
    Tiles,
    /// The mean of an attribute in the selected cells, over two dimensions
    Array,
    /// Writes and consolidations over time
    Timeline,
}

/// The form of a picture.
#[derive(Args, Clone, Debug)]
pub(crate) struct PictureOptions {
    /// Writes the picture to an SVG or PNG file instead of the terminal
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// The attribute that `array` draws; the first one by default
    #[arg(long, value_name = "NAME")]
    pub(crate) attribute: Option<String>,
    /// The horizontal and the vertical dimension; the first two by default
    #[arg(long, value_delimiter = ',', value_name = "HORIZONTAL,VERTICAL")]
    pub(crate) axes: Vec<String>,
    /// Colors `tiles` by a read of all cells
    #[arg(long)]
    pub(crate) explain: bool,
    /// Selects a range of a dimension, both bounds included, for `array` and `tiles`; can be
    /// repeated
    #[arg(long, value_name = "DIMENSION=LOW..HIGH", allow_hyphen_values = true)]
    pub(crate) range: Vec<String>,
    /// Selects the cells that satisfy a condition, for `array` and `tiles`
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) condition: Option<String>,
    /// The number of characters of a line in the terminal
    #[arg(long, default_value_t = 80)]
    pub(crate) width: usize,
    #[command(flatten)]
    pub(crate) time: Time,
}

/// The format and the target of an import.
#[derive(Args, Clone, Debug)]
pub(crate) struct ImportOptions {
    /// The format; by default that of the file's extension
    #[arg(long, value_enum)]
    pub(crate) format: Option<FileFormat>,
    /// Appends the rows of a table to an existing array with the same fields
    #[arg(long, conflicts_with_all = ["dimensions", "types"])]
    pub(crate) append: bool,
    #[command(flatten)]
    pub(crate) table: TableOptions,
    /// The goal for which the tiles, filters and enumerations of the new array are chosen, from a
    /// sample of the file
    #[arg(
        long,
        value_enum,
        default_value = "balanced",
        conflicts_with = "append"
    )]
    pub(crate) goal: SchemaGoal,
    /// The representation of the channels of a picture
    #[arg(long, value_enum, default_value = "attributes")]
    pub(crate) channels: Channels,
}

/// The columns of an imported table.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TableOptions {
    /// Makes columns of a table dimensions, in this order; by default the number of the row is one
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    pub(crate) dimensions: Vec<String>,
    /// Sets the datatype of a column instead of inferring it; can be repeated
    #[arg(long = "type", value_name = "COLUMN=DATATYPE")]
    pub(crate) types: Vec<String>,
}

/// The measurement of candidates.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct BenchOptions {
    /// About the number of cells that are read from the array
    #[arg(long, default_value_t = 200_000, value_name = "CELLS")]
    pub(crate) sample: u64,
    /// Writes candidates to a temporary folder instead of memory
    #[arg(long)]
    pub(crate) disk: bool,
}

/// A query over arrays.
#[cfg(feature = "sql")]
#[derive(Args, Clone, Debug)]
pub(crate) struct SqlOptions {
    /// The query; without it, queries are read from a prompt or the standard input
    pub(crate) query: Option<String>,
    /// Names an array as a table, or a group as a schema; can be repeated
    #[arg(long, value_name = "NAME=URI")]
    pub(crate) table: Vec<String>,
    /// Sets an option of all tables, such as dictionaries=true; can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) table_option: Vec<String>,
    /// Prints comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
    /// Writes the rows to a file (.parquet, .arrow, .csv) or to a new array at a URI
    #[arg(short, long, value_name = "FILE|URI", requires = "query")]
    pub(crate) output: Option<String>,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prints a summary of an array or group
    Info {
        /// The array or group
        uri: String,
        #[command(flatten)]
        time: Time,
    },
    /// Prints the schema of an array
    Schema {
        /// The array
        uri: String,
        #[command(flatten)]
        time: Time,
    },
    /// Lists the fragments of an array
    Fragments {
        /// The array
        uri: String,
        #[command(flatten)]
        time: Time,
        /// Lists the first and the last cell of each tile, which fragments store since format
        /// version 23
        #[arg(long)]
        tiles: bool,
    },
    /// Prints the metadata of an array or group
    Metadata {
        /// The array or group
        uri: String,
        /// Prints only the value of this key
        key: Option<String>,
        /// Stores a text with the key
        #[arg(long, value_name = "TEXT", requires = "key")]
        set: Option<String>,
        /// Removes the key
        #[arg(long, requires = "key", conflicts_with = "set")]
        delete: bool,
    },
    /// Describes the configuration parameters
    Config {
        /// Only parameters whose names contain this text
        part: Option<String>,
    },
    /// Lists the arrays and groups in a folder, or the members of a group
    Ls {
        /// The folder or group
        uri: String,
    },
    /// Prints a group and everything in it as a tree
    Tree {
        /// The group
        uri: String,
    },
    /// Prints the sizes of an array or of the members of a group
    Size {
        /// The array or group
        uri: String,
    },
    /// Prints the first cells
    Head {
        /// The array
        uri: String,
        /// The number of cells
        #[arg(short = 'n', long, default_value_t = 10, allow_negative_numbers = true)]
        count: usize,
        #[command(flatten)]
        cells: Cells,
    },
    /// Prints cells
    Cat {
        /// The array
        uri: String,
        #[command(flatten)]
        cells: Cells,
        /// The format; with --json, it is JSON
        #[arg(long, value_enum, default_value = "table")]
        format: CellFormat,
        /// Prints at most this number of cells
        #[arg(short = 'n', long)]
        limit: Option<usize>,
    },
    /// Explains a read of cells: the tiles that are read and excluded, bytes, times, and hints
    Explain {
        /// The array
        uri: String,
        #[command(flatten)]
        cells: Cells,
        /// Prints the plan without reading the cells
        #[arg(long)]
        plan: bool,
    },
    /// Prints minimum, maximum, mean and nulls of each field
    Stats {
        /// The array
        uri: String,
        #[command(flatten)]
        cells: Cells,
        /// Adds a histogram with this number of bins for numbers
        #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
        bins: usize,
    },
    /// Merges fragments or small files; prints the plan first
    Consolidate {
        /// The array or group
        uri: String,
        /// The files that are merged
        #[arg(long, value_enum, default_value = "fragments")]
        mode: Mode,
        /// Prints the plan only
        #[arg(long)]
        dry_run: bool,
    },
    /// Removes what consolidation replaced; prints the plan first
    Vacuum {
        /// The array or group
        uri: String,
        /// The files that are removed
        #[arg(long, value_enum, default_value = "fragments")]
        mode: Mode,
        /// Prints the plan only
        #[arg(long)]
        dry_run: bool,
    },
    /// Reads every file of an array or group; the exit code is 1 if one is damaged
    Check {
        /// The array or group
        uri: String,
    },
    /// Removes what killed processes left in an array or group
    Clean {
        /// The array or group
        uri: String,
        /// Prints what would be removed
        #[arg(long)]
        dry_run: bool,
    },
    /// Removes an array or group with everything in its folder
    Rm {
        /// The array or group
        uri: String,
        /// Prints what would be removed
        #[arg(long)]
        dry_run: bool,
    },
    /// Moves an array or group
    Mv {
        /// The array or group
        from: String,
        /// Its new URI
        to: String,
    },
    /// Copies an array, or a group with its members, also between two kinds of storage
    Cp {
        /// The array or group
        from: String,
        /// The URI of the copy
        to: String,
        /// The comparison after the copy
        #[arg(long, value_enum, default_value = "files")]
        verify: Verification,
    },
    /// Compares the schemas and the cells of two arrays
    Diff {
        /// The first array
        first: String,
        /// The second array
        second: String,
        /// The timestamp at which the first array is read
        #[arg(long, value_name = "TIMESTAMP")]
        first_at: Option<u64>,
        /// The timestamp at which the second array is read
        #[arg(long, value_name = "TIMESTAMP")]
        second_at: Option<u64>,
    },
    /// Changes the schema of an array
    Evolve {
        /// The array
        uri: String,
        /// Adds an attribute; a question mark makes it nullable
        #[arg(long, value_name = "NAME:DATATYPE[?]")]
        add: Vec<String>,
        /// Drops an attribute
        #[arg(long, value_name = "NAME")]
        drop: Vec<String>,
    },
    /// Creates an array from a file
    Import {
        /// The file that is read, or `-` for the standard input
        file: String,
        /// The array that is created, or to which rows are appended
        uri: String,
        #[command(flatten)]
        options: ImportOptions,
    },
    /// Runs a query over arrays, or reads queries from a prompt
    #[cfg(feature = "sql")]
    Sql(SqlOptions),
    /// Writes the cells of an array to a file
    Export {
        /// The array
        uri: String,
        /// The file that is written
        file: String,
        /// The format; by default that of the file's extension
        #[arg(long, value_enum)]
        format: Option<FileFormat>,
        #[command(flatten)]
        cells: Cells,
    },
    /// Measures a sample of an array in other forms, and recommends extents, orders, capacity and
    /// filters
    Bench {
        /// The array
        uri: String,
        #[command(flatten)]
        options: BenchOptions,
    },
    /// Draws a picture, in the terminal or to a file
    Draw {
        /// The picture
        #[arg(value_enum)]
        picture: Picture,
        /// The array
        uri: String,
        #[command(flatten)]
        options: PictureOptions,
    },
    /// Shows an array, a group or a folder on a page in the browser, until the page is closed
    #[cfg(feature = "view")]
    View {
        /// The array, group or folder
        uri: String,
        /// Prints the address without opening a browser
        #[arg(long)]
        no_browser: bool,
        /// Allows the page to consolidate and vacuum arrays and to change metadata
        #[arg(long)]
        write: bool,
    },
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Prints the man page
    Man,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Returns the arguments, values and commands without a description.
    fn undescribed(command: &clap::Command, path: &str) -> Vec<String> {
        let path = format!("{path} {}", command.get_name());
        let mut found = Vec::new();
        if command.get_about().is_none() {
            found.push(path.clone());
        }
        for argument in command.get_arguments() {
            if argument
                .get_help()
                .is_none_or(|help| help.to_string().is_empty())
            {
                found.push(format!("{path}: {}", argument.get_id()));
            }
            // The names of shells need no description.
            let values = argument.get_possible_values().into_iter();
            let values = values.filter(|value| value.get_help().is_none());
            let values = values.filter(|_| argument.get_id() != "shell");
            // A switch has the values "true" and "false".
            let values = values.filter(|_| argument.get_action().takes_values());
            found.extend(
                values.map(|value| format!("{path}: {} {}", argument.get_id(), value.get_name())),
            );
        }
        let commands = command.get_subcommands();
        found.extend(commands.flat_map(|command| undescribed(command, &path)));
        found
    }

    #[test]
    fn every_argument_has_a_description() {
        let mut command = Arguments::command();
        command.build();
        assert_eq!(undescribed(&command, ""), Vec::<String>::new());
        assert!(command.get_subcommands().count() > 20);
    }
}
