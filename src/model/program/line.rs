//! The line of a field in a JSON text: errors found after parsing can say where, too.
