//! What is written beside the enum: a table of its statistics, for a macro of the library.
//!
//! No `unsafe` is written here: it would vouch for whatever the library's path leads to.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Path;

use super::parse::{Item, Kind, Set};
use crate::expand::library;
use crate::mistakes::Mistakes;

pub(super) fn set(set: &Set, mistakes: &Mistakes) -> TokenStream {
    let Set { name, items, options } = set;
    let tsrm = library(options.krate.as_ref());
    let table = items.iter().map(|item| entry(&tsrm, item));
    let counting = match (options.is_off, options.is_switched) {
        (true, _) => quote! { Off },
        (false, true) => quote! { Switched },
        (false, false) => quote! { Always },
    };
    // What has mistakes may be no number, and may have meant to be switched.
    let index = match (mistakes.is_empty(), items.is_empty()) {
        (false, _) => quote! { 0 },
        (true, true) => quote! { match self {} },
        (true, false) => quote! { self as ::core::primitive::usize },
    };
    let switched = (options.is_switched || !mistakes.is_empty()).then(|| {
        quote! {
            #[allow(deprecated, reason = "the enum may be deprecated for others")]
            #[automatically_derived]
            impl #tsrm::stats::Switched for #name {}
        }
    });
    quote! {
        #mistakes

        #tsrm::private::declare_statistic!(#name, [#(#table),*], #counting, {
            #[inline(always)]
            fn index(self) -> ::core::primitive::usize {
                #index
            }
        });

        #switched
    }
}

fn entry(tsrm: &Path, item: &Item) -> TokenStream {
    let Item { name, unit, help, kind, max, .. } = item;
    let function = Ident::new(kind.name(), Span::mixed_site());
    let max = (*kind == Kind::Histogram).then(|| quote! { , #max });
    quote! { #tsrm::private::Item::#function(#name, #unit, #help #max) }
}
