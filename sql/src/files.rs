//! Files that statements write: with all rows, or not at all.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::datasource::sink::{DataSink, DataSinkExec};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan};
use futures::StreamExt;
use futures::future::{Either, pending, select};
use tokio::sync::oneshot;

use crate::create::CreateSink;
use crate::write::{DeleteSink, InsertSink};

/// Returns the plan of a write to files, such as that of `COPY`, which leaves none of them if its
/// rows end with an error; `None` for other plans.
pub(crate) fn complete_files(
    plan: &Arc<dyn ExecutionPlan>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(write) = plan.downcast_ref::<DataSinkExec>() else {
        return Ok(None);
    };
    let sink = write.sink();
    let is_array = sink.is::<CreateSink>() || sink.is::<InsertSink>() || sink.is::<DeleteSink>();
    if is_array || sink.is::<FileSink>() {
        return Ok(None);
    }
    let (input, order) = (write.input().clone(), write.sort_order().clone());
    let sink = FileSink(write.clone());
    Ok(Some(Arc::new(DataSinkExec::new(
        input,
        Arc::new(sink),
        order,
    ))))
}

/// A sink of DataFusion, which it is the sink of, that is dropped when its rows end with an error.
/// The sink alone would take the error for the end of the rows: it writes the rows before it, and
/// gives the file its name. Local files have another name until they are complete, and are removed
/// if their writer is dropped; objects do not exist before.
#[derive(Debug)]
struct FileSink(DataSinkExec);

impl DisplayAs for FileSink {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.sink().fmt_as(format, f)
    }
}

#[async_trait]
impl DataSink for FileSink {
    fn metrics(&self) -> Option<MetricsSet> {
        self.0.sink().metrics()
    }

    fn schema(&self) -> &SchemaRef {
        self.0.sink().schema()
    }

    async fn write_all(
        &self,
        rows: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
    ) -> Result<u64> {
        let (sender, failure) = oneshot::channel::<DataFusionError>();
        let (schema, mut sender) = (rows.schema(), Some(sender));
        // After an error, the rows do not end.
        let rows = rows.then(move |batch| {
            let sender = batch.is_err().then(|| sender.take()).flatten();
            async move {
                match (batch, sender) {
                    (Err(error), Some(sender)) => {
                        // The receiver exists as long as this stream.
                        let _ = sender.send(error);
                        pending().await
                    }
                    (batch, _) => batch,
                }
            }
        });
        let rows = Box::pin(RecordBatchStreamAdapter::new(schema, rows));
        let written = pin!(self.0.sink().write_all(rows, context));
        match select(written, failure).await {
            Either::Left((number, _)) => number,
            Either::Right((Ok(error), _)) => Err(error),
            // All rows were passed on.
            Either::Right((Err(_), written)) => written.await,
        }
    }
}
