//! `#[global] static NAME: T = …;`

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Error, Expr, GenericArgument, Ident, ItemStatic, Lifetime, PathArguments,
    StaticMutability, Type, TypeParamBound, Visibility,
};

use super::attributes::{check_arguments, expect_as_allow, is_global, is_ours};
use super::misplaced::misplaced_error;
use crate::mistakes::Mistakes;

pub(crate) struct GlobalItem {
    /// All but `#[global]`.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) value: Type,
    pub(crate) initial: Initial,
}

/// How a global gets its value; decides its storage.
pub(crate) enum Initial {
    /// `const { … }`: static storage. The tokens are the block.
    Const(TokenStream),
    /// Anything else: cached storage.
    Expression(Box<Expr>),
}

/// Its mistakes leave a global of the name and the type that was meant.
pub(crate) fn global(mut item: ItemStatic, mistakes: &mut Mistakes) -> GlobalItem {
    item.attrs.retain(|attribute| {
        let is_ours = is_ours(attribute);
        if is_global(attribute) {
            mistakes.check(check_arguments(attribute));
        } else if is_ours {
            mistakes.add(misplaced_error(attribute));
        }
        !is_ours
    });
    item.attrs.iter_mut().for_each(expect_as_allow);
    if let StaticMutability::Mut(token) = &item.mutability {
        mistakes.add(Error::new(
            token.span,
            "a global is never `mut`: use a `Cell`, a `RefCell` or an atomic inside it",
        ));
    }
    if let Some(elided) = elided_lifetime(&mut item.ty) {
        let write = if elided.to_string() == "&" { "&'static" } else { "'static" };
        mistakes.add(Error::new_spanned(
            elided,
            format!("a global's type names its lifetimes: write `{write}`"),
        ));
    }
    let initial = match ungrouped(*item.expr) {
        Expr::Const(block) if block.attrs.is_empty() => {
            Initial::Const(block.block.into_token_stream())
        }
        expression => Initial::Expression(Box::new(expression)),
    };
    GlobalItem {
        attributes: item.attrs,
        visibility: item.vis,
        name: item.ident,
        value: *item.ty,
        initial,
    }
}

/// Makes the elided lifetimes of a type `'static`, and returns the tokens of the first one.
///
/// In a `static` they would mean `'static`, but the type is pasted where nothing can be elided.
/// What is inside the parentheses of a function's type is not elided but of any lifetime.
/// What a `macro_rules!` has passed on as an expression stands in an invisible group, in which a
/// `const` block would not be seen, and another storage picked.
fn ungrouped(mut expression: Expr) -> Expr {
    while let Expr::Group(group) = expression {
        expression = *group.expr;
    }
    expression
}

fn elided_lifetime(value: &mut Type) -> Option<TokenStream> {
    match value {
        Type::Reference(reference) => {
            let found = match &mut reference.lifetime {
                None => {
                    reference.lifetime = Some(Lifetime::new("'static", reference.and_token.span));
                    Some(reference.and_token.to_token_stream())
                }
                Some(lifetime) => anonymous(lifetime),
            };
            let inside = elided_lifetime(&mut reference.elem);
            found.or(inside)
        }
        Type::Path(path) => {
            first(path.path.segments.iter_mut().map(|s| elided_in_arguments(&mut s.arguments)))
        }
        Type::TraitObject(object) => first(object.bounds.iter_mut().map(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                first(bound.path.segments.iter_mut().map(|s| elided_in_arguments(&mut s.arguments)))
            }
            TypeParamBound::Lifetime(lifetime) => anonymous(lifetime),
            _ => None,
        })),
        Type::Tuple(tuple) => first(tuple.elems.iter_mut().map(elided_lifetime)),
        Type::Array(array) => elided_lifetime(&mut array.elem),
        Type::Slice(slice) => elided_lifetime(&mut slice.elem),
        Type::Ptr(pointer) => elided_lifetime(&mut pointer.elem),
        Type::Paren(paren) => elided_lifetime(&mut paren.elem),
        Type::Group(group) => elided_lifetime(&mut group.elem),
        _ => None,
    }
}

fn elided_in_arguments(arguments: &mut PathArguments) -> Option<TokenStream> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    first(arguments.args.iter_mut().map(|argument| match argument {
        GenericArgument::Lifetime(lifetime) => anonymous(lifetime),
        GenericArgument::Type(value) => elided_lifetime(value),
        GenericArgument::AssocType(associated) => elided_lifetime(&mut associated.ty),
        _ => None,
    }))
}

fn anonymous(lifetime: &mut Lifetime) -> Option<TokenStream> {
    let found = (lifetime.ident == "_").then(|| lifetime.to_token_stream())?;
    *lifetime = Lifetime::new("'static", lifetime.span());
    Some(found)
}

/// Goes through all of them.
fn first(found: impl Iterator<Item = Option<TokenStream>>) -> Option<TokenStream> {
    found.fold(None, Option::or)
}

/// `#[global] static NAME = …;` and `#[global] static NAME: T;`, which parse as no `static` at all.
/// Returns the second one with some initialiser, and `None` if it is neither.
pub(crate) fn incomplete_global(
    tokens: &TokenStream,
    mistakes: &mut Mistakes,
) -> Option<Incomplete> {
    let is = |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(i) if i == word);
    if !tokens.to_string().contains("global") {
        return None;
    }
    let text: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let at = text.iter().position(|token| is(token, "static"))?;
    let mut after = text[at + 1..].iter().filter(|token| !is(token, "mut"));
    let (name, next) = (after.next()?, after.next()?);
    if !matches!(next, TokenTree::Punct(punct) if punct.as_char() == ':') {
        let write = format!("a global needs a type: `static {name}: Type = …;`");
        mistakes.add(Error::new(name.span(), write));
        return Some(Incomplete::NoType);
    }
    mistakes.add(Error::new(
        name.span(),
        format!(
            "a global needs an initialiser, which every thread's value is made by: `static \
             {name}: … = const {{ … }};` or `= …;`"
        ),
    ));
    let end = text.len() - 1;
    let item: TokenStream = text[..end].iter().cloned().collect();
    Some(match syn::parse2(quote! { #item = ::core::panic!(); }) {
        Ok(item) => Incomplete::NoInitial(Box::new(item)),
        Err(_) => Incomplete::NoType,
    })
}

/// What was found instead of a global.
pub(crate) enum Incomplete {
    NoType,
    NoInitial(Box<ItemStatic>),
}
