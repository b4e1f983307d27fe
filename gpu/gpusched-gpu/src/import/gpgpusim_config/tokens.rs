//! Words of a file. A word is text between blanks or in quotes, outside comments.

/// Word, and the line where it starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub text: String,
    pub line: usize,
}

/// Error in the text of a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    pub line: usize,
    pub message: String,
}

/// Splits `bytes` into words.
///
/// `#` starts a comment, even within quotes. A word that starts with `"` extends to the next `"`
/// at the end of a word, even on a later line. Within quotes, one blank replaces each line break
/// or sequence of blanks.
pub(super) fn tokens(bytes: &[u8]) -> Result<Vec<Token>, Fault> {
    let mut tokens = Vec::new();
    let mut open: Option<Token> = None;
    for (number, bytes) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let bytes = bytes.split(|&byte| byte == b'#').next().unwrap_or_default();
        let text = str::from_utf8(bytes).map_err(|_| Fault {
            line: number,
            message: "found bytes that are not UTF-8, expected UTF-8 text".to_owned(),
        })?;
        for word in text.split_ascii_whitespace() {
            let word = match (&mut open, word.strip_prefix('"')) {
                (Some(quote), _) => {
                    quote.text += " ";
                    word
                }
                (None, Some(rest)) => {
                    open = Some(Token {
                        text: String::new(),
                        line: number,
                    });
                    rest
                }
                (None, None) => {
                    tokens.push(Token {
                        text: word.to_owned(),
                        line: number,
                    });
                    continue;
                }
            };
            let ended = word.strip_suffix('"');
            if let Some(mut quote) = open.take() {
                quote.text += ended.unwrap_or(word);
                match ended {
                    Some(_) => tokens.push(quote),
                    None => open = Some(quote),
                }
            }
        }
    }
    match open {
        None => Ok(tokens),
        Some(quote) => Err(Fault {
            line: quote.line,
            message: "found an opening \" without a closing \", expected \" after the value".to_owned(),
        }),
    }
}
