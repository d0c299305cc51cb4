//! Enums that are generic, in any way.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum OfType<T> {
    #[stat(counter)]
    Sent,
    #[stat(gauge)]
    Inside(T),
}

#[derive(tsrm::Statistics)]
pub enum OfLifetime<'a> {
    #[stat(counter)]
    Sent(&'a str),
}

#[derive(tsrm::Statistics)]
pub enum OfNumber<const N: usize> {
    #[stat(counter)]
    Sent,
}

#[derive(tsrm::Statistics)]
pub enum Bounded
where
    String: Clone,
{
    #[stat(counter)]
    Sent,
}

fn main() {}
