//! Rules for words: forbidden phrases, and the maximum length of sentences, lines and pages.

/// The most words of a sentence.
pub const WORDS: usize = 35;

/// The most characters of a line of Markdown.
pub const LINE: usize = 160;

/// The most lines of a page.
pub const PAGE: usize = 400;

/// Phrases that make a sentence stiff or name a concept by another word than its standard term, with a better one.
///
/// A phrase matches whole words, in any case.
pub const PHRASES: [(&str, &str); 59] = [
    ("of which", "a new sentence that repeats the noun"),
    ("in which", "where, or a new sentence"),
    ("that of", "repeat the noun"),
    ("those of", "repeat the noun"),
    ("so many", "name the number"),
    ("so much", "name the quantity"),
    ("as much", "name the quantity"),
    ("nobody", "say what is true"),
    ("nothing but", "only"),
    ("none that", "say what is true"),
    ("no more than", "at most"),
    ("no less than", "at least"),
    ("is none", "is invalid, is missing, is not a …"),
    ("are none", "are missing, there are no …"),
    ("is no error", "is not an error"),
    ("held up", "delayed"),
    ("hold up", "delay"),
    ("holds up", "delays"),
    ("makes way", "is preempted"),
    ("make way", "be preempted"),
    ("rests on", "assumes, uses"),
    ("rest on", "assume, use"),
    ("is worth", "say what it gains"),
    ("are worth", "say what they gain"),
    ("comes to", "is, equals, reaches"),
    ("takes the ground", "voids"),
    ("company", "co-located tasks"),
    ("side by side", "concurrently"),
    ("slow twin", "reference implementation"),
    ("twin", "reference implementation"),
    ("twins", "reference implementations"),
    ("in the words of", "for, in the format of"),
    ("is late", "misses its deadline"),
    ("are late", "miss their deadlines"),
    ("comes again", "recurs"),
    ("come again", "recur"),
    ("made up", "synthetic"),
    ("made-up", "synthetic"),
    ("by itself", "in isolation, alone"),
    ("simply", "leave it out"),
    ("easily", "leave it out"),
    ("of course", "leave it out"),
    ("whatever the", "for every"),
    ("how it is meant", "say what it means"),
    ("what it is worth", "say what it gains"),
    ("a reading", "an analysis variant, an interpretation"),
    ("the reading", "the analysis variant, the interpretation"),
    ("this reading", "this analysis variant, this interpretation"),
    ("each reading", "each analysis variant, each interpretation"),
    ("every reading", "every analysis variant, every interpretation"),
    ("readings", "analysis variants, interpretations"),
    ("from the edge", "sensitivity"),
    ("the ones that", "repeat the noun"),
    ("to be had", "available"),
    ("goes on", "continues"),
    ("go on", "continue"),
    ("for people", "name for display"),
    ("ours", "of gpusched"),
    ("what for", "the purpose"),
];

/// Files that may contain a phrase of [`PHRASES`], or with `length` lines and sentences of any length, and why.
pub const EXCEPTIONS: [(&str, &str, &str); 8] = [
    (
        "docs/reference/files/systems.md",
        LENGTH,
        "generated lists of the fields of several files",
    ),
    (
        "docs/reference/files/warp-runs.md",
        LENGTH,
        "generated lists of the fields of several files",
    ),
    (
        "docs/reference/files/study-cases.md",
        LENGTH,
        "the generated list of the fields of all metrics",
    ),
    (
        "gpu/gpusched-gpu/src/import/ptx/modifiers.rs",
        LENGTH,
        "lists of PTX modifiers",
    ),
    (
        "crates/gpusched-analysis/src/bandwidth/profile.rs",
        "that of",
        "a text that data files repeat",
    ),
    (
        "docs/reference/files/devices.md",
        LENGTH,
        "the header of a wide table",
    ),
    (
        "docs/reference/files/kernels.md",
        LENGTH,
        "the generated list of all assumptions",
    ),
    ("docs/reproduction.md", LENGTH, "claims as they are published"),
];

/// In [`EXCEPTIONS`]: no limit for lines, sentences and pages.
pub const LENGTH: &str = "length";
