//! The cases of a thread-safe build are built thread-safe.

fn main() {
    assert_eq!(tsrm::MODE, "ZTS");
}
