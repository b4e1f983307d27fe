//! Kernel launches and CUDA graphs, each joined with its host call.

use gpusched_model::error::Result;
use gpusched_model::time::decimal::Rounding;

use super::{CALLS, GRAPHS, KERNELS, Names, call, process};
use crate::model::{Recording, StreamKey};
use crate::readers::Options;
use crate::readers::sqlite::database::{Database, identity, text, time};

impl Database {
    /// Reads the launches of kernels, and of whole CUDA graphs. The file does not contain the kernels of a graph. So a
    /// graph is one launch, from the start to the end of the graph.
    pub(super) fn launches(
        &self,
        recording: &mut Recording,
        options: Options,
        names: &mut Names,
    ) -> Result<()> {
        let tables: Vec<&str> = [KERNELS, GRAPHS]
            .into_iter()
            .filter(|table| self.has(table))
            .collect();
        let calls = options.calls
            && [["correlationId"], ["globalTid"], ["start"]]
                .iter()
                .all(|column| self.column(CALLS, column) != "NULL");
        // The number of a launch links it with its call.
        let mut linked = tables.clone();
        linked.retain(|table| calls && self.column(table, &["correlationId"]) != "NULL");
        if !linked.is_empty() {
            // The reader creates the index in a temporary table, because the export has no index on the number of the
            // launch.
            let numbers = linked
                .iter()
                .map(|table| format!("SELECT correlationId FROM {table}"));
            let query = format!(
                "SELECT correlationId AS id, globalTid, start FROM {CALLS} WHERE correlationId IN ({})",
                numbers.collect::<Vec<String>>().join(" UNION ALL ")
            );
            self.create("calls", &query, "id")?;
        }
        for table in tables {
            self.launches_of(table, linked.contains(&table), recording, names)?;
        }
        Ok(())
    }

    /// Reads the launches in `table`, with their host calls if `joins` is true.
    pub(super) fn launches_of(
        &self,
        table: &str,
        joins: bool,
        recording: &mut Recording,
        names: &mut Names,
    ) -> Result<()> {
        let column = |columns: &[&str]| match self.column(table, columns) {
            null if null == "NULL" => null,
            column => format!("k.{column}"),
        };
        let graphs = table == GRAPHS;
        recording.has_green_column |= column(&["greenContextId"]) != "NULL";
        let name: &[&str] = match graphs {
            true => &["graphId"],
            false => &["demangledName", "shortName", "mangledName"],
        };
        let columns = [
            column(&["start"]),
            column(&["end"]),
            column(&["deviceId"]),
            column(&["contextId"]),
            column(&["streamId"]),
            column(&["greenContextId"]),
            column(name),
            column(&["globalPid"]),
        ];
        // A host call and its launch have the same number in the same process.
        let query = match joins {
            false => format!(
                "SELECT {}, NULL, NULL FROM {table} k ORDER BY k.rowid",
                columns.join(", ")
            ),
            true => {
                let process = match column(&["globalPid"]).as_str() {
                    "NULL" => String::new(),
                    pid => format!(" AND (c.globalTid >> 24) = ({pid} >> 24)"),
                };
                format!(
                    "SELECT {}, (SELECT c.start FROM calls c WHERE c.id = k.correlationId{process} LIMIT 1), \
                     (SELECT c.globalTid FROM calls c WHERE c.id = k.correlationId{process} LIMIT 1) \
                     FROM {table} k ORDER BY k.rowid",
                    columns.join(", ")
                )
            }
        };
        self.rows(table, &query, |row| {
            let missing = &mut recording.missing;
            let mut number = |index| identity(row, index, missing);
            let key = StreamKey {
                process: number(7).map(process),
                device: number(2),
                context: number(3),
                stream: number(4),
                green: number(5).filter(|&green| green > 0),
            };
            let call = call(number(8), number(9));
            let start = time(row, 0, Rounding::Down, missing);
            let times = (start, time(row, 1, Rounding::Up, missing));
            let name = match graphs {
                true => {
                    text(row, 6)?.map_or_else(|| "CUDA graph".to_owned(), |id| format!("CUDA graph {id}"))
                }
                false => self.name(row, 6, names)?,
            };
            if graphs {
                recording.other.graphs += 1;
            }
            recording.launch(&name, key, times, call);
            Ok(())
        })
    }
}
