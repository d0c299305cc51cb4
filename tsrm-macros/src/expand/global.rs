//! What a global becomes: the handle, under the user's name; a marker type of the same visibility;
//! a descriptor; and one `const _` with the storage.
//!
//! Not a nested module, in which the user's `super::` would point elsewhere.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident, Path};

use crate::parse::{self, GlobalItem, Initial};

/// The name of its descriptor.
pub(super) fn descriptor_name(global: &Ident) -> Ident {
    format_ident!("__TSRM_GLOBAL_{}", global, span = Span::mixed_site())
}

pub(super) fn items(tsrm: &Path, global: &GlobalItem) -> TokenStream {
    let GlobalItem { attributes, visibility, name, value, initial } = global;
    let inherited = parse::inherited(attributes);
    // Another prefix than that of the names inside the `const _`, which would hide it.
    let marker = format_ident!("__TsrmMarker_{}", name, span = Span::mixed_site());
    let descriptor = descriptor_name(name);
    // Located at the user's type: that is where one that is more private than its global, or not
    // `'static`, is reported.
    let at_type = Span::mixed_site().located_at(value.span());
    let value_type = quote_spanned! { at_type => __TsrmValue };
    let associated_type = quote_spanned! { at_type => type Value = __TsrmValue; };
    let text = name.to_string();
    let text = text.trim_start_matches("r#");
    let (kind, storage) = match initial {
        Initial::Const(block) => (quote! { of_static }, static_storage(tsrm, block)),
        Initial::Expression(expression) => {
            (quote! { of_cached }, cached_storage(tsrm, &value_type, expression))
        }
    };
    // The user's tokens come first; the storage is declared further inside, out of their sight.
    let Storage { initial, slot, build, rest } = storage;
    quote! {
        #(#attributes)*
        #visibility static #name: #tsrm::Global<#marker> = #tsrm::Global::new();

        #(#inherited)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, reason = "named after the global")]
        #visibility struct #marker;

        #(#inherited)*
        #[doc(hidden)]
        #[allow(non_upper_case_globals, reason = "named after the global")]
        static #descriptor: #tsrm::private::GlobalDescriptor =
            #tsrm::private::GlobalDescriptor::#kind::<#marker>(__TSRM_NAME, #text);

        #(#inherited)*
        const _: () = {
            type __TsrmValue = #value;
            #initial
            const _: () = {
                // SAFETY: `slot` is the mode's own, and null only where `build` fills it.
                unsafe impl #tsrm::private::Declaration for #marker {
                    #associated_type

                    fn descriptor() -> &'static #tsrm::private::GlobalDescriptor {
                        &#descriptor
                    }

                    #slot

                    fn build()
                    -> ::core::result::Result<*const __TsrmValue, #tsrm::AccessError> {
                        #build
                    }
                }
                type __TsrmMarker = #marker;
                #rest
            };
        };
    }
}

/// What differs between the storages.
struct Storage {
    /// The user's initialiser, as an item.
    initial: TokenStream,
    /// `Declaration::slot`.
    slot: TokenStream,
    /// The body of `Declaration::build`.
    build: TokenStream,
    /// More items.
    rest: TokenStream,
}

fn static_storage(tsrm: &Path, block: &TokenStream) -> Storage {
    // At the user's block, so that a value which is not constant is reported there.
    let initial = quote_spanned! { block.span() => #block };
    Storage {
        initial: quote! {
            #[allow(
                clippy::declare_interior_mutable_const,
                unused_braces,
                reason = "instantiated once for the slot and once for its image; the braces are \
                          `const`'s"
            )]
            const __TSRM_INITIAL: __TsrmValue = #initial;
        },
        slot: quote! { #tsrm::private::static_slot!(__TsrmValue, __TSRM_INITIAL); },
        build: quote! { #tsrm::private::build_static() },
        rest: quote! {
            // SAFETY: the image holds the constant that the slot began with.
            unsafe impl #tsrm::private::StaticDeclaration for __TsrmMarker {
                fn image() -> &'static #tsrm::private::Image<__TsrmValue> {
                    static __TSRM_IMAGE: #tsrm::private::Image<__TsrmValue> =
                        #tsrm::private::Image::new(__TSRM_INITIAL);
                    &__TSRM_IMAGE
                }
            }
        },
    }
}

fn cached_storage(tsrm: &Path, value_type: &TokenStream, expression: &Expr) -> Storage {
    Storage {
        initial: quote! {
            fn __tsrm_initial() -> #value_type {
                #expression
            }
        },
        slot: quote! {
            #[inline(always)]
            unsafe fn slot() -> *const __TsrmValue {
                // SAFETY: the caller's promise is the same.
                unsafe { __tsrm_slot() }
            }
        },
        build: quote! { #tsrm::private::build_cached::<Self>() },
        rest: quote! {
            #tsrm::private::cached_slot!(__TsrmValue);

            // SAFETY: `fill` sets what `slot` reads.
            unsafe impl #tsrm::private::CachedDeclaration for __TsrmMarker {
                fn initial() -> __TsrmValue {
                    __tsrm_initial()
                }

                unsafe fn fill(__tsrm_value: *const __TsrmValue) {
                    // SAFETY: the caller's promise is the same.
                    unsafe { __tsrm_fill(__tsrm_value) }
                }
            }
        },
    }
}
