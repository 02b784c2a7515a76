/** A text cut into lines, each with its line break. */
export interface Lines {
  bytes: Buffer;
  /** Where each line begins, and where the last one ends. */
  starts: number[];
  count: number;
}

export function splitLines(bytes: Buffer): Lines {
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== bytes.length) starts.push(bytes.length);
  return { bytes, starts, count: starts.length - 1 };
}

/** One line as bytes, with its line break. */
export function lineAt({ bytes, starts }: Lines, at: number): Buffer {
  return bytes.subarray(starts[at] ?? bytes.length, starts[at + 1] ?? bytes.length);
}

/** Numbers for the lines of two texts: equal lines get equal numbers. */
export function numberLines(left: Lines, right: Lines): { left: Int32Array; right: Int32Array; count: number } {
  const known = new Map<string, number>();
  const numbers = { left: new Int32Array(left.count), right: new Int32Array(right.count) };
  for (let at = 0; at < left.count; at++) numbers.left[at] = numberOf(known, left, at);
  // Most texts differ in few places: what is the same at both ends need not be looked up again.
  const { start, end } = commonLines(left, right);
  const shift = left.count - right.count;
  for (let at = 0; at < right.count; at++) {
    if (at < start) numbers.right[at] = numbers.left[at] ?? 0;
    else if (at >= right.count - end) numbers.right[at] = numbers.left[at + shift] ?? 0;
    else numbers.right[at] = numberOf(known, right, at);
  }
  return { ...numbers, count: known.size };
}

function numberOf(known: Map<string, number>, { bytes, starts }: Lines, at: number): number {
  const line = bytes.toString('latin1', starts[at], starts[at + 1]);
  const number = known.get(line);
  if (number !== undefined) return number;
  known.set(line, known.size);
  return known.size - 1;
}

/** How many lines two texts have in common at the start, and how many of the others at the end. */
function commonLines(left: Lines, right: Lines): { start: number; end: number } {
  const [a, b] = [left.bytes, right.bytes];
  const shorter = Math.min(a.length, b.length);
  let bytes = 0;
  while (bytes < shorter && a[bytes] === b[bytes]) bytes++;
  const most = Math.min(left.count, right.count);
  let start = 0;
  while (start < most && (left.starts[start + 1] ?? 0) <= bytes && (right.starts[start + 1] ?? 0) <= bytes) start++;
  let tail = 0;
  while (tail < shorter - bytes && a[a.length - tail - 1] === b[b.length - tail - 1]) tail++;
  let end = 0;
  // A line is the same only if the line break before it is in the common part as well.
  while (end < most - start && a.length - (left.starts[left.count - end - 1] ?? 0) < tail) end++;
  return { start, end };
}

/** Whether git takes a content for binary: a NUL among the first 8,000 bytes. */
export function isBinary(bytes: Buffer): boolean {
  const nul = bytes.indexOf(0);
  return nul >= 0 && nul < 8_000;
}
