//! Tests of the locks: see `it/`.
