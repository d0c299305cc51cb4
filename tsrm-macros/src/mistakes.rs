//! What is wrong with the user's items, collected.
//!
//! An expansion never consists of errors alone: then the module, or `main`, would be gone, and each
//! use of it would be one more error, above the one that matters. What can be expanded is, beside
//! the errors.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Error, Result};

#[derive(Default)]
pub(crate) struct Mistakes(Option<Error>);

impl Mistakes {
    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        if let Some(errors) = other.0 {
            self.add(errors);
        }
    }

    /// The value, or a mistake more.
    pub(crate) fn check<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// As items: one `compile_error!` each.
impl ToTokens for Mistakes {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let errors = self.0.as_ref().map(Error::to_compile_error);
        tokens.extend(quote! { #errors });
    }
}
