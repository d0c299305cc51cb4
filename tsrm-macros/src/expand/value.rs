//! What a global, a shared value or a set of statistics becomes: the handle, under the user's name; a
//! marker type of the same visibility; and one `const _` with the user's initialiser, if there is
//! one, and, by a macro of the library, the storage.
//!
//! No `unsafe` is written here: it would vouch for whatever the library's path leads to. Not a
//! nested module, in which the user's `super::` would point elsewhere.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Path, Stmt};

use crate::parse::{self, Storage, ValueItem, ValueKind};

/// The name of its marker. Another prefix than that of the names inside the `const _`, which would
/// hide it.
pub(super) fn marker_name(value: &Ident) -> Ident {
    format_ident!("__TsrmMarker_{}", value, span = Span::mixed_site())
}

pub(super) fn items(tsrm: &Path, item: &ValueItem, imports_statistics: bool) -> TokenStream {
    let ValueItem { attributes, visibility, name, value, storage } = item;
    let inherited = parse::inherited(attributes);
    let marker = marker_name(name);
    let handle = match item.kind() {
        ValueKind::Global => quote! { Global },
        ValueKind::Shared => quote! { Shared },
        ValueKind::Statistics => quote! { Statistics },
    };
    let handle_type = match storage {
        // So that an import of it is used. Whoever has none may call something else so.
        Storage::Statistics { written, .. } if imports_statistics || !is_word(written) => {
            quote! { #written }
        }
        _ => quote! { #tsrm::#handle },
    };
    // Located at the user's type: that is where one is reported that is more private than its
    // value, not `'static`, shared and not `Send + Sync`, or of statistics and no enum of them.
    let at_type = Span::mixed_site().located_at(value.span());
    let value_type = quote_spanned! { at_type => __TsrmValue };
    let associated_type = match item.kind() {
        ValueKind::Global | ValueKind::Shared => {
            quote_spanned! { at_type => type Value = __TsrmValue; }
        }
        ValueKind::Statistics => quote_spanned! { at_type => type Set = __TsrmValue; },
    };
    let text = name.unraw().to_string();
    let function = |initial: &Expr| {
        // As a statement: `{ 1 } + 2` is none without parentheses, which syn adds.
        let initial = Stmt::Expr(initial.clone(), None);
        quote! {
            fn __tsrm_initial() -> #value_type {
                #initial
            }
        }
    };
    let (initial, declare, arguments) = match storage {
        Storage::Static(block) => (
            constant(block),
            quote! { declare_static },
            quote! { #text, __TsrmValue, __TSRM_INITIAL },
        ),
        Storage::Cached(initial) => (
            function(initial),
            quote! { declare_cached },
            quote! { #text, __TsrmValue, __tsrm_initial },
        ),
        Storage::Shared { initial, is_lazy } => (
            function(initial),
            quote! { declare_shared },
            quote! { #text, __TsrmValue, __tsrm_initial, #is_lazy },
        ),
        Storage::Statistics { name: set, .. } => {
            (quote! {}, quote! { declare_statistics }, quote! { #text, #set, #value_type })
        }
    };
    quote! {
        #(#attributes)*
        #visibility static #name: #handle_type<#marker> = #tsrm::#handle::new();

        #(#inherited)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, reason = "named after the value")]
        #visibility struct #marker;

        // The user's tokens come first; the storage is declared further inside, out of their sight.
        #(#inherited)*
        const _: () = {
            type __TsrmValue = #value;
            #initial
            const _: () = {
                #tsrm::private::#declare!(
                    #marker, __TSRM_NAME, #arguments, { #associated_type }
                );
            };
        };
    }
}

fn is_word(path: &Path) -> bool {
    path.get_ident().is_some()
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
