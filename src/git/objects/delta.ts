import { GitError } from '../base/errors.ts';

/** What the head of a difference tells: the sizes of the base and of the result, and where the instructions begin. */
export function deltaSizes(delta: Buffer): { base: number; result: number; start: number } {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = delta[at++];
      if (byte === undefined) throw new GitError('A difference in a pack is cut off');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  return { base: number(), result: number(), start: at };
}

/** Puts an object together from its base and the difference: instructions to copy from the base or to insert bytes. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const { base: expected, result, start } = deltaSizes(delta);
  if (expected !== base.length) throw new GitError('A difference in a pack has another base');
  const content = Buffer.allocUnsafe(result);
  let to = 0;
  for (let at = start; at < delta.length; ) {
    const code = delta[at++] ?? 0;
    if (code >= 128) {
      let from = 0;
      let length = 0;
      for (let bit = 0; bit < 4; bit++) if (code & (1 << bit)) from += (delta[at++] ?? 0) * 2 ** (8 * bit);
      for (let bit = 0; bit < 3; bit++) if (code & (16 << bit)) length += (delta[at++] ?? 0) * 2 ** (8 * bit);
      to += base.copy(content, to, from, from + (length === 0 ? 0x10000 : length));
    } else {
      to += delta.copy(content, to, at, at + code);
      at += code;
    }
  }
  if (to !== result) throw new GitError('A difference in a pack is damaged');
  return content;
}
