//! What stands in the parentheses of `#[tsrm::module(…)]` and of `#[tsrm::main(…)]`.
//!
//! Both keep what they read before a mistake: a `crate = path` is needed to expand the rest.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Error, Expr, ExprLit, Ident, Lit, LitStr, Path, Result, Token};

use super::ungrouped;
use crate::mistakes::Mistakes;

/// `name = "executor", requires = ["output"], crate = path`
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) name: Option<LitStr>,
    pub(crate) requires: Vec<LitStr>,
    pub(crate) krate: Option<Path>,
    /// Which are there.
    keys: Vec<Ident>,
}

impl Arguments {
    pub(crate) fn parse(&mut self, tokens: TokenStream, mistakes: &mut Mistakes) {
        let each = |input: ParseStream<'_>| {
            let is_crate = input.peek(Token![crate]);
            let key = input.fork().call(Ident::parse_any)?;
            if self.keys.contains(&key) {
                mistakes.add(Error::new(key.span(), format!("`{key}` is there already")));
            }
            self.keys.push(key.clone());
            if is_crate {
                self.krate = Some(parse_crate(input)?);
            } else if key == "name" {
                self.name = mistakes.check(name(parse_value(input, "name = \"…\"")?, "name = "));
            } else if key == "requires" {
                self.require(parse_value(input, "requires = [\"…\"]")?, mistakes);
            } else {
                let expected = "unknown argument: a module takes `name = \"…\"`, `requires = \
                                [\"…\"]` and `crate = path`";
                return Err(Error::new(key.span(), expected));
            }
            Ok(())
        };
        let all = separated(tokens, each);
        mistakes.check(all);
    }

    /// `["output", "executor"]`
    fn require(&mut self, list: Expr, mistakes: &mut Mistakes) {
        let Expr::Array(list) = list else {
            let text = names(&list).unwrap_or_else(|| "…".to_owned());
            let write = format!("`requires` is a list of names: write `requires = [\"{text}\"]`");
            mistakes.add(Error::new_spanned(list, write));
            return;
        };
        for element in list.elems {
            let Some(name) = mistakes.check(name(element, "")) else { continue };
            if self.requires.iter().any(|other| other.value() == name.value()) {
                let write = format!("`{}` is in the list already", name.value());
                mistakes.add(Error::new(name.span(), write));
                continue;
            }
            self.requires.push(name);
        }
    }

    /// Whether it requires itself, as far as the macro can see: the name that it gives itself, or
    /// that of the item that it stands on.
    pub(crate) fn check_requirements(&mut self, item: Option<&Ident>, mistakes: &mut Mistakes) {
        let own = match (&self.name, item) {
            (Some(name), _) => name.value(),
            (None, Some(item)) => item.unraw().to_string(),
            (None, None) => return,
        };
        self.requires.retain(|required| {
            let is_own = required.value() == own;
            if is_own {
                let write = "this module is called so itself: write the names of other modules";
                mistakes.add(Error::new(required.span(), write));
            }
            !is_own
        });
    }
}

/// `executor, output, crate = path`
#[derive(Default)]
pub(crate) struct Modules {
    pub(crate) paths: Vec<Path>,
    pub(crate) krate: Option<Path>,
}

impl Modules {
    pub(crate) fn parse(&mut self, tokens: TokenStream, mistakes: &mut Mistakes) {
        let each = |input: ParseStream<'_>| {
            if input.peek(Token![crate]) && input.peek2(Token![=]) {
                self.krate = Some(parse_crate(input)?);
            } else {
                self.paths.push(input.call(Path::parse_mod_style)?);
            }
            Ok(())
        };
        mistakes.check(separated(tokens, each));
    }
}

/// Reads until the end, with commas between.
fn separated(
    tokens: TokenStream,
    mut each: impl FnMut(ParseStream<'_>) -> Result<()>,
) -> Result<()> {
    let all = |input: ParseStream<'_>| {
        while !input.is_empty() {
            each(input)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    };
    all.parse2(tokens)
}

/// `crate = path`.
fn parse_crate(input: ParseStream<'_>) -> Result<Path> {
    input.parse::<Token![crate]>()?;
    input.parse::<Token![=]>()?;
    input.call(Path::parse_mod_style)
}

/// `key = value`, of which the value; `write` is how it looks.
fn parse_value(input: ParseStream<'_>, write: &str) -> Result<Expr> {
    let key: Ident = input.parse()?;
    if input.parse::<Token![=]>().is_err() {
        return Err(Error::new(key.span(), format!("write `{write}`")));
    }
    input.parse().map(ungrouped)
}

/// The name of a module; `before` is what it stands behind.
fn name(value: Expr, before: &str) -> Result<LitStr> {
    let value = ungrouped(value);
    let Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) = &value else {
        let text = names(&value).unwrap_or_else(|| "…".to_owned());
        let write = format!("a module's name is a string: write `{before}\"{text}\"`");
        return Err(Error::new_spanned(value, write));
    };
    let text = name.value();
    if text.is_empty() || text.contains('.') {
        return Err(Error::new(
            name.span(),
            "a module's name is not empty and has no `.` (settings are called `module.setting`)",
        ));
    }
    if text.contains(char::is_control) {
        // It is also read from C, and in one line of a table.
        return Err(Error::new(name.span(), "a module's name has no control characters"));
    }
    Ok(name.clone())
}

/// The module that is probably meant by what is no name: by a string in the place of a list, or by
/// the path of a module or of its `MODULE`.
fn names(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) => Some(name.value()),
        Expr::Path(path) => {
            let mut segments = path.path.segments.iter().rev();
            segments
                .find(|segment| segment.ident != "MODULE")
                .map(|segment| segment.ident.unraw().to_string())
        }
        Expr::Group(group) => names(&group.expr),
        _ => None,
    }
}
