//! The file of results. It is opened before anything is measured: minutes should not be lost to a
//! mistyped path.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

/// A file that will take the results.
#[derive(Debug)]
pub(crate) struct Sink {
    path: PathBuf,
    file: File,
    /// The file was not there before, and has no results yet.
    is_empty_and_ours: bool,
}

impl Sink {
    /// Opens the file, and leaves what it holds.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let existed = path.exists();
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(|| format!("cannot write the results to {}", path.display()))?;
        Ok(Self { path: path.to_owned(), file, is_empty_and_ours: !existed })
    }

    /// Replaces the file's contents.
    pub(crate) fn write(mut self, results: &impl Serialize) -> Result<()> {
        let mut text = serde_json::to_string_pretty(results)?;
        text.push('\n');
        // Not every path can be truncated: a pipe cannot, and need not.
        if self.file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            self.file.set_len(0)?;
        }
        let written = self.file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write the results to {}", self.path.display()))?;
        self.is_empty_and_ours = false;
        Ok(())
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if self.is_empty_and_ours {
            // Something failed, and that is being reported; this may fail too.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_results_stay_until_new_ones_are_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.json");
        drop(Sink::open(&path).unwrap());
        assert!(!path.exists());

        fs::write(&path, "something longer than the new results").unwrap();
        let sink = Sink::open(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "something longer than the new results");
        sink.write(&[1]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[\n  1\n]\n");
    }

    #[test]
    fn a_path_that_cannot_be_written_is_named() {
        let error = Sink::open(Path::new("/nowhere/results.json")).unwrap_err();
        assert_eq!(error.to_string(), "cannot write the results to /nowhere/results.json");
    }
}
