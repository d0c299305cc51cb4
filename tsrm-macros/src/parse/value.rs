//! `#[global] static NAME: T = …;`, `#[shared] static NAME: T = …;` and
//! `#[statistics] static NAME: Statistics<Enum>;`

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{
    Attribute, Error, Expr, GenericArgument, Ident, ItemStatic, Meta, Path, PathArguments, Result,
    StaticMutability, Type, Visibility, parse_quote,
};

use super::attributes::{check_arguments, expect_as_allow, written};
use super::elided::elided_lifetime;
use super::kinds::{HookKind, ValueKind, misplaced_error};
use super::ungrouped;
use crate::mistakes::Mistakes;
use crate::statistics::names::{WORDS, is_name};

pub(crate) struct ValueItem {
    /// All but this crate's.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    /// Of statistics the enum.
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
    /// Cells, and no value.
    Statistics {
        /// Of the set, in lower case.
        name: String,
        /// `Statistics` as the user wrote it, without its argument.
        written: Path,
    },
}

impl ValueItem {
    pub(crate) fn kind(&self) -> ValueKind {
        match self.storage {
            Storage::Static(_) | Storage::Cached(_) => ValueKind::Global,
            Storage::Shared { .. } => ValueKind::Shared,
            Storage::Statistics { .. } => ValueKind::Statistics,
        }
    }

    /// Whether two of one module cannot be told apart.
    pub(super) fn is_called_as(&self, other: &Self) -> bool {
        match (&self.storage, &other.storage) {
            (Storage::Statistics { name, .. }, Storage::Statistics { name: other, .. }) => {
                name == other
            }
            _ => self.name == other.name,
        }
    }

    /// The `static`, which has an attribute of that kind. Its mistakes leave a value of the name
    /// and the type that was meant, if that can be seen.
    pub(super) fn parse(
        mut item: ItemStatic,
        kind: ValueKind,
        has_initial: bool,
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let is_lazy = take_attributes(&mut item.attrs, kind, mistakes);
        item.attrs.iter_mut().for_each(expect_as_allow);
        let noun = kind.noun();
        if let StaticMutability::Mut(token) = &item.mutability {
            let write = format!("{noun} is never `mut`: {}", kind.without_mut());
            mistakes.add(Error::new(token.span, write));
        }
        if kind == ValueKind::Statistics {
            return Self::statistics(item, has_initial, mistakes);
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
            (_, initial) => Storage::Shared { initial: Box::new(initial), is_lazy },
        };
        Some(Self {
            attributes: item.attrs,
            visibility: item.vis,
            name: item.ident,
            value: *item.ty,
            storage,
        })
    }

    /// A set of statistics, of whose type the enum is left.
    fn statistics(item: ItemStatic, has_initial: bool, mistakes: &mut Mistakes) -> Option<Self> {
        let ItemStatic { attrs: attributes, vis: visibility, ident: name, ty, expr, .. } = item;
        let write = ValueKind::Statistics.declaration(&name);
        if has_initial {
            let why = "a set of statistics has no initial value, it counts from 0";
            mistakes.add(Error::new_spanned(expr, format!("{why}: write `{write}`")));
        }
        let set = name.unraw().to_string().to_lowercase();
        if !is_name(&set) {
            let write = format!(
                "statistics are exported by this name in lower case, and a name {WORDS}: write another"
            );
            mistakes.add(Error::new(name.span(), write));
        }
        let (value, written) = enum_of(&ty);
        let written = written.unwrap_or_else(|| {
            let why = "the type says which enum it is that counts";
            mistakes.add(Error::new_spanned(&ty, format!("{why}: write `{write}`")));
            parse_quote!(Statistics)
        });
        let storage = Storage::Statistics { name: set, written };
        Some(Self { attributes, visibility, name, value: value?, storage })
    }
}

/// The enum in `Statistics<Enum>` and the path before it; or the one that may be meant by something
/// else, and no path.
fn enum_of(declared: &Type) -> (Option<Type>, Option<Path>) {
    let mut path = match declared {
        Type::Path(path) if path.qself.is_none() => path.path.clone(),
        Type::Paren(paren) => return enum_of(&paren.elem),
        Type::Group(group) => return enum_of(&group.elem),
        _ => return (None, None),
    };
    let Some(last) = path.segments.last_mut() else { return (None, None) };
    let is_statistics = last.ident == "Statistics";
    let PathArguments::AngleBracketed(arguments) = std::mem::take(&mut last.arguments) else {
        return ((!is_statistics).then(|| declared.clone()), None);
    };
    let value = arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(value) if is_path(value) => Some(value.clone()),
        _ => None,
    });
    let is_right = is_statistics && value.is_some() && arguments.args.len() == 1;
    (value, is_right.then_some(path))
}

/// Whether it may be an enum.
fn is_path(value: &Type) -> bool {
    match value {
        Type::Path(_) | Type::Macro(_) => true,
        Type::Paren(paren) => is_path(&paren.elem),
        Type::Group(group) => is_path(&group.elem),
        _ => false,
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
            Some(ValueKind::Global | ValueKind::Statistics) => {
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
        "a `static` is either `#[global]`, a value for each thread, or `#[shared]`, one for all, or \
         `#[statistics]`, which counts: write one of them"
            .to_owned()
    };
    Error::new_spanned(attribute.path(), write)
}
