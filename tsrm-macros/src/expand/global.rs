//! What a global becomes: the handle, under the user's name; a marker type of the same visibility;
//! and one `const _` with the user's initialiser and, by a macro of the library, the storage.
//!
//! No `unsafe` is written here: it would vouch for whatever the library's path leads to. Not a nested module, in which the user's `super::` would point elsewhere.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path};

use crate::parse::{self, GlobalItem, Initial};

/// The name of its marker. Another prefix than that of the names inside the `const _`, which would
/// hide it.
pub(super) fn marker_name(global: &Ident) -> Ident {
    format_ident!("__TsrmMarker_{}", global, span = Span::mixed_site())
}

pub(super) fn items(tsrm: &Path, global: &GlobalItem) -> TokenStream {
    let GlobalItem { attributes, visibility, name, value, initial } = global;
    let inherited = parse::inherited(attributes);
    let marker = marker_name(name);
    // Located at the user's type: that is where one that is more private than its global, or not
    // `'static`, is reported.
    let at_type = Span::mixed_site().located_at(value.span());
    let value_type = quote_spanned! { at_type => __TsrmValue };
    let associated_type = quote_spanned! { at_type => type Value = __TsrmValue; };
    let text = name.to_string();
    let text = text.trim_start_matches("r#");
    let (declare, initial_name, initial) = match initial {
        Initial::Const(block) => {
            (quote! { declare_static }, quote! { __TSRM_INITIAL }, constant(block))
        }
        Initial::Expression(expression) => (
            quote! { declare_cached },
            quote! { __tsrm_initial },
            quote! {
                fn __tsrm_initial() -> #value_type {
                    #expression
                }
            },
        ),
    };
    quote! {
        #(#attributes)*
        #visibility static #name: #tsrm::Global<#marker> = #tsrm::Global::new();

        #(#inherited)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, reason = "named after the global")]
        #visibility struct #marker;

        // The user's tokens come first; the storage is declared further inside, out of their sight.
        #(#inherited)*
        const _: () = {
            type __TsrmValue = #value;
            #initial
            const _: () = {
                #tsrm::private::#declare!(
                    #marker, __TSRM_NAME, #text, __TsrmValue, #initial_name, { #associated_type }
                );
            };
        };
    }
}

/// The initial value of a global in static storage, as a constant.
fn constant(block: &TokenStream) -> TokenStream {
    // At the user's block, so that a value which is not constant is reported there.
    let initial = quote_spanned! { block.span() => #block };
    quote! {
        #[allow(
            clippy::declare_interior_mutable_const,
            unused_braces,
            reason = "instantiated once for the slot and once for its image; the braces are \
                      `const`'s"
        )]
        const __TSRM_INITIAL: __TsrmValue = #initial;
    }
}
