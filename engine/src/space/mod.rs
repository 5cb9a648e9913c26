//! Where things are: orders of cells, the grid of tiles, runs of cells. Pure arithmetic on a schema.
