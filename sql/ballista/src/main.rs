//! A scheduler and an executor of Ballista that read TileDB arrays.
//!
//! ```text
//! tiledb-ballista scheduler [--host 127.0.0.1] [--port 50050]
//! tiledb-ballista executor --scheduler HOST:PORT [--host 127.0.0.1] [--port 50051]
//!                          [--grpc-port 50052] [--work-dir DIR] [--tasks CORES]
//! ```
//!
//! The configuration of TileDB, such as the credentials of S3, comes from the environment
//! (`TILEDB_VFS_S3_...`) of each process.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use tiledb_ballista::ClusterCodec;
use tiledb_datafusion::TableOptions;

const USAGE: &str = "usage: tiledb-ballista scheduler|executor [--OPTION VALUE]...";

/// The options of the command line by their names.
struct Options(BTreeMap<String, String>);

impl Options {
    fn parse(arguments: &mut impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = BTreeMap::new();
        while let Some(name) = arguments.next() {
            let name = name.strip_prefix("--").ok_or(USAGE)?.to_owned();
            let value = arguments.next();
            let value = value.ok_or_else(|| format!("the option --{name} has no value"))?;
            options.insert(name, value);
        }
        Ok(Self(options))
    }

    fn take<T: std::str::FromStr>(&mut self, name: &str, default: T) -> Result<T, Box<dyn Error>> {
        let Some(value) = self.0.remove(name) else {
            return Ok(default);
        };
        let parsed = value.parse();
        parsed.map_err(|_| format!("'{value}' is not a value of --{name}").into())
    }

    /// Returns an error if an option was not used.
    fn finish(self) -> Result<(), Box<dyn Error>> {
        match self.0.keys().next() {
            Some(name) => Err(format!("there is no option --{name}").into()),
            None => Ok(()),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let role = arguments.next().ok_or(USAGE)?;
    let options = Options::parse(&mut arguments)?;
    match role.as_str() {
        "scheduler" => scheduler(options).await,
        "executor" => executor(options).await,
        _ => Err(USAGE.into()),
    }
}

async fn scheduler(mut options: Options) -> Result<(), Box<dyn Error>> {
    let codec = Arc::new(ClusterCodec::new(TableOptions::new()));
    let defaults = SchedulerConfig::default();
    let config = SchedulerConfig {
        bind_host: options.take("host", defaults.bind_host.clone())?,
        external_host: options.take("external-host", "127.0.0.1".to_owned())?,
        bind_port: options.take("port", defaults.bind_port)?,
        executor_timeout_seconds: options
            .take("executor-timeout", defaults.executor_timeout_seconds)?,
        expire_dead_executor_interval_seconds: options.take(
            "expire-interval",
            defaults.expire_dead_executor_interval_seconds,
        )?,
        override_logical_codec: Some(codec.clone()),
        override_physical_codec: Some(codec),
        ..defaults
    };
    options.finish()?;
    let address = format!("{}:{}", config.bind_host, config.bind_port).parse()?;
    let cluster = BallistaCluster::new_from_config(&config).await?;
    Ok(start_server(cluster, address, Arc::new(config)).await?)
}

async fn executor(mut options: Options) -> Result<(), Box<dyn Error>> {
    let codec = Arc::new(ClusterCodec::new(TableOptions::new()));
    let defaults = ExecutorProcessConfig::default();
    let scheduler = options.take("scheduler", "127.0.0.1:50050".to_owned())?;
    let (scheduler_host, port) = scheduler
        .rsplit_once(':')
        .ok_or("--scheduler is HOST:PORT")?;
    let work_dir = options.take("work-dir", String::new())?;
    let config = ExecutorProcessConfig {
        bind_host: options.take("host", defaults.bind_host.clone())?,
        external_host: Some(options.take("external-host", "127.0.0.1".to_owned())?),
        port: options.take("port", defaults.port)?,
        grpc_port: options.take("grpc-port", defaults.grpc_port)?,
        scheduler_host: scheduler_host.to_owned(),
        scheduler_port: port.parse()?,
        scheduler_connect_timeout_seconds: options.take("connect-timeout", 30)?,
        vcores: options.take("tasks", defaults.vcores)?,
        work_dir: (!work_dir.is_empty()).then_some(work_dir),
        executor_heartbeat_interval_seconds: options
            .take("heartbeat", defaults.executor_heartbeat_interval_seconds)?,
        override_logical_codec: Some(codec.clone()),
        override_physical_codec: Some(codec),
        ..defaults
    };
    options.finish()?;
    Ok(start_executor_process(Arc::new(config)).await?)
}
