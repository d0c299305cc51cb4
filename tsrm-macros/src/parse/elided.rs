//! Lifetimes that a `static`'s type may leave out, and a type that is pasted elsewhere may not.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{GenericArgument, Lifetime, PathArguments, Type, TypeParamBound};

/// Makes the elided lifetimes of a type `'static`, and returns the tokens of the first one.
///
/// In a `static` they would mean `'static`, but the type is pasted where nothing can be elided.
/// What is inside the parentheses of a function's type is not elided but of any lifetime.
pub(super) fn elided_lifetime(value: &mut Type) -> Option<TokenStream> {
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
