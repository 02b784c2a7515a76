/** What the directory of a zip archive tells of a member. */
export interface ZipEntry {
  path: Buffer;
  /** Whether the path is UTF-8. */
  isText: boolean;
  /** Type and permissions as in Unix. */
  mode: number;
  /** Seconds since 1970. */
  time: number;
  /** Of its local header, from the start of the archive. */
  offset: number;
  method: number;
  crc: number;
  size: number;
  compressed: number;
  /** Whether check sum and sizes follow the content. */
  isStreamed: boolean;
}

/** From here on the numbers of the old format overflow; a margin, as compressed content may be longer. */
const OVERFLOW = 0xf0000000;
const FULL = 0xffffffff;
const MADE_BY_UNIX = (3 << 8) | 45;

/** Precedes the content. */
export function localHeader(entry: ZipEntry): Buffer {
  const large = isLarge(entry);
  const known = !entry.isStreamed;
  const extra = Buffer.concat([
    timeField(entry),
    large ? longField([known ? entry.size : 0, known ? entry.compressed : 0]) : Buffer.alloc(0),
  ]);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, entry, large);
  header.writeUInt32LE(known ? entry.crc : 0, 14);
  header.writeUInt32LE(large ? FULL : known ? entry.compressed : 0, 18);
  header.writeUInt32LE(large ? FULL : known ? entry.size : 0, 22);
  header.writeUInt16LE(entry.path.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, entry.path, extra]);
}

/** Follows the content of what was streamed. */
export function descriptor(entry: ZipEntry): Buffer {
  const large = isLarge(entry);
  const record = Buffer.alloc(large ? 24 : 16);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(entry.crc, 4);
  if (large) {
    record.writeBigUInt64LE(BigInt(entry.compressed), 8);
    record.writeBigUInt64LE(BigInt(entry.size), 16);
  } else {
    record.writeUInt32LE(entry.compressed, 8);
    record.writeUInt32LE(entry.size, 12);
  }
  return record;
}

/** An entry of the directory at the end. */
export function centralHeader(entry: ZipEntry): Buffer {
  const large = isLarge(entry);
  const far = entry.offset >= OVERFLOW;
  const long = [...(large ? [entry.size, entry.compressed] : []), ...(far ? [entry.offset] : [])];
  const extra = Buffer.concat([timeField(entry), long.length > 0 ? longField(long) : Buffer.alloc(0)]);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(MADE_BY_UNIX, 4);
  writeCommon(header, 6, entry, large || far);
  header.writeUInt32LE(entry.crc, 16);
  header.writeUInt32LE(large ? FULL : entry.compressed, 20);
  header.writeUInt32LE(large ? FULL : entry.size, 24);
  header.writeUInt16LE(entry.path.length, 28);
  header.writeUInt16LE(extra.length, 30);
  const isDirectory = (entry.mode & 0o170000) === 0o040000;
  header.writeUInt32LE(((entry.mode << 16) | (isDirectory ? 16 : 0)) >>> 0, 38);
  header.writeUInt32LE(far ? FULL : entry.offset, 42);
  return Buffer.concat([header, entry.path, extra]);
}

export interface DirectoryEnd {
  count: number;
  start: number;
  size: number;
  comment: Buffer;
}

/** The last record, preceded by one with longer numbers where those of the old format overflow. */
export function endOfDirectory({ count, start, size, comment }: DirectoryEnd): Buffer {
  const large = count >= 0xffff || start >= OVERFLOW || size >= OVERFLOW;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(large ? 0xffff : count, 8);
  end.writeUInt16LE(large ? 0xffff : count, 10);
  end.writeUInt32LE(large ? FULL : size, 12);
  end.writeUInt32LE(large ? FULL : start, 16);
  end.writeUInt16LE(comment.length, 20);
  if (!large) return Buffer.concat([end, comment]);
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(MADE_BY_UNIX, 12);
  record.writeUInt16LE(45, 14);
  [count, count, size, start].forEach((value, at) => {
    record.writeBigUInt64LE(BigInt(value), 24 + 8 * at);
  });
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator, end, comment]);
}

/** Version, flags, method and time, which both headers have. */
function writeCommon(header: Buffer, at: number, entry: ZipEntry, large: boolean): void {
  const flags = (entry.isStreamed ? 8 : 0) | (entry.isText ? 0x800 : 0);
  const date = new Date(Math.max(entry.time, 315_532_800) * 1000);
  header.writeUInt16LE(large ? 45 : 20, at);
  header.writeUInt16LE(flags, at + 2);
  header.writeUInt16LE(entry.method, at + 4);
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  header.writeUInt16LE(time, at + 6);
  const years = Math.min(date.getUTCFullYear() - 1980, 127);
  header.writeUInt16LE((years << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(), at + 8);
}

/** The time in seconds since 1970, which needs no zone. */
function timeField({ time }: ZipEntry): Buffer {
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x5455, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  field.writeInt32LE(Math.min(time, 0x7fffffff), 5);
  return field;
}

function longField(values: number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * values.length, 2);
  values.forEach((value, at) => {
    field.writeBigUInt64LE(BigInt(value), 4 + 8 * at);
  });
  return field;
}

function isLarge(entry: ZipEntry): boolean {
  return entry.size >= OVERFLOW;
}
