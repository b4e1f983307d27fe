//! Files with the columns of a table (Parquet and Arrow), for tools that read many rows. These files require the
//! feature `parquet`.

use std::ffi::OsStr;
#[cfg(feature = "parquet")]
use std::fs::File;
use std::path::Path;

#[cfg(feature = "parquet")]
use gpusched_model::artifact::Outputs;
#[cfg(feature = "parquet")]
use gpusched_model::error::Error;
use gpusched_model::error::{Refusal, Result};

/// Format of a file with the columns of a table.
#[derive(Copy, Clone, PartialEq, Eq, Debug, strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Columns {
    /// Compressed columns. Requires a build with the feature `parquet`.
    Parquet,
    /// Columns in the memory layout of Arrow (Arrow IPC, Feather). Requires a build with the feature `parquet`.
    Arrow,
}

impl Columns {
    /// If the ending of `path` belongs to such a format, returns the format.
    pub fn of(path: &Path) -> Option<Columns> {
        match path.extension().map(OsStr::to_ascii_lowercase)?.to_str()? {
            "parquet" => Some(Columns::Parquet),
            "arrow" | "feather" => Some(Columns::Arrow),
            _ => None,
        }
    }

    /// Checks that this build of gpusched can write the format. `option` is the name of the option that states `found`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused) without the feature `parquet`.
    pub fn check(self, option: &str, found: impl ToString) -> Result<()> {
        if cfg!(feature = "parquet") {
            return Ok(());
        }
        let expected = "another output, because this gpusched was built without the feature `parquet`";
        let refusal = Refusal::new(option, found, expected);
        Err(refusal.hint("build gpusched with `--features parquet`").into())
    }

    /// Writes the table in the CSV file `csv` to another file in the same folder. The new file has the ending of the
    /// format.
    ///
    /// # Errors
    /// Fails with [`Error::Io`](gpusched_model::error::Error::Io) if reading or writing fails. Also fails without the feature `parquet`.
    pub fn copy(self, #[cfg_attr(not(feature = "parquet"), allow(unused))] csv: &Path) -> Result<()> {
        self.check("columns", self)?;
        #[cfg(feature = "parquet")]
        {
            let path = csv.with_extension(self.to_string());
            let mut table = File::open(csv).map_err(|cause| Error::io(csv, "read", cause))?;
            let mut outputs = Outputs::keeping([csv]);
            let mut file = outputs.create(&path)?;
            let written = self.convert(&mut table, &mut file);
            written.map_err(|cause| Error::io(&path, "write", cause))?;
            outputs.add(file);
            outputs.commit()?;
        }
        Ok(())
    }
}

#[cfg(feature = "parquet")]
mod conversion {
    use std::fs::File;
    use std::io::{self, BufReader, Seek as _, Write};
    use std::sync::Arc;

    use arrow_csv::ReaderBuilder;
    use arrow_csv::reader::Format;
    use arrow_ipc::writer::FileWriter;
    use arrow_schema::{ArrowError, DataType, Field, Schema};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::Compression;
    use parquet::errors::ParquetError;
    use parquet::file::properties::WriterProperties;

    use super::Columns;

    /// Number of rows that are in memory at the same time.
    const BATCH: usize = 1 << 16;

    impl Columns {
        /// Writes the table in the CSV file `csv` to `to`. Each column contains whole numbers, floating-point numbers,
        /// truth values or texts. The function selects the first of these types that suits all cells of the column.
        /// Empty cells are null.
        ///
        /// # Errors
        /// Fails if reading or writing fails, if the rows have different numbers of cells, and if `csv` does not begin
        /// with the names of columns.
        pub fn convert(self, csv: &mut File, to: impl Write + Send) -> io::Result<()> {
            let failed = |error: ArrowError| io::Error::other(error);
            csv.rewind()?;
            let format = Format::default().with_header(true);
            let (found, _) = format
                .infer_schema(BufReader::new(&mut *csv), None)
                .map_err(failed)?;
            let is_name = |name: &str| !name.is_empty() && !name.contains([' ', '"', '{', '[']);
            if !found.fields().iter().all(|field| is_name(field.name())) {
                return Err(io::Error::other(
                    "the command writes no table, for example as CSV",
                ));
            }
            let fields: Vec<Field> = found.fields().iter().map(|field| column(field)).collect();
            let schema = Arc::new(Schema::new(fields));
            csv.rewind()?;
            let reader = ReaderBuilder::new(Arc::clone(&schema))
                .with_header(true)
                .with_batch_size(BATCH);
            let mut batches = reader.build(BufReader::new(csv)).map_err(failed)?;
            match self {
                Columns::Parquet => {
                    let compressed = WriterProperties::builder().set_compression(Compression::SNAPPY);
                    let failed = |error: ParquetError| io::Error::other(error);
                    let writer = ArrowWriter::try_new(to, schema, Some(compressed.build()));
                    let mut writer = writer.map_err(failed)?;
                    for batch in batches {
                        writer.write(&batch.map_err(io::Error::other)?).map_err(failed)?;
                    }
                    writer.close().map_err(failed)?;
                }
                Columns::Arrow => {
                    let mut writer = FileWriter::try_new(to, &schema).map_err(failed)?;
                    batches
                        .try_for_each(|batch| writer.write(&batch?))
                        .and_then(|()| writer.finish())
                        .map_err(failed)?;
                }
            }
            Ok(())
        }
    }

    /// Returns the column with the name and the type of `found`. Types other than numbers and truth values become texts, so
    /// that a name such as `2026-01-01` stays as written.
    fn column(found: &Field) -> Field {
        let kind = match found.data_type() {
            kind @ (DataType::Boolean | DataType::Int64 | DataType::Float64) => kind.clone(),
            _ => DataType::Utf8,
        };
        Field::new(found.name(), kind, true)
    }
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use std::fs::{self, File};

    use arrow_ipc::reader::FileReader;
    use arrow_schema::DataType;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::Columns;

    #[test]
    fn columns_have_types_and_all_rows() {
        let folder = tempfile::tempdir().unwrap();
        let csv = folder.path().join("table.csv");
        let mut text = "set,sms,share,fits,day,none\n".to_owned();
        for row in 0..100_000u64 {
            let sms = if row % 3 == 0 {
                String::new()
            } else {
                row.to_string()
            };
            text += &format!("\"a, {row}\",{sms},{row}.5,{},2026-01-01,\n", row % 2 == 0);
        }
        fs::write(&csv, text).unwrap();
        let kinds = [
            DataType::Utf8,
            DataType::Int64,
            DataType::Float64,
            DataType::Boolean,
            DataType::Utf8,
            DataType::Utf8,
        ];
        for columns in [Columns::Parquet, Columns::Arrow] {
            columns.copy(&csv).unwrap();
            let file = File::open(csv.with_extension(columns.to_string())).unwrap();
            let batches: Vec<_> = match columns {
                Columns::Parquet => {
                    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build();
                    reader.unwrap().map(Result::unwrap).collect()
                }
                Columns::Arrow => {
                    let reader = FileReader::try_new(file, None).unwrap();
                    reader.map(Result::unwrap).collect()
                }
            };
            assert_eq!(
                batches.iter().map(|batch| batch.num_rows()).sum::<usize>(),
                100_000
            );
            let nulls = |column: usize| -> usize {
                let columns = batches.iter().map(|batch| batch.column(column));
                columns.map(|column| column.null_count()).sum()
            };
            assert_eq!((nulls(0), nulls(1), nulls(5)), (0, 33_334, 100_000));
            let schema = batches[0].schema();
            let found: Vec<_> = schema.fields().iter().map(|field| field.data_type()).collect();
            assert_eq!(found, kinds.iter().collect::<Vec<_>>());
        }
        fs::write(&csv, "{\"a\":1,\"b\":2}\n").unwrap();
        let message = Columns::Parquet.copy(&csv).unwrap_err().to_string();
        assert!(message.contains("the command writes no table"), "{message}");
    }
}
