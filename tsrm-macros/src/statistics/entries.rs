//! What stands in the parentheses of `#[stat(…)]`, and what the documentation says.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Result, Token};

use super::names::{WORDS, is_name, similar};
use crate::mistakes::Mistakes;
use crate::parse::ungrouped;

/// `key` or `key = value`.
pub(super) struct Entry {
    pub(super) key: Ident,
    value: Option<Expr>,
}

/// The entries of all `#[stat(…)]` of one item, each key once; `takes` is what there may be.
///
/// A `cfg_attr` may have added one of several.
pub(super) fn entries(
    attributes: &[Attribute],
    takes: &str,
    mistakes: &mut Mistakes,
) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for attribute in attributes.iter().filter(|attribute| is_stat(attribute)) {
        let list = match &attribute.meta {
            Meta::List(list) if !list.tokens.is_empty() => list,
            // At the name of an empty one: of the parentheses the whole is the span.
            _ => {
                let write = format!("nothing is in there: {takes}");
                mistakes.add(Error::new_spanned(attribute.path(), write));
                continue;
            }
        };
        for piece in pieces(list.tokens.clone()) {
            let parse = |input: ParseStream<'_>| Entry::parse(input, takes);
            let Some(entry) = mistakes.check(parse.parse2(piece)) else { continue };
            if entries.iter().any(|other| other.key == entry.key) {
                let write = format!("`{}` is there already", entry.key);
                mistakes.add(Error::new(entry.key.span(), write));
                continue;
            }
            entries.push(entry);
        }
    }
    entries
}

pub(super) fn is_stat(attribute: &Attribute) -> bool {
    attribute.path().is_ident("stat")
}

/// What is between the commas, so that a mistake in one does not hide another's.
fn pieces(tokens: TokenStream) -> Vec<TokenStream> {
    let mut pieces = Vec::new();
    let mut piece = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => {
                if piece.is_empty() {
                    // A comma too many, for the parser to find.
                    piece.extend([TokenTree::Punct(punct)]);
                }
                pieces.push(std::mem::take(&mut piece));
            }
            token => piece.extend([token]),
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

impl Entry {
    fn parse(input: ParseStream<'_>, takes: &str) -> Result<Self> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error(format!("{takes}, with `,` between")));
        }
        let key = input.call(Ident::parse_any)?;
        if input.is_empty() {
            return Ok(Self { key, value: None });
        }
        if !input.peek(Token![=]) {
            return Err(input.error(format!("write `,` or `=` behind `{key}`")));
        }
        input.parse::<Token![=]>()?;
        if input.is_empty() {
            return Err(Error::new(key.span(), format!("`{key} =` has no value")));
        }
        let value = Some(input.parse().map(ungrouped)?);
        if !input.is_empty() {
            return Err(input.error(format!("write `,` behind the value of `{key}`")));
        }
        Ok(Self { key, value })
    }

    /// A key by itself.
    pub(super) fn word(&self) -> Result<()> {
        match &self.value {
            None => Ok(()),
            Some(value) => {
                let write = format!("`{0}` has no value: write `{0}`", self.key);
                Err(Error::new_spanned(value, write))
            }
        }
    }

    /// `key = "words_like_these"`
    pub(super) fn name(self) -> Result<LitStr> {
        let key = self.key;
        let Some(value) = self.value else {
            return Err(Error::new(key.span(), format!("write `{key} = \"…\"`")));
        };
        let text = match &value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                if is_name(&text.value()) {
                    return Ok(text.clone());
                }
                let write = match similar(&text.value()) {
                    Some(name) => format!("write `{key} = \"{name}\"`"),
                    None => format!("write another {key}, or none"),
                };
                return Err(Error::new(text.span(), format!("a {key} {WORDS}: {write}")));
            }
            Expr::Path(path) => path.path.get_ident().map(|ident| ident.unraw().to_string()),
            _ => None,
        };
        let text = text.unwrap_or_else(|| "…".to_owned());
        let write = format!("a {key} is a string: write `{key} = \"{text}\"`");
        Err(Error::new_spanned(value, write))
    }

    /// `key = 1_000`
    pub(super) fn number(self) -> Result<u64> {
        let key = self.key;
        let Some(value) = self.value else {
            return Err(Error::new(key.span(), format!("write `{key} = …`, with a number")));
        };
        let number = match &value {
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. })
                if matches!(number.suffix(), "" | "u64") =>
            {
                number.base10_parse().unwrap_or(0)
            }
            _ => 0,
        };
        if number == 0 {
            let write = format!(
                "`{key}` is a whole number from 1 to {}, as a literal such as `60_000_000`",
                u64::MAX
            );
            return Err(Error::new_spanned(value, write));
        }
        Ok(number)
    }

    /// `crate = path`
    pub(super) fn path(self) -> Result<Path> {
        let key = self.key;
        let write = format!("write `{key} = path`");
        match self.value {
            Some(Expr::Path(path)) if path.qself.is_none() => Ok(path.path),
            Some(other) => Err(Error::new_spanned(other, write)),
            None => Err(Error::new(key.span(), write)),
        }
    }
}

/// The first paragraph of the documentation, on one line.
pub(super) fn first_paragraph(attributes: &[Attribute]) -> Option<String> {
    let mut words = Vec::new();
    for attribute in attributes {
        let Some(text) = documentation(attribute) else { continue };
        let is_block = text.contains('\n');
        for (index, line) in text.split('\n').enumerate() {
            let mut line = line.trim();
            if is_block && index > 0 {
                // Behind the asterisk that each line of a `/** … */` may begin with.
                line = line.strip_prefix('*').unwrap_or(line).trim_start();
            }
            match (line.is_empty(), words.is_empty()) {
                (false, _) => words.push(line.replace(char::is_control, " ")),
                (true, true) => {}
                (true, false) => return Some(words.join(" ")),
            }
        }
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// Of a `#[doc = "…"]`; not of one whose text a macro makes, which nobody has expanded.
fn documentation(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match ungrouped(pair.value.clone()) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if pair.path.is_ident("doc") => {
            Some(text.value())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::{ItemEnum, parse_quote};

    #[test]
    fn paragraphs() {
        let cases: [(ItemEnum, Option<&str>); 7] = [
            (parse_quote! { enum E {} }, None),
            (
                parse_quote! { #[doc(hidden)] #[doc = include_str!("x")] #[doc = ""] enum E {} },
                None,
            ),
            (parse_quote! { #[doc = " One."] enum E {} }, Some("One.")),
            (
                parse_quote! { #[doc = ""] #[doc = " One"] #[other] #[doc = "  two. "] enum E {} },
                Some("One two."),
            ),
            (
                parse_quote! { #[doc = " One."] #[doc = " "] #[doc = " Two."] enum E {} },
                Some("One."),
            ),
            (
                parse_quote! { #[doc = " One\n * two,\n   three.\n *\n * Four. "] enum E {} },
                Some("One two, three."),
            ),
            (parse_quote! { #[doc = " One\0two\tthree."] enum E {} }, Some("One two three.")),
        ];
        for (item, expected) in cases {
            assert_eq!(first_paragraph(&item.attrs).as_deref(), expected);
        }
    }
}
