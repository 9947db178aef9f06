//! `export`: tables for the people who do the pay, page by page as the server gives them.
//!
//! [`routes()`] is the server's side of it.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use jiff::civil::Date;
use serde_json::{Map, Value};

use steadfast::bot::Subcommand;
use steadfast::cli::{Client, Failure};

mod csv;
mod routes;

pub use routes::routes;

/// Write orders, shifts or their pay as a table, through the running server.
#[derive(Debug, Args)]
pub struct Export {
    /// Which table.
    #[arg(value_enum)]
    what: What,
    /// The first day, such as 2026-11-01: where TIMEZONE says, of when an order was created, a shift opened, or closed for adjustments.
    #[arg(long, value_name = "DATE")]
    from: Date,
    /// The last day.
    #[arg(long, value_name = "DATE")]
    to: Date,
    /// How to write it.
    #[arg(long, value_enum, default_value = "csv")]
    format: Format,
}

/// Which table.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    /// Orders, with what was reported of them.
    Orders,
    /// Shifts, with what each came to.
    Shifts,
    /// Every part of the pay, with the photos of its task.
    Adjustments,
}

impl What {
    fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Shifts => "shifts",
            Self::Adjustments => "adjustments",
        }
    }
}

/// How to write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For spreadsheets. A text that one would take for a formula begins with an apostrophe.
    Csv,
    /// For programs: a list of objects.
    Json,
}

impl Subcommand for Export {
    const NAME: &'static str = "export";

    async fn run(self, server: Client) -> Result<ExitCode, Failure> {
        let Self { what, from, to, format } = self;
        let path = format!("/export/{}?from={from}&to={to}", what.name());
        let mut written = Written::new(format);
        let mut cursor = String::new();
        loop {
            let page = server.get(&format!("{path}{cursor}")).await?;
            written.page(&page).map_err(Failure::plain)?;
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        written.end().map_err(Failure::plain)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What was written so far.
struct Written {
    format: Format,
    rows: usize,
    has_head: bool,
}

impl Written {
    fn new(format: Format) -> Self {
        Self { format, rows: 0, has_head: false }
    }

    fn page(&mut self, page: &Value) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let list = |name: &str| page[name].as_array().cloned().unwrap_or_default();
        let columns = list("columns");
        if !std::mem::replace(&mut self.has_head, true) {
            match self.format {
                Format::Csv => write!(out, "{}", csv::line(&columns))?,
                Format::Json => write!(out, "[")?,
            }
        }
        for row in list("rows") {
            let values = row.as_array().cloned().unwrap_or_default();
            match self.format {
                Format::Csv => write!(out, "{}", csv::line(&values))?,
                Format::Json => {
                    let comma = if self.rows > 0 { "," } else { "" };
                    write!(out, "{comma}\n{}", object(&columns, values))?;
                }
            }
            self.rows += 1;
        }
        out.flush()
    }

    fn end(self) -> io::Result<()> {
        match self.format {
            Format::Csv => Ok(()),
            Format::Json => writeln!(io::stdout(), "\n]"),
        }
    }
}

fn object(columns: &[Value], values: Vec<Value>) -> Value {
    let names = columns.iter().map(|name| name.as_str().unwrap_or_default());
    let fields = names.map(str::to_owned).zip(values);
    Value::Object(fields.collect::<Map<_, _>>())
}
