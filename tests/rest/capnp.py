"""Reads the few Cap'n Proto messages for which the C API of libtiledb has no function."""
import struct


class Struct:
    """A struct of a message, with its data and its pointers."""

    def __init__(self, segments, segment, data, data_words, pointers):
        self.segments = segments
        self.segment = segment
        self.data = data
        self.data_words = data_words
        self.pointers = pointers

    def uint64(self, index):
        """Returns a number of 64 bits by its position in words, 0 if it is missing."""
        if index >= self.data_words:
            return 0
        return self.segments[self.segment][self.data + index]

    def flag(self, bit):
        """Returns a bit of the data."""
        return bool(self.uint64(bit // 64) >> (bit % 64) & 1)

    def pointer(self, index):
        """Returns what a pointer refers to: a struct, a list, or None."""
        if index >= self.pointers:
            return None
        return resolve(self.segments, self.segment, self.data + self.data_words + index)

    def text(self, index):
        """Returns a text, None if it is missing."""
        found = self.pointer(index)
        return None if found is None else found[:-1].decode()


def signed(value, bits):
    """Returns the lower bits of a number as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def resolve(segments, segment, position):
    """Returns the object of the pointer at a position: bytes, a list of objects, or a struct."""
    word = segments[segment][position]
    if word == 0:
        return None
    if word & 3 == 2:
        target, offset = word >> 32, (word >> 3) & 0x1FFFFFFF
        if word & 4:
            raise ValueError("far pointers of two words are not supported")
        return resolve(segments, target, offset)
    start = position + 1 + signed(word >> 2, 30)
    if word & 3 == 0:
        return Struct(segments, segment, start, (word >> 32) & 0xFFFF, word >> 48)
    size, count = (word >> 32) & 7, word >> 35
    if size == 2:
        words = segments[segment][start:start + (count + 7) // 8]
        return struct.pack(f"<{len(words)}Q", *words)[:count]
    if size == 6:
        return [resolve(segments, segment, start + index) for index in range(count)]
    if size == 7:
        tag = segments[segment][start]
        number, data, pointers = (tag >> 2) & 0x3FFFFFFF, (tag >> 32) & 0xFFFF, tag >> 48
        step = data + pointers
        return [Struct(segments, segment, start + 1 + index * step, data, pointers) for index in range(number)]
    if count == 0:
        return []
    raise ValueError(f"lists with elements of kind {size} are not supported")


def read(message):
    """Returns the root struct of a message."""
    count = struct.unpack_from("<I", message)[0] + 1
    sizes = struct.unpack_from(f"<{count}I", message, 4)
    position = (4 + 4 * count + 7) // 8 * 8
    segments = []
    for size in sizes:
        segments.append(struct.unpack_from(f"<{size}Q", message, position))
        position += 8 * size
    return resolve(segments, 0, 0)


def capabilities(deployed, minimum):
    """Returns the message of the versions that a server has and accepts."""
    words = [2 << 48, 1 << 2 | 1 << 32, 1 << 2 | 1 << 32]
    for major, minor, patch in (deployed, minimum):
        words.append(major | minor << 16 | patch << 32)
    return struct.pack("<II", 0, len(words)) + struct.pack(f"<{len(words)}Q", *words)
