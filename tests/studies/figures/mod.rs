//! Figures: data, axes and styles before drawing, and the drawn shapes.

mod axes;
mod boxes;
mod data;
mod shapes;
mod styles;
mod values;
