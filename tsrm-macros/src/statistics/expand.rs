//! What is written beside the enum: a table of its statistics, and the traits that lead to it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Path;

use super::parse::{Item, Kind, Set};
use crate::expand::library;
use crate::mistakes::Mistakes;

pub(super) fn set(set: &Set, mistakes: &Mistakes) -> TokenStream {
    let Set { name, items, options } = set;
    let tsrm = library(options.krate.as_ref());
    let count = items.len();
    let table = items.iter().map(|item| entry(&tsrm, item));
    let (cells, counting) = if options.is_off {
        (quote! { 0 }, quote! { Off })
    } else {
        let counting = if options.is_switched {
            quote! { Switched }
        } else {
            quote! { Always }
        };
        (quote! { #tsrm::private::cell_count(&__TSRM_ITEMS) }, counting)
    };
    // What has mistakes may be no number, and may have meant to be switched.
    let index = match (mistakes.is_empty(), items.is_empty()) {
        (false, _) => quote! { 0 },
        (true, true) => quote! { match self {} },
        (true, false) => quote! { self as ::core::primitive::usize },
    };
    let switched = (options.is_switched || !mistakes.is_empty()).then(|| {
        quote! {
            #[automatically_derived]
            impl #tsrm::stats::Switched for #name {}
        }
    });
    quote! {
        #mistakes

        #[allow(deprecated, reason = "the enum may be deprecated for others")]
        const _: () = {
            const __TSRM_ITEMS: [#tsrm::private::Item; #count] =
                #tsrm::private::lay_out([#(#table),*]);

            #[automatically_derived]
            impl #tsrm::stats::Statistic for #name {
                type Cells = [#tsrm::private::AtomicU64; #cells];

                const ITEMS: &'static [#tsrm::private::Item] = &__TSRM_ITEMS;

                const COUNTING: #tsrm::private::Counting = #tsrm::private::Counting::#counting;

                #[inline(always)]
                fn index(self) -> ::core::primitive::usize {
                    #index
                }

                fn definition_slot() -> &'static #tsrm::private::DefinitionSlot {
                    static __TSRM_SLOT: #tsrm::private::DefinitionSlot =
                        #tsrm::private::DefinitionSlot::new();
                    &__TSRM_SLOT
                }
            }

            #switched
        };
    }
}

fn entry(tsrm: &Path, item: &Item) -> TokenStream {
    let Item { name, unit, help, kind, max, .. } = item;
    let function = Ident::new(kind.name(), Span::mixed_site());
    let max = (*kind == Kind::Histogram).then(|| quote! { , #max });
    quote! { #tsrm::private::Item::#function(#name, #unit, #help #max) }
}
