//! What stands in the parentheses of `#[tsrm::module(…)]` and of `#[tsrm::main(…)]`.
//!
//! Both keep what they read before a mistake: a `crate = path` is needed to expand the rest.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Error, Expr, Ident, Lit, LitStr, Path, Result, Token};

use crate::mistakes::Mistakes;

/// `name = "executor", crate = path`
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) name: Option<LitStr>,
    pub(crate) krate: Option<Path>,
}

impl Arguments {
    pub(crate) fn parse(&mut self, tokens: TokenStream, mistakes: &mut Mistakes) {
        let each = |input: ParseStream<'_>| {
            if input.peek(Token![crate]) {
                self.krate = Some(parse_crate(input)?);
                return Ok(());
            }
            let key: Ident = input.parse()?;
            if key != "name" {
                let expected = "unknown argument: a module takes `name = \"…\"` and `crate = path`";
                return Err(Error::new(key.span(), expected));
            }
            input.parse::<Token![=]>()?;
            self.name = Some(parse_name(input)?);
            Ok(())
        };
        mistakes.check(separated(tokens, each));
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

fn parse_name(input: ParseStream<'_>) -> Result<LitStr> {
    let value: Expr = input.parse()?;
    let name = match &value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(name) => name,
            _ => return Err(Error::new_spanned(literal, "a module's name is a string")),
        },
        other => {
            let text = other.to_token_stream().to_string().replace(' ', "");
            let write = format!("a module's name is a string: write `name = \"{text}\"`");
            return Err(Error::new_spanned(other, write));
        }
    };
    let text = name.value();
    if text.is_empty() || text.contains('.') {
        return Err(Error::new(
            name.span(),
            "a module's name is not empty and has no `.` (settings are called `module.setting`)",
        ));
    }
    Ok(name.clone())
}
