//! The commands.

mod bench;
mod cells;
mod check;
mod copy;
mod describe;
mod diff;
mod evolve;
mod explain;
mod export;
mod export_picture;
mod import;
mod maintain;
mod objects;
#[cfg(feature = "sql")]
mod sql;
mod stats;

use std::process::ExitCode;

use tiledb_engine::Context;

pub(crate) use import::CellShape;
#[cfg(all(feature = "sql", feature = "view"))]
pub(crate) use sql::problem_of;
#[cfg(feature = "view")]
pub(crate) use {
    cells::{write_cells, write_table},
    describe::{domain_text, schema_json},
    objects::{contents, kind_text},
};

use crate::args::Command;
use crate::draw;
use crate::output::Output;
use crate::problem::Result;
#[cfg(feature = "view")]
use crate::view;

/// Runs a command.
pub(crate) fn run(command: Command, context: &Context, output: &mut Output) -> Result<ExitCode> {
    match command {
        Command::Info { uri, time } => describe::info(context, &uri, time, output)?,
        Command::Schema { uri, time } => describe::schema(context, &uri, time, output)?,
        Command::Fragments { uri, time, tiles } => {
            describe::fragments(context, &uri, time, tiles, output)?
        }
        Command::Metadata {
            uri,
            key,
            set,
            delete,
        } => {
            let change = describe::Change::new(set, delete);
            describe::metadata(context, &uri, key.as_deref(), &change, output)?;
        }
        Command::Config { part } => describe::config(part.as_deref(), output)?,
        Command::Ls { uri } => objects::ls(context, &uri, output)?,
        Command::Tree { uri } => objects::tree(context, &uri, output)?,
        Command::Size { uri } => objects::size(context, &uri, output)?,
        Command::Rm { uri, dry_run } => objects::rm(context, &uri, dry_run, output)?,
        Command::Mv { from, to } => objects::mv(context, &from, &to, output)?,
        Command::Head { uri, count, cells } => cells::head(context, &uri, count, &cells, output)?,
        Command::Cat {
            uri,
            cells,
            format,
            limit,
        } => {
            let limit = limit.unwrap_or(usize::MAX);
            cells::cat(context, &uri, &cells, format, limit, output)?;
        }
        Command::Explain { uri, cells, plan } => {
            explain::explain(context, &uri, &cells, plan, output)?;
        }
        Command::Stats { uri, cells, bins } => stats::stats(context, &uri, &cells, bins, output)?,
        Command::Consolidate { uri, mode, dry_run } => {
            maintain::consolidate(context, &uri, mode, dry_run, output)?;
        }
        Command::Vacuum { uri, mode, dry_run } => {
            maintain::vacuum(context, &uri, mode, dry_run, output)?;
        }
        Command::Check { uri } => return check::check(context, &uri, output),
        Command::Clean { uri, dry_run } => check::clean(context, &uri, dry_run, output)?,
        Command::Cp { from, to, verify } => copy::cp(context, &from, &to, verify, output)?,
        Command::Diff {
            first,
            second,
            first_at,
            second_at,
        } => {
            let sides = [(first, first_at), (second, second_at)];
            return diff::diff(context, &sides, output);
        }
        Command::Evolve { uri, add, drop } => evolve::evolve(context, &uri, &add, &drop, output)?,
        Command::Import { file, uri, options } => {
            import::import(context, &file, &uri, &options, output)?;
        }
        #[cfg(feature = "sql")]
        Command::Sql(options) => sql::sql(context, &options, output)?,
        Command::Export {
            uri,
            file,
            format,
            cells,
        } => export::export(context, &uri, &file, format, &cells, output)?,
        Command::Bench { uri, options } => bench::bench(context, &uri, &options, output)?,
        Command::Draw {
            picture,
            uri,
            options,
        } => draw::draw(context, picture, &uri, &options, output)?,
        #[cfg(feature = "view")]
        Command::View {
            uri,
            no_browser,
            write,
        } => view::view(context, &uri, !no_browser, write, output)?,
        // These need no context; `main` runs them.
        Command::Completions { .. } | Command::Man => {}
    }
    Ok(ExitCode::SUCCESS)
}
