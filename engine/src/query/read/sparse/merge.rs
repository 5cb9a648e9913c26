//! Cells of several tiles in order, and of cells that share coordinates the newest.
//!
//! The tiles of a fragment, which hold their cells in order, are a stream; so are all tiles together, by their MBRs, where
//! another order is wanted than the one that fragments have. Each stream has a bound: no cell of its next tile comes
//! before it. What comes before the least of all bounds can go out. A tile that ends before the bound of every other
//! stream, and begins after everything that came before, goes out as it is: nothing of it is compared.

use std::cmp::Ordering;
use std::sync::OnceLock;

use super::batch::Piece;
use super::flow::{Pace, push, select_all};
use super::plan::Planned;
use super::select::Selected;
use super::sift::{Held, Segment, Sift};
use super::tiles::{Input, Tile, coordinates};
use crate::context::Context;
use crate::error::{Result, try_vec};
use crate::query::condition::Verdict;
use crate::schema::ArraySchema;
use crate::space::{Bounds, CellOrder, Coordinates, KeyedCells, Keys, Order};
use crate::tile::Cells;
use crate::types::{Layout, Range};

/// What is left of a plan whose cells are put into order.
#[derive(Debug)]
pub(super) struct Merge {
    order: CellOrder,
    /// Whether cells that share coordinates hide one another.
    dedup: bool,
    /// Whether a fragment's tiles hold their cells in this order.
    stored: bool,
    plan: Vec<Planned>,
    /// Where the MBR of each planned tile begins and ends; nothing in an order that MBRs tell nothing of.
    corners: Option<(Corner, Corner)>,
    streams: Vec<Stream>,
    /// What is known of each tile of the read, by its place there.
    held: Vec<Held>,
    pace: Pace,
}

/// A corner of each planned tile's MBR, as cells.
#[derive(Debug, Default)]
struct Corner {
    columns: Vec<Cells>,
    keys: Keys,
}

impl Corner {
    fn columns(&self) -> Vec<Coordinates<'_>> {
        self.columns.iter().map(coordinates).collect()
    }

    fn keyed<'a>(&'a self, columns: &'a [Coordinates<'a>]) -> KeyedCells<'a> {
        KeyedCells {
            keys: &self.keys,
            columns,
        }
    }
}

/// Tiles that come one after the other.
#[derive(Debug)]
struct Stream {
    /// The first tile of the plan, the next one, and one past the last.
    first: usize,
    next: usize,
    end: usize,
    /// The last cell that came, where later ones do not come before it.
    last: Option<Corner>,
}

/// What a wave does with a tile of the plan.
#[derive(Clone, Copy, Debug)]
struct Scheduled {
    planned: usize,
    /// Whether its cells are compared with others; otherwise it goes out as it is.
    compared: bool,
}

/// The tiles of two different fragments that reach furthest.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    first: Option<usize>,
    second: Option<usize>,
}

impl Merge {
    pub(super) fn new(
        input: &Input,
        schema: &ArraySchema,
        plan: Vec<Vec<Planned>>,
        order: Option<Order>,
        pace: Pace,
    ) -> Result<Self> {
        let bounds = bounds_of(input, schema);
        let stored = order.is_none();
        let cell_order = match order {
            Some(order) => CellOrder::of_domain(schema, order, bounds)?,
            None => CellOrder::global(schema, bounds)?,
        };
        let mut streams = Vec::new();
        let mut first = 0;
        for tiles in &plan {
            if !tiles.is_empty() {
                streams.push(Stream {
                    first,
                    next: first,
                    end: first + tiles.len(),
                    last: None,
                });
            }
            first += tiles.len();
        }
        let mut merge = Self {
            order: cell_order,
            dedup: !schema.allows_dups,
            stored,
            plan: plan.into_iter().flatten().collect(),
            corners: None,
            streams,
            held: Vec::new(),
            pace,
        };
        let told = !(stored && schema.cell_order == Layout::Hilbert);
        if told {
            let low = merge.corner(input, Range::start)?;
            let high = merge.corner(input, Range::end)?;
            merge.corners = Some((low, high));
        }
        if !stored {
            merge.sort_plan(input)?;
        }
        Ok(merge)
    }

    /// Makes one stream of all tiles, by where their MBRs begin.
    fn sort_plan(&mut self, input: &Input) -> Result<()> {
        let Some((low, _)) = &self.corners else {
            return Ok(());
        };
        let columns = low.columns();
        let cells = low.keyed(&columns);
        let mut places: Vec<usize> = (0..self.plan.len()).collect();
        places.sort_by(|a, b| self.order.compare(cells, *a, cells, *b));
        self.plan = places.into_iter().map(|at| self.plan[at]).collect();
        self.streams = vec![Stream {
            first: 0,
            next: 0,
            end: self.plan.len(),
            last: None,
        }];
        let low = self.corner(input, Range::start)?;
        let high = self.corner(input, Range::end)?;
        self.corners = Some((low, high));
        Ok(())
    }

    /// One end of the MBR of each planned tile.
    fn corner(&self, input: &Input, end: fn(&Range) -> &[u8]) -> Result<Corner> {
        let mut columns = vec![Cells::default(); self.order.dim_num()];
        for planned in &self.plan {
            let tree = input.sources[planned.source as usize].fragment.rtree()?;
            let mbr = tree.leaf(planned.found.tile as usize).unwrap_or_default();
            for (column, range) in columns.iter_mut().zip(mbr) {
                if range.is_var() {
                    if column.starts.is_empty() {
                        column.starts.push(0);
                    }
                    column.data.extend_from_slice(end(range));
                    column.starts.push(column.data.len() as u64);
                } else {
                    column.data.extend_from_slice(end(range));
                }
            }
        }
        let mut corner = Corner {
            columns,
            keys: Keys::default(),
        };
        let mut keys = Keys::default();
        self.order.make_keys(&corner.columns(), &mut keys)?;
        corner.keys = keys;
        Ok(corner)
    }

    pub(super) fn is_done(&self) -> bool {
        self.streams.iter().all(|stream| stream.next >= stream.end)
            && self.held.iter().all(|held| held.at >= held.cells.len())
    }

    /// See [`super::flow::Flow::next`].
    pub(super) fn next(
        &mut self,
        context: &Context,
        input: &Input,
        wanted: usize,
        tiles: &mut Vec<Tile>,
        pieces: &mut Vec<Piece>,
    ) -> Result<usize> {
        self.drop_delivered(input, tiles);
        let kept = tiles.len();
        let scheduled = self.schedule(input, wanted, tiles)?;
        // Where cells hide others, the condition waits until it is known which.
        let planned = scheduled
            .iter()
            .map(|at| (self.plan[at.planned], !(self.dedup && at.compared)));
        let planned: Vec<(Planned, bool)> = planned.collect();
        let selected = select_all(context, input, &tiles[kept..], |at| planned[at])?;
        let held = self.hold(context, input, &tiles[kept..], &scheduled, &selected)?;
        self.held.extend(held);
        self.note_last(input, tiles, kept, &scheduled)?;
        // Those that are compared go out before the next that goes out as it is: nothing of theirs lies behind it.
        let mut compared: Vec<usize> = (0..kept).collect();
        for (at, way) in scheduled.iter().enumerate() {
            let place = kept + at;
            if way.compared {
                tiles[place].waiting += selected[at].cell_num();
                compared.push(place);
                continue;
            }
            self.flush(input, tiles, &compared, true, pieces)?;
            compared.clear();
            push(pieces, place as u32, &mut tiles[place], &selected[at]);
        }
        self.flush(input, tiles, &compared, false, pieces)?;
        for tile in tiles.iter_mut().filter(|tile| tile.waiting == 0) {
            input.forget(tile);
        }
        self.pace.quicken();
        Ok(scheduled.len())
    }

    /// Lets go of the tiles of which nothing waits.
    fn drop_delivered(&mut self, input: &Input, tiles: &mut Vec<Tile>) {
        let held = std::mem::take(&mut self.held);
        let all = std::mem::take(tiles);
        for (mut tile, held) in all.into_iter().zip(held) {
            if held.at < held.cells.len() {
                tiles.push(tile);
                self.held.push(held);
            } else {
                input.forget(&mut tile);
            }
        }
    }

    /// Chooses the tiles of the next wave: again and again the next of the stream that goes on first.
    fn schedule(
        &mut self,
        input: &Input,
        wanted: usize,
        tiles: &mut Vec<Tile>,
    ) -> Result<Vec<Scheduled>> {
        let mut scheduled = Vec::new();
        let mut reach = Reach::default();
        for held in &self.held {
            self.extend_reach(&mut reach, held.planned);
        }
        let kept: u64 = tiles.iter().map(|tile| tile.memory() as u64).sum();
        let (mut cells, mut bytes) = (0usize, 0u64);
        // Where MBRs tell nothing, a stream is known again when its tile has come.
        let mut paused = vec![false; self.streams.len()];
        let (mut first, mut second) = (None, None);
        while !self.pace.is_enough(scheduled.len(), cells, wanted) {
            // The other streams stay where they are; only when one of them goes on first is it looked for.
            let goes_on = |at: usize| !paused[at] && self.streams[at].next < self.streams[at].end;
            let stays = first.is_some_and(|at| {
                goes_on(at) && second.is_none_or(|other| self.compare_streams(at, other).is_le())
            });
            if !stays {
                (first, second) = self.first_streams(&paused);
            }
            let Some(at) = first else {
                break;
            };
            let planned = self.streams[at].next;
            let Planned { source, found } = self.plan[planned];
            let tile = Tile::new(input, source as usize, found.tile)?;
            let compared = !self.is_alone(input, second, planned, &reach);
            if compared || !input.is_whole(source as usize, found) {
                let more = input.coordinates_size(&tile)?;
                let all = kept.saturating_add(bytes).saturating_add(more);
                if scheduled.is_empty() && all > self.pace.budget {
                    return Err(self.pace.refuse(more, kept));
                }
                if !scheduled.is_empty()
                    && (all > self.pace.budget / 2
                        || bytes.saturating_add(more) > self.pace.wave_bytes)
                {
                    break;
                }
                bytes += more;
            }
            if compared {
                self.extend_reach(&mut reach, planned);
            }
            paused[at] = self.corners.is_none();
            self.streams[at].next += 1;
            cells = cells.saturating_add(tile.cell_num);
            tiles.push(tile);
            scheduled.push(Scheduled { planned, compared });
        }
        Ok(scheduled)
    }

    /// The streams that go on first and second, of those that are not paused.
    fn first_streams(&self, paused: &[bool]) -> (Option<usize>, Option<usize>) {
        let (mut first, mut second) = (None, None);
        let is_before = |at: usize, other: Option<usize>| {
            other.is_none_or(|other| self.compare_streams(at, other).is_lt())
        };
        for (at, stream) in self.streams.iter().enumerate() {
            if paused[at] || stream.next >= stream.end {
                continue;
            }
            if is_before(at, first) {
                (first, second) = (Some(at), first);
            } else if is_before(at, second) {
                second = Some(at);
            }
        }
        (first, second)
    }

    /// Which of two streams goes on before the other. One whose place is not known goes first.
    fn compare_streams(&self, a: usize, b: usize) -> Ordering {
        let bound = |at: usize| self.bound(&self.streams[at]);
        match (bound(a), bound(b)) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some((a, i)), Some((b, j))) => self.compare(a, i, b, j),
        }
    }

    /// The place before which no cell of the stream's next tile lies; `None` where it is not known.
    fn bound<'a>(&'a self, stream: &'a Stream) -> Option<(&'a Corner, usize)> {
        let corner = self.corners.as_ref().map(|(low, _)| (low, stream.next));
        match (corner, &stream.last) {
            (Some((low, at)), Some(last)) if self.compare(low, at, last, 0).is_lt() => {
                Some((last, 0))
            }
            (None, Some(last)) => Some((last, 0)),
            (corner, _) => corner,
        }
    }

    fn compare(&self, a: &Corner, i: usize, b: &Corner, j: usize) -> Ordering {
        let by_key = a.keys.compare(i, &b.keys, j);
        if by_key.is_ne() || self.order.keys_decide() {
            return by_key;
        }
        let (columns_a, columns_b) = (a.columns(), b.columns());
        self.order
            .compare(a.keyed(&columns_a), i, b.keyed(&columns_b), j)
    }

    /// Whether a tile, the next of the first stream, ends before the `second` goes on and begins after all that came.
    fn is_alone(
        &self,
        input: &Input,
        second: Option<usize>,
        planned: usize,
        reach: &Reach,
    ) -> bool {
        let Some((low, high)) = self.corners.as_ref().filter(|_| self.stored) else {
            return false;
        };
        let source = self.plan[planned].source;
        if self.dedup && input.sources[source as usize].fragment.has_timestamps() {
            return false;
        }
        let is_before = |other: &usize| self.compare(high, *other, low, planned).is_lt();
        let others = [reach.first, reach.second].into_iter().flatten();
        let mut others = others.filter(|other| self.plan[*other].source != source);
        others.all(|other| is_before(&other))
            && second.is_none_or(|other| {
                self.bound(&self.streams[other])
                    .is_some_and(|(bound, j)| self.compare(high, planned, bound, j).is_lt())
            })
    }

    fn extend_reach(&self, reach: &mut Reach, planned: usize) {
        let Some((_, high)) = &self.corners else {
            return;
        };
        let source = self.plan[planned].source;
        let is_further = |other: Option<usize>| {
            other.is_none_or(|other| self.compare(high, other, high, planned).is_lt())
        };
        let is_own =
            |other: Option<usize>| other.is_some_and(|other| self.plan[other].source == source);
        if is_further(reach.first) {
            if !is_own(reach.first) {
                reach.second = reach.first;
            }
            reach.first = Some(planned);
        } else if !is_own(reach.first) && is_further(reach.second) {
            reach.second = Some(planned);
        }
    }

    /// Brings what comparing the cells of new tiles takes.
    fn hold(
        &self,
        context: &Context,
        input: &Input,
        tiles: &[Tile],
        scheduled: &[Scheduled],
        selected: &[Selected],
    ) -> Result<Vec<Held>> {
        let held: Vec<OnceLock<Held>> = tiles.iter().map(|_| OnceLock::new()).collect();
        context.for_each(tiles.len(), |at| {
            let planned = scheduled[at].planned;
            let fresh = match scheduled[at].compared {
                true => self.hold_tile(context, input, &tiles[at], &selected[at], planned)?,
                false => Held {
                    planned,
                    ..Held::default()
                },
            };
            let _ = held[at].set(fresh);
            Ok(())
        })?;
        let held = held.into_iter().map(OnceLock::into_inner);
        Ok(held.map(Option::unwrap_or_default).collect())
    }

    fn hold_tile(
        &self,
        context: &Context,
        input: &Input,
        tile: &Tile,
        selected: &Selected,
        planned: usize,
    ) -> Result<Held> {
        let mut held = Held {
            planned,
            ..Held::default()
        };
        if selected.runs.is_empty() && !self.stored {
            return Ok(held);
        }
        for field in &input.dims {
            input.column(tile, *field)?;
        }
        if let Some(times) = self.deciding_times(input, tile) {
            input.column(tile, times)?;
        }
        let columns = input.coordinates(tile);
        self.order.make_keys(&columns, &mut held.keys)?;
        held.cells = try_vec("cell order", selected.cell_num())?;
        let cells = selected
            .runs
            .iter()
            .flat_map(|run| run.start..run.start + run.len);
        held.cells
            .iter_mut()
            .zip(cells)
            .for_each(|(to, cell)| *to = cell);
        held.counts.clone_from(&selected.counts);
        if self.dedup && !held.cells.is_empty() {
            held.passing = match input.verdict(tile)? {
                Verdict::All => None,
                Verdict::None => Some(try_vec("the cells of a condition", tile.cell_num)?),
                Verdict::Some => {
                    let mut passing: Vec<u8> = try_vec("the cells of a condition", tile.cell_num)?;
                    passing.fill(1);
                    input.select_condition(tile, &mut passing)?;
                    Some(passing)
                }
            };
        }
        if !self.stored {
            let keyed = KeyedCells {
                keys: &held.keys,
                columns: &columns,
            };
            if held.cells.len() == tile.cell_num {
                if let Some(order) = self.order.sort(context, keyed)?.order {
                    held.cells = order;
                }
            } else {
                held.cells.sort_unstable_by(|a, b| {
                    let order = self.order.compare(keyed, *a as usize, keyed, *b as usize);
                    order.then(a.cmp(b))
                });
            }
        }
        Ok(held)
    }

    /// The field of the times of cells, where they say which cell is the newest.
    fn deciding_times(&self, input: &Input, tile: &Tile) -> Option<usize> {
        let has_times = input.sources[tile.source].fragment.has_timestamps();
        input.times.filter(|_| self.dedup && has_times)
    }

    /// Notes the last cell of the last tile of each stream that came.
    fn note_last(
        &mut self,
        input: &Input,
        tiles: &[Tile],
        kept: usize,
        scheduled: &[Scheduled],
    ) -> Result<()> {
        if !self.stored {
            return Ok(());
        }
        for stream in &mut self.streams {
            let Some(at) = scheduled
                .iter()
                .position(|at| at.planned >= stream.first && at.planned + 1 == stream.next)
            else {
                continue;
            };
            let tile = &tiles[kept + at];
            let Some(last) = tile.cell_num.checked_sub(1) else {
                continue;
            };
            if !scheduled[at].compared {
                stream.last = None;
                continue;
            }
            let mut corner = Corner::default();
            for (column, field) in input.coordinates(tile).iter().zip(&input.dims) {
                let bytes = column.get(last, input.fields[*field].value_size);
                let starts = match column.starts {
                    Some(_) => vec![0, bytes.len() as u64],
                    None => Vec::new(),
                };
                corner.columns.push(Cells {
                    data: bytes.to_vec(),
                    starts,
                    validity: Vec::new(),
                });
            }
            let columns = corner.columns();
            let mut keys = Keys::default();
            self.order.make_keys(&columns, &mut keys)?;
            corner.keys = keys;
            stream.last = Some(corner);
        }
        Ok(())
    }

    /// Puts into the queue what of these tiles may go out: `all`, or what comes before every stream goes on.
    fn flush(
        &mut self,
        input: &Input,
        tiles: &mut [Tile],
        places: &[usize],
        all: bool,
        pieces: &mut Vec<Piece>,
    ) -> Result<()> {
        let mut held = std::mem::take(&mut self.held);
        let segments = self.segments(input, tiles, &mut held, places, all);
        let sift = Sift {
            order: &self.order,
            dedup: self.dedup,
            newest_first: self.dedup || self.stored,
            input,
            held: &held,
        };
        let result = sift.put(tiles, segments, pieces);
        self.held = held;
        result
    }

    /// The cells of each tile that may go out; they count as gone then.
    fn segments(
        &self,
        input: &Input,
        tiles: &[Tile],
        held: &mut [Held],
        places: &[usize],
        all: bool,
    ) -> Vec<Segment> {
        let going_on =
            || (0..self.streams.len()).filter(|at| self.streams[*at].next < self.streams[*at].end);
        let first = going_on().min_by(|a, b| self.compare_streams(*a, *b));
        let bound = match first {
            Some(first) if !all => match self.bound(&self.streams[first]) {
                Some(bound) => Some(bound),
                None => return Vec::new(),
            },
            _ => None,
        };
        let bound_columns = bound.map(|(bound, _)| bound.columns()).unwrap_or_default();
        let mut segments = Vec::new();
        for place in places {
            let held = &mut held[*place];
            let waiting = &held.cells[held.at..];
            let end = match bound {
                None => waiting.len(),
                Some((bound, j)) => {
                    let columns = input.coordinates(&tiles[*place]);
                    let keyed = KeyedCells {
                        keys: &held.keys,
                        columns: &columns,
                    };
                    let bound = bound.keyed(&bound_columns);
                    waiting.partition_point(|cell| {
                        self.order.compare(keyed, *cell as usize, bound, j).is_lt()
                    })
                }
            };
            if end > 0 {
                segments.push(Segment {
                    place: *place,
                    start: held.at,
                    end: held.at + end,
                });
                held.at += end;
            }
        }
        segments
    }
}

/// Whether all cells lie in the domain, so far as the fragments tell.
fn bounds_of(input: &Input, schema: &ArraySchema) -> Bounds {
    let whole: Option<Vec<_>> = schema
        .domain
        .dimensions
        .iter()
        .map(|dimension| dimension.domain.as_ref().filter(|_| !dimension.is_var()))
        .map(Some)
        .collect();
    let whole = whole.unwrap_or_default();
    let in_domain = input.sources.iter().all(|source| {
        let domain = source.fragment.non_empty_domain();
        domain.is_none_or(|domain| {
            let ranges = domain.iter().zip(&whole).zip(&schema.domain.dimensions);
            ranges
                .filter_map(|((range, whole), dimension)| Some((range, (*whole)?, dimension)))
                .all(|(range, whole, dimension)| {
                    let mut wider = whole.clone();
                    wider.expand(range, dimension.datatype.physical());
                    wider == *whole
                })
        })
    });
    match in_domain {
        true => Bounds::Domain,
        false => Bounds::Datatype,
    }
}
