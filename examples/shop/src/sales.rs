//! The sales: a public catalogue, a report for operators, and a subcommand that prints it.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use steadfast::bot::{Running, Subcommand};
use steadfast::cli::{Client, Failure};
use steadfast::records::Sql;

use crate::audit::TURNS;
use crate::records::{in_stock, sold};
use crate::settings::Shop;

/// Returns the public route: `GET /catalogue`.
pub fn catalogue(running: &Running<Shop>) -> Router {
    Router::new().route("/catalogue", get(show_catalogue)).with_state(running.clone())
}

/// Returns the route for operators: `GET /sales`.
pub fn report(running: &Running<Shop>) -> Router {
    Router::new().route("/sales", get(show_sales)).with_state(running.clone())
}

async fn show_catalogue(State(running): State<Running<Shop>>) -> Result<Json<Value>, StatusCode> {
    let bicycles = records(&running)?.read(async |connection| in_stock(connection).await).await;
    let bicycles = bicycles.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok(Json(json!({ "shop": running.settings.name, "bicycles": bicycles })))
}

async fn show_sales(State(running): State<Running<Shop>>) -> Result<Json<Value>, StatusCode> {
    let sales = records(&running)?.read(async |connection| sold(connection).await).await;
    let sales = sales.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok(Json(json!({ "sales": sales, "turns": TURNS.load(Ordering::Relaxed) })))
}

fn records(running: &Running<Shop>) -> Result<&Arc<Sql>, StatusCode> {
    running.records.as_ref().ok_or(StatusCode::SERVICE_UNAVAILABLE)
}

/// Print how many bicycles of each model were sold, through the running server.
#[derive(Debug, clap::Args)]
pub struct Sales {
    /// Print only this model.
    #[arg(long)]
    model: Option<String>,
}

impl Subcommand for Sales {
    const NAME: &'static str = "sales";

    async fn run(self, server: Client) -> Result<ExitCode, Failure> {
        let report = server.get("/sales").await?;
        for sale in report["sales"].as_array().into_iter().flatten() {
            let model = sale[0].as_str().unwrap_or_default();
            if self.model.as_deref().is_none_or(|only| only == model) {
                println!("{model}: {} sold for {}", sale[1], sale[2]);
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
