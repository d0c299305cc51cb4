//! `#[derive(tsrm::Statistics)]`: from an enum to the table of its statistics.
//!
//! The enum itself stays as it is. Its variants are numbered as the compiler numbers them, so none
//! has a field or a number of its own.

mod entries;
mod expand;
pub(crate) mod names;
mod parse;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::mistakes::Mistakes;
use parse::Set;

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let Some(item) = mistakes.check(syn::parse2::<DeriveInput>(item)) else {
        return quote! { #mistakes };
    };
    match Set::parse(item, &mut mistakes) {
        Some(set) => expand::set(&set, &mistakes),
        None => quote! { #mistakes },
    }
}
