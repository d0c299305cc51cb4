//! `#[global] static NAME: T = …;` and `#[shared] static NAME: T = …;`

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    Attribute, Error, Expr, Ident, ItemStatic, Meta, Result, StaticMutability, Type, Visibility,
};

use super::attributes::{check_arguments, expect_as_allow, written};
use super::elided::elided_lifetime;
use super::kinds::{HookKind, ValueKind, misplaced_error};
use super::ungrouped;
use crate::mistakes::Mistakes;

pub(crate) struct ValueItem {
    /// All but this crate's.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) value: Type,
    pub(crate) storage: Storage,
}

/// Where the value is, and what makes it.
pub(crate) enum Storage {
    /// A global with `const { … }`. The tokens are the block.
    Static(TokenStream),
    /// Any other global.
    Cached(Box<Expr>),
    Shared {
        initial: Box<Expr>,
        is_lazy: bool,
    },
}

impl ValueItem {
    pub(crate) fn kind(&self) -> ValueKind {
        match self.storage {
            Storage::Static(_) | Storage::Cached(_) => ValueKind::Global,
            Storage::Shared { .. } => ValueKind::Shared,
        }
    }

    /// The `static`, which has an attribute of that kind. Its mistakes leave a value of the name
    /// and the type that was meant.
    pub(super) fn parse(mut item: ItemStatic, kind: ValueKind, mistakes: &mut Mistakes) -> Self {
        let is_lazy = take_attributes(&mut item.attrs, kind, mistakes);
        item.attrs.iter_mut().for_each(expect_as_allow);
        let noun = kind.noun();
        if let StaticMutability::Mut(token) = &item.mutability {
            let write = format!("{noun} is never `mut`: use {} inside it", kind.mutable_inside());
            mistakes.add(Error::new(token.span, write));
        }
        if let Some(elided) = elided_lifetime(&mut item.ty) {
            let write = if elided.to_string() == "&" { "&'static" } else { "'static" };
            let write = format!("{noun}'s type names its lifetimes: write `{write}`");
            mistakes.add(Error::new_spanned(elided, write));
        }
        let storage = match (kind, ungrouped(*item.expr)) {
            (ValueKind::Global, Expr::Const(block)) if block.attrs.is_empty() => {
                Storage::Static(block.block.into_token_stream())
            }
            (ValueKind::Global, initial) => Storage::Cached(Box::new(initial)),
            (ValueKind::Shared, initial) => Storage::Shared { initial: Box::new(initial), is_lazy },
        };
        Self {
            attributes: item.attrs,
            visibility: item.vis,
            name: item.ident,
            value: *item.ty,
            storage,
        }
    }
}

/// Takes this crate's attributes away, of which the first one for values is of that kind. Whether
/// it says `lazy`.
fn take_attributes(
    attributes: &mut Vec<Attribute>,
    kind: ValueKind,
    mistakes: &mut Mistakes,
) -> bool {
    let mut is_lazy = None;
    attributes.retain(|attribute| {
        match ValueKind::of(attribute) {
            Some(other) if is_lazy.is_some() => mistakes.add(second(attribute, kind, other)),
            Some(ValueKind::Global) => {
                mistakes.check(check_arguments(attribute));
                is_lazy = Some(false);
            }
            Some(ValueKind::Shared) => {
                is_lazy = Some(mistakes.check(says_lazy(attribute)).unwrap_or_default());
            }
            None if HookKind::of(attribute).is_some() => mistakes.add(misplaced_error(attribute)),
            None => return true,
        }
        false
    });
    is_lazy.unwrap_or_default()
}

/// `#[shared]` or `#[shared(lazy)]`
fn says_lazy(attribute: &Attribute) -> Result<bool> {
    let wrong = match &attribute.meta {
        Meta::Path(_) => return Ok(false),
        Meta::List(list) if list.tokens.to_string() == "lazy" => return Ok(true),
        Meta::List(list) if list.tokens.is_empty() => list.path.to_token_stream(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => pair.value.to_token_stream(),
    };
    let name = written(attribute.path());
    let write = format!(
        "write `#[{name}]`, or `#[{name}(lazy)]` if the first use is to build the value, instead of \
         the module's start"
    );
    Err(Error::new_spanned(wrong, write))
}

fn second(attribute: &Attribute, first: ValueKind, second: ValueKind) -> Error {
    let write = if first == second {
        format!("this is {} already: write the attribute once", first.noun())
    } else {
        "a `static` is either `#[global]`, a value for each thread, or `#[shared]`, one for all: \
         write one of them"
            .to_owned()
    };
    Error::new_spanned(attribute.path(), write)
}
