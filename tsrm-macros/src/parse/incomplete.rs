//! `#[global] static NAME = …;` and `#[global] static NAME: T;`, which parse as no `static` at all.
//! (`#[statistics] static NAME: T;` is how that is written.)

use proc_macro2::{Punct, Spacing, TokenStream, TokenTree};
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, ItemStatic};

use super::kinds::ValueKind;
use crate::mistakes::Mistakes;

/// What was found instead of a value.
pub(super) enum Incomplete {
    NoType,
    /// With some initialiser in its place.
    NoInitial(Box<ItemStatic>),
}

/// Looks into an item that syn could not parse; `None` if it is something else.
pub(super) fn incomplete(tokens: &TokenStream, mistakes: &mut Mistakes) -> Option<Incomplete> {
    let is = |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(i) if i == word);
    let attributes = |input: ParseStream<'_>| {
        Ok((input.call(Attribute::parse_outer)?, input.parse::<TokenStream>()?))
    };
    let (attributes, rest) = attributes.parse2(tokens.clone()).ok()?;
    let kind = attributes.iter().find_map(ValueKind::of)?;
    let text: Vec<TokenTree> = rest.into_iter().collect();
    let at = text.iter().position(|token| is(token, "static"))?;
    let mut after = text[at + 1..].iter().filter(|token| !is(token, "mut"));
    let (name, next) = (after.next()?, after.next()?);
    let noun = kind.noun();
    if !matches!(next, TokenTree::Punct(punct) if punct.as_char() == ':') {
        let write = format!("{noun} needs a type: `{}`", kind.declaration(name));
        mistakes.add(Error::new(name.span(), write));
        return Some(Incomplete::NoType);
    }
    match kind {
        ValueKind::Global => mistakes.add(Error::new(
            name.span(),
            format!(
                "{noun} needs an initialiser, which every thread's value is made by: `static \
                 {name}: … = const {{ … }};` or `= …;`"
            ),
        )),
        ValueKind::Shared => mistakes.add(Error::new(
            name.span(),
            format!("{noun} needs an initialiser, by which it is built: `static {name}: … = …;`"),
        )),
        ValueKind::Statistics => {}
    }
    let mut item = text[..text.len() - 1].to_vec();
    // The `>` of a type is no half of a `>=`, which would have the span of neither.
    if let Some(TokenTree::Punct(last)) = item.last_mut() {
        let mut alone = Punct::new(last.as_char(), Spacing::Alone);
        alone.set_span(last.span());
        *last = alone;
    }
    Some(match syn::parse2(quote! { #(#attributes)* #(#item)* = ::core::panic!(); }) {
        Ok(item) => Incomplete::NoInitial(Box::new(item)),
        Err(_) => Incomplete::NoType,
    })
}
